"""Keep the keys and values of language models in buffers of few lengths.

Input: a graph whose inputs `past_key_values.*` are replaced by outputs `present.*` with more
positions, and the inputs of a call. Output: inputs of padded lengths, so that the calls for many
tokens share a plan, and results without the padding. The mask of the call says which positions are
padding: those before the first one, as in batches of texts of different lengths, or those after the
last one if `GroupQueryAttention` reads the lengths from the mask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from weakref import ref

from .. import functions as F
from ..functions.conversion import asarray
from ..ir.node import OpNode
from ..random import is_known
from ..tensor import Tensor, realize
from .graph import ModelGraph, ModelNode, ValueInfo, reads

LEAST_LENGTH = 64
"""Length of the shortest buffers; others are powers of two."""
MASK, POSITIONS = "attention_mask", "position_ids"
NEW = {"input_ids": -1, "inputs_embeds": 1, POSITIONS: -1}
"""Inputs with an element for each new position along an axis."""
GROUPED = "com.microsoft.GroupQueryAttention"
_NAMES = (("past_key_values", "present"), ("past_", "present_"))
"""Starts of the names of inputs, each with the start of the name of the output that replaces it."""
_OTHER_BUFFERS = ("com.microsoft.DecoderMaskedMultiHeadAttention", "TensorScatter")
"""Operators that take the length of a buffer from other inputs."""


class PaddedCall(NamedTuple):
    """Inputs of a call with buffers."""

    inputs: dict[str, Any]
    options: dict[str, int]
    """`dropped` is the number of positions of padding that are left out in favor of new ones."""
    positions: int
    """Number of positions after the call."""


class _Buffer(NamedTuple):
    """A buffer whose elements without the padding a tensor has."""

    owner: ref[Tensor]
    node: OpNode
    """Node of the owner, which assigning to elements replaces."""
    tensor: Tensor


class GrowingCaches:
    """Inputs with the keys and values of earlier positions, along axis -2."""

    def __init__(self, outputs: Mapping[str, str], follows: bool, results: frozenset[str]) -> None:
        self.outputs = outputs
        """Name of the output that replaces each input."""
        self._follows = follows
        """True if padding follows the last position."""
        self._results = results
        """Outputs whose shapes do not depend on padding."""
        self._buffers: dict[int, _Buffer] = {}

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs."""
        return [*self.outputs]

    def padded(self, inputs: dict[str, Any], names: Sequence[str]) -> PaddedCall | None:
        """Return padded inputs of a call for these outputs; None if the call runs as it is."""
        mask, caches = inputs[MASK], [inputs[name] for name in self.outputs]
        past, count = caches[0].shape[-2], mask.shape[1]
        new = count - past
        if not past or any(cache.shape[-2] != past for cache in caches):
            return None
        # Other lengths are those of a past that the call does not use.
        if any(inputs[name].shape[axis] != new for name, axis in NEW.items() if name in inputs):
            return None
        if not self._results.issuperset(names):
            return None
        length = max(LEAST_LENGTH, 1 << (count - 1).bit_length())
        buffers = [self._buffer(cache, length) for cache in caches]
        realize(*buffers)
        changed = dict(zip(self.outputs, buffers, strict=True))
        changed[MASK] = self._padded(mask, length, -1)
        options = {} if self._follows else {"dropped": new}
        return PaddedCall({**inputs, **changed}, options, count)

    def shortened(
        self, results: Sequence[Tensor], names: Sequence[str], call: PaddedCall
    ) -> list[Tensor]:
        """Return the results of a padded call without the padding."""
        caches = frozenset(self.outputs.values())
        return [
            self._short(result, call.positions) if name in caches else result
            for name, result in zip(names, results, strict=True)
        ]

    def _buffer(self, cache: Tensor, length: int) -> Tensor:
        """Return a buffer of a length with the elements of a tensor."""
        known = self._buffers.get(id(cache))
        if known is not None and cache._node is known.node and not known.tensor.is_disposed:
            cache = known.tensor
        return self._padded(cache, length, -2)

    def _padded(self, x: Tensor, length: int, axis: int) -> Tensor:
        """Pad an axis with zeros."""
        missing = length - x.shape[axis]
        if not missing:
            return x
        if axis == -1 and is_known(x):
            # Masks have another length in each call.
            zeros = [0] * missing
            rows = [row + zeros if self._follows else zeros + row for row in x.tolist()]
            return asarray(rows, dtype=x.dtype)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (0, missing) if self._follows else (missing, 0)
        return F.pad(x, widths)

    def _short(self, buffer: Tensor, count: int) -> Tensor:
        """Return the elements of a buffer that are not padding, and remember the buffer."""
        length = buffer.shape[-2]
        if length == count:
            return buffer
        part = slice(count) if self._follows else slice(length - count, length)
        short: Tensor = buffer[..., part, :]
        key = id(short)

        def forget(_: object) -> None:
            self._buffers.pop(key, None)

        self._buffers[key] = _Buffer(ref(short, forget), short._node, buffer)
        return short


def growing_caches(graph: ModelGraph) -> GrowingCaches | None:
    """Return the inputs of a graph whose lengths may be padded; None if there are none.

    Padding before the first position needs positions that do not depend on the length of the past:
    an input of them, or sums of the mask.
    """
    inputs = {info.name: info for info in graph.inputs}
    outputs = {info.name: info for info in graph.outputs}
    pairs = {}
    for name, info in inputs.items():
        other = _replacement(name, outputs)
        if other is not None and _grows(info, outputs[other]):
            pairs[name] = other
    mask = inputs.get(MASK)
    if not pairs or mask is None or mask.shape is None or len(mask.shape) != 2:
        return None
    readers = [node for node in graph.nodes if not pairs.keys().isdisjoint(reads(node))]
    follows = any(node.operator == GROUPED for node in readers)
    if follows:
        if any(node.operator != GROUPED for node in readers):
            return None
    elif any(map(_has_length, readers)) or not (
        POSITIONS in inputs or any(node.operator == "CumSum" for node in graph.nodes)
    ):
        return None
    lengths = {_length(inputs[name]) for name in pairs} | {mask.shape[1]}
    lengths |= {_length(outputs[name]) for name in pairs.values()}
    rest = {name: info for name, info in inputs.items() if name not in pairs and name != MASK}
    if not all(lengths.isdisjoint(_names(info)) for info in rest.values()):
        return None
    results = {name for name, info in outputs.items() if lengths.isdisjoint(_names(info))} | {
        *pairs.values()
    }
    return GrowingCaches(pairs, follows, frozenset(results))


def _replacement(name: str, outputs: Mapping[str, ValueInfo]) -> str | None:
    """Return the output that replaces an input of past keys or values."""
    for past, present in _NAMES:
        other = present + name.removeprefix(past)
        if name.startswith(past) and other in outputs:
            return other
    return None


def _grows(past: ValueInfo, present: ValueInfo) -> bool:
    """Return True if an output has more positions than the input that it replaces."""
    if past.shape is None or len(past.shape) < 4 or isinstance(_length(past), int):
        return False
    return present.shape is None or _length(past) != _length(present) or _length(past) is None


def _length(info: ValueInfo) -> int | str | None:
    return info.shape[-2] if info.shape else None


def _names(info: ValueInfo) -> set[str]:
    """Return the names of a value's lengths."""
    return {length for length in info.shape or () if isinstance(length, str)}


def _has_length(node: ModelNode) -> bool:
    """Return True if a node gets the length of its past as an input."""
    is_given = node.operator == "com.microsoft.MultiHeadAttention" and len(node.inputs) > 8
    return is_given or node.operator in _OTHER_BUFFERS
