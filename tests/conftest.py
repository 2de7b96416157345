"""Options and fixtures of all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

Golden = Callable[[Path, str], None]


# How fast a busy machine draws examples is no property of the code.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    parser.addoption(
        "--update-golden", action="store_true", help="write expected texts anew; review the difference like code"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Return a function that compares a text with a file, or writes the file when asked to on the command line."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(path: Path, text: str) -> None:
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode(), f"{path} differs; pytest --update-golden rewrites it"

    return compare
