"""How a systemd unit that runs a script of ours once at each boot is written."""

from __future__ import annotations


def oneshot(description: str, command: tuple[str, ...], after: tuple[str, ...]) -> str:
    """Return the text of a unit. Nothing requires it: a failure shows as a failed unit and stops no boot."""
    return f"""[Unit]
Description={description}
After={" ".join(after)}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={" ".join(_argument(each) for each in command)}

[Install]
WantedBy=multi-user.target
"""


def _argument(text: str) -> str:
    """Return an argument as systemd takes it literally: it expands % and $, and splits at spaces."""
    text = text.replace("%", "%%").replace("$", "$$")
    if all(letter.isalnum() or letter in "%$./_:-" for letter in text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
