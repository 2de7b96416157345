"""Environment files for tests, so that a test states only what it is about."""

from __future__ import annotations

from provision.environment import Loaded, load

TOP = "version: 1\nname: train\nsubscription: 00000000-0000-0000-0000-000000000001\n"
REST = """\
regions: {southcentralus: {zone: "1"}}
pools: {train: {size: Standard_ND96isr_H100_v5, nodes: 16, ssh_public_key_file: key.pub}}
"""


def loaded(top: str = "", text: str = TOP + REST) -> Loaded:
    """Return a good environment file with some lines before it, or a text of one's own, as loaded."""
    return load("env.yaml", {"env.yaml": top + text}.__getitem__)


def said(result: Loaded) -> list[str]:
    """Return what was found, one line a finding: line, column, rule, path."""
    return [f"{f.line}:{f.column} {f.rule} {f.path}" for f in result.findings]
