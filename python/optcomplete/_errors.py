"""What goes wrong, as one type of exception."""

from __future__ import annotations

import re
from typing import Any


class OptCompleteError(ValueError):
    """Input that cannot be used, or a fit that failed.

    Attributes
    ----------
    file : str or None
        The argument or the file at fault: "ratings", "features", "pairs" or a path.
    row : int or None
        Its row, counted from 0, where the fault is on one.
    line : int or None
        Of a file: its line, counted from 1.
    problem : str
        What is wrong.
    remedy : str
        What to do about it; may be empty.
    """

    def __init__(
        self, problem: str, remedy: str = "", *, file: str | None = None, row: int | None = None, line: int | None = None
    ) -> None:
        self.problem, self.remedy, self.file, self.row, self.line = problem, remedy, file, row, line
        super().__init__(self._text())

    def _text(self) -> str:
        where = self.file or ""
        if self.row is not None:
            where += f", row {self.row} (counted from 0)"
        elif self.line is not None:
            where += f":{self.line}"
        text = f"{where}: {self.problem}" if where else self.problem
        return f"{text} ({self.remedy})" if self.remedy else text

    def __reduce__(self) -> Any:
        return _again, (self.problem, self.remedy, self.file, self.row, self.line)


def _again(problem: str, remedy: str, file: str | None, row: int | None, line: int | None) -> OptCompleteError:
    return OptCompleteError(problem, remedy, file=file, row=row, line=line)


class OptCompleteWarning(UserWarning):
    """Something was left out, filled in or is in doubt."""


_flag = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)((?: FILE| ID)?)")
_switches = {"drop-unknown", "skip-unknown", "keep", "keep-seen", "complete-features", "certify", "constants", "no-intercept"}


def in_python(text: str) -> str:
    """Say what a message says of flags of arguments."""

    def argument(match: re.Match[str]) -> str:
        name = match[1]
        return f"{name.replace('-', '_')}=True" if name in _switches else name.replace("-", "_")

    text = _flag.sub(argument, text)
    return re.sub(r"(?<![\w-])-k\b", "k", text)


def error_of(failure: dict[str, Any], tables: Any) -> OptCompleteError:
    """The exception of an answer's error; tables are the names that were frames."""
    file, line = failure.get("file"), failure.get("line")
    problem, remedy = in_python(failure["problem"]), in_python(failure.get("remedy", ""))
    if file in tables:
        problem = re.sub(r"\bon (?:line|record) (\d+)", lambda m: f"on row {int(m[1]) - 1}", problem)
        remedy = re.sub(r"\blines?\b", lambda m: m[0].replace("line", "row"), remedy)
        return OptCompleteError(problem, remedy, file=file, row=line - 1 if line else None)
    return OptCompleteError(problem, remedy, file=file, line=line)
