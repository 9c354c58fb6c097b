"""Frames, sparse matrices and arrays on their way to the program, as Arrow tables."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._base import given_weights as _GIVEN
from ._errors import OptCompleteError, cells
from ._ids import Ids, encoded


@dataclass
class Entries:
    """Observed entries: a table row, column, value; or a path that the program reads itself."""

    source: pa.Table | str
    rows: Ids
    columns: Ids
    wide: bool = False
    frame: str = "arrow"  # what frames the user has: pandas, polars or arrow
    shape: tuple[int, int] | None = None  # of an array or a sparse matrix, whose ids are positions
    row_labels: Any = None  # of a wide frame
    column_labels: Any = None
    weight: str | None = None  # the column of a table that has the weights


def is_path(x: Any) -> bool:
    return isinstance(x, (str, os.PathLike))


def _counts_from_one(source: Any) -> bool:
    """Whether the program numbers the columns of a file from 1, because the file has no ids."""
    return isinstance(source, str) and re.search(r"\.(npy|npz|mtx)(\.gz|\.zst)?$", source.lower()) is not None


def module_of(x: Any) -> str:
    return type(x).__module__.partition(".")[0]


def frame_of(x: Any) -> str:
    """Which frames somebody uses who gives x; with arrays, pandas if it is there."""
    name = module_of(x)
    if name in ("pandas", "polars"):
        return name
    if name == "pyarrow":
        return "arrow"
    try:
        import pandas  # noqa: F401

        return "pandas"
    except ImportError:
        return "arrow"


def table_of(x: Any, what: str) -> pa.Table:
    """A frame as an Arrow table, its index left out."""
    try:
        columns: Any = x.schema.names if module_of(x) == "pyarrow" else getattr(x, "columns", ())
        names = [str(name) for name in columns]
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise OptCompleteError(f"two columns are called {twice!r}", "give each a name of its own", file=what)
        if isinstance(x, pa.Table):
            table = x
        elif isinstance(x, pa.RecordBatch):
            table = pa.Table.from_batches([x])
        elif module_of(x) == "pandas":
            x = x.copy(deep=False)
            x.columns = names
            table = pa.Table.from_pandas(x, preserve_index=False).replace_schema_metadata(None)
        elif module_of(x) == "polars":
            table = (x.collect() if hasattr(x, "collect") else x).to_arrow()
        elif isinstance(x, dict) or hasattr(x, "__arrow_c_stream__"):
            table = pa.table(x)
        else:
            raise OptCompleteError(
                f"{what} is a {type(x).__name__}",
                "give a pandas or polars frame, a pyarrow table, an array, a SciPy sparse matrix or the path of a file",
            )
    except OptCompleteError:
        raise
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as e:
        raise OptCompleteError(f"a column cannot be understood: {e}", "give each column values of one type", file=what) from e
    return pa.Table.from_arrays([_widened(c) for c in table.columns], names=table.column_names)


def _widened(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Types that only some programs know, as those that all know."""
    t = column.type
    if str(t) == "string_view":
        return column.cast(pa.large_string())
    if pa.types.is_dictionary(t):
        if str(t.value_type) == "string_view":
            return column.cast(pa.dictionary(t.index_type, pa.large_string(), t.ordered))
        return column.unify_dictionaries() if column.num_chunks > 1 else column
    return column


_TIMES = ("timestamp", "time", "date", "datetime", "day")
_WEIGHTS = ("weight", "weights")


def entries_of(
    x: Any,
    names: tuple[str | None, str | None, str | None],
    wide: bool | None,
    what: str = "ratings",
    time_name: str | None = None,
    weight: str | None = "none",
    sample_weight: Any = None,
) -> Entries:
    """Observed entries of whatever holds them, with the columns of their times and weights if there are some."""
    if sample_weight is None:
        return _entries_of(x, names, wide, what, time_name, weight)
    if is_path(x):
        raise OptCompleteError("sample_weight is given beside a file", "write the weights into a column of the file and name it with weight", file=what)
    entries = _entries_of(x, names, wide, what, time_name, "none")
    weights = _weights_of(x, sample_weight, entries)
    entries.source = entries.source.append_column(_GIVEN, pa.array(weights))  # type: ignore[union-attr]
    entries.weight = _GIVEN
    return entries


def _weights_of(x: Any, given: Any, entries: Entries) -> Any:
    """Weights of entries that were given by themselves: one for each, or for a matrix another of its shape."""
    try:
        weights = np.asarray(given.toarray() if hasattr(given, "toarray") else given, dtype=float)
    except (TypeError, ValueError) as e:
        raise OptCompleteError("sample_weight does not hold numbers", "give a weight for each entry") from e
    count = entries.source.num_rows  # type: ignore[union-attr]
    if weights.ndim == 2 and hasattr(x, "tocoo"):
        coo = x.tocoo()
        if weights.shape == coo.shape:
            return weights[coo.row, coo.col]
    elif weights.ndim == 2 and entries.wide:
        seen = _observed(x)
        if weights.shape == seen.shape:
            return weights[seen]
    elif weights.shape == (count,):
        return weights
    raise OptCompleteError(f"sample_weight has the shape {weights.shape}", f"give a weight for each of the {count} entries, or for a matrix one of its shape")


def _observed(x: Any) -> Any:
    """Which cells of a wide matrix have a value, as _array and _wide see it."""
    if module_of(x) == "pandas":
        if x.shape[1] > 0 and not _numbers(x.dtypes.iloc[0]) and type(x.index).__name__ == "RangeIndex":
            x = x.set_index(x.columns[0])
        return ~np.isnan(x.to_numpy(dtype=float, na_value=np.nan))
    if isinstance(x, (np.ndarray, list, tuple)):
        return ~np.isnan(np.asarray(x, dtype=float))
    table = table_of(x, "ratings")
    columns = [c.cast(pa.float64()).to_numpy() for c in table.columns if not (pa.types.is_string(c.type) or pa.types.is_large_string(c.type))]
    return ~np.isnan(np.column_stack(columns))


def _entries_of(x: Any, names: tuple[str | None, str | None, str | None], wide: bool | None, what: str, time_name: str | None, weight: str | None) -> Entries:
    if is_path(x):
        return Entries(os.path.abspath(x), Ids(), Ids(), frame=frame_of(None))
    if hasattr(x, "tocoo"):
        coo = x.tocoo()
        if len(coo.shape) != 2:
            raise OptCompleteError(f"the sparse array has {len(coo.shape)} dimension", "give two: rows and columns", file=what)
        return _positions(coo.row, coo.col, coo.data, coo.shape, x, what)
    if isinstance(x, (np.ndarray, list, tuple)):
        return _array(x, what)
    if wide is None:
        wide = _looks_wide(x, names)
    if wide:
        return _wide(x, what)
    x = _collected(x)
    have = _columns_of(x, what)
    at = _locate(have, names, (("row", "column", "value"), ("userId", "movieId", "rating")), what)
    times = [i for i, name in enumerate(have) if i not in at and (name == time_name or name.lower() in _TIMES)]
    weights = [i for i, name in enumerate(have) if i not in at and (name == weight if weight is not None else name.lower() in _WEIGHTS)]
    if weight not in (None, "none") and not weights:
        raise OptCompleteError(f"there is no column {weight!r} of weights", f"there are {', '.join(map(repr, have))}", file=what)
    # What else there is in the frame is nobody's business, and may be of any type.
    table = table_of(_selected(x, list(dict.fromkeys([*at, *times, *weights]))), what)
    at = list(range(len(at)))
    columns = [table.column(i) for i in at]
    rows, row_ids = encoded(columns[0], f"{what}, column {table.column_names[at[0]]!r}")
    cols, column_ids = encoded(columns[1], f"{what}, column {table.column_names[at[1]]!r}")
    value = columns[2]
    said = yes_or_no(value)
    if said is not None:
        value = said
    if not (pa.types.is_floating(value.type) or pa.types.is_integer(value.type) or pa.types.is_boolean(value.type) or pa.types.is_decimal(value.type)):
        raise OptCompleteError(
            f"the values, column {table.column_names[at[2]]!r}, are {value.type}, not numbers",
            "name the columns with row_name, column_name and value_name, or convert the values",
            file=what,
        )
    source = pa.Table.from_arrays([rows, cols, value], names=["row", "column", "value"])
    for i in range(len(at), table.num_columns):
        source = source.append_column(table.column_names[i], table.column(i))
    if source.num_rows == 0:
        raise OptCompleteError("has no entries", "give at least one: a row, a column and a value", file=what)
    return Entries(source, _remembered(row_ids, x, table.column_names[0]), _remembered(column_ids, x, table.column_names[1]), frame=frame_of(x), weight=have[weights[0]] if len(weights) == 1 else None)


def yes_or_no(values: Any) -> Any:
    """Words as the command line reads them, yes and true as 1, no and false as 0; None if there are others, or no words."""
    import pyarrow.compute as pc

    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return None
    words = pc.utf8_lower(pc.utf8_trim_whitespace(values.cast(pa.string())))
    yes = pc.is_in(words, value_set=pa.array(["yes", "true"]))
    no = pc.is_in(words, value_set=pa.array(["no", "false"]))
    if not pc.all(pc.or_(pc.or_(yes, no), pc.is_null(words)), min_count=0).as_py():
        return None
    return pc.if_else(pc.is_null(words), None, yes.cast(pa.float64()))


def _collected(x: Any) -> Any:
    """A lazy frame of polars, computed."""
    return x.collect() if module_of(x) == "polars" and hasattr(x, "collect") else x


def _columns_of(x: Any, what: str) -> list[str]:
    if isinstance(x, dict):
        return [str(name) for name in x]
    if module_of(x) in ("pandas", "polars") and hasattr(x, "columns"):
        return [str(name) for name in x.columns]
    return list(table_of(x, what).column_names)


def _selected(x: Any, at: list[int]) -> Any:
    """Some columns of a frame."""
    if isinstance(x, dict):
        names = list(x)
        return {str(names[i]): x[names[i]] for i in at}
    if module_of(x) == "pandas":
        return x.iloc[:, at]
    if module_of(x) == "polars":
        return x.select([x.columns[i] for i in at])
    return x.select(at) if isinstance(x, (pa.Table, pa.RecordBatch)) else pa.table(x).select(at)


def _remembered(ids: Ids, x: Any, name: str) -> Ids:
    """Ids of a pandas frame come back as its dtype, which may say more than Arrow's type does."""
    if module_of(x) == "pandas" and ids.categories is None:
        ids.dtype = next((dtype for label, dtype in zip(x.columns, x.dtypes) if str(label) == name), None)
        if ids.dtype is not None and ids.dtype.kind == "f":
            ids.dtype = None  # whole numbers, made floats by a gap
    return ids


def _locate(have: list[str], given: tuple[str | None, ...], known: tuple[tuple[str, ...], ...], what: str) -> list[int]:
    """Columns by the names given, by those that are known, or the first ones."""
    if any(given):
        wanted = [g or k for g, k in zip(given, known[0])]
        for name in wanted:
            if name not in have:
                raise OptCompleteError(f"there is no column {name!r}", f"there are {', '.join(map(repr, have))}", file=what)
        return [have.index(name) for name in wanted]
    lower = [name.lower() for name in have]
    for names in known:
        if all(name.lower() in lower for name in names):
            return [lower.index(name.lower()) for name in names]
    if len(have) < len(known[0]):
        raise OptCompleteError(f"has {len(have)} columns where {len(known[0])} are needed: {', '.join(known[0])}", file=what)
    return list(range(len(known[0])))


def _looks_wide(x: Any, names: tuple[str | None, ...]) -> bool:
    """A wide frame has a column of numbers for each column of the matrix."""
    if any(names) or module_of(x) not in ("pandas", "polars"):
        return False
    have = [str(c).lower() for c in x.columns]
    if {"row", "column", "value"} <= set(have) or {"userid", "movieid", "rating"} <= set(have):
        return False
    numbers = len(x.select_dtypes("number").columns) if module_of(x) == "pandas" else sum(t.is_numeric() for t in x.schema.values())
    return len(have) > 4 and numbers >= len(have) - 1


def _array(x: Any, what: str) -> Entries:
    try:
        values = np.asarray(x, dtype=float)
    except (TypeError, ValueError) as e:
        raise OptCompleteError("the array does not hold numbers", "give a two-dimensional array with NaN for what is missing", file=what) from e
    if values.ndim != 2:
        raise OptCompleteError(f"the array has {values.ndim} dimensions", "give two: rows and columns, NaN for what is missing", file=what)
    row, column = np.nonzero(~np.isnan(values))
    entries = _positions(row, column, values[row, column], values.shape, x, what)
    entries.wide = True
    return entries


def _positions(row: Any, column: Any, value: Any, shape: tuple[int, int], x: Any, what: str) -> Entries:
    ids = Ids(pa.int64())
    if np.iscomplexobj(value):
        raise OptCompleteError("the values are complex", "give real numbers", file=what)
    source = _marked(pa.table({"row": np.asarray(row, dtype=np.int32), "column": np.asarray(column, dtype=np.int32), "value": np.asarray(value, dtype=float)}), what)
    return Entries(source, ids, ids, frame=frame_of(x), shape=(int(shape[0]), int(shape[1])))


def _marked(source: pa.Table, what: str) -> pa.Table:
    """A table whose records are cells of a matrix."""
    if source.num_rows == 0:
        raise OptCompleteError("has no entries: all of it is missing", "give at least one value", file=what)
    return source.replace_schema_metadata({cells: b""})


def _wide(x: Any, what: str) -> Entries:
    row_labels: Any
    column_labels: Any
    if module_of(x) == "pandas":
        if x.shape[1] > 0 and not _numbers(x.dtypes.iloc[0]) and type(x.index).__name__ == "RangeIndex":
            x = x.set_index(x.columns[0])
        row_labels, column_labels = x.index, x.columns
        for name, dtype in zip(x.columns, x.dtypes):
            if not _numbers(dtype):
                raise OptCompleteError(f"column {name!r} of a wide frame holds {dtype}, not numbers", "make its labels the index, or leave it out; of a long frame say wide=False", file=what)
        values = x.to_numpy(dtype=float, na_value=np.nan)
        labels = [pa.chunked_array([pa.array(label)]) for label in (row_labels, column_labels)]
    else:
        table = table_of(x, what)
        number = [pa.types.is_floating(c.type) or pa.types.is_integer(c.type) or pa.types.is_boolean(c.type) or pa.types.is_decimal(c.type) for c in table.columns]
        row_labels = np.arange(table.num_rows)
        if table.num_columns > 0 and not number[0]:
            row_labels, table, number = table.column(0).to_pylist(), table.remove_column(0), number[1:]
        if not all(number):
            raise OptCompleteError(f"column {table.column_names[number.index(False)]!r} of a wide frame does not hold numbers", "leave it out; of a long frame say wide=False", file=what)
        column_labels = table.column_names
        values = np.column_stack([c.cast(pa.float64()).to_numpy() for c in table.columns]) if table.num_columns else np.empty((table.num_rows, 0))
        labels = [pa.chunked_array([pa.array(row_labels)]), pa.chunked_array([pa.array(column_labels)])]
    at = np.nonzero(~np.isnan(values))
    arrays, ids = [], []
    for which, label in enumerate(labels):
        name = ("rows", "columns")[which]
        texts, kind = encoded(label, f"{what}, its {name}")
        texts = pc.cast(texts.combine_chunks(), pa.string())
        if len(pc.unique(texts)) != len(texts):
            raise OptCompleteError(f"two {name} have the same label", "give each a label of its own", file=what)
        arrays.append(pa.DictionaryArray.from_arrays(pa.array(at[which].astype(np.int32)), texts))
        ids.append(kind)
    source = _marked(pa.Table.from_arrays([*arrays, pa.array(values[at])], names=["row", "column", "value"]), what)
    return Entries(source, ids[0], ids[1], True, frame_of(x), None, row_labels, column_labels)


def _numbers(dtype: Any) -> bool:
    """Whether a dtype of pandas is one of numbers."""
    return getattr(dtype, "kind", "O") in "iufb" or getattr(dtype, "_is_numeric", False)


def features_of(x: Any, entries: Entries | None, what: str = "features") -> pa.Table | str:
    """A table whose first column is the id."""
    if is_path(x):
        return os.path.abspath(x)
    if hasattr(x, "toarray"):
        x = x.toarray()
    if isinstance(x, (np.ndarray, list, tuple)):
        x = np.asarray(x)
        if x.ndim != 2:
            raise OptCompleteError(f"the array has {x.ndim} dimensions", "give two: a row for each column of the matrix", file=what)
        names = ["id", *(f"x{j}" for j in range(x.shape[1]))]
        labels = entries.column_labels if entries is not None else None
        first = 1 if entries is not None and _counts_from_one(entries.source) else 0
        ids = pa.array(labels if labels is not None and len(labels) == len(x) else np.arange(first, first + len(x)))
        return pa.Table.from_arrays([ids, *(pa.array(x[:, j]) for j in range(x.shape[1]))], names=names)
    if module_of(x) == "pandas":
        # An index of numbers without a name is what is left of a frame that was filtered.
        if x.index.name is not None or x.index.dtype.kind not in "iu":
            x = x.reset_index()
    table = table_of(x, what)
    if table.num_columns == 0:
        raise OptCompleteError("has no columns", "the first is the id, the others are features", file=what)
    try:
        ids, _ = encoded(table.column(0), "")
    except OptCompleteError as e:
        remedy = "make the ids the index of the frame, or its first column"
        if what == "features":
            remedy += "; or give an array, with a row for each column of the matrix"
        raise OptCompleteError(f"the first column, {table.column_names[0]!r}, is taken as the ids, but {e.problem.removeprefix(': ids are ')} are no ids", remedy, file=what) from None
    return table.set_column(0, table.column_names[0], ids)


def pairs_of(x: Any, names: tuple[str | None, str | None]) -> tuple[pa.Table, Ids, Ids, str]:
    """Pairs of a row and a column: a frame, a list of pairs or an array of two columns."""
    if isinstance(x, np.ndarray):
        if x.ndim != 2 or x.shape[1] != 2:
            raise OptCompleteError(f"the array has the shape {x.shape}", "give two columns: row and column", file="pairs")
        x = {"row": x[:, 0], "column": x[:, 1]}
    frame = frame_of(x)
    if not hasattr(x, "columns") and not hasattr(x, "__arrow_c_stream__") and not isinstance(x, (str, bytes, dict)) and hasattr(x, "__iter__"):
        x = list(x)  # such as zip(rows, columns)
        if any(not isinstance(p, (list, tuple)) or len(p) != 2 for p in x):
            raise OptCompleteError("is a list of something else than pairs", "give a list of pairs (row, column), or a frame", file="pairs")
        x = {"row": [p[0] for p in x], "column": [p[1] for p in x]}
    table = table_of(x, "pairs")
    at = _locate(table.column_names, names, (("row", "column"), ("userId", "movieId")), "pairs")
    rows, row_ids = encoded(table.column(at[0]), "pairs, its rows")
    columns, column_ids = encoded(table.column(at[1]), "pairs, its columns")
    return pa.Table.from_arrays([rows, columns], names=["row", "column"]), row_ids, column_ids, frame


def to_frame(table: pa.Table, frame: str) -> Any:
    """An Arrow table as the user's kind of frame."""
    if frame == "pandas":
        return table.to_pandas()
    if frame == "polars":
        import polars as pl

        return pl.from_arrow(table)
    return table
