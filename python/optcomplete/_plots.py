"""Plots, with matplotlib."""

from __future__ import annotations

from typing import Any

from ._errors import OptCompleteError


def axes(ax: Any) -> Any:
    """The axes to draw on."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise OptCompleteError("plots need matplotlib", "pip install matplotlib") from e
    return plt.subplots(layout="constrained")[1]  # long labels make room for themselves


def plot_path(points: list[dict[str, Any]], chosen: int, best: int, ax: Any = None, measure: str = "RMSE") -> Any:
    """The error by the number of features, with one standard error."""
    ax = axes(ax)
    ks = [p["k"] for p in points]
    ax.plot(ks, [p["train_rmse"] for p in points], "o-", label="training")
    if any(p.get("validation_rmse") for p in points):
        ax.errorbar(ks, [p["validation_rmse"] for p in points], [p.get("standard_error", 0) for p in points], fmt="o-", label="validation")
    if chosen:
        ax.axvline(chosen, linestyle=":", color="grey", label=f"one standard error: k = {chosen}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="k, features selected", ylabel=measure, title="Error by number of features")
    ax.legend()
    return ax


def plot_gap(events: list[dict[str, Any]], ax: Any = None) -> Any:
    """How the cost of the best selection and the bound came together."""
    known = [e for e in events if not e.get("sampled") and e.get("cost") is not None]
    if not known:
        raise OptCompleteError("how the search went is not known: the model was loaded, or had nothing to search", "fit it in Python")
    ax = axes(ax)
    ax.step([e.get("seconds", 0) for e in known], [e["cost"] for e in known], where="post", label="cost of the best selection")
    bounded = [e for e in known if e.get("bound") is not None and e.get("gap", 2) <= 1]
    ax.step([e.get("seconds", 0) for e in bounded], [e["bound"] for e in bounded], where="post", label="bound: no selection is below")
    ax.set(xlabel="seconds", ylabel="cost", title="The search")
    ax.legend()
    return ax


def per_deviation(terms: list[dict[str, Any]]) -> tuple[list[float], str]:
    """What the numbers of each feature are multiplied by, and what they are of then: its standard deviation where that is known of all."""
    known = [t["per_sd"] / t["population"] if t.get("per_sd") and t.get("population") else None for t in terms]
    if all(known):
        return [float(x or 1) for x in known], "per standard deviation"
    return [1.0] * len(terms), "for 1 more"


def plot_spread(terms: list[dict[str, Any]], title: str, ax: Any = None) -> Any:
    """For each feature the middle nine tenths of the rows, their middle half, and the population."""
    ax = axes(ax)
    scales, per = per_deviation(terms)
    for y, (t, scale) in enumerate(zip(terms, scales)):
        spread = t.get("spread") or {}
        if spread:
            ax.plot([scale * spread["q05"], scale * spread["q95"]], [y, y], color="C0", linewidth=2, label="_" if y else "nine tenths of the rows")
            ax.plot([scale * spread["q25"], scale * spread["q75"]], [y, y], color="C0", linewidth=7, alpha=0.5, label="_" if y else "half of the rows")
        ax.plot([scale * t.get("population", 0.0)], [y], "o", color="C1", label="_" if y else "population")
    ax.set_yticks(range(len(terms)), [t["name"] for t in terms])
    ax.invert_yaxis()
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set(xlabel=f"added to a prediction, {per}", title=title)
    ax.legend()
    return ax


def plot_bars(names: list[str], values: list[float], label: str, title: str, ax: Any = None) -> Any:
    """A bar for each feature."""
    ax = axes(ax)
    ax.barh(range(len(names)), values)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set(xlabel=label, title=title)
    return ax
