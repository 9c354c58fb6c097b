"""Ids of rows and columns: texts for the program, and of their own type for the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ._errors import OptCompleteError


@dataclass
class Ids:
    """The type that ids have; strings come back as it."""

    type: pa.DataType = pa.string()
    categories: pa.Array | None = None  # of a dictionary
    dtype: Any = None  # of pandas

    def decode(self, texts: Any) -> pa.Array:
        """Texts as ids. What is no id of this type stays text."""
        if isinstance(texts, pa.ChunkedArray):
            texts = texts.combine_chunks()
        if not isinstance(texts, pa.Array):
            texts = pa.array(texts, pa.string())
        if pa.types.is_dictionary(texts.type):
            texts = texts.dictionary_decode()
        if self.categories is not None:
            codes = pc.index_in(texts, pc.cast(self.categories, texts.type))
            if codes.null_count == texts.null_count:
                return pa.DictionaryArray.from_arrays(codes, self.categories, ordered=self.type.ordered)
            return self._cast(texts, self.type.value_type)
        return self._cast(texts, self.type)

    @staticmethod
    def _cast(texts: pa.Array, to: pa.DataType) -> pa.Array:
        try:
            return texts.cast(to)
        except pa.ArrowException:
            return texts


def text_of(x: Any) -> str:
    """One id as the program knows it."""
    return str(pc.cast(encoded(pa.chunked_array([pa.array([x])]), "the id")[0], pa.string())[0].as_py())


def encoded(ids: pa.ChunkedArray, what: str) -> tuple[pa.ChunkedArray, Ids]:
    """Ids as the program takes them (text, whole numbers or a dictionary of them), and their type."""
    t = ids.type
    if pa.types.is_dictionary(t):
        values = (ids.unify_dictionaries() if ids.num_chunks != 1 else ids).combine_chunks()
        values = values.chunk(0) if isinstance(values, pa.ChunkedArray) else values
        texts, _ = encoded(pa.chunked_array([values.dictionary]), what)
        texts = pc.cast(texts.combine_chunks(), pa.large_string())
        again = pa.DictionaryArray.from_arrays(values.indices, texts)
        return pa.chunked_array([again]), Ids(t, values.dictionary)
    if pa.types.is_string(t) or pa.types.is_large_string(t):
        return ids, Ids(t)
    if pa.types.is_integer(t):
        return ids, Ids(t)
    if pa.types.is_floating(t):
        # Whole numbers become floats where a frame has a gap.
        try:
            return ids.cast(pa.int64()), Ids(pa.int64())
        except pa.ArrowInvalid:
            raise OptCompleteError(f"{what}: ids are numbers that are not whole", "use text or whole numbers") from None
    if pa.types.is_boolean(t) or pa.types.is_date(t) or pa.types.is_timestamp(t):
        return ids.cast(pa.string()), Ids(t)
    if pa.types.is_null(t):
        return ids.cast(pa.string()), Ids()
    raise OptCompleteError(f"{what}: ids are {t}", "use text, whole numbers, categories or dates")
