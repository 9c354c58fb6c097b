"""BestSubset: a regression on the best k columns of a table, proven."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from . import _plots
from ._base import Params, Settings, options_of
from ._data import yes_or_no
from ._errors import OptCompleteError
from ._progress import Shown
from ._results import Certificate, selection_html
from ._session import Session
from ._settings import SubsetSettings

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.validation import check_is_fitted, validate_data

    _bases: tuple[type, ...] = (SelectorMixin, RegressorMixin, BaseEstimator)
    _sklearn = True
except ImportError:  # it works without, on arrays of numbers
    _bases = (Params,)
    _sklearn = False

_target = "target"
_usual = 5


def _weights_of(given: Any, rows: int) -> np.ndarray | None:
    if given is None:
        return None
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as e:
        raise OptCompleteError("sample_weight does not hold numbers", "give a weight for each row") from e
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise OptCompleteError(f"sample_weight has the shape {weights.shape}", f"give a weight for each of the {rows} rows")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise OptCompleteError("sample_weight holds numbers that are no weights", "weights are finite and not negative")
    if not weights.any():
        raise OptCompleteError("all sample weights are zero", "leave sample_weight out, or give some rows a weight")
    return weights


def _numbers_of(y: Any) -> Any:
    """A target whose words are numbers; anything else as it is."""
    given = np.asarray(y)
    if given.ndim != 1 or given.dtype.kind not in "OSU" or not all(isinstance(v, (str, np.bool_)) for v in given):
        return y
    said = yes_or_no(pa.array([str(v) for v in given], pa.string()))
    if said is None:
        raise OptCompleteError("y holds words", "give numbers, or yes and no, or true and false")
    return said.to_numpy(zero_copy_only=False)


def _refuse_text(X: Any) -> None:
    """Name the column of a frame that does not hold numbers, if there is one."""
    for name in getattr(X, "columns", ()):
        try:
            np.asarray(X[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise OptCompleteError(
                f"column {str(name)!r} of X does not hold numbers",
                'encode it first, as with OneHotEncoder in a pipeline or pandas.get_dummies; oc.run("regress", frame, target=…, k=…) encodes text, lists and dates itself',
            ) from None


class BestSubset(SubsetSettings, *_bases, Settings):  # type: ignore[misc]
    """Linear regression on the k columns that explain the target best, with a proof that they do.

    It is a regressor of scikit-learn, and a selector: transform() keeps the selected columns. Where k is None, the best 5
    columns are selected, or all of them if there are fewer.

    Attributes
    ----------
    coef_ : array of float
        A coefficient for each column, 0 for those that are not selected.
    intercept_ : float
        The intercept.
    selected_ : list of str
        The names of the selected columns; x0, x1, … if they have none.
    support_ : array of bool
        Which columns are selected.
    certificate_ : Certificate
        What is proven: status, cost, bound, gap, near_ties.
    summary_ : dict
        All of it, as `optcomplete regress --json` prints it.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    __doc__ = (__doc__ or "") + (SubsetSettings.__doc__ or "").partition("\n")[2]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BestSubset:
        """Select the columns, prove the selection and fit the coefficients.

        Parameters
        ----------
        X : array or frame of numbers
            Text must be encoded first; oc.run("regress", …) does that itself.
        y : array of numbers, of bool, or of the words yes and no, or true and false
            The target. With loss="auto", yes and no, and 0 and 1, are explained by their log-odds: predictions are then
            probabilities. loss="squared" explains the numbers.
        sample_weight : array of numbers
            How much each row counts: one of weight 2 as if it were there twice, one of weight 0 not at all. In place of a
            column of X that weight names.

        Returns
        -------
        BestSubset
            The same object. After KeyboardInterrupt it holds the best selection so far, with a bound that is true.
        """
        X, y = self._checked(X, _numbers_of(y))
        weights = _weights_of(sample_weight, len(y))
        if weights is not None:
            X, y, weights = X[weights != 0], y[weights != 0], weights[weights != 0]
            if (weights == 1).all():
                weights = None
        names = [str(n) for n in getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])]
        target = _target
        while target in names:
            target += "_"
        params = {name: value for name, value in self.get_params(deep=False).items()}
        options = options_of(params, SubsetSettings.__init__)
        options.update(k=min(_usual, X.shape[1]) if self.k is None else self.k, target=target, json=True)
        table = pa.Table.from_arrays([*(pa.array(X[:, j]) for j in range(X.shape[1])), pa.array(y)], names=[*names, target])
        if sample_weight is not None:
            options.pop("weight", None)
        if weights is not None:
            options["weight"] = target + "_weight"
            while options["weight"] in names:
                options["weight"] += "_"
            table = table.append_column(options["weight"], pa.array(weights))
        session = Session()
        try:
            with Shown(self.progress) as shown:
                summary = session.ask("regress", ["X"], options, {"X": table}, (), shown).json
        finally:
            session.close()
        at = {name: j for j, name in enumerate(names)}
        self.summary_, self._events = summary, shown.events
        self.selected_ = list(summary["selected"])
        self.certificate_ = Certificate.of(summary)
        self.coef_ = np.zeros(X.shape[1])
        for name, value in zip(self.selected_, summary["coefficients"]):
            self.coef_[at[name]] = value
        self.intercept_ = float(summary["intercept"])
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[[at[name] for name in self.selected_]] = True
        return self

    def _checked(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        if _sklearn:
            try:
                X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
            except (TypeError, ValueError):
                _refuse_text(X)
                raise
            return X, np.asarray(y, dtype=np.float64)
        names = getattr(X, "columns", None)
        _refuse_text(X)
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if X.ndim != 2 or y.shape != X.shape[:1]:
            raise OptCompleteError(f"X has the shape {X.shape}, y {y.shape}", "give a table, and a value for each of its rows")
        if not (np.isfinite(X).all() and np.isfinite(y).all()):
            raise OptCompleteError("X or y holds values that are not finite", "fill them in or leave the rows out")
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return X, y

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target for rows of a table: probabilities with loss="logistic", rates with loss="poisson"."""
        if _sklearn:
            check_is_fitted(self)
        X = self._with_weight(X)
        if _sklearn:
            X = validate_data(self, X, dtype=np.float64, reset=False)
        sums = np.asarray(X, dtype=np.float64) @ self.coef_ + self.intercept_
        loss = self.summary_.get("loss")
        if loss == "logistic":
            return 1 / (1 + np.exp(-sums))
        return np.exp(sums) if loss == "poisson" else sums

    def _with_weight(self, X: Any) -> Any:
        """X with the column of weights that it was fitted with, which predictions have no use for."""
        names = list(getattr(self, "feature_names_in_", ()))
        have = getattr(X, "columns", None)
        if have is None or self.weight is None or self.weight not in names or self.weight in have:
            return X
        at = names.index(self.weight)
        if hasattr(X, "insert_column"):  # polars
            import polars

            return X.clone().insert_column(at, polars.lit(1.0).alias(self.weight))
        X = X.copy()
        X.insert(at, self.weight, 1.0)
        return X

    def _get_support_mask(self) -> np.ndarray:
        if _sklearn:
            check_is_fitted(self)
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def plot_gap(self, ax: Any = None) -> Any:
        """How the best cost and the bound came together; matplotlib axes."""
        return _plots.plot_gap(self._events, ax)

    def plot_features(self, ax: Any = None) -> Any:
        """The coefficients of the selected columns."""
        values = [float(self.coef_[j]) for j in np.flatnonzero(self.support_)]
        names = [str(n) for n in getattr(self, "feature_names_in_", [f"x{j}" for j in range(len(self.coef_))])]
        return _plots.plot_bars([names[j] for j in np.flatnonzero(self.support_)], values, "coefficient", "Selected columns", ax)

    def _repr_html_(self) -> str:
        if not hasattr(self, "coef_"):
            import html

            return f"<pre>{html.escape(repr(self))}</pre>"
        s, values = self.summary_, [f"{c:.5g}" for c in self.summary_["coefficients"]]
        numbers = [("intercept", f"{self.intercept_:.5g}"), ("R²", f"{s.get('r_squared', 0):.4f}"), ("rows", f"{s.get('rows', 0):,}")]
        return selection_html(f"{len(self.selected_)} of {s.get('features', '?')} columns", self.selected_, self.certificate_, numbers, [("coefficient", values)])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}  # in place of scikit-learn's diagram
