"""MatrixCompleter: select features, complete the matrix, use the model."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import _plots
from ._base import Params, options_of, recorded
from ._data import Entries, entries_of, features_of, is_path, pairs_of, to_frame
from ._errors import OptCompleteError, not_fitted
from ._ids import Ids, text_of
from ._model import Model, new_folder
from ._progress import Shown
from ._results import Certificate, Explanation, Report, selection_html
from ._run import read_parquet
from ._session import Session
from ._settings import CompleterSettings, Names

_answer = "answer.parquet"
_many = 20  # rows from which on recommendations for all rows are faster


class MatrixCompleter(Params, CompleterSettings):
    """Selects the k features that explain a partly observed matrix best, proves it, and predicts every entry.

    Attributes
    ----------
    selected_ : list of str
        The features that were selected.
    certificate_ : Certificate
        What is proven about them: status, cost, bound, gap, near_ties, gamma_path.
    summary_ : dict
        All that the fit says for itself, as `optcomplete fit --json` does.
    features_ : list of dict
        What each selected feature does to the predictions, as explain() says.
    """

    __doc__ = (__doc__ or "") + (CompleterSettings.__doc__ or "").partition("\n")[2]

    # Fitting.

    def fit(self, ratings: Any, features: Any = None, *, row_features: Any = None, wide: bool | None = None, sample_weight: Any = None) -> MatrixCompleter:
        """Select the features, prove the selection and fit every row.

        Parameters
        ----------
        ratings : frame, sparse matrix, array or path
            The observed entries: a long frame (pandas, polars, pyarrow) with the columns row, column and value, or those
            that row_name, column_name and value_name name, or else its first three; a SciPy sparse matrix, whose stored
            entries are the observed ones; an array or a wide frame with NaN for what is missing; or the path of a file.
        features : frame, array or path
            What is known about the columns: their ids as the index (if that has a name, or is no plain numbers) or in the
            first column, then numbers, text, categories, lists, dates, with blanks. An array has a row for each column
            of the matrix.
        row_features : frame or path
            Numbers that are known about the rows, to select products of a row's and a column's features.
        wide : bool
            Whether a frame is wide; None means that it is if it has more than four columns, all numbers.
        sample_weight : array
            How much each entry counts, in place of a column of a long frame that is called weight or that weight names:
            a positive number for each entry (of a sparse matrix in the order of tocoo()), or for a matrix another of its
            shape. An entry of weight 2 counts as if it were there twice; one of weight 0 is left out.

        Returns
        -------
        MatrixCompleter
            The same object. After KeyboardInterrupt it holds the best selection so far, with a bound that is true.
        """
        entries = entries_of(ratings, (self.row_name, self.column_name, self.value_name), wide, time_name=self.time_name, weight=self.weight, sample_weight=sample_weight)
        options = options_of(self.get_params(), type(self).__init__)
        if entries.weight is not None:
            options["weight"] = entries.weight
        if not is_path(entries.source):
            for name in ("row_name", "column_name", "value_name", "format", "delimiter"):
                options.pop(name, None)
        tables: dict[str, pa.Table] = {}
        argument = _given(entries.source, "ratings", tables)
        if features is not None:
            options["features"] = _given(features_of(features, entries), "features", tables)
        if row_features is not None:
            options["row_features"] = _given(features_of(row_features, None, "row_features"), "row_features", tables)
        session = Session()
        folder = new_folder(session)
        options["output"], options["json"] = folder, True
        with Shown(self.progress) as shown:
            answer = session.ask("fit", [argument], options, tables, (), shown)
        self._learned(Model(session, folder), answer.json, entries, shown.events)
        return self

    def _learned(self, model: Model, summary: dict[str, Any], entries: Entries, events: list[dict[str, Any]]) -> None:
        self._model, self.summary_, self._events = model, summary, events
        self.selected_: list[str] = list(summary.get("selected") or [])
        self.certificate_ = Certificate.of(summary)
        # What the answers are made with; the data themselves are not kept.
        self._rows, self._columns, self._frame = entries.rows, entries.columns, getattr(self, "_set_frame", None) or entries.frame
        self._wide, self._shape = entries.wide, entries.shape
        self._labels = (entries.row_labels, entries.column_labels)

    def _fitted(self) -> Model:
        if not hasattr(self, "_model"):
            raise not_fitted(f"this {type(self).__name__} is not fitted", "call fit first")
        return self._model

    def set_output(self, *, transform: str | None = None) -> MatrixCompleter:
        """Choose what frames come back: "pandas", "polars" or "arrow"; "default" or None means those that were given."""
        if transform not in (None, "default", "pandas", "polars", "arrow"):
            raise OptCompleteError(f"transform is {transform!r}", 'use "default", "pandas", "polars" or "arrow"')
        self._set_frame = None if transform in (None, "default") else transform
        if self._set_frame and hasattr(self, "_frame"):
            self._frame = self._set_frame
        return self

    # Predicting.

    def predict(
        self,
        pairs: Any,
        *,
        features: Any = None,
        skip_unknown: bool = False,
        row_name: str | None = None,
        column_name: str | None = None,
        return_basis: bool = False,
    ) -> Any:
        """Predict the values of pairs of a row and a column.

        Parameters
        ----------
        pairs : frame, list of pairs or array
            The columns row and column, or the first two; (row, column) each; or two columns.
        features : frame or path
            Records of columns that the model does not know.
        skip_unknown : bool
            Give NaN where the row or the column is not in the model, instead of an answer from the population or from
            the features.
        row_name, column_name : str
            The names of the columns of a frame.
        return_basis : bool
            Also say what each prediction rests on: known, new row, new column, new row and column.

        Returns
        -------
        array of float, and with return_basis an array of str
        """
        table, *_ = pairs_of(pairs, (row_name or self.row_name, column_name or self.column_name))
        got = self._predicted(table, features, {"skip_unknown": skip_unknown})
        values = got.column("prediction").to_numpy()
        basis = np.asarray(got.column("basis").to_pylist(), dtype=object)
        if len(values) != table.num_rows:  # some were skipped: which, their names tell
            kept = set(zip(got.column("row").to_pylist(), got.column("column").to_pylist()))
            texts = [table.column(c).cast(pa.string()).to_pylist() for c in (0, 1)]
            mask = np.fromiter((pair in kept for pair in zip(*texts)), dtype=bool, count=table.num_rows)
            all_values, all_basis = np.full(table.num_rows, np.nan), np.full(table.num_rows, "", dtype=object)
            all_values[mask], all_basis[mask] = values, basis
            values, basis = all_values, all_basis
        return (values, basis) if return_basis else values

    def predict_interval(
        self, pairs: Any, level: float = 90, *, features: Any = None, row_name: str | None = None, column_name: str | None = None
    ) -> np.ndarray:
        """Intervals in which the values of pairs lie with a given probability.

        With loss="logistic" they are intervals of the probabilities that predict gives, and with loss="poisson" of the rates.

        Parameters
        ----------
        pairs, features, row_name, column_name
            As for predict.
        level : float
            The probability, in per cent.

        Returns
        -------
        array of float with two columns, low and high
        """
        if not 1 <= level < 100:
            raise OptCompleteError(f"level is {level!r}", "it is in per cent, at least 1 and less than 100: 90 for nine in ten")
        table, *_ = pairs_of(pairs, (row_name or self.row_name, column_name or self.column_name))
        if table.num_rows == 0:
            return np.empty((0, 2))
        got = self._predicted(table, features, {"interval": level})
        return np.column_stack([got.column("low").to_numpy(), got.column("high").to_numpy()])

    def _predicted(self, pairs: pa.Table, features: Any = None, options: dict[str, Any] | None = None) -> pa.Table:
        model, tables = self._fitted(), {"pairs": pairs}
        options = {**(options or {}), "output": _answer}
        if features is not None:
            options["features"] = _given(features_of(features, None), "features", tables)
        if pairs.num_rows == 0:
            return pa.table({"row": pa.array([], pa.string()), "column": pa.array([], pa.string()), "prediction": pa.array([], pa.float64()), "basis": pa.array([], pa.string())})
        return read_parquet(model.ask("predict", ["pairs"], options, tables, [_answer]).results[_answer])

    def complete(self, rows: Any = None, *, wide: bool | None = None, mark_observed: bool = False, keep_observed: Any = None, drop_unknown: bool = False) -> Any:
        """The completed matrix, or some of its rows.

        Parameters
        ----------
        rows : list
            Ids of rows; None means all.
        wide : bool
            True for a value in a row and a column, False for a frame row, column, value; None means as the ratings were.
        mark_observed : bool
            Add a column observed to a frame that is not wide: 1 where the row has an entry, 0 elsewhere.
        keep_observed : frame or path
            Observed entries, whose values are kept. Without it every value is a prediction.
        drop_unknown : bool
            Leave out entries of keep_observed whose column is not in the model.

        Returns
        -------
        frame, or an array if the ratings were one
        """
        wide = self._wide if wide is None else wide
        model, options = self._fitted(), dict[str, Any](output=_answer)
        if rows is not None:
            known, texts = self._known_rows(rows)
            if not all(known):
                raise OptCompleteError(f"row {texts[known.index(False)]!r} is not in the model", "leave it out, or predict its pairs")
            options["rows"] = texts or [next(iter(self._row_texts))]  # of none, only the columns are wanted
        tables: dict[str, pa.Table] = {}
        if keep_observed is not None:
            kept = entries_of(keep_observed, (self.row_name, self.column_name, self.value_name), None)
            options["keep_observed"], options["drop_unknown"] = _given(kept.source, "ratings", tables), drop_unknown
        if mark_observed and wide:
            raise OptCompleteError("a wide frame has no place for marks", "use wide=False")
        options["mark_observed"] = mark_observed
        table = read_parquet(model.ask("complete", [], options, tables, [_answer]).results[_answer])
        if rows is not None and not texts:
            table = table.slice(0, 0)
        if not wide:
            return self._typed(table)
        return self._as_wide(table, rows)

    def _as_wide(self, table: pa.Table, rows: Any) -> Any:
        row, column = (table.column(c).combine_chunks().dictionary_encode() for c in ("row", "column"))
        values = np.full((len(row.dictionary), len(column.dictionary)), np.nan)
        values[row.indices.to_numpy(), column.indices.to_numpy()] = table.column("value").to_numpy()
        row_ids, column_ids = self._rows.decode(row.dictionary), self._columns.decode(column.dictionary)
        if self._shape is not None and rows is None:
            # Rows and columns without an entry are part of an array, too.
            out = np.full(self._shape, np.nan)
            out[np.ix_(row_ids.to_numpy(), column_ids.to_numpy())] = values
            missing = np.argwhere(np.isnan(out))
            if len(missing):
                pairs = pa.table({"row": missing[:, 0], "column": missing[:, 1]})
                out[missing[:, 0], missing[:, 1]] = self._predicted(pairs).column("prediction").to_numpy()
            return out
        if self._frame == "pandas":
            import pandas as pd

            frame = pd.DataFrame(values, index=row_ids.to_pandas(), columns=column_ids.to_pandas())
            row_labels, column_labels = self._labels
            if rows is None and row_labels is not None and hasattr(row_labels, "isin"):
                frame = frame.reindex(index=row_labels[row_labels.isin(frame.index)], columns=column_labels[column_labels.isin(frame.columns)])
            return frame
        wide = pa.Table.from_arrays([row_ids, *(pa.array(values[:, j]) for j in range(values.shape[1]))], names=["row", *map(str, column_ids.to_pylist())])
        return to_frame(wide, self._frame)

    def recommend(
        self,
        rows: Any = None,
        n: int = 10,
        *,
        keep_seen: bool = False,
        ratings: Any = None,
        features: Any = None,
        drop_unknown: bool = False,
        lowest: bool = False,
        caution: float | None = None,
        least_entries: int = 0,
        diversity: float = 0,
        names: Any = None,
        weight: str | None = None,
    ) -> Any:
        """The columns with the largest predictions for rows, best first.

        Parameters
        ----------
        rows : id or list of ids
            None means all rows of the model.
        n : int
            How many columns for each.
        keep_seen : bool
            Also list columns that the row had entries for.
        ratings : frame or path
            Further entries, to leave out and to fold new rows in from.
        features : frame or path
            Records of columns that the model does not know.
        drop_unknown : bool
            Leave out entries of ratings whose column is not in the model.
        lowest : bool
            List the columns with the lowest predictions, lowest first.
        caution : float
            How many standard deviations of the expected value a prediction is lowered by for the ranking, or raised by
            with lowest. None means one, where the model has intervals.
        least_entries : int
            Leave out columns with fewer entries.
        diversity : float
            Between 0 and 1: lists that repeat less. A column is in about 1 - diversity of all rows' lists at most, and
            similar columns are kept apart. 0 changes nothing.
        names : frame or path
            Names of the columns, shown beside their ids.
        weight : str
            Column of ratings with the weights; None means that of the fit if the entries have it, or one called weight or weights.

        Returns
        -------
        frame
            With the columns row, rank, column and prediction, and name if names are given.
        """
        tables: dict[str, pa.Table] = {}
        options: dict[str, Any] = {"top": n, "keep_seen": keep_seen, "lowest": lowest, "least_entries": least_entries, "diversity": diversity, "output": _answer}
        if caution is not None:
            options["caution"] = caution
        if names is not None:
            options["names"] = _given(features_of(names, None), "names", tables)
        if ratings is not None:
            more = self._entries(ratings, weight, None)
            options["ratings"], options["drop_unknown"] = _given(more.source, "ratings", tables), drop_unknown
            options["weight"] = more.weight or weight
        if features is not None:
            options["features"] = _given(features_of(features, None), "features", tables)

        def ask(**which: Any) -> pa.Table:
            results = self._fitted().ask("recommend", [], {**options, **which}, tables, [_answer]).results
            return read_parquet(results[_answer])

        if rows is None:
            table = ask(all=True)
        else:
            known, texts = self._known_rows(rows)
            if len(texts) > _many:
                parts = [ask(all=True), *(ask(row=text) for text, k in zip(texts, known) if not k)]
            else:
                parts = [ask(row=text) for text in texts or [next(iter(self._row_texts))]]
            table = pa.concat_tables(parts)
            # In the order that was asked for.
            place = pc.index_in(table.column("row").cast(pa.string()), pa.array(texts, pa.string())).combine_chunks()
            order = pc.array_sort_indices(place)
            table = table.take(order.slice(0, len(order) - place.null_count))
        return self._typed(table)

    def _known_rows(self, rows: Any) -> tuple[list[bool], list[str]]:
        if isinstance(rows, (str, bytes)) or not hasattr(rows, "__iter__"):
            rows = [rows]
        texts = list(dict.fromkeys(text_of(row) for row in rows))
        if not hasattr(self, "_row_texts"):
            files = self._fitted().files()
            # One file, or those that the executors of a cluster wrote.
            rows = [content for name, content in files.items() if name.startswith("rows") and name.endswith(".parquet")]
            self._row_texts = {text for content in rows for text in read_parquet(content).column(0).to_pylist()}
        return [text in self._row_texts for text in texts], texts

    def _typed(self, table: pa.Table) -> Any:
        """A table as the user's kind of frame, with the ids as they were given."""
        for name, ids in (("row", self._rows), ("column", self._columns)):
            at = table.column_names.index(name)
            table = table.set_column(at, name, ids.decode(table.column(name)))
        frame = to_frame(table, self._frame)
        if self._frame == "pandas":
            for name, ids in (("row", self._rows), ("column", self._columns)):
                if ids.dtype is not None and frame[name].dtype != ids.dtype:
                    try:
                        frame[name] = frame[name].astype(ids.dtype)
                    except (TypeError, ValueError):
                        pass  # ids of new rows may be of another type
        return frame

    # Understanding.

    def explain(self, row: Any = None, column: Any = None, *, top: int = 5, features: Any = None, names: Any = None) -> Explanation:
        """What the model has found; what sets a row apart; or, with a row and a column, where a prediction comes from.

        Parameters
        ----------
        row, column : ids
        top : int
            With a row: how many recommended columns to give reasons for.
        features : frame or path
            Records of columns that the model does not know.
        names : frame or path
            With a row: names of the columns, shown beside their ids.
        """
        if column is not None and row is None:
            raise OptCompleteError("a prediction is of a row and a column", "give the row, too")
        tables: dict[str, pa.Table] = {}
        options: dict[str, Any] = {"top": top}
        if row is not None:
            options["row"] = text_of(row)
        if column is not None:
            options["column"] = text_of(column)
        if features is not None:
            options["features"] = _given(features_of(features, None), "features", tables)
        if names is not None:
            options["names"] = _given(features_of(names, None), "names", tables)
        model = self._fitted()
        content = model.ask("explain", [], {**options, "json": True}, tables).json
        return Explanation(content, model.ask("explain", [], options, tables, warn=False).text)

    @property
    def features_(self) -> list[dict[str, Any]]:
        """What each selected feature, or product of features, does to the predictions."""
        content = self.explain()
        return list(content.get("products") or content.get("terms") or [])

    @property
    def feature_spread_(self) -> list[dict[str, Any]]:
        """How much rows differ on every feature, selected or not, largest first: name, spread (the standard
        deviation over rows of what one of the feature does), gamma, measurable, selected."""
        features = (self.summary_.get("units") or {}).get("features") or []
        return sorted(features, key=lambda f: -f["spread"])

    def report(self, path: Any = None, *, names: Any = None) -> Report:
        """The report, as a page: shown in a notebook, or written by save().

        Parameters
        ----------
        path : Path or path of a file
            What optcomplete.path found, for the error by number of features.
        names : frame or path
            Names of the columns, shown beside their ids.
        """
        tables: dict[str, pa.Table] = {}
        options: dict[str, Any] = {}
        if names is not None:
            options["names"] = _given(features_of(names, None), "names", tables)
        model = self._fitted()
        if path is not None and hasattr(path, "_save"):
            options["path"] = path._save(model.session())
        elif path is not None:
            options["path"] = os.path.abspath(path)
        return Report(model.ask("report", [], options, tables).text)

    def evaluate(
        self,
        ratings: Any,
        *,
        features: Any = None,
        drop_unknown: bool = False,
        missing: Names = None,
        duplicates: str = "error",
        places: int = 10,
        relevant: float | None = None,
        resamples: int = 1000,
        caution: float = 1,
        diversity: float = 0,
        least_entries: int = 0,
        split: str = "all",
        time_name: str | None = None,
        weight: str | None = None,
        sample_weight: Any = None,
    ) -> dict[str, Any]:
        """Errors and rankings on test entries, with 95 % intervals, as `optcomplete evaluate --json` prints them.

        Parameters
        ----------
        ratings : as for fit
            The test entries.
        features : frame or path
            Records of columns that the model does not know.
        drop_unknown : bool
            Leave out entries whose column is not in the model.
        missing : list of str
            Values that mean unknown.
        duplicates : str
            What to do with two entries of one row and column: error, first, last or mean.
        places : int
            Places of a ranking that count.
        relevant : float
            Least value that makes an entry relevant; None means the mean of the row's test entries.
        resamples : int
            Resamples of the rows behind the intervals; 0 for none.
        caution, diversity, least_entries
            How the lists are made whose coverage and novelty are measured, as for recommend.
        split : str
            "time" scores only entries from the moment on at which the training of the model ended (split="time" of fit).
        time_name : str
            Column of the times; None means that of the fit, or a usual name.
        weight : str
            Column of the weights; None means that of the fit if the entries have it, or one called weight or weights.
        sample_weight : array
            The weights themselves, as for fit. Errors are weighted, rankings are not.
        """
        tables: dict[str, pa.Table] = {}
        entries = self._entries(ratings, weight, sample_weight, time_name or self.time_name)
        options = {"weight": entries.weight or weight, "split": split, "time_name": time_name or self.time_name if split == "time" else time_name, "drop_unknown": drop_unknown, "missing": missing, "duplicates": duplicates, "places": places, "relevant": relevant, "resamples": resamples, "caution": caution, "diversity": diversity, "least_entries": least_entries, "json": True}
        if features is not None:
            options["features"] = _given(features_of(features, None), "features", tables)
        return dict(self._fitted().ask("evaluate", [_given(entries.source, "ratings", tables)], options, tables).json)

    def _entries(self, ratings: Any, weight: str | None, sample_weight: Any, time_name: str | None = None) -> Entries:
        """Entries that a fitted model is asked about, with their weights."""
        names = (self.row_name, self.column_name, self.value_name)
        if weight is None and self.weight is not None and not is_path(ratings) and self.weight in [str(c) for c in getattr(ratings, "columns", ())]:
            weight = self.weight
        return entries_of(ratings, names, None, time_name=time_name, weight=weight, sample_weight=sample_weight)

    def score(self, ratings: Any, y: Any = None, sample_weight: Any = None, **_: Any) -> float:
        """R² of the predictions for the given entries, by their weights: 1 is perfect, 0 as good as their mean."""
        entries = self._entries(ratings, None, sample_weight)
        if isinstance(entries.source, str):
            raise OptCompleteError("score takes a frame, an array or a sparse matrix", "use evaluate for files", file="ratings")
        value = entries.source.column("value").cast(pa.float64()).to_numpy()
        error = value - self._predicted(entries.source.select(["row", "column"])).column("prediction").to_numpy()
        weight = np.ones(len(value)) if entries.weight is None else entries.source.column(entries.weight).cast(pa.float64()).to_numpy()
        spread = float(np.sum(weight * (value - np.average(value, weights=weight)) ** 2))
        if spread == 0:  # as scikit-learn's r2_score
            return float("nan") if len(value) < 2 else float(not error.any())
        return float(1 - (error @ (weight * error)) / spread)

    # More rows.

    def fold_in(
        self,
        ratings: Any,
        *,
        features: Any = None,
        drop_unknown: bool = False,
        missing: Names = None,
        duplicates: str = "error",
        weight: str | None = None,
        sample_weight: Any = None,
    ) -> MatrixCompleter:
        """A model with new rows, each fitted by itself; the features and the other rows stay as they are.

        Parameters
        ----------
        ratings : as for fit
            The entries of the new rows. A row that the model knows is fitted anew, on these entries alone.
        features : frame or path
            Records of columns that the model does not know.
        drop_unknown : bool
            Leave out entries whose column is not in the model.
        missing : list of str
            Values that mean unknown.
        duplicates : str
            What to do with two entries of one row and column: error, first, last or mean.
        weight : str
            Column of the weights; None means that of the fit if the entries have it, or one called weight or weights.
        sample_weight : array
            The weights themselves, as for fit.
        """
        model, tables = self._fitted(), dict[str, pa.Table]()
        entries = self._entries(ratings, weight, sample_weight)
        session = model.session()
        folder = new_folder(session)
        options = {"output": folder, "weight": entries.weight or weight, "drop_unknown": drop_unknown, "missing": missing, "duplicates": duplicates}
        if features is not None:
            options["features"] = _given(features_of(features, None), "features", tables)
        model.ask("fold-in", [_given(entries.source, "ratings", tables)], options, tables)
        new = type(self)(**self.get_params())
        new.__dict__.update({name: value for name, value in self.__dict__.items() if name not in ("_model", "_row_texts")})
        new._model, new._shape = Model(session, folder), None
        return new

    # Keeping.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a folder that the command line and load() read. An earlier model there is replaced."""
        folder = Path(path)
        files = self._fitted().files()
        if folder.exists() and not folder.is_dir():
            raise OptCompleteError("is a file, so no model is written there", "name a folder", file=str(path))
        if folder.exists() and any(folder.iterdir()) and not (folder / "model.json").is_file():
            raise OptCompleteError("is a folder that holds something else than a model, so it is not replaced", "name another place", file=str(path))
        new = folder.with_name(f".{folder.name}.{os.getpid()}")
        try:
            new.mkdir(parents=True)
            for name, content in files.items():
                (new / name).write_bytes(content)
            shutil.rmtree(folder, ignore_errors=True)
            new.rename(folder)
        except OSError as e:
            raise OptCompleteError(f"cannot be written: {e.strerror or e}", "name another place", file=str(path)) from e
        finally:
            shutil.rmtree(new, ignore_errors=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MatrixCompleter:
        """A model that save(), or `optcomplete fit -o`, wrote, with the settings it was fitted with. Its ids are text."""
        import json

        model = Model.load(path)
        summary = json.loads(model.files()["model.json"])
        self = cls(**recorded(summary, cls.__init__))
        self._learned(model, summary, Entries("", Ids(), Ids(), frame=_default_frame()), [])
        return self

    # Showing.

    def plot_gap(self, ax: Any = None) -> Any:
        """How the best cost and the bound came together; matplotlib axes."""
        self._fitted()
        return _plots.plot_gap(self._events, ax)

    def plot_spread(self, ax: Any = None, top: int = 20) -> Any:
        """How much rows differ on each feature, selected or not; for the error by k see optcomplete.path."""
        self._fitted()
        features = [f for f in self.feature_spread_ if f["spread"] > 0][:top]
        if not features:
            raise OptCompleteError("how much rows differ was not learned", 'fit with gamma="auto" and another model than paper')
        names = [f["name"] + (" (selected)" if f.get("selected") else "") for f in features]
        return _plots.plot_bars(names, [f["spread"] for f in features], "standard deviation over rows", "How much rows differ", ax)

    def plot_features(self, ax: Any = None) -> Any:
        """What each selected feature adds to a prediction: the middle nine tenths and the middle half of the rows, and the population.

        It is for a column that had entries, and per standard deviation of the feature where that is known. With a loss of yes
        and no or of counts it is added to the log-odds or the log of the rate.
        """
        products = self.summary_.get("products")
        if products is not None:  # a two-sided model: what a standard deviation of both features adds
            sizes = [p.get("size", p["coefficient"]) for p in products]
            label = "added by one standard deviation of both" if any("size" in p for p in products) else "coefficient"
            return _plots.plot_bars(self.selected_, sizes, label, "Selected products", ax)
        return _plots.plot_spread(self.features_, "Selected features", ax)

    def _repr_html_(self) -> str:
        if not hasattr(self, "_model"):
            import html

            return f"<pre>{html.escape(repr(self))}</pre>"
        s = self.summary_
        cost = self.certificate_.cost
        numbers = [] if cost is None else [("cost", f"{cost:.6g}")]
        numbers += [("rows", f"{s.get('rows', 0):,}"), ("columns", f"{s.get('columns', 0):,}"), ("entries", f"{s.get('observed', 0):,}")]
        if s.get("holdout"):
            numbers.append(("hold-out RMSE", f"{s['holdout'].get('rmse', 0):.5g}"))
        elif s.get("train"):
            numbers.append(("training RMSE", f"{s['train'].get('rmse', 0):.5g}"))
        return selection_html(f"{len(self.selected_)} of {s.get('features', '?')} features", self.selected_, self.certificate_, numbers, self._effects())

    def _effects(self) -> list[tuple[str, list[str]]]:
        """What the selected features do, as columns of a table: for the population and the rows; none where the model does not say."""
        terms = {t["name"]: t for t in self.features_}
        if not all(name in terms for name in self.selected_) or not self.selected_:
            return []
        chosen = [terms[name] for name in self.selected_]
        scales, per = _plots.per_deviation(chosen)
        population = [f"{scale * t.get('population', 0.0):+.3g}" for t, scale in zip(chosen, scales)]
        spreads = [sorted((scale * t["spread"]["q05"], scale * t["spread"]["q95"])) if t.get("spread") else None for t, scale in zip(chosen, scales)]
        rows = [f"{s[0]:+.3g} to {s[1]:+.3g}" if s else "–" for s in spreads]
        return [(f"adds {per}", population), ("nine tenths of the rows", rows)]


def _given(source: pa.Table | str, name: str, tables: dict[str, pa.Table]) -> str:
    """What a request calls a file or a table."""
    if isinstance(source, str):
        return source
    tables[name] = source
    return name


def _default_frame() -> str:
    from ._data import frame_of

    return frame_of(None)

