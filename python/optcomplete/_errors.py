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
        Its row, counted from 0, where the fault is on one; of a wide frame the row's label.
    column : int or str or None
        Of an array or a sparse matrix the column, counted from 0, and of a wide frame its label.
    line : int or None
        Of a file: its line, counted from 1.
    problem : str
        What is wrong.
    remedy : str
        What to do about it; may be empty.
    """

    def __init__(
        self, problem: str, remedy: str = "", *, file: str | None = None, row: Any = None, column: Any = None, line: int | None = None
    ) -> None:
        self.problem, self.remedy, self.file, self.row, self.column, self.line = problem, remedy, file, row, column, line
        super().__init__(self._text())

    def _text(self) -> str:
        where = self.file or ""
        if self.column is not None:
            counted = " (counted from 0)" if isinstance(self.row, int) else ""
            where += f", row {self.row!r}, column {self.column!r}{counted}"
        elif self.row is not None:
            where += f", row {self.row} (counted from 0)"
        elif self.line is not None:
            where += f":{self.line}"
        text = f"{where}: {self.problem}" if where else self.problem
        return f"{text} ({self.remedy})" if self.remedy else text

    def __reduce__(self) -> Any:
        return _again, (self.problem, self.remedy, self.file, self.row, self.column, self.line)


def _again(problem: str, remedy: str, file: str | None, row: Any, column: Any, line: int | None) -> OptCompleteError:
    return OptCompleteError(problem, remedy, file=file, row=row, column=column, line=line)


def not_fitted(problem: str, remedy: str) -> OptCompleteError:
    """The exception of an estimator that is not fitted: also the one of scikit-learn, if that is in use."""
    import sys

    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is None:
        return OptCompleteError(problem, remedy)
    return type("NotFittedError", (OptCompleteError, exceptions.NotFittedError), {})(problem, remedy)  # type: ignore[no-any-return]


class OptCompleteWarning(UserWarning):
    """Something was left out, filled in or is in doubt."""


_flag = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)((?: FILE| ID)?)")
_switches = {"drop-unknown", "skip-unknown", "keep", "keep-seen", "lowest", "complete-features", "certify", "constants", "no-intercept"}


def in_python(text: str) -> str:
    """Say what a message says of flags of arguments."""

    def argument(match: re.Match[str]) -> str:
        name = match[1]
        return f"{name.replace('-', '_')}=True" if name in _switches else name.replace("-", "_")

    text = re.sub(r'--missing "?([^"\s]*)"?', r'missing="\1"', text)
    text = _flag.sub(argument, text)
    return re.sub(r"(?<![\w-])-k\b", "k", text)


cells = b"optcomplete: cells of a matrix"  # marks a table whose records are cells of an array, a sparse matrix or a wide frame


def error_of(failure: dict[str, Any], tables: Any) -> OptCompleteError:
    """The exception of an answer's error; tables are the names that were frames."""
    file, line = failure.get("file"), failure.get("line")
    problem, remedy = in_python(failure["problem"]), in_python(failure.get("remedy", ""))
    if file in tables:
        problem = problem.replace("has a header but no lines after it", "has no rows").replace("the header has one field", "it has one column")
        if line and cells in (tables[file].schema.metadata or {}):
            # The records are those of a matrix: a place in it says more than their number.
            row, column = (tables[file].column(c)[line - 1].as_py() for c in (0, 1))
            problem = re.sub(r"^row .* was already given on record \d+$", "is stored twice", problem)
            return OptCompleteError(problem, re.sub(r"\blines?\b", "entries", remedy), file=file, row=row, column=column)
        problem = re.sub(r"\bon (?:line|record) (\d+)", lambda m: f"on row {int(m[1]) - 1}", problem)
        remedy = re.sub(r"\blines?\b", lambda m: m[0].replace("line", "row"), remedy)
        return OptCompleteError(problem, remedy, file=file, row=line - 1 if line else None)
    return OptCompleteError(problem, remedy, file=file, line=line)
