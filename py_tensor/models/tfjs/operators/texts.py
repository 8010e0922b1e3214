"""Texts and hash tables.

Texts are constants as long as a graph runs. A table is made of its keys and values, which the
reader finds in the graph that initializes it. Regular expressions are left out: those of a file can
take forever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from .... import functions as F
from ... import folding
from ...common import Known
from ...execution import TEXTS, Operator, fits, is_text, on_host
from ...graph import TEXT, HashTable, ModelConstant
from ...layouts import as_tensor
from ...options import Ints
from .fingerprint import fingerprint

LARGEST = 1 << 28
"""Maximum number of bytes of the texts that an operator makes."""

# --- hash tables ----------------------------------------------------------------------------------


def table(keys: Known, values: Known) -> HashTable:
    if keys.size != values.size:
        raise ValueError(f"{keys.size} keys for {values.size} values")
    return HashTable(on_host(keys), on_host(values))


def find(entries: HashTable, keys: Known, default: Known) -> Known:
    places, dtype = entries.keys.places, entries.values.dtype
    if isinstance(keys, ModelConstant) or TEXT in (entries.keys.dtype, dtype):
        wanted, [otherwise] = on_host(keys), on_host(default).numbers
        if is_text(wanted) != is_text(entries.keys) or is_text(default) != (dtype is TEXT):
            raise TypeError(f"keys of {wanted.dtype} in a table of {entries.keys.dtype}")
        values = entries.values.numbers
        results = [values[places[key]] if key in places else otherwise for key in wanted.numbers]
        return folding.made(results, wanted.shape, dtype)
    if not places:
        return F.broadcast_to(as_tensor(default), keys.shape)
    known = sorted(places)
    sorted_keys = F.asarray(known, dtype=entries.keys.dtype)
    sorted_values = F.take(entries.values.tensor(), F.asarray([places[key] for key in known]))
    at = F.minimum(F.searchsorted(sorted_keys, as_tensor(keys)), len(known) - 1)
    hits = F.take(sorted_keys, at) == as_tensor(keys)
    return F.where(hits, F.take(sorted_values, at), as_tensor(default))


def table_size(entries: HashTable) -> ModelConstant:
    return folding.made([len(entries.keys.places)], ())


# --- texts ----------------------------------------------------------------------------------------


def _texts(x: Known) -> list[bytes]:
    if not isinstance(x, ModelConstant) or x.dtype is not TEXT:
        raise TypeError(f"{x.dtype} instead of texts")
    return x.numbers


def split(x: Known, delimiter: Known, *, skip_empty: bool = True) -> tuple[ModelConstant, ...]:
    [separators] = _texts(delimiter)
    rows = [list(_parts(text, separators, skip_empty)) for text in _texts(x)]
    parts = [part for row in rows for part in row]
    places = [n for at, row in enumerate(rows) for column in range(len(row)) for n in (at, column)]
    longest = max(map(len, rows), default=0)
    return (
        folding.made(places, (len(parts), 2)),
        _made(parts),
        folding.made([len(rows), longest], (2,)),
    )


def _made(texts: list[bytes]) -> ModelConstant:
    if not fits(len(texts), TEXT):
        raise ValueError(f"{len(texts):,} texts; at most {TEXTS:,} are supported")
    return folding.made(texts, (len(texts),), TEXT)


def _parts(text: bytes, separators: bytes, skip_empty: bool) -> Iterable[bytes]:
    """Split a text at each of some characters, or into its bytes if there are none."""
    if not separators:
        return (text[at : at + 1] for at in range(len(text)))
    if not text:
        return ()
    parts = re.split(b"[" + re.escape(separators) + b"]", text)
    return filter(None, parts) if skip_empty else parts


def n_grams(
    x: Known,
    splits: Ints,
    *,
    separator: str,
    ngram_widths: Ints,
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[ModelConstant, ModelConstant]:
    """Join neighbours in each row of texts; `splits` are the ends of the rows, after a 0."""
    texts, between = _texts(x), separator.encode()
    if splits and (splits[0] != 0 or splits[-1] != len(texts) or sorted(splits) != splits):
        raise ValueError(f"{len(texts)} texts with other limits of rows than {splits!r:.80}")
    grams: list[bytes] = []
    limits = [0][: len(splits)]
    room = LARGEST

    def add(row: list[bytes], width: int, padding: int) -> None:
        nonlocal room
        count = len(row) + 2 * padding - width + 1
        room -= max(count, 0) * width * (1 + len(between))
        if width < 1 or room < 0:
            raise ValueError(f"{count:,} texts of {width:,} parts")
        padded = [left_pad.encode()] * padding + row + [right_pad.encode()] * padding
        room -= sum(map(len, padded)) * width
        if room < 0:
            raise ValueError(f"texts of more than {LARGEST:,} bytes")
        grams.extend(between.join(padded[at : at + width]) for at in range(count))

    for start, end in pairwise(splits):
        row, before = texts[start:end], len(grams)
        for width in ngram_widths if texts else ():
            add(row, width, width - 1 if pad_width < 0 else min(pad_width, width - 1))
        if preserve_short_sequences and row and len(grams) == before:
            add(row, len(row) + 2 * pad_width, pad_width)
        limits.append(len(grams))
    return _made(grams), folding.made(limits, (len(limits),))


def hash_bucket(x: Known, *, num_buckets: int) -> ModelConstant:
    texts = _texts(x)
    known = {text: fingerprint(text) % num_buckets for text in {*texts}}
    return folding.made([known[text] for text in texts], x.shape)


OPERATORS = {
    "HashTable": Operator(table, raw=True, texts=True),
    "LookupTableFind": Operator(find, raw=True, texts=True),
    "LookupTableSize": Operator(table_size, raw=True, texts=True),
    "StringNGrams": Operator(n_grams, host=("splits",), raw=True, texts=True),
    "StringSplit": Operator(split, raw=True, texts=True),
    "StringToHashBucketFast": Operator(hash_bucket, raw=True, texts=True),
}
for _name in ("HashTable", "LookupTableFind", "LookupTableSize"):
    OPERATORS[f"{_name}V2"] = OPERATORS[_name]

ON_TEXTS = (
    *("Concat", "ConcatV2", "Equal", "ExpandDims", "Fill", "Gather", "GatherNd", "GatherV2"),
    *("Identity", "IdentityN", "If", "NotEqual", "Pack", "PartitionedCall"),
    *("PlaceholderWithDefault", "Rank", "Reshape", "Select", "SelectV2", "Shape", "ShapeN", "Size"),
    *("Slice", "Snapshot", "Split", "SplitV", "Squeeze", "StatefulPartitionedCall"),
    *("StatelessIf", "StatelessWhile", "StopGradient", "StridedSlice", "TensorListFromTensor"),
    *("TensorListGather", "TensorListGetItem", "TensorListLength", "TensorListPopBack"),
    *("TensorListPushBack", "TensorListReserve", "TensorListResize", "TensorListSetItem"),
    *("TensorListStack", "EmptyTensorList", "Tile", "Transpose", "Unpack", "While"),
)
"""Operators of the other modules that also take texts."""
