"""Functions of modules: `torch.nn.functional`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from ... import functions as F, nn
from ...transforms.autodiff import stop_gradient
from ..functions import adapted, norm
from ..methods import FUNCTIONS, lifted, one_hot as one_hot
from ..tensor import Tensor, call

of = lifted
softmax, log_softmax = FUNCTIONS["softmax"], FUNCTIONS["log_softmax"]
sigmoid, tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]


def each(value: Any, count: int) -> tuple[int, ...]:
    """Return one number for each axis."""
    return (value,) * count if isinstance(value, int) else tuple(value)


# --- activations ----------------------------------------------------------------------------------


def _activation(function: Callable[..., Any], **defaults: Any) -> Callable[..., Any]:
    return of(adapted(function, **defaults, inplace=False))


relu, relu6, silu = _activation(F.relu), _activation(nn.relu6), _activation(nn.silu)
mish, selu, softsign = _activation(nn.mish), _activation(nn.selu), _activation(nn.softsign)
hardswish, hardsigmoid = _activation(nn.hard_swish), _activation(nn.hard_sigmoid)
logsigmoid, glu = _activation(nn.log_sigmoid), of(adapted(nn.glu, dim=-1))
leaky_relu = _activation(nn.leaky_relu, negative_slope=0.01)
elu, hardtanh = _activation(nn.elu, alpha=1.0), _activation(nn.hard_tanh, min_val=-1.0, max_val=1.0)
softplus = of(lambda input, beta=1.0, threshold=20.0: nn.softplus(input * beta) / beta)
gelu = of(lambda input, approximate="none": nn.gelu(input, approximate=approximate == "tanh"))
gumbel_softmax = of(adapted(nn.gumbel_softmax, tau=1.0, hard=False, dim=-1))
normalize = of(
    lambda input, p=2.0, dim=1, eps=1e-12: input / norm(input, p, dim, True).maximum(eps)
)

# --- layers ---------------------------------------------------------------------------------------


def affine(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return input @ weight.T + bias, of values."""
    product = F.matmul(input, weight.T)
    return product if bias is None else product + bias


linear = of(affine)


@of
def embedding(input: Any, weight: Any, padding_idx: int | None = None, **kwargs: Any) -> Any:
    """Return the rows of the weight at positions."""
    rows = F.take(weight, input, axis=0)
    if padding_idx is None:
        return rows
    padded = F.expand_dims(input == padding_idx % weight.shape[0], axis=-1)
    return F.where(padded, stop_gradient(rows), rows)


def _images(function: Callable[..., Any], axes: int | None = None) -> Callable[..., Any]:
    """Return a function of images with channels first, for one with channels last."""

    @wraps(function)
    def channels_first(x: Any, *args: Any, **kwargs: Any) -> Any:
        single = axes is not None and x.ndim == axes + 1
        x = F.expand_dims(x, axis=0) if single else x
        channels = min(1, x.ndim - 1)
        result = function(F.moveaxis(x, channels, -1), *args, **kwargs)
        result = F.moveaxis(result, -1, channels)
        return result[0] if single else result

    return channels_first


def _convolution(count: int, ending: str, **names: Any) -> Callable[..., Any]:
    own = _images(getattr(nn, f"conv{count}d{ending}"), count)

    def convolve(x: Any, weight: Any, *, offset: Any, padding: Any, **settings: Any) -> Any:
        if not isinstance(padding, str):
            ends = tuple([(n, n) for n in each(padding, count)])
            padding = ends[0] if count == 1 else ends
        kernel = F.permute_dims(weight, (*range(2, count + 2), 1, 0))
        y = own(x, kernel, padding=padding, **settings)
        return y if offset is None else y + offset.reshape((-1, *(1,) * count))

    return of(adapted(convolve, "weight", bias=None, stride=1, padding=0, **names))


_DIRECT, _TRANSPOSED = (
    {"dilation": 1, "groups": 1},
    {"output_padding": 0, "groups": 1, "dilation": 1},
)
conv1d, conv2d, conv3d = (_convolution(count, "", **_DIRECT) for count in (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    _convolution(count, "_transpose", **_TRANSPOSED) for count in (1, 2, 3)
)


def _pooling(count: int, kind: str) -> Callable[..., Any]:
    own = _images(getattr(nn, f"{kind}_pool{count}d"), count)

    def pool(
        input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, *,
        ceil_mode: bool = False, count_include_pad: bool = True, **settings: Any,
    ) -> Any:  # fmt: skip
        size, pad = each(kernel_size, count), each(padding, count)
        step = size if stride is None else each(stride, count)
        # With ceil_mode, windows that begin inside are completed by padding.
        room = [n + 2 * p - k for n, p, k in zip(input.shape[-count:], pad, size, strict=True)]
        more = [-r % s if ceil_mode and -r % s < k - p else 0
                for r, s, k, p in zip(room, step, size, pad, strict=True)]  # fmt: skip
        ends: Any = tuple([(p, p + m) for p, m in zip(pad, more, strict=True)])
        if kind == "avg":
            settings["count_include_pad"] = count_include_pad and not any(more)
        return own(input, size, stride=step, padding=ends[0] if count == 1 else ends, **settings)

    return of(pool)


def _adaptive(count: int, kind: str) -> Callable[..., Any]:
    own = _images(getattr(nn, f"adaptive_{kind}_pool{count}d"), count)

    def pool(input: Any, output_size: Any) -> Any:
        sizes = each(output_size, count)
        size = [n if m is None else m for m, n in zip(sizes, input.shape[-count:], strict=True)]
        return own(input, size[0] if count == 1 else tuple(size))

    return of(pool)


max_pool1d, max_pool2d, max_pool3d = (_pooling(count, "max") for count in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (_pooling(count, "avg") for count in (1, 2, 3))
adaptive_avg_pool1d, adaptive_avg_pool2d = _adaptive(1, "avg"), _adaptive(2, "avg")
adaptive_max_pool1d, adaptive_max_pool2d = _adaptive(1, "max"), _adaptive(2, "max")
layer_norm = of(
    lambda input, normalized_shape, weight=None, bias=None, eps=1e-5: nn.layer_norm(
        input, scale=weight, offset=bias, axis=tuple(range(-len(normalized_shape), 0)), epsilon=eps
    )
)
_AFFINE: dict[str, Any] = {"weight": None, "bias": None, "eps": 1e-5}
group_norm = of(adapted(_images(nn.group_norm), "num_groups", **_AFFINE))
instance_norm = of(adapted(_images(nn.instance_norm), **_AFFINE))
prelu = of(adapted(_images(nn.prelu), "weight"))
pixel_shuffle = of(adapted(_images(nn.pixel_shuffle), "upscale_factor"))
_normalized = of(adapted(_images(nn.batch_norm), "mean", "variance", **_AFFINE))


def batch_norm(
    input: Tensor, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Normalize over all axes but that of channels, and update running statistics in training."""
    mean, variance = running_mean, running_var
    if training or mean is None:
        axes = [0, *range(2, input.ndim)]
        mean, variance = input.mean(axes), input.var(axes, correction=0)
        if running_mean is not None:
            count = input.numel() // input.shape[1]
            running_mean.detach().lerp_(mean.detach(), momentum)
            unbiased = variance.detach() * (count / max(1, count - 1))
            running_var.detach().lerp_(unbiased, momentum)
    return _normalized(input, mean, variance, weight, bias, eps)


def _dropping(axes: int | None) -> Callable[..., Any]:
    def drop(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        """Set elements, or whole channels, to 0 with probability p, and scale the others."""
        if not training or p == 0:
            return input
        shape = input.shape[:axes] + (1,) * (0 if axes is None else input.ndim - axes)
        result = call(lambda x: x * nn.dropout(F.ones(tuple(shape)), p), input)
        return input._assign(result) if inplace else result

    return drop


dropout, dropout2d = _dropping(None), _dropping(2)


@of
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Attend: softmax(query @ key.mT * scale + mask) @ value."""
    own = {"mask": attn_mask, "causal": is_causal, "scale": scale, "dropout": dropout_p}
    return nn.scaled_dot_product_attention(query, key, value, **own)


@of
def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """Pad the last axes by pairs of lengths, the last axis first."""
    pairs = [(pad[at], pad[at + 1]) for at in range(0, len(pad), 2)][::-1]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs
    ends = zip(widths, input.shape, strict=True)
    x = input[tuple([slice(max(0, -a), n - max(0, -b)) for (a, b), n in ends])]
    widths = [(max(0, a), max(0, b)) for a, b in widths]
    if mode == "constant":
        return F.pad(x, widths, constant_values=value or 0)
    return F.pad(x, widths, {"replicate": "edge", "circular": "wrap"}.get(mode, mode))


@of
def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Resize images with channels first."""
    factors = scale_factor if isinstance(scale_factor, tuple) else (scale_factor,) * 2
    if size is None:
        size = [int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
    sizes = each(size, 2)
    if mode == "nearest":
        return _images(nn.resize_nearest_neighbor)(input, sizes)
    named = {"align_corners" if align_corners else "half_pixel_centers": True}
    return _images(nn.resize_bilinear)(input, sizes, **named)


def _cosine(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    lengths = [norm(x, 2, dim).maximum(eps) for x in (x1, x2)]
    return F.sum(x1 * x2, axis=dim) / (lengths[0] * lengths[1])


def _distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    return norm(x1 - x2 + eps, p, -1, keepdim)


cosine_similarity, pairwise_distance = of(_cosine), of(_distance)

# --- losses ---------------------------------------------------------------------------------------


def _reduced(losses: Any, reduction: str) -> Any:
    if reduction == "none":
        return losses
    return F.sum(losses) if reduction == "sum" else F.mean(losses)


def _loss(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loss that reduces the losses of the elements."""
    _, *names = signature(function).parameters.values()
    required = [p.name for p in names if p.default is p.empty]
    defaults = {p.name: p.default for p in names if p.default is not p.empty}

    def reduced(*args: Any, reduction: str, scale: Any, **kwargs: Any) -> Any:
        losses = function(*args, **kwargs)
        return _reduced(losses if scale is None else losses * scale, reduction)

    return of(adapted(reduced, *required, **defaults, weight=None, reduction="mean"))


def _smooth_l1(input: Any, target: Any, beta: float = 1.0) -> Any:
    distance = F.abs(input - target)
    half = 0.5 * distance * distance / beta if beta else distance
    return F.where(distance < beta, half, distance - 0.5 * beta)


def _log(x: Any) -> Any:
    # PyTorch limits the logarithms of probabilities to -100.
    return F.log(x).maximum(-100.0)


def _with_logits(input: Any, target: Any, pos_weight: Any = None) -> Any:
    positive = 1.0 if pos_weight is None else 1.0 + (pos_weight - 1.0) * target
    return (1.0 - target) * input + positive * nn.softplus(-input)


def _gaussian(input: Any, target: Any, var: Any, full: bool = False, epsilon: float = 1e-6) -> Any:
    var = F.maximum(var, epsilon)
    constant = 0.5 * math.log(2 * math.pi) if full else 0.0
    return 0.5 * (F.log(var) + F.square(input - target) / var) + constant


mse_loss = _loss(lambda input, target: F.square(input - target))
l1_loss = _loss(lambda input, target: F.abs(input - target))
smooth_l1_loss, gaussian_nll_loss = _loss(_smooth_l1), _loss(_gaussian)
huber_loss = _loss(
    lambda input, target, delta=1.0: delta * _smooth_l1(input, target, delta),
)
binary_cross_entropy = _loss(
    lambda input, target: -(target * _log(input) + (1.0 - target) * _log(1.0 - input))
)
binary_cross_entropy_with_logits = _loss(_with_logits)
soft_margin_loss = _loss(lambda input, target: nn.softplus(-target * input))
poisson_nll_loss = _loss(
    lambda input, target, log_input=True, epsilon=1e-8: F.exp(input) - target * input
    if log_input else input - target * F.log(input + epsilon)
)  # fmt: skip
cosine_embedding_loss = _loss(
    lambda input1, input2, target, margin=0.0: F.where(
        target > 0, 1.0 - _cosine(input1, input2, -1), F.relu(_cosine(input1, input2, -1) - margin)
    )
)
triplet_margin_loss = _loss(
    lambda anchor, positive, negative, margin=1.0, p=2.0: F.relu(
        _distance(anchor, positive, p) - _distance(anchor, negative, p) + margin
    )
)
margin_ranking_loss = _loss(
    lambda input1, input2, target, margin=0.0: F.relu(-target * (input1 - input2) + margin)
)


@of
def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """Return the divergence of target from logarithms of probabilities."""
    logs = target if log_target else F.log(F.where(target > 0, target, 1.0))
    losses = (F.exp(target) if log_target else target) * (logs - input)
    return F.sum(losses) / len(input) if reduction == "batchmean" else _reduced(losses, reduction)


def _labelled(logs: Any, target: Any, weight: Any, ignored: int, reduction: str) -> Any:
    """Return the negative logarithms at class numbers; classes are on the last axis."""
    weights = None if weight is None else F.take(weight, F.where(target == ignored, 0, target))
    own: dict[str, Any] = {"weights": weights, "ignore_index": ignored, "reduction": reduction}
    return nn.nll_loss(logs, target, **own)


@of
def nll_loss(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Return the negative logarithms of probabilities at class numbers."""
    logs = F.moveaxis(input, min(1, input.ndim - 1), -1)
    return _labelled(logs, target, weight, ignore_index, reduction)


@of
def cross_entropy(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """Return the cross-entropy of logits and class numbers, or probabilities of classes."""
    axis = min(1, input.ndim - 1)
    logs = nn.log_softmax(F.moveaxis(input, axis, -1))
    factor = 1.0 if weight is None else weight
    smooth = -label_smoothing * F.mean(logs * factor, axis=-1)
    if target.dtype.kind != "i":
        losses = -F.sum(F.moveaxis(target, axis, -1) * logs * factor, axis=-1)
        return _reduced((1.0 - label_smoothing) * losses + smooth, reduction)
    losses = _labelled(logs, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return losses
    total = F.where(target == ignore_index, 0.0, smooth)
    if reduction == "mean":
        shares = _labelled(F.zeros_like(logs) - 1.0, target, weight, ignore_index, "sum")
        total = F.sum(total) / shares
    return (1.0 - label_smoothing) * losses + _reduced(total, reduction)


def _name_functions() -> None:
    """Give made functions the names under which `pickle` finds them, and which errors have."""
    for name, value in globals().items():
        functions: tuple[Any, ...] = (value, getattr(value, "__wrapped__", None))
        for function in functions:
            if "<" in getattr(function, "__qualname__", ""):
                function.__name__ = function.__qualname__ = name
                function.__module__ = __name__


_name_functions()
