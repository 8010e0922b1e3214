"""Trees of tensors to the bytes of a file and back; each leaf is named by the way to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversion import to_host
from ..errors import ArgumentError
from ..pytree import leaf_names, tree_flatten, tree_unflatten
from ..runtime import backend
from ..tensor import Tensor, realize
from . import safetensors
from .elements import CODES, decoded, number_entry, restored
from .safetensors import Entry

_ROOT = "tensor"
"""The name of a leaf that is the whole tree."""


def to_bytes(tree: Any, metadata: Mapping[str, str] | None = None) -> bytes:
    """The tensors of a tree as a safetensors file, which other libraries read, too.

    A leaf's name is the way to it, as in "layers.0.weight": keys, indices and fields. Python
    numbers are saved with all their digits; static fields are not. `metadata` is text by text.
    Waits for the values. Raises DTypeError for leaves that are no numbers, ArgumentError where two
    leaves have one name.

    >>> import py_tensor as pt
    >>> data = pt.saving.to_bytes({"layers": [pt.ones((2, 3)), pt.zeros(4)], "step": 7})
    >>> sorted(pt.saving.from_bytes(data))
    ['layers.0', 'layers.1', 'step']
    """
    entries, tensors = _entries(tree)
    for name, tensor in tensors.items():
        entries[name] = entries[name]._replace(data=tensor._bytes("to_bytes"))
    return safetensors.write(entries, metadata)


async def to_bytes_async(tree: Any, metadata: Mapping[str, str] | None = None) -> bytes:
    """What `to_bytes` gives, without blocking the page while values come from the GPU.

    The values are those that the tensors have when it starts, whatever becomes of them meanwhile.
    Raises what `to_bytes` raises.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> data = asyncio.run(pt.saving.to_bytes_async({"w": pt.ones(3)}))
    >>> pt.saving.from_bytes(data)["w"].tolist()
    [1.0, 1.0, 1.0]
    """
    entries, tensors = _entries(tree)
    buffers = {name: tensor._buffer("to_bytes") for name, tensor in tensors.items()}
    tensors.clear()
    for name, buffer in buffers.items():
        entries[name] = entries[name]._replace(data=await backend().read_async(buffer))
    return safetensors.write(entries, metadata)


def from_bytes(data: Any, like: Any = None) -> Any:
    """The tensors of a safetensors file: a dict by name, or a tree of the containers of `like`.

    Of the dtypes tensors cannot have, BF16 becomes float32 exactly, F64 is rounded to float32, I64
    and U64 become int32 and uint32 where all values fit. With `like`, every leaf is read from the
    entry of its name, and gets the leaf's dtype: floating numbers are rounded, integers must fit.
    `like` keeps its own values; `pt.ShapeDtype` may stand for tensors in it. Raises FormatError for
    what is no safetensors file, ArgumentError where names differ, ShapeError and DTypeError where a
    tensor does not fit.

    >>> import py_tensor as pt
    >>> model = {"w": pt.asarray([1.0, 2.0]), "step": 3}
    >>> copy = pt.saving.from_bytes(pt.saving.to_bytes(model), like=model)
    >>> copy["w"].tolist(), copy["step"]
    ([1.0, 2.0], 3)
    """
    entries, _ = safetensors.read(data)
    if like is None:
        return {name: decoded(name, entry) for name, entry in entries.items()}
    return _filled(like, entries)


def read_metadata(data: Any) -> dict[str, str]:
    """The metadata of a safetensors file. Raises FormatError for what is none.

    >>> import py_tensor as pt
    >>> pt.saving.read_metadata(pt.saving.to_bytes(pt.ones(2), {"epoch": "5"}))
    {'epoch': '5'}
    """
    return safetensors.read(data)[1]


def _named(operation: str, tree: Any) -> dict[str, Any]:
    """The leaves of a tree by their names; raises ArgumentError where two have one name."""
    leaves, _ = tree_flatten(tree)
    names = [name or _ROOT for name in leaf_names(tree)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(
            f"{operation}: two leaves have one name; got {twice!r} twice; rename a key of a dict"
        )
    return dict(zip(names, leaves, strict=True))


def _entries(tree: Any) -> tuple[dict[str, Entry], dict[str, Tensor]]:
    """What a file is to hold, with the tensors, now computed, whose elements it still lacks."""
    entries: dict[str, Entry] = {}
    tensors: dict[str, Tensor] = {}
    for name, leaf in _named("to_bytes", tree).items():
        if isinstance(leaf, Tensor):
            entries[name] = Entry(CODES[leaf.dtype], leaf.shape, None)
            tensors[name] = leaf
        elif type(leaf) in (bool, int, float):
            entries[name] = number_entry(name, leaf)
        else:
            elements, shape, dtype = to_host(leaf, None, f'to_bytes: "{name}"')
            entries[name] = Entry(CODES[dtype], shape, elements)
    realize(*tensors.values())
    return entries, tensors


def _filled(tree: Any, entries: Mapping[str, Entry]) -> Any:
    """The tree with what the entries of its leaves' names hold."""
    leaves = _named("from_bytes", tree)
    missing = [name for name in leaves if name not in entries]
    extra = [name for name in entries if name not in leaves]
    if missing or extra:
        raise ArgumentError(
            f"from_bytes: names differ; got {_listed(missing)} in like only and {_listed(extra)} "
            "in the file only; load without like to see the file's names"
        )
    _, structure = tree_flatten(tree)
    return tree_unflatten(
        structure, [restored(name, entries[name], leaf) for name, leaf in leaves.items()]
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown}, ... ({len(names)})" if len(names) > 5 else shown or "none"
