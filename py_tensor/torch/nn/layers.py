"""Layers without a state between calls, and losses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..autograd import no_grad
from ..methods import empty, ones, zeros
from ..tensor import Parameter, Tensor
from . import functional as F, init
from .functional import each
from .module import Module


def uniform_parameter(*shape: int, bound: float) -> Parameter:
    """Return a parameter with numbers between -bound and bound."""
    parameter = Parameter(empty(*shape))
    init.uniform_(parameter, -bound, bound)
    return parameter


class _Weighted(Module):
    """Layer with a weight, and a bias or None."""

    weight: Any
    bias: Any

    def _create(self, shape: tuple[int, ...], biases: int) -> None:
        bound = 1 / math.sqrt(max(1, math.prod(shape[1:])))
        self.weight = uniform_parameter(*shape, bound=bound)
        self.register_parameter("bias", uniform_parameter(biases, bound=bound) if biases else None)

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        self._create(self.weight.shape, 0 if self.bias is None else len(self.bias))

    def _affine(self, shape: Any, affine: bool, bias: bool = True) -> None:
        self.register_parameter("weight", Parameter(ones(shape)) if affine else None)
        self.register_parameter("bias", Parameter(zeros(shape)) if affine and bias else None)


class Linear(_Weighted):
    """Multiply with a weight of shape (out_features, in_features), and add a bias."""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, **kwargs: Any
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._create((out_features, in_features), out_features * bool(bias))

    def forward(self, x: Any) -> Any:
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        own = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{own}, bias={self.bias is not None}"


NonDynamicallyQuantizableLinear = Linear


class Embedding(Module):
    """Rows of a weight at positions."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        self.weight = Parameter(empty(num_embeddings, embedding_dim))
        init.normal_(self.weight)
        if padding_idx is not None:
            with no_grad():
                self.weight[padding_idx] = 0.0

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **kwargs: Any) -> Embedding:
        """Make a layer of a weight."""
        layer = cls(*embeddings.shape, **kwargs)
        layer.weight = Parameter(embeddings, not freeze)
        return layer

    def forward(self, x: Any) -> Any:
        return F.embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class _Conv(_Weighted):
    """Convolve images with channels first."""

    count = 2
    transposed = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        names = ["dilation", "groups", "bias", "padding_mode"]
        if self.transposed:
            names = ["output_padding", "groups", "bias", "dilation", "padding_mode"]
        own = kwargs | dict(zip(names, args, strict=False))
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = each(kernel_size, self.count)
        self.stride, self.padding, self.groups = stride, padding, own.get("groups", 1)
        self.settings = {name: own[name] for name in names if name in own and name != "bias"}
        self.padding_mode = self.settings.pop("padding_mode", "zeros")
        first, second = out_channels, in_channels
        if self.transposed:
            first, second = in_channels, out_channels
        shape = (first, second // self.groups, *self.kernel_size)
        self._create(shape, out_channels * bool(own.get("bias", True)))

    def forward(self, x: Any) -> Any:
        padding = self.padding
        if self.padding_mode != "zeros":
            ends = [n for n in each(padding, self.count)[::-1] for _ in range(2)]
            x, padding = F.pad(x, ends, self.padding_mode), 0
        function = getattr(F, f"conv{'_transpose' * self.transposed}{self.count}d")
        return function(x, self.weight, self.bias, self.stride, padding, **self.settings)

    def extra_repr(self) -> str:
        own = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        return f"{own}, stride={each(self.stride, self.count)}"


class _BatchNorm(_Weighted):
    """Normalize each channel over the batch, or by running statistics when evaluating."""

    running_mean: Any
    running_var: Any

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self._affine(num_features, affine)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features) if tracked else None)
        self.register_buffer("running_var", ones(num_features) if tracked else None)
        self.register_buffer("num_batches_tracked", zeros().long() if tracked else None)

    def forward(self, x: Any) -> Any:
        momentum = self.momentum or 0.0
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / self.num_batches_tracked.item()
        own = (self.running_mean, self.running_var, self.weight, self.bias)
        return F.batch_norm(x, *own, self.training, momentum, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class LayerNorm(_Weighted):
    """Normalize over the last axes."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape, self.eps = each(normalized_shape, 1), eps
        self._affine(self.normalized_shape, elementwise_affine, bias)

    def forward(self, x: Any) -> Any:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class GroupNorm(_Weighted):
    """Normalize over groups of channels."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True
    ) -> None:
        super().__init__()
        self.num_groups, self.eps = num_groups, eps
        self._affine(num_channels, affine)

    def forward(self, x: Any) -> Any:
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class InstanceNorm2d(_Weighted):
    """Normalize each channel of each image."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False
    ) -> None:
        super().__init__()
        self.eps = eps
        self._affine(num_features, affine)

    def forward(self, x: Any) -> Any:
        return F.instance_norm(x, self.weight, self.bias, self.eps)


class Dropout(Module):
    """Set elements to 0 at random when training."""

    function: Any = staticmethod(F.dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def forward(self, x: Any) -> Any:
        return type(self).function(x, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class PReLU(Module):
    """x, or a parameter times x if x is negative."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        super().__init__()
        self.weight = Parameter(ones(num_parameters) * init)

    def forward(self, x: Any) -> Any:
        return F.prelu(x, self.weight)


class _Function(Module):
    """Call a function with the arguments of the constructor."""

    function: Callable[..., Any]
    names: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.options = dict(zip(self.names, args, strict=False)) | kwargs
        for name, value in self.options.items():
            if isinstance(value, Tensor):
                self.register_buffer(name, value)

    def forward(self, *args: Any) -> Any:
        own = {name: self._buffers.get(name, value) for name, value in self.options.items()}
        return type(self).function(*args, **own)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.options.items())


_FUNCTIONS = {
    **{f"{k}Pool{n}d": f"{k.lower()}_pool{n}d kernel_size stride padding"
       for n in (1, 2, 3) for k in ("Max", "Avg")},
    **{f"Adaptive{k}Pool{n}d": f"adaptive_{k.lower()}_pool{n}d output_size"
       for n in (1, 2) for k in ("Max", "Avg")},
    **{name: f"{name.lower()} inplace" for name in ("ReLU", "ReLU6", "SiLU", "Mish", "SELU")},
    **{name: name.lower() for name in (
        "Sigmoid", "Tanh", "Hardswish", "Hardsigmoid", "LogSigmoid", "Softsign")},
    "GELU": "gelu approximate", "GLU": "glu dim", "ELU": "elu alpha inplace",
    "LeakyReLU": "leaky_relu negative_slope inplace", "Hardtanh": "hardtanh min_val max_val",
    "Softplus": "softplus beta threshold", "Softmax": "softmax dim", 
    "ReflectionPad2d": "_reflect pad",
    "LogSoftmax": "log_softmax dim", "PixelShuffle": "pixel_shuffle upscale_factor",
    "Upsample": "interpolate size scale_factor mode align_corners", "ZeroPad2d": "pad pad",
    "Flatten": "_flatten start_dim end_dim", "Unflatten": "_unflatten dim sizes",
    "Identity": "_identity", "CosineSimilarity": "cosine_similarity dim eps",
    "PairwiseDistance": "pairwise_distance p eps", "KLDivLoss": "kl_div",
    "BCELoss": "binary_cross_entropy weight", "NLLLoss": "nll_loss weight",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits weight",
    "CrossEntropyLoss": "cross_entropy weight", "PoissonNLLLoss": "poisson_nll_loss log_input",
    "TripletMarginLoss": "triplet_margin_loss margin p", "SmoothL1Loss": "smooth_l1_loss",
    "MSELoss": "mse_loss", "L1Loss": "l1_loss", "HuberLoss": "huber_loss",
    "SoftMarginLoss": "soft_margin_loss", "GaussianNLLLoss": "gaussian_nll_loss",
    "CosineEmbeddingLoss": "cosine_embedding_loss margin",
    "MarginRankingLoss": "margin_ranking_loss margin",
}  # fmt: skip
"""Function of each class, and the names of the constructor's first arguments."""
_OWN: dict[str, Callable[..., Any]] = {
    "_identity": lambda x, *args, **kwargs: x,
    "_flatten": lambda x, start_dim=1, end_dim=-1: x.flatten(start_dim, end_dim),
    "_unflatten": lambda x, dim, sizes: x.unflatten(dim, sizes),
    "_reflect": lambda x, pad: F.pad(x, each(pad, 4), "reflect"),
}


def _class(name: str, base: type[Module], doc: str, **own: Any) -> type[Module]:
    return type(name, (base,), {"__doc__": doc, "__module__": __name__, **own})


def _function_class(name: str, entry: str) -> type[Module]:
    function, *names = entry.split()
    own = staticmethod(_OWN.get(function) or getattr(F, function))
    doc = f"Call `functional.{function.strip('_')}`."
    return _class(name, _Function, doc, function=own, names=tuple(names))


CLASSES = {name: _function_class(name, entry) for name, entry in _FUNCTIONS.items()}
CLASSES |= {
    f"Conv{'Transpose' * t}{n}d": _class(
        f"Conv{'Transpose' * t}{n}d", _Conv, str(_Conv.__doc__), count=n, transposed=t
    )
    for n in (1, 2, 3)
    for t in (False, True)
}
CLASSES |= {
    f"BatchNorm{n}d": _class(f"BatchNorm{n}d", _BatchNorm, str(_BatchNorm.__doc__))
    for n in (1, 2, 3)
}
CLASSES["Dropout2d"] = _class(
    "Dropout2d", Dropout, "Set whole channels to 0.", function=staticmethod(F.dropout2d)
)
vars().update(CLASSES)
