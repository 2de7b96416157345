"""What starts fast stays fast: no verb imports what only others need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from provision.adapters.files import environments_root

#: Each takes a tenth of a second or more, or belongs to other verbs.
HEAVY = {"azure", "jinja2", "rich", "starlette", "uvicorn", "requests", "asyncio", "tree_sitter", "difflib"}

SAMPLE = str(environments_root() / "h100-two-regions.yaml")


@pytest.mark.parametrize(
    ("args", "extra"),
    [
        (["--version"], {"pydantic", "yaml", "provision.environment", "provision.pipeline"}),
        (["validate", SAMPLE], set()),
        (["schema"], set()),
        (["explain", "placeholder"], set()),
    ],
    ids=["version", "validate", "schema", "explain"],
)
def test_a_quick_verb_imports_nothing_slow(args: list[str], extra: set[str]) -> None:
    program = (
        "import sys\n"
        "from provision.cli.main import main\n"
        f"code = main({args!r})\n"
        "print(*sys.modules, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert set(done.stderr.split()) & (HEAVY | extra) == set()
