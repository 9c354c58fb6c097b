"""The path over k."""

from __future__ import annotations

import json
import os
from typing import Any

import pyarrow as pa

from . import _plots
from ._base import options_of
from ._data import entries_of, features_of, is_path
from ._errors import OptCompleteError
from ._progress import Shown
from ._session import Session
from ._settings import path


class Path:
    """Selections of 1, 2, … features, each with its certificate and its error.

    Attributes
    ----------
    points : list of dict
        One for each k: selected, entering, leaving, cost, bound, gap, status, train_rmse, validation_rmse, standard_error.
    best : int
        The k of the least validation error.
    chosen : int
        The one-standard-error choice: the fewest features whose error is within one standard error of the least.
    selected : list of str
        The features at chosen.
    measure : str
        What the errors are, train_rmse and validation_rmse included: RMSE, or of other losses log-loss, deviance or Huber loss.
    summary : dict
        All of it, as `optcomplete path --json` prints it.
    """

    def __init__(self, summary: dict[str, Any]) -> None:
        self.summary = summary
        self.points: list[dict[str, Any]] = summary.get("path") or []
        self.best: int = summary.get("best", 0)
        self.chosen: int = summary.get("chosen", 0)
        self.measure: str = summary.get("measure", "RMSE")

    @property
    def selected(self) -> list[str]:
        """The features of the one-standard-error choice."""
        return next((list(p["selected"]) for p in self.points if p["k"] == self.chosen), [])

    def to_frame(self) -> Any:
        """The points as a pandas frame, or as a pyarrow table without pandas."""
        from ._data import frame_of, to_frame

        names = ["k", "train_rmse", "validation_rmse", "standard_error", "cost", "bound", "gap", "status", "selected"]
        return to_frame(pa.table({name: [p.get(name) for p in self.points] for name in names}), frame_of(None))

    def plot(self, ax: Any = None) -> Any:
        """The error by the number of features; matplotlib axes."""
        return _plots.plot_path(self.points, self.chosen, self.best, ax, self.measure)

    def _save(self, session: Session) -> str:
        """Write it for a report."""
        path = os.path.join(session.folder, "path.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(self.summary, f)
        return path

    def __repr__(self) -> str:
        return f"<path of k = 1 … {len(self.points)}: chosen {self.chosen}, least error at {self.best}>"

    def _repr_html_(self) -> str:
        import html

        rows = "".join(
            f"<tr><td>{p['k']}</td><td>{p['train_rmse']:.5g}</td><td>{p.get('validation_rmse', 0):.5g} ± {p.get('standard_error', 0):.2g}</td>"
            f"<td style='text-align:left'>{html.escape(', '.join(p['selected']))}{' ← one standard error' if p['k'] == self.chosen else ''}</td></tr>"
            for p in self.points
        )
        return f"<table><thead><tr><th>k</th><th>training {self.measure}</th><th>validation ± se</th><th>selected</th></tr></thead><tbody>{rows}</tbody></table>"


def run(ratings: Any, features: Any, row_features: Any, sample_weight: Any, settings: dict[str, Any], progress: Any) -> Path:
    """The path of optcomplete.path."""
    if settings.get("k_max") is None:
        raise OptCompleteError("up to how many features?", "give their number with k_max")
    entries = entries_of(ratings, (settings["row_name"], settings["column_name"], settings["value_name"]), None, time_name=settings["time_name"], weight=settings["weight"], sample_weight=sample_weight)
    options = options_of(settings, path)
    if entries.weight is not None:
        options["weight"] = entries.weight
    tables: dict[str, pa.Table] = {}

    def given(source: Any, name: str) -> str:
        if isinstance(source, str):
            return source
        tables[name] = source
        return name

    if not is_path(entries.source):
        for name in ("row_name", "column_name", "value_name", "format", "delimiter"):
            options.pop(name, None)
    if features is not None:
        options["features"] = given(features_of(features, entries), "features")
    if row_features is not None:
        options["row_features"] = given(features_of(row_features, None, "row_features"), "row_features")
    options["json"] = True
    session = Session()
    try:
        with Shown(progress) as shown:
            answer = session.ask("path", [given(entries.source, "ratings")], options, tables, (), shown)
    finally:
        session.close()
    return Path(answer.json)
