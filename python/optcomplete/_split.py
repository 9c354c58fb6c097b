"""Splits of observed entries, for validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class EntrySplit:
    """Splits observed entries at random into training and test entries.

    It is a cross-validation splitter of scikit-learn: `cross_val_score(model, ratings, cv=EntrySplit(5),
    params={"features": films})`. Every row keeps an entry to be fitted on, if it has one at all.

    Parameters
    ----------
    n_splits : int, default 5
        How many parts, each of which is the test part once.
    seed : int, default 1
        The same seed gives the same parts.
    keep_rows : bool, default True
        Leave an entry of each row in the training part: rows are identified by the first column, or the one named row.
    """

    def __init__(self, n_splits: int = 5, *, seed: int = 1, keep_rows: bool = True) -> None:
        if n_splits < 2:
            raise ValueError(f"n_splits is {n_splits}, but must be at least 2")
        self.n_splits, self.seed, self.keep_rows = n_splits, seed, keep_rows

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of parts."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Positions of the training and the test entries, for each part."""
        n = len(X)
        rng = np.random.default_rng(self.seed)
        part = np.empty(n, dtype=np.int64)
        part[rng.permutation(n)] = np.arange(n) % self.n_splits
        if self.keep_rows and hasattr(X, "columns"):
            part[self._firsts(X, rng)] = -1
        for k in range(self.n_splits):
            yield np.flatnonzero(part != k), np.flatnonzero(part == k)

    @staticmethod
    def _firsts(X: Any, rng: np.random.Generator) -> np.ndarray:
        """One entry of each row, drawn at random."""
        from ._data import table_of

        table = table_of(X, "ratings")
        names = [name.lower() for name in table.column_names]
        codes = table.column(names.index("row") if "row" in names else 0).combine_chunks().dictionary_encode()
        rows = (codes.combine_chunks() if hasattr(codes, "chunks") else codes).indices.to_numpy(zero_copy_only=False)
        order = rng.permutation(len(rows))
        _, first = np.unique(rows[order], return_index=True)
        return order[first]

    def __repr__(self) -> str:
        return f"EntrySplit(n_splits={self.n_splits}, seed={self.seed}, keep_rows={self.keep_rows})"
