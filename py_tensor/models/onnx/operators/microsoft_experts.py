"""ONNX Runtime's mixtures of experts, of the domain com.microsoft."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .... import functions as F, nn
from ....nn.layers.feed_forward import by_expert
from ....nn.quantization import BitPlane, PackedMatrix, Packing, plane_elements
from ....nn.split_matrix import group_at
from ....tensor import Tensor
from .shared import Operator, unsupported


class Mixing(NamedTuple):
    """Attributes that mixtures with packed and with other weights share."""

    k: int = 1
    activation_type: str = "relu"
    activation_alpha: float = 1.0
    activation_beta: float = 0.0
    normalize_routing_weights: int = 0
    swiglu_fusion: int = 0
    swiglu_limit: float = math.inf
    swiglu_limit_after_activation: int = 0
    use_sparse_mixer: int = 0


class Weights(NamedTuple):
    """A dense layer of all experts."""

    of_expert: Callable[[Tensor], Any]
    """Returns the matrix of an expert, (inputs, outputs)."""
    bias: Tensor | None


_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": partial(nn.gelu, approximate=True),
    "identity": lambda x: x,
    "relu": nn.relu,
    "relu2": lambda x: F.square(nn.relu(x)),
    "silu": nn.silu,
}
ACTIVATIONS = (*_FUNCTIONS, "geglu", "swiglu")


def mixture(
    x: Tensor,
    router: Tensor,
    w1: Tensor,
    b1: Tensor | None,
    w2: Tensor,
    b2: Tensor | None = None,
    w3: Tensor | None = None,
    b3: Tensor | None = None,
    *,
    options: Mixing,
) -> Tensor:
    def weights(w: Tensor, b: Tensor | None) -> Weights:
        return Weights(lambda expert: group_at(w, expert, router.shape[-1]).mT, b)

    third = None if w3 is None else weights(w3, b3)
    return mixed(x, router, router, weights(w1, b1), weights(w2, b2), third, options)


def quantized_mixture(
    x: Tensor,
    router: Tensor,
    w1: Tensor,
    s1: Tensor,
    b1: Tensor | None,
    w2: Tensor,
    s2: Tensor,
    b2: Tensor | None = None,
    w3: Tensor | None = None,
    s3: Tensor | None = None,
    b3: Tensor | None = None,
    z1: Tensor | None = None,
    z2: Tensor | None = None,
    z3: Tensor | None = None,
    shares: Tensor | None = None,
    *,
    accuracy_level: int = 0,
    block_size: int = 0,
    expert_weight_bits: int = 4,
    fc1_expert_weight_bits: int = 0,
    fc2_expert_weight_bits: int = 0,
    fc3_expert_weight_bits: int = 0,
    options: Mixing,
    quant_type: str = "int",
    weights_prepacked: int = -1,
) -> Tensor:
    def weights(
        w: Tensor | None, s: Tensor | None, b: Tensor | None, z: Tensor | None, bits: int
    ) -> Weights | None:
        if w is None or s is None:
            return None
        return Weights(_packed(w, s, z, bits or expert_weight_bits, block_size), b)

    first = weights(w1, s1, b1, z1, fc1_expert_weight_bits)
    second = weights(w2, s2, b2, z2, fc2_expert_weight_bits)
    third = weights(w3, s3, b3, z3, fc3_expert_weight_bits)
    assert first is not None
    assert second is not None
    return mixed(x, router, router if shares is None else shares, first, second, third, options)


def _packed(
    w: Tensor, scales: Tensor, zeros: Tensor | None, bits: int, block: int
) -> Callable[[Tensor], PackedMatrix]:
    """Return the matrices of experts, (experts, outputs, bytes), whose blocks share scales."""
    experts, outputs = scales.shape[:2]
    plane, columns = BitPlane(bits, 1), w.shape[-1] * 8 // bits
    scales = scales.reshape((experts, outputs, -1))
    blocks = scales.shape[2]
    if zeros is not None:
        rows = experts if zeros.ndim == 2 else experts * outputs
        flat = plane_elements(zeros.reshape((rows, -1)), plane)
        zeros = flat[:, : experts * outputs * blocks // rows].reshape(scales.shape)
    packing = Packing(block or columns, (plane,), 1 << (bits - 1))

    def of_expert(expert: Tensor) -> PackedMatrix:
        own: Any = [None if x is None else F.take(x, expert, axis=0) for x in (scales, zeros)]
        codes = group_at(w, expert, experts)
        return PackedMatrix([codes], own[0], packing, columns, zeros=own[1], transposed=True)

    return of_expert


def mixed(
    x: Tensor,
    router: Tensor,
    shares: Tensor,
    first: Weights,
    second: Weights,
    third: Weights | None,
    options: Mixing,
) -> Tensor:
    """Add the results of the experts with the highest scores, times their shares."""
    rows = x.reshape((-1, x.shape[-1]))
    scores = router.reshape((rows.shape[0], -1)).astype("float32")
    kinds = scores.shape[1]
    values, experts = F.topk(scores, options.k)
    if shares is not router:
        own = F.take_along_axis(shares.reshape(scores.shape), experts, axis=-1).astype("float32")
        if options.normalize_routing_weights:
            own = own / F.sum(own, axis=-1, keepdims=True)
    elif options.normalize_routing_weights:
        own = F.softmax(values, axis=-1)
    else:
        own = F.exp(values - nn.logsumexp(scores, axis=-1, keepdims=True))

    def apply(block: Tensor, expert: Tensor) -> Tensor:
        def dense(value: Tensor, layer: Weights) -> Tensor:
            y: Tensor = value @ layer.of_expert(expert)
            return y if layer.bias is None else y + F.take(layer.bias, expert, axis=0)

        hidden = dense(block, first)
        up = None if third is None else dense(block, third)
        return dense(_activated(hidden, up, options).astype(block.dtype), second)

    results = by_expert(rows, experts.reshape((-1,)), kinds, options.k, apply)
    results = results.reshape((*experts.shape, -1)).astype("float32")
    total = F.sum(results * F.expand_dims(own, axis=-1), axis=1)
    return total.astype(x.dtype).reshape(x.shape)


def _activated(hidden: Tensor, up: Tensor | None, options: Mixing) -> Tensor:
    """Apply the activation, which may be gated."""
    kind = options.activation_type
    if kind not in ("geglu", "swiglu"):
        y = _FUNCTIONS[kind](hidden)
        return y if up is None else y * up
    gate = hidden
    if options.swiglu_fusion == 1:
        gate, up = hidden[..., 0::2], hidden[..., 1::2]
    elif options.swiglu_fusion == 2:
        half = hidden.shape[-1] // 2
        gate, up = hidden[..., :half], hidden[..., half:]
    if up is None:
        raise unsupported(f"{kind} without fc3 and with swiglu_fusion = 0")
    if kind == "geglu":
        return nn.gelu(gate, approximate=True) * up
    limit = options.swiglu_limit
    late = options.swiglu_limit_after_activation
    if limit < math.inf and not late:
        gate = F.minimum(gate, limit)
    y = gate * F.sigmoid(gate * options.activation_alpha)
    if limit < math.inf:
        y = F.minimum(y, limit) if late else y
        up = F.clip(up, -limit, limit)
    return y * (up + options.activation_beta)


ACCEPTED = {
    "activation_type": ACTIVATIONS,
    "swiglu_fusion": (0, 1, 2),
    "use_sparse_mixer": (0,),
}
BITS = (2, 4, 8)
WEIGHTS = ("w1", "w2", "w3")

OPERATORS = {
    "com.microsoft.MoE": Operator(
        mixture, accepts=ACCEPTED, options=Mixing, omits=True, split=WEIGHTS
    ),
    "com.microsoft.QMoE": Operator(
        quantized_mixture,
        accepts={
            **ACCEPTED,
            "expert_weight_bits": BITS,
            **{f"fc{at}_expert_weight_bits": BITS for at in (1, 2, 3)},
            "quant_type": ("int",),
        },
        options=Mixing,
        omits=True,
        split=WEIGHTS,
    ),
}
