"""What is raised when a run cannot go on; caught once, in `cli/main.py`.

What the user wrote wrongly is no exception but a finding (`findings.py`).
"""

from __future__ import annotations


class ProvisionError(Exception):
    """A run that cannot go on. `exit_code` is the row of the exit table it ends with; `fix` says what to do."""

    exit_code = 1

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class FileError(ProvisionError):
    """A file that is missing, unreadable, not YAML or not writable; says where, as far as that is known.

    `line` and `column` count from 1; 0 means that they are not known.
    """

    def __init__(
        self, file: str, message: str, *, line: int = 0, column: int = 0, source_line: str = "", fix: str = ""
    ) -> None:
        super().__init__(message, fix=fix)
        self.file = file
        self.line = line
        self.column = column
        self.source_line = source_line


class Refused(ProvisionError):  # noqa: N818 - it says what happened, as the other names here do
    """Nothing was written, because a promise would have been broken: consent, a limit, another run."""

    exit_code = 6


class StalePlan(Refused):
    """Azure changed after the plan was made. `changed` lists the ids of what differs."""

    def __init__(self, changed: tuple[str, ...]) -> None:
        super().__init__(
            "Azure has changed since this plan was made: " + ", ".join(changed),
            fix="make a new plan and review it",
        )
        self.changed = changed


class Unreachable(ProvisionError):  # noqa: N818 - as above
    """Azure, or the simulator, could not be reached or gave no credential."""


class NotNow(ProvisionError):  # noqa: N818 - as above
    """Checks before the first write found that it can't work now; `count` of them."""

    exit_code = 4

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{_checks(count)} against Azure failed, so nothing was written",
            fix="each says above what would help; --skip-check leaves one out",
        )


class NotChecked(ProvisionError):  # noqa: N818 - as above
    """Checks before the first write could not be made; `count` of them."""

    exit_code = 5

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{_checks(count)} against Azure could not be made, so nothing was written",
            fix="each says above what would help; --skip-check goes on without one",
        )


def _checks(count: int) -> str:
    return f"{count} check{'' if count == 1 else 's'}"
