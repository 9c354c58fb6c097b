"""Complete a partly observed matrix from a few named features, with a proof that they are the best.

    import optcomplete as oc
    model = oc.MatrixCompleter(k=5).fit(ratings, features)
    model.selected_, model.certificate_

The work is done by the optcomplete program, which this package carries; see docs/python.md.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Any

from ._completer import MatrixCompleter
from ._errors import OptCompleteError, OptCompleteWarning
from ._path import Path
from ._results import Certificate, Explanation, Report
from ._run import Result, run
from ._settings import path
from ._split import EntrySplit

if TYPE_CHECKING:
    from ._subset import BestSubset

__all__ = [
    "BestSubset",
    "Certificate",
    "EntrySplit",
    "Explanation",
    "MatrixCompleter",
    "OptCompleteError",
    "OptCompleteWarning",
    "Path",
    "Report",
    "Result",
    "path",
    "run",
]

try:
    __version__ = metadata.version("optcomplete")
except metadata.PackageNotFoundError:  # a checkout
    __version__ = "0"


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import: only who uses BestSubset waits for it.
    if name == "BestSubset":
        from ._subset import BestSubset

        return BestSubset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
