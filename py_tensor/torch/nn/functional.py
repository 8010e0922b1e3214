"""Functions of modules: `torch.nn.functional`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ... import functions as F, nn
from ...transforms.autodiff import stop_gradient
from ..functions import norm
from ..methods import FUNCTIONS, lifted, one_hot as one_hot
from ..tensor import Tensor, call

of = partial(lifted, names={})
"""Decorator of a function of values, which makes one of tensors with arguments of its own names."""
softmax, log_softmax = FUNCTIONS["softmax"], FUNCTIONS["log_softmax"]
sigmoid, tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]


def each(value: Any, count: int) -> tuple[int, ...]:
    """Return one number for each axis."""
    return (value,) * count if isinstance(value, int) else tuple(value)


# --- activations ----------------------------------------------------------------------------------


def _activation(function: Callable[..., Any]) -> Callable[..., Any]:
    def of_tensors(input: Tensor, *args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        result = call(function, input, *args, **kwargs)
        return input._assign(result) if inplace else result

    return of_tensors


relu, relu6, silu = _activation(F.relu), _activation(nn.relu6), _activation(nn.silu)
mish, selu, softsign = _activation(nn.mish), _activation(nn.selu), _activation(nn.softsign)
hardswish, hardsigmoid = _activation(nn.hard_swish), _activation(nn.hard_sigmoid)
logsigmoid = _activation(nn.log_sigmoid)
leaky_relu = _activation(
    lambda x, negative_slope=0.01: F.where(x > 0, x, negative_slope * x),
)
elu = _activation(lambda x, alpha=1.0: F.where(x > 0, x, alpha * F.expm1(F.minimum(x, 0.0))))
hardtanh = _activation(lambda x, min_val=-1.0, max_val=1.0: F.clip(x, min_val, max_val))
softplus = _activation(
    lambda x, beta=1.0, threshold=20.0: F.where(
        x * beta > threshold, x, nn.softplus(x * beta) / beta
    )
)
gelu = of(lambda input, approximate="none": nn.gelu(input, approximate=approximate == "tanh"))
glu = of(lambda input, dim=-1: nn.glu(input, axis=dim))
normalize = of(
    lambda input, p=2.0, dim=1, eps=1e-12: input / norm(input, p, dim, True).maximum(eps)
)
gumbel_softmax = of(
    lambda logits, tau=1.0, hard=False, dim=-1: nn.gumbel_softmax(
        logits, temperature=tau, hard=hard, axis=dim
    )
)


@of
def prelu(input: Any, weight: Any) -> Any:
    """Return x, or weight * x if x is negative."""
    shape = (1, -1, *(1,) * (input.ndim - 2)) if weight.size > 1 else (1,)
    return F.where(input > 0, input, weight.reshape(shape) * input)


# --- layers ---------------------------------------------------------------------------------------


@of
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return input @ weight.T + bias."""
    product = F.matmul(input, weight.T)
    return product if bias is None else product + bias


@of
def embedding(input: Any, weight: Any, padding_idx: int | None = None, **kwargs: Any) -> Any:
    """Return the rows of the weight at positions."""
    rows = F.take(weight, input, axis=0)
    if padding_idx is None:
        return rows
    padded = F.expand_dims(input == padding_idx % weight.shape[0], axis=-1)
    return F.where(padded, stop_gradient(rows), rows)


def _last(function: Callable[[Any], Any], input: Any, axes: int | None = None) -> Any:
    """Apply a function of images with channels last to images with channels first."""
    single = axes is not None and input.ndim == axes + 1
    x = F.moveaxis(F.expand_dims(input, axis=0) if single else input, 1, -1)
    result = F.moveaxis(function(x), -1, 1)
    return result[0] if single else result


def _ends(padding: Any, count: int) -> Any:
    if isinstance(padding, str):
        return padding
    ends = tuple([(n, n) for n in each(padding, count)])
    return ends[0] if count == 1 else ends


def _biased(y: Any, bias: Any) -> Any:
    return y if bias is None else y + bias


def _convolve(
    own: Any, count: int, input: Any, weight: Any, bias: Any, padding: Any, **settings: Any
) -> Any:
    kernel = F.permute_dims(weight, (*range(2, count + 2), 1, 0))
    settings["padding"] = _ends(padding, count)
    return _last(lambda x: _biased(own(x, kernel, **settings), bias), input, count)


def _convolution(count: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the convolution of a number of axes, and the transposed one."""
    direct, transposed = getattr(nn, f"conv{count}d"), getattr(nn, f"conv{count}d_transpose")
    return of(
        lambda input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1: _convolve(
            direct, count, input, weight, bias, padding,
            stride=stride, dilation=dilation, groups=groups,
        )
    ), of(
        lambda input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
        dilation=1: _convolve(
            transposed, count, input, weight, bias, padding,
            stride=stride, output_padding=output_padding, groups=groups, dilation=dilation,
        )
    )  # fmt: skip


conv1d, conv_transpose1d = _convolution(1)
conv2d, conv_transpose2d = _convolution(2)
conv3d, conv_transpose3d = _convolution(3)


def _pooling(count: int, kind: str) -> Callable[..., Any]:
    own = getattr(nn, f"{kind}_pool{count}d")

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
        settings |= {"stride": step, "padding": ends[0] if count == 1 else ends}
        return _last(lambda x: own(x, size, **settings), input, count)

    return of(pool)


def _adaptive(count: int, kind: str) -> Callable[..., Any]:
    own = getattr(nn, f"adaptive_{kind}_pool{count}d")

    def pool(input: Any, output_size: Any) -> Any:
        sizes = each(output_size, count)
        size = [n if m is None else m for m, n in zip(sizes, input.shape[-count:], strict=True)]
        return _last(lambda x: own(x, size[0] if count == 1 else tuple(size)), input, count)

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
group_norm = of(
    lambda input, num_groups, weight=None, bias=None, eps=1e-5: _last(
        lambda x: nn.group_norm(x, num_groups, scale=weight, offset=bias, epsilon=eps), input
    )
)
instance_norm = of(
    lambda input, weight=None, bias=None, eps=1e-5: _last(
        lambda x: nn.instance_norm(x, scale=weight, offset=bias, epsilon=eps), input
    )
)
_normalized = of(
    lambda input, mean, variance, weight, bias, eps: _last(
        lambda x: nn.batch_norm(x, mean, variance, scale=weight, offset=bias, epsilon=eps), input
    )
)


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
    if not dropout_p:
        own = {"mask": attn_mask, "causal": is_causal, "scale": scale}
        return nn.scaled_dot_product_attention(query, key, value, **own)
    return attended(query, key, value, attn_mask, dropout_p, is_causal, scale)[0]


def attended(
    query: Any, key: Any, value: Any, mask: Any, rate: float, causal: bool, scale: Any
) -> tuple[Any, Any]:
    """Return the result of attention and its weights."""
    scores = F.matmul(query, key.mT) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        scores = F.where(F.tril(F.ones(scores.shape[-2:], dtype="bool")), scores, -math.inf)
    if mask is not None:
        scores = F.where(mask, scores, -math.inf) if mask.dtype.kind == "b" else scores + mask
    weights = F.softmax(scores, axis=-1)
    return F.matmul(nn.dropout(weights, rate) if rate else weights, value), weights


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
        return _last(lambda x: nn.resize_nearest_neighbor(x, sizes), input)
    named = {"align_corners" if align_corners else "half_pixel_centers": True}
    return _last(lambda x: nn.resize_bilinear(x, sizes, **named), input)


@of
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Move channels to rows and columns."""
    batch, _, height, width = input.shape
    x = input.reshape((batch, -1, upscale_factor, upscale_factor, height, width))
    x = F.permute_dims(x, (0, 1, 4, 2, 5, 3))
    return x.reshape((batch, x.shape[1], height * upscale_factor, width * upscale_factor))


def _cosine(x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    return F.sum(x * y, axis=dim) / (norm(x, 2, dim).maximum(eps) * norm(y, 2, dim).maximum(eps))


def _distance(x: Any, y: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    return norm(x - y + eps, p, -1, keepdim)


cosine_similarity, pairwise_distance = of(_cosine), of(_distance)

# --- losses ---------------------------------------------------------------------------------------


def _reduced(losses: Any, reduction: str, divisor: Any = None) -> Any:
    if reduction == "none":
        return losses
    if reduction == "sum":
        return F.sum(losses)
    return F.mean(losses) if divisor is None else F.sum(losses) / divisor


def _loss(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loss that reduces what a function of inputs and targets returns."""

    def reduced(*args: Any, reduction: str = "mean", weight: Any = None, **kwargs: Any) -> Any:
        losses = function(*args, **kwargs)
        return _reduced(losses if weight is None else losses * weight, reduction)

    return of(reduced)


def _smooth_l1(x: Any, y: Any, beta: float = 1.0) -> Any:
    distance = F.abs(x - y)
    half = 0.5 * distance * distance / beta if beta else distance
    return F.where(distance < beta, half, distance - 0.5 * beta)


def _log(x: Any) -> Any:
    # PyTorch limits the logarithms of probabilities to -100.
    return F.log(x).maximum(-100.0)


def _with_logits(x: Any, y: Any, pos_weight: Any = None) -> Any:
    positive = 1.0 if pos_weight is None else 1.0 + (pos_weight - 1.0) * y
    return (1.0 - y) * x + positive * (F.log1p(F.exp(-F.abs(x))) + F.relu(-x))


def _poisson(x: Any, y: Any, log_input: bool = True, eps: float = 1e-8) -> Any:
    return F.exp(x) - y * x if log_input else x - y * F.log(x + eps)


def _gaussian(x: Any, y: Any, var: Any, full: bool = False, eps: float = 1e-6) -> Any:
    var = F.maximum(var, eps)
    constant = 0.5 * math.log(2 * math.pi) if full else 0.0
    return 0.5 * (F.log(var) + F.square(x - y) / var) + constant


mse_loss = _loss(lambda x, y: F.square(x - y))
l1_loss = _loss(lambda x, y: F.abs(x - y))
smooth_l1_loss = _loss(_smooth_l1)
huber_loss = _loss(lambda x, y, delta=1.0: delta * _smooth_l1(x, y, delta))
binary_cross_entropy = _loss(lambda x, y: -(y * _log(x) + (1.0 - y) * _log(1.0 - x)))
binary_cross_entropy_with_logits = _loss(_with_logits)
soft_margin_loss = _loss(lambda x, y: F.log1p(F.exp(-y * x)))
poisson_nll_loss, gaussian_nll_loss = _loss(_poisson), _loss(_gaussian)
cosine_embedding_loss = _loss(
    lambda x, y, target, margin=0.0: F.where(
        target > 0, 1.0 - _cosine(x, y, -1), F.relu(_cosine(x, y, -1) - margin)
    )
)
triplet_margin_loss = _loss(
    lambda anchor, positive, negative, margin=1.0, p=2.0: F.relu(
        _distance(anchor, positive, p) - _distance(anchor, negative, p) + margin
    )
)
margin_ranking_loss = _loss(lambda x, y, target, margin=0.0: F.relu(-target * (x - y) + margin))


@of
def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """Return the divergence of target from logarithms of probabilities."""
    logs = target if log_target else F.log(F.where(target > 0, target, 1.0))
    losses = (F.exp(target) if log_target else target) * (logs - input)
    if reduction == "batchmean":
        return F.sum(losses) / input.shape[0]
    return _reduced(losses, reduction)


@of
def nll_loss(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Return the negative logarithms of probabilities at class numbers."""
    return _labelled(input, target, weight, ignore_index, reduction, 0.0)


def _labelled(
    logs: Any, target: Any, weight: Any, ignored: int, reduction: str, smoothing: float
) -> Any:
    axis = 1 if logs.ndim > 1 else 0
    classes, seen = logs.shape[axis], target != ignored
    column = [-1 if at == axis else 1 for at in range(logs.ndim)]
    chosen = F.expand_dims(target, axis=axis) == F.arange(classes).reshape(column)
    factors = (F.ones(classes) if weight is None else weight).reshape(column)
    losses = -F.sum(F.where(chosen, logs * factors, 0.0), axis=axis)
    if smoothing:
        smooth = -F.sum(logs * factors, axis=axis)
        losses = (1.0 - smoothing) * losses + smoothing / classes * smooth
    shares = F.sum(F.where(chosen, factors, 0.0), axis=axis)
    return _reduced(F.where(seen, losses, 0.0), reduction, F.sum(F.where(seen, shares, 0.0)))


@of
def cross_entropy(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """Return the cross-entropy of logits and class numbers, or probabilities of classes."""
    axis = 1 if input.ndim > 1 else 0
    logs = nn.log_softmax(input, axis=axis)
    if target.dtype.kind == "i":
        return _labelled(logs, target, weight, ignore_index, reduction, label_smoothing)
    target = target * (1.0 - label_smoothing) + label_smoothing / input.shape[axis]
    if weight is not None:
        target = target * weight.reshape((-1, *(1,) * (input.ndim - 2)))
    losses = -F.sum(target * logs, axis=axis)
    return _reduced(losses, reduction, losses.size)


def _name_functions() -> None:
    """Give made functions the names under which `pickle` finds them."""
    for name, value in globals().items():
        if "<" in getattr(value, "__qualname__", ""):
            value.__name__ = value.__qualname__ = name
            value.__module__ = __name__


_name_functions()
