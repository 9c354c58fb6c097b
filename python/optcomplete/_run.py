"""Any verb, as the command line has it."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ._base import options_of
from ._data import is_path, table_of
from ._progress import Shown
from ._session import Session
from ._settings import Progress


@dataclass
class Result:
    """What a verb printed: its JSON or its text; early if a limit or an interrupt ended it."""

    json: Any = None
    text: str = ""
    early: bool = False
    events: list[dict[str, Any]] = field(default_factory=list)


def run(verb: str, *arguments: Any, progress: Progress = False, **options: Any) -> Result:
    """Run a verb of the command line.

    Parameters
    ----------
    verb : str
        Such as "pack" or "inspect".
    *arguments : frame or path
        Its arguments: files, or frames in their place.
    progress : bool, "log" or function
        As for MatrixCompleter.
    **options
        Its settings, by their names with _ for -; a frame in place of a file.

    Returns
    -------
    Result
        With json if the verb was asked for it (json=True), else with text.

    Examples
    --------
    >>> oc.run("inspect", "ratings.pack", json=True).json      # doctest: +SKIP
    """
    tables: dict[str, pa.Table] = {}

    def named(x: Any, name: str) -> Any:
        if is_path(x) or not (hasattr(x, "columns") or isinstance(x, pa.Table)):
            return str(x) if is_path(x) else x
        tables[name] = table_of(x, name)
        return name

    words = [str(named(x, f"argument {i + 1}")) for i, x in enumerate(arguments)]
    settings = {name: named(value, name) for name, value in options.items()}
    session = Session()
    try:
        with Shown(progress) as shown:
            answer = session.ask(verb, words, options_of(settings), tables, (), shown)
    finally:
        session.close()
    return Result(answer.json, answer.text, answer.exit == 3, shown.events)


def read_parquet(content: bytes) -> pa.Table:
    """A table of an answer."""
    return pq.read_table(io.BytesIO(content))
