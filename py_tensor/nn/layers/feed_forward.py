"""Feed-forward networks of transformers: gated ones, and mixtures of experts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ... import functions as F
from ...dtypes import as_dtype, float32, int32
from ...errors import ArgumentError
from ...functions.arguments import flag, function_of, integer, wide
from ...runtime.executor import backend
from ...tensor import Tensor
from ...transforms.control_flow import scan
from ...typing import DTypeLike
from ..activations import silu
from ..initializers import glorot_uniform, initial
from ..module import Module, static_field
from ..split_matrix import in_blocks
from .linear import Dense

_MOST_ROWS = 64
"""Most rows of a block of a mixture, whose product then reads each weight once for all of them."""


MATRICES = ("gate", "up", "down")
"""Fields of `MixtureOfExperts` with the matrices of all experts."""


class FeedForward(Module):
    """Compute down(activation(gate(x)) * up(x)), or down(activation(up(x))) without a gate.

    Source: Shazeer 2020, arXiv:2002.05202. With `silu` it is SwiGLU, with `gelu` GeGLU. Calling the
    layer takes a tensor of shape (..., features) and returns one of the same shape.

    Args:
        features: Number of features of the input and of the result.
        hidden: Number of features between the dense layers.
        activation: Function of the gate, or of `up` without a gate; default silu.
        gated: Multiply by a gate; default True.
        bias: Add biases in the dense layers; default False.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: In a call, if the input has another number of features.

    >>> import py_tensor as pt
    >>> pt.nn.FeedForward(8, 16)(pt.ones((2, 8))).shape
    (2, 8)
    """

    gate: Dense | None
    up: Dense
    down: Dense
    activation: Callable[[Any], Any] = static_field()

    def __init__(
        self,
        features: int,
        hidden: int,
        *,
        activation: Callable[[Any], Any] = silu,
        gated: bool = True,
        bias: bool = False,
        dtype: DTypeLike = float32,
    ) -> None:
        dense = partial(Dense, features, hidden, bias=bias, dtype=dtype)
        self.gate = dense() if flag("FeedForward", "gated", gated) else None
        self.up = dense()
        self.down = Dense(hidden, features, bias=bias, dtype=dtype)
        self.activation = function_of("FeedForward", "activation", activation)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        up = self.up(x)
        hidden = self.activation(up) if self.gate is None else self.activation(self.gate(x)) * up
        result: Tensor = self.down(hidden)
        return result

    def facts(self) -> str:
        return f"{self.up.inputs} -> {self.up.outputs} -> {self.up.inputs}"


class MixtureOfExperts(Module):
    """Add the results of the gated networks that a router chooses for each row, times its weights.

    Source: Shazeer et al. 2017, arXiv:1701.06538, with the softmax of Mixtral and Qwen3. Calling
    the layer takes a tensor of shape (..., features) and returns one of the same shape. Rows are
    gathered in blocks of one expert each, so that only chosen experts are computed. `gate` and `up`
    have shape (experts, features, hidden), and `down` has shape (experts, hidden, features).
    Packed matrices may replace them, whose rows are the outputs of all experts. So are the rows of
    a `SplitMatrix`, which they are if the GPU cannot store one of them as one tensor.

    Args:
        features: Number of features of the input and of the result.
        hidden: Number of features between the dense layers of an expert.
        experts: Number of experts.
        chosen: Number of experts for each row; default 2.
        activation: Function of the gate; default silu.
        normalize: Divide the weights of the chosen experts by their sum; default True.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ArgumentError: If more experts are chosen than there are.
        ShapeError: In a call, if the input has another number of features.

    >>> import py_tensor as pt
    >>> pt.nn.MixtureOfExperts(8, 16, 4)(pt.ones((2, 3, 8))).shape
    (2, 3, 8)
    """

    router: Dense
    gate: Any
    up: Any
    down: Any
    chosen: int = static_field()
    activation: Callable[[Any], Any] = static_field()
    normalize: bool = static_field()

    def __init__(
        self,
        features: int,
        hidden: int,
        experts: int,
        *,
        chosen: int = 2,
        activation: Callable[[Any], Any] = silu,
        normalize: bool = True,
        dtype: DTypeLike = float32,
    ) -> None:
        name = "MixtureOfExperts"
        self.router = Dense(features, experts, bias=False, dtype=dtype)
        self.chosen = integer(name, "chosen", chosen, 1)
        if self.chosen > self.router.outputs:
            raise ArgumentError(
                f"{name}: more experts are chosen than there are; got {chosen} of {experts}; "
                "choose fewer"
            )
        hidden = integer(name, "hidden", hidden, 0)
        self.gate, self.up = (_of_experts(experts, features, hidden, dtype) for _ in range(2))
        self.down = _of_experts(experts, hidden, features, dtype)
        self.activation = function_of(name, "activation", activation)
        self.normalize = flag(name, "normalize", normalize)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        rows = x.reshape((-1, x.shape[-1]))
        weights, experts = F.topk(F.softmax(wide(self.router(rows))), self.chosen)
        if self.normalize:
            weights = weights / weights.sum(axis=-1, keepdims=True)
        kinds = self.router.outputs
        results = by_expert(rows, experts.reshape(-1), kinds, self.chosen, self._expert)
        results = results.reshape((*experts.shape, x.shape[-1]))
        total = (wide(results) * F.expand_dims(weights, axis=-1)).sum(axis=1)
        result: Tensor = total.astype(x.dtype, copy=False).reshape(x.shape)
        return result

    def _expert(self, x: Tensor, expert: Tensor) -> Tensor:
        """Apply an expert to rows."""
        gate, up, down = (self._matrix(own, expert) for own in (self.gate, self.up, self.down))
        result: Tensor = (self.activation(x @ gate) * (x @ up)) @ down
        return result

    def _matrix(self, weights: Any, expert: Tensor) -> Any:
        """Return the matrix of an expert, (inputs, outputs)."""
        # Packed and split weights have the rows of all experts, by outputs.
        if not isinstance(weights, Tensor):
            return weights.group(expert, self.router.outputs).T
        return F.take(weights, expert, axis=0)

    def facts(self) -> str:
        return f"{self.chosen} of {self.router.outputs} experts"


def _drawn(shape: Sequence[int], *, dtype: DTypeLike) -> Tensor:
    """Draw the matrices of experts."""
    backend().check_size("MixtureOfExperts", tuple(shape), as_dtype(dtype))
    # Factors of fans would count the experts, which are no part of a product.
    return F.stack([glorot_uniform(shape[1:], dtype=dtype) for _ in range(shape[0])])


def _of_experts(experts: int, inputs: int, outputs: int, dtype: DTypeLike) -> Any:
    """Return initial matrices of experts, (experts, inputs, outputs), or a `SplitMatrix`."""

    def matrices(first: int, last: int) -> Tensor:
        return initial("MixtureOfExperts", _drawn, (last - first, inputs, outputs), dtype)

    own = in_blocks(matrices, 0, experts)
    if isinstance(own, Tensor):
        return own
    return own.with_blocks(lambda block: block.mT.reshape((-1, inputs)))


def by_expert(
    rows: Tensor,
    experts: Tensor,
    kinds: int,
    chosen: int,
    apply: Callable[[Tensor, Tensor], Tensor],
) -> Tensor:
    """Return the results of each row's `chosen` experts, given as one list, of so many kinds.

    `apply` is called with rows of one expert, and with its number.
    """
    count = experts.shape[0]
    if not count:
        return rows[:0]
    size = min(_MOST_ROWS, 1 << (count // kinds).bit_length() >> 1)
    if size < 2:
        owners = F.arange(count, dtype=int32) // chosen
        return _in_blocks(F.take(rows, owners, axis=0), experts, 1, apply)
    # Rows are sorted by their expert, and each expert starts a block of its own.
    order = F.argsort(experts)
    members = (experts == F.arange(kinds, dtype=int32).reshape((-1, 1))).astype(int32)
    counts = members.sum(axis=1)
    blocks = (counts + (size - 1)) // size
    ends, last = F.cumulative_sum(blocks), F.cumulative_sum(counts)
    starts, first = (ends - blocks) * size, last - counts
    number = (count + kinds * (size - 1)) // size
    owner = (ends <= F.arange(number, dtype=int32).reshape((-1, 1))).astype(int32).sum(axis=1)
    owner = owner.minimum(kinds - 1)
    at = F.arange(number * size, dtype=int32)
    own = F.take(owner, at // size)
    rank = at - F.take(starts, own) + F.take(first, own)
    source = F.take(order, F.clip(rank, 0, count - 1)) // chosen
    results = _in_blocks(F.take(rows, source, axis=0), owner, size, apply)
    places = F.argsort(order) - F.take(first, experts) + F.take(starts, experts)
    return F.take(results, places, axis=0)


def _in_blocks(
    rows: Tensor, experts: Tensor, size: int, apply: Callable[[Tensor, Tensor], Tensor]
) -> Tensor:
    """Apply an expert to each block of so many rows."""

    def block(carry: Any, part: Any) -> Any:
        return carry, apply(*part)

    parts = rows.reshape((-1, size, rows.shape[-1]))
    _, results = scan(block, 0, (parts, experts))
    together: Tensor = results.reshape((-1, results.shape[-1]))
    return together
