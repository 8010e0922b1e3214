"""Convert trees of tensors to the bytes of a file and back.

A leaf is named by its path in the tree.
"""

from __future__ import annotations

from collections.abc import Buffer, Mapping
from typing import Any

from ..errors import ArgumentError
from ..functions.decorators import named
from ..ir.pytree import leaf_names, tree_flatten, tree_unflatten
from ..runtime.executor import read_async
from ..runtime.host_data import to_host
from ..tensor import Tensor, realize
from . import safetensors
from .element_formats import CODES, decoded, number_entry, restored
from .safetensors import Entry

_ROOT = "tensor"
"""Name of a leaf that is the whole tree."""


@named
def to_bytes(tree: Any, metadata: Mapping[str, str] | None = None) -> bytes:
    """Encode the tensors of a tree as a safetensors file, which other libraries can read.

    A leaf's name is its path: keys, indices and fields joined by dots, as in "layers.0.weight".
    Python numbers keep all their digits. Static fields are not saved. The call waits for the
    values.

    Args:
        tree: Tree of tensors, arrays and numbers.
        metadata: Dict of str to str for the file's header; None (default) for none.

    Returns:
        The file's bytes.

    Raises:
        DTypeError: If a leaf is not numeric, or an integer needs more than 64 bits.
        ArgumentError: If two leaves have one name, or the metadata is not text.

    >>> import py_tensor as pt
    >>> data = pt.io.to_bytes({"layers": [pt.ones((2, 3)), pt.zeros(4)], "step": 7})
    >>> sorted(pt.io.from_bytes(data))
    ['layers.0', 'layers.1', 'step']
    """
    entries, tensors = _entries(tree)
    for name, tensor in tensors.items():
        entries[name] = entries[name]._replace(data=tensor._bytes("to_bytes"))
    return safetensors.write(entries, metadata)


@named
async def to_bytes_async(tree: Any, metadata: Mapping[str, str] | None = None) -> bytes:
    """Encode a tree like `to_bytes`, without blocking the page while values come from the GPU.

    The tensors' values at the time of the call are saved, even if they change meanwhile.

    Args:
        tree: Tree of tensors, arrays and numbers.
        metadata: Dict of str to str for the file's header; None (default) for none.

    Returns:
        The file's bytes.

    Raises:
        DTypeError: If a leaf is not numeric, or an integer needs more than 64 bits.
        ArgumentError: If two leaves have one name, or the metadata is not text.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> data = asyncio.run(pt.io.to_bytes_async({"w": pt.ones(3)}))
    >>> pt.io.from_bytes(data)["w"].tolist()
    [1.0, 1.0, 1.0]
    """
    entries, tensors = _entries(tree)
    buffers = {name: tensor._buffer("to_bytes") for name, tensor in tensors.items()}
    tensors.clear()
    for name, buffer in buffers.items():
        entries[name] = entries[name]._replace(data=await read_async(buffer))
    return safetensors.write(entries, metadata)


@named
def from_bytes(data: Buffer, like: Any = None) -> Any:
    """Decode a safetensors file.

    Unsupported dtypes are converted: BF16 to float32 exactly, F64 to float32 with rounding, I64 and
    U64 to int32 and uint32 if all values fit.

    Args:
        data: Bytes of the file, or another buffer.
        like: Tree whose leaves are read from the entries of their names; it is not changed.
            Leaves are tensors, `pt.ShapeDtype` or numbers. Each result has its leaf's dtype:
            floating numbers are rounded, integers must fit. None (default) for a dict.

    Returns:
        Dict of tensors by name, or a tree with the containers of `like`.

    Raises:
        FormatError: If `data` is not a safetensors file.
        ArgumentError: If the names in the file and in `like` differ.
        ShapeError: If a tensor differs in shape from its leaf.
        DTypeError: If a tensor does not fit its leaf's dtype.

    >>> import py_tensor as pt
    >>> model = {"w": pt.asarray([1.0, 2.0]), "step": 3}
    >>> copy = pt.io.from_bytes(pt.io.to_bytes(model), like=model)
    >>> copy["w"].tolist(), copy["step"]
    ([1.0, 2.0], 3)
    """
    entries, _ = safetensors.read(data)
    if like is None:
        return {name: decoded(name, entry) for name, entry in entries.items()}
    return _filled(like, entries)


@named
def read_metadata(data: Buffer) -> dict[str, str]:
    """Return the metadata of a safetensors file.

    Args:
        data: Bytes of the file, or another buffer.

    Returns:
        Dict of str to str; empty if the file has no metadata.

    Raises:
        FormatError: If `data` is not a safetensors file.

    >>> import py_tensor as pt
    >>> pt.io.read_metadata(pt.io.to_bytes(pt.ones(2), {"epoch": "5"}))
    {'epoch': '5'}
    """
    return safetensors.read(data)[1]


def _named(operation: str, tree: Any) -> dict[str, Any]:
    """Return the leaves of a tree by name; raise ArgumentError if two have one name."""
    leaves, _ = tree_flatten(tree)
    names = [name or _ROOT for name in leaf_names(tree)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(
            f"{operation}: two leaves have the same name; got {twice!r} twice; rename a dict key"
        )
    return dict(zip(names, leaves, strict=True))


def _entries(tree: Any) -> tuple[dict[str, Entry], dict[str, Tensor]]:
    """Return a file's entries, and the realized tensors whose elements are still to be read."""
    entries: dict[str, Entry] = {}
    tensors: dict[str, Tensor] = {}
    for name, leaf in _named("to_bytes", tree).items():
        if isinstance(leaf, Tensor):
            entries[name] = Entry(CODES[leaf.dtype], leaf.shape, b"")
            tensors[name] = leaf
        elif type(leaf) in (bool, int, float):
            entries[name] = number_entry(name, leaf)
        else:
            elements, shape, dtype = to_host(leaf, None, f'to_bytes: "{name}"')
            entries[name] = Entry(CODES[dtype], shape, elements)
    realize(*tensors.values())
    return entries, tensors


def _filled(tree: Any, entries: Mapping[str, Entry]) -> Any:
    """Return the tree with its leaves read from the entries of their names."""
    leaves = _named("from_bytes", tree)
    missing = [name for name in leaves if name not in entries]
    extra = [name for name in entries if name not in leaves]
    if missing or extra:
        raise ArgumentError(
            f"from_bytes: names in like and in the file differ; got {_listed(missing)} in like "
            f"only and {_listed(extra)} in the file only; load without like to see the file's names"
        )
    _, structure = tree_flatten(tree)
    return tree_unflatten(
        structure, [restored(name, entries[name], leaf) for name, leaf in leaves.items()]
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown}, ... ({len(names)})" if len(names) > 5 else shown or "none"
