"""Read the weights of TensorFlow.js models.

Input: the manifest in `model.json`, and the bytes of its files. Output: constants by name. A group
of the manifest lists weights, whose elements follow each other in the group's files; a file may end
inside of an element. Source:
https://github.com/tensorflow/tfjs/blob/master/tfjs-core/src/io/io_utils.ts
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

from ...dtypes import as_dtype
from ...errors import ModelError
from ...io.safetensors import SIZES, Entry
from ..graph import TEXT, ModelConstant, constant_of_entry
from ..sources import check_neighbour
from .attributes import document_of, malformed

CODES = {
    "float32": "F32", "float16": "F16", "int32": "I32", "int64": "I64", "int16": "I16",
    "int8": "I8", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
    "complex64": "C64",
}  # fmt: skip
"""Code of each dtype in an `Entry`. Texts have none."""
_malformed = partial(malformed, files="files")
_QUANTIZED = {"uint8": "B", "uint16": "H"}
"""`struct` code of the steps of quantized weights."""
_RANK = 32
_MANIFEST_BYTES = 1 << 24
"""Bytes at the start of a file in which a manifest is looked for."""


def is_manifest(data: Any) -> bool:
    """Return True if bytes look like JSON with a manifest of weights."""
    view = memoryview(data).cast("B")
    start = bytes(view[:64]).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith((b"{", b"[")):
        return False
    text = bytes(view[:_MANIFEST_BYTES])
    return b'"paths"' in text and b'"weights"' in text


def manifest_of(data: Any) -> list[Any]:
    """Return the manifest of a `model.json`, or of a file with the manifest alone."""
    document = document_of(data, "files")
    found = document.get("weightsManifest") if isinstance(document, dict) else document
    if not isinstance(found, list):
        raise _malformed("manifest of weights must be a list", f"{found!r:.80}")
    return found


def files_of(manifest: Any) -> set[str]:
    """Return the names of the files that a manifest lists.

    Raises ModelError for names that lead out of the model's folder.
    """
    names = {name for paths, _ in _groups(manifest) for name in paths}
    for name in names:
        check_neighbour(name, "the manifest of weights")
    return names


def read_weights(manifest: Any, files: Mapping[str, Any]) -> dict[str, ModelConstant]:
    """Return the weights by name, given the bytes of the manifest's files.

    Raises ModelError, which names the weight, if the files do not fit.
    """
    constants: dict[str, ModelConstant] = {}
    for paths, weights in _groups(manifest):
        shards = _Shards(paths, files)
        for spec in weights:
            name = spec.get("name")
            if not isinstance(name, str):
                raise _malformed("weight has no name", f"{spec!r:.80}")
            if name in constants:
                raise _malformed("weight occurs twice", repr(name))
            constants[name] = _weight(name, spec, shards)
        shards.end()
    return constants


def _groups(manifest: Any) -> Iterator[tuple[list[str], list[dict[str, Any]]]]:
    """Yield the file names and the weights of each group."""
    groups = [] if manifest is None else manifest
    if not isinstance(groups, list):
        raise _malformed("manifest of weights must be a list", f"{groups!r:.80}")
    for group in groups:
        paths, weights = _list(group, "paths", str), _list(group, "weights", dict)
        if paths is None or weights is None:
            raise _malformed("group of weights lacks paths or weights", f"{group!r:.80}")
        yield paths, weights


def _list(group: Any, key: str, kind: type) -> list[Any] | None:
    items = group.get(key) if isinstance(group, dict) else None
    return items if isinstance(items, list) and all(isinstance(x, kind) for x in items) else None


class _Shards:
    """Bytes of a group's files, read from first to last without joining the files."""

    def __init__(self, paths: list[str], files: Mapping[str, Any]) -> None:
        if missing := [name for name in paths if name not in files]:
            raise ModelError(
                f"load: file of weights is missing; got {', '.join(missing)}; load the model from "
                "its URL or path"
            )
        self._parts = [memoryview(files[name]).cast("B") for name in paths]
        self._ends = [0, *accumulate(map(len, self._parts))]
        self._names = paths
        self._at = 0

    def take(self, count: int, name: str) -> Any:
        """Return the next bytes, which belong to the weight `name`."""
        start, end = self._at, self._at + count
        if end > self._ends[-1]:
            raise _malformed(
                "weights go past the end of their files",
                f"bytes {start} to {end if end < 1 << 64 else '2**64 or more'} of "
                f'{self._ends[-1]} for weight "{name}"',
            )
        self._at = end
        parts = [
            part[max(start - low, 0) : end - low]
            for part, (low, high) in zip(self._parts, pairwise(self._ends), strict=True)
            if low < end and start < high
        ]
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def end(self) -> None:
        """Check that nothing is left."""
        if self._at != self._ends[-1]:
            raise _malformed(
                "files of weights are longer than the weights",
                f"{self._ends[-1]} instead of {self._at} bytes in {', '.join(self._names):.80}",
            )


def _weight(name: str, spec: dict[str, Any], shards: _Shards) -> ModelConstant:
    """Read the next weight."""
    owner = f'weight "{name}"'
    dtype, shape, quantization = (spec.get(key) for key in ("dtype", "shape", "quantization"))
    if (
        not isinstance(shape, list)
        or len(shape) > _RANK
        or any(type(length) is not int or not 0 <= length < 1 << 31 for length in shape)
    ):
        raise _malformed("shape is not valid", f"{shape!r:.80} of {owner}")
    if dtype == "string":
        # Each text has its length in front.
        texts = [
            bytes(shards.take(int.from_bytes(shards.take(4, name), "little"), name))
            for _ in range(math.prod(shape))
        ]
        return ModelConstant(name, TEXT, tuple(shape), texts)
    if not isinstance(dtype, str) or dtype not in CODES:
        raise ModelError(
            f"load: dtype of a weight is not supported; got {dtype!r:.80} for {owner}; convert it "
            f"to one of {', '.join(CODES)}"
        )
    stored: Any = dtype
    if quantization is not None:
        stored = quantization.get("dtype") if isinstance(quantization, dict) else None
        if stored not in ("uint8", "uint16", "float16") or dtype not in ("float32", "int32"):
            raise ModelError(
                f"load: quantization is not supported; got {quantization!r:.80} of {dtype} for "
                f"{owner}; use uint8, uint16 or float16"
            )
    size = SIZES[CODES[stored]]
    entry = Entry(CODES[stored], tuple(shape), shards.take(math.prod(shape) * size, name))
    if quantization is None:
        return constant_of_entry(name, entry)
    if stored == "float16":
        # The same numbers, of another dtype.
        return ModelConstant(name, as_dtype(dtype), entry.shape, entry)
    scale, least = quantization.get("scale"), quantization.get("min")
    if not all(type(number) in (int, float) for number in (scale, least)):
        raise _malformed("quantization lacks its scale or min", f"{quantization!r:.80} of {owner}")
    steps = array(_QUANTIZED[stored], bytes(entry.data))
    try:
        table = [step * scale + least for step in range(max(steps, default=0) + 1)]
        if dtype == "int32":
            numbers = array("i", map([math.floor(x + 0.5) for x in table].__getitem__, steps))
        else:
            numbers = array("f", map(table.__getitem__, steps))
    except (OverflowError, ValueError) as error:
        raise _malformed(
            f"quantization is not valid: {error!s:.80}", f"{quantization!r:.80} of {owner}"
        ) from None
    code = CODES[dtype]
    return constant_of_entry(name, Entry(code, entry.shape, numbers.tobytes()))
