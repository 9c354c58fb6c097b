"""What a fit says for itself: the certificate, explanations, the report."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """How good a selection is, proven.

    Attributes
    ----------
    status : str
        optimal, gap (the gap asked for is reached), time_limit, interrupted, sampled (nothing is proven) and so on;
        fitted: the method selects nothing, and cost, bound, gap and gamma are None.
    cost : float or None
        What the selection costs.
    bound : float or None
        No selection of as many features costs less.
    gap : float or None
        (cost − bound)/cost.
    certified : bool
        Whether the bound comes from all observed entries.
    gamma : float or None
        The weight of the fit against the size of the coefficients.
    near_ties : list of dict
        The next best selections that were seen, with their costs.
    gamma_path : list of dict
        Every gamma that was tried, with its error on validation entries (regression).
    other_factors : list of dict
        What enters and leaves the selection with a third and three times the gamma that was learned.
    """

    status: str
    cost: float | None
    bound: float | None
    gap: float | None
    certified: bool = True
    gamma: float | None = float("nan")
    near_ties: list[dict[str, Any]] = field(default_factory=list)
    gamma_path: list[dict[str, Any]] = field(default_factory=list)
    other_factors: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, summary: dict[str, Any]) -> Certificate:
        """The certificate in the JSON of fit or regress."""
        return cls(
            status=summary["status"],
            cost=summary.get("cost", float("nan")),
            bound=summary.get("bound", float("nan")),
            gap=summary.get("gap", float("nan")),
            certified=summary.get("certified", True),
            gamma=summary.get("gamma", float("nan")),
            near_ties=summary.get("near_ties") or [],
            gamma_path=summary.get("gamma_path") or [],
            other_factors=(summary.get("units") or {}).get("other_factors") or [],
        )

    @property
    def proof(self) -> str:
        """The certificate in a sentence."""
        if self.status == "fitted":
            return "nothing was selected, so there is nothing to prove"
        if not self.certified:
            return "found on samples; nothing is proven"
        if self.status == "optimal":
            return "proven optimal: no other selection of as many features costs less"
        return f"proven to be within {_up(self.gap)} of the best possible ({self.status.replace('_', ' ')})"


def _up(gap: float | None) -> str:
    """A gap in per cent, rounded up so that what is said is true."""
    import math

    return f"{math.ceil(gap * 1e4) / 1e2:g} %" if gap is not None and math.isfinite(gap) else "an unknown part"


class Explanation(dict[str, Any]):
    """An explanation: a dictionary, and when printed the text of `optcomplete explain`."""

    def __init__(self, content: dict[str, Any], text: str) -> None:
        super().__init__(content)
        self.text = text

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"

    def __reduce__(self) -> Any:
        return Explanation, (dict(self), self.text)


class Report:
    """A page of HTML: shown in a notebook, or saved."""

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html, quote=True)}" style="width:100%;height:700px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<optcomplete report, {len(self.html):,} characters: save(path) writes it>"


def selection_html(title: str, selected: list[str], certificate: Certificate, numbers: list[tuple[str, str]], columns: list[tuple[str, list[str]]]) -> str:
    """A selection with its proof, for a notebook."""
    e = html.escape
    head = "".join(f"<th>{e(name)}</th>" for name, _ in columns)
    rows = "".join(
        f"<tr><td style='text-align:left'>{e(name)}</td>" + "".join(f"<td>{e(cells[i])}</td>" for _, cells in columns) + "</tr>"
        for i, name in enumerate(selected)
    )
    facts = " · ".join(f"{e(name)} {e(value)}" for name, value in numbers)
    mark = "✓ " if certificate.status == "optimal" and certificate.certified else ""
    return (
        f"<div><b>{e(title)}</b><table><thead><tr><th style='text-align:left'>feature</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<div>{mark}{e(certificate.proof)}</div><div style='opacity:.7'>{facts}</div></div>"
    )
