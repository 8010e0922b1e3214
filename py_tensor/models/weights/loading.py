"""Load tensors by name from files of safetensors, PyTorch and TensorFlow.js, also in parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ...errors import DTypeError, FormatError, ModelError
from ...io import safetensors
from ...io.element_formats import decoded
from ...tensor import Tensor
from ..graph import TEXT
from ..sources import Files, files_of_source, is_neighbour
from ..tfjs import weights as tfjs_weights
from . import gguf, torch_files

INDEX_LIMIT = 100_000_000
"""Largest index of parts in bytes."""


async def load_weights(source: Any, *, prefix: str = "") -> dict[str, Any]:
    """Load tensors by name from a file of safetensors, PyTorch, TensorFlow.js or GGUF.

    The format is recognized by content: safetensors; files of `torch.save` (`.pt`, `.pth`,
    `.bin`), also those of PyTorch before 1.6; the index of either in parts, for example
    `model.safetensors.index.json`, whose parts are next to it; and manifests of TensorFlow.js, a
    `model.json` or `weights_manifest.json`, whose files are next to it. Files of PyTorch are
    pickles. They are interpreted without running code: only tensors and plain containers are made.
    Names of tensors in nested dicts and lists are joined by dots; numbers, texts and arrays of
    NumPy are left out.

    Tensors of GGUF files whose elements have a few bits (Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K,
    Q6_K) become `pt.nn.PackedMatrix`, with the rows of the file, and stay packed.

    bfloat16 becomes float32 exactly, float64 is rounded to float32, and 64-bit integers become
    32-bit ones if they fit.

    Args:
        source: URL, path, bytes, file object, or function that returns bytes, as for `load`.
        prefix: Load only tensors whose names begin with this text, which is removed; "" (default)
            for all. A checkpoint {"model": {...}, "epoch": 3} needs "model.".

    Returns:
        Dict of tensors and packed matrices by name, in the file's order. Tensors that share their
        elements in the file are one tensor.

    Raises:
        ModelError: If the file is malformed, cannot be read, or has objects that are not tensors
            or plain containers; or if integers do not fit.
        BackendError: If there is no file at a URL, or this is not a web page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> file = pt.io.to_bytes({"fc.weight": pt.ones((2, 3)), "fc.bias": pt.zeros(2)})
    >>> weights = asyncio.run(pt.models.load_weights(file, prefix="fc."))
    >>> {name: tensor.shape for name, tensor in weights.items()}
    {'bias': (2,), 'weight': (2, 3)}
    """
    files = files_of_source(source, _rank, {}, None, True)
    data = await files.read("", None)
    tensors: dict[str, Any] = {}
    if tfjs_weights.is_manifest(data):
        return await _of_manifest(data, files, prefix)
    parts = parts_of(data)
    if parts is None:
        return _tensors(data, prefix)
    del data
    for part in parts:
        for name, tensor in _tensors(await files.read(part, None), prefix).items():
            if name in tensors:
                raise _malformed("name is in two parts", f"{name!r:.80} in {part!r:.80}")
            tensors[name] = tensor
    return tensors


async def _of_manifest(data: Any, files: Files, prefix: str) -> dict[str, Tensor]:
    """Return the weights of TensorFlow.js, without texts."""
    try:
        manifest = tfjs_weights.manifest_of(data)
        names = sorted(tfjs_weights.files_of(manifest))
        contents = {name: await files.read(name, None) for name in names}
        constants = tfjs_weights.read_weights(manifest, contents)
    except ModelError as error:
        raise ModelError(str(error).replace("load:", "load_weights:", 1)) from None
    return {
        name.removeprefix(prefix): constant.tensor()
        for name, constant in constants.items()
        if name.startswith(prefix) and constant.dtype is not TEXT
    }


def _rank(data: Any) -> int | None:
    """Return 0 for an index of parts and 1 for other files of weights, to choose among several."""
    start = bytes(memoryview(data).cast("B")[:17])
    own = (torch_files.ZIP, torch_files.LEGACY, gguf.MAGIC)
    if start.startswith(own) or start[8:9] == b"{":
        return 1
    is_index = tfjs_weights.is_manifest(data) or b'"weight_map"' in bytes(
        memoryview(data).cast("B")
    )
    return 0 if is_index else None


def _tensors(data: Any, prefix: str) -> dict[str, Tensor]:
    names, tensor = opened(data)
    try:
        return {
            name.removeprefix(prefix): tensor(name) for name in names if name.startswith(prefix)
        }
    except DTypeError as error:
        raise ModelError(
            f"load_weights: tensor does not fit its dtype; got {error}; WebGL has no 64-bit "
            "integers: use smaller numbers"
        ) from None


def opened(data: Any) -> tuple[list[str], Callable[[str], Tensor]]:
    """Return the names in a file, and a function that makes the tensor of a name."""
    start = bytes(memoryview(data).cast("B")[:17])
    if start.startswith((torch_files.ZIP, torch_files.LEGACY)):
        file = torch_files.read(data)
        return list(file.tensors), file.tensor
    if start.startswith(gguf.MAGIC):
        return gguf.opened(data)
    try:
        entries, _ = safetensors.read(data)
    except FormatError as error:
        raise ModelError(str(error).replace("from_bytes", "load_weights", 1)) from None
    return list(entries), lambda name: decoded(name, entries[name])


def parts_of(data: Any) -> list[str] | None:
    """Return the names of the files that an index lists; None if this is not an index."""
    view = memoryview(data).cast("B")
    if bytes(view[:1]) not in (b"{", b" ", b"\n", b"\r", b"\t") or bytes(view[8:9]) == b"{":
        return None
    try:
        if len(view) > INDEX_LIMIT:
            raise ValueError(f"{len(view)} bytes")
        index = json.loads(bytes(view))
        names = list(dict.fromkeys(index["weight_map"].values()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _malformed("index has no weight_map", f"{type(error).__name__}: {error}") from None
    for name in names:
        if type(name) is not str or not is_neighbour(name):
            raise _malformed("part must be a file in the index's folder", f"{name!r:.80}")
    return names


def _malformed(wrong: str, got: str) -> ModelError:
    return ModelError(
        f"load_weights: not a valid file: {wrong}; got {got}; download or save the file again"
    )
