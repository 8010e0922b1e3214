"""Layers without a state between calls, and losses."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, ClassVar

from ..autograd import no_grad
from ..methods import FUNCTIONS, empty, ones, zeros
from ..tensor import Parameter, Tensor
from . import functional as F, init
from .functional import each
from .module import Module

_NAMES = "self input x logits target var x1 x2 input1 input2 anchor positive negative training"
_INPUTS = _NAMES.split()
"""Arguments of functions that a layer's constructor does not have."""


_NAMED = {"in_features", "out_features", "kernel_size", "output_size", "dim"}
"""Required arguments that texts of layers name."""


class Layer(Module):
    """Layer that calls its function with its attributes.

    The constructor's arguments, which become attributes, are those of `build`, or of the function.
    """

    function: Any = None
    names: ClassVar[list[str]] = []
    """Attributes that are arguments of the function."""
    signature: ClassVar[inspect.Signature]

    def __init_subclass__(cls, function: Any = None) -> None:
        if function is not None:
            cls.function = staticmethod(function)
            known = inspect.signature(function).parameters.values()
            named = [p.name for p in known if p.kind is not p.VAR_KEYWORD]
            cls.names = [name for name in named if name == "training" or name not in _INPUTS]
        source = getattr(cls, "build", cls.function)
        if source is not None:
            own = inspect.signature(source).parameters.values()
            cls.signature = inspect.Signature([p for p in own if p.name not in _INPUTS])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        own = {name: value for name, value in kwargs.items() if name not in ("device", "dtype")}
        try:
            given = self.signature.bind(*args, **own)
        except TypeError as error:
            raise TypeError(
                f"{type(self).__name__}: {error}; got {args} and {own}; it takes "
                f"{', '.join(self.signature.parameters)}"
            ) from None
        given.apply_defaults()
        for name, value in given.arguments.items():
            if isinstance(value, Tensor):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)
        if hasattr(self, "build"):
            self.build(**given.arguments)

    def forward(self, *args: Any, **changed: Any) -> Any:
        own = {name: getattr(self, name) for name in self.names}
        return type(self).function(*args, **own | changed)

    def _draw(self, shape: tuple[int, ...], biases: int) -> None:
        """Draw a weight, and biases unless there are 0, within 1 / sqrt(inputs)."""
        bound = 1 / math.sqrt(max(1, math.prod(shape[1:])))
        self.weight = uniform_parameter(*shape, bound=bound)
        self.register_parameter("bias", uniform_parameter(biases, bound=bound) if biases else None)

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        self._draw(self.weight.shape, 0 if self.bias is None else len(self.bias))

    def _affine(self, shape: Any, affine: bool, bias: bool = True) -> None:
        """Create a weight of ones and biases of zeros, or None."""
        self.register_parameter("weight", Parameter(ones(shape)) if affine else None)
        self.register_parameter("bias", Parameter(zeros(shape)) if affine and bias else None)

    def extra_repr(self) -> str:
        """Return the arguments without defaults, and others that differ from them."""
        own, shown = vars(self), []
        for name, parameter in self.signature.parameters.items():
            if name in own and own[name] != parameter.default:
                plain = parameter.default is parameter.empty and name not in _NAMED
                shown.append(f"{own[name]}" if plain else f"{name}={own[name]}")
        return ", ".join(shown)


def uniform_parameter(*shape: int, bound: float) -> Parameter:
    """Return a parameter with numbers between -bound and bound."""
    parameter = Parameter(empty(*shape))
    init.uniform_(parameter, -bound, bound)
    return parameter


class Identity(Module):
    """Return the argument; the constructor's arguments are ignored."""

    def forward(self, x: Any) -> Any:
        return x


class Linear(Layer, function=F.linear):
    """Multiply with a weight of shape (out_features, in_features), and add a bias."""

    def build(self, in_features: int, out_features: int, bias: bool = True) -> None:
        """Draw the parameters."""
        self._draw((out_features, in_features), out_features * bool(bias))

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, bias={self.bias is not None}"


NonDynamicallyQuantizableLinear = Linear


class Embedding(Layer, function=F.embedding):
    """Rows of a weight at positions."""

    def build(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None
    ) -> None:
        """Draw the weight."""
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


class _Conv(Layer):
    """Convolve images with channels first."""

    count = 2

    def build(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros",
    ) -> None:  # fmt: skip
        """Draw the parameters."""
        self.kernel_size, self.stride = each(kernel_size, self.count), each(stride, self.count)
        self._draw((out_channels, in_channels // groups, *self.kernel_size), out_channels * bias)

    def forward(self, x: Any) -> Any:
        if self.padding_mode == "zeros":
            return super().forward(x)
        ends = [n for n in each(self.padding, self.count)[::-1] for _ in range(2)]
        return super().forward(F.pad(x, ends, self.padding_mode), padding=0)


class _ConvTranspose(_Conv):
    def build(  # type: ignore[override]
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
        dilation: Any = 1, padding_mode: str = "zeros",
    ) -> None:  # fmt: skip
        """Draw the parameters."""
        self.kernel_size, self.stride = each(kernel_size, self.count), each(stride, self.count)
        self._draw((in_channels, out_channels // groups, *self.kernel_size), out_channels * bias)


class _BatchNorm(Layer, function=F.batch_norm):
    """Normalize each channel over the batch, or by running statistics when evaluating."""

    def build(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True,
    ) -> None:  # fmt: skip
        """Create the parameters and statistics."""
        self._affine(num_features, affine)
        statistics = (zeros(num_features), ones(num_features), zeros().long())
        names = ("running_mean", "running_var", "num_batches_tracked")
        for name, value in zip(names, statistics, strict=True):
            self.register_buffer(name, value if track_running_stats else None)

    def forward(self, x: Any) -> Any:
        momentum = self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if momentum is None:
                momentum = 1.0 / self.num_batches_tracked.item()
        return super().forward(x, momentum=momentum or 0.0)


class LayerNorm(Layer, function=F.layer_norm):
    """Normalize over the last axes."""

    def build(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:  # fmt: skip
        """Create the parameters."""
        self.normalized_shape = each(normalized_shape, 1)
        self._affine(self.normalized_shape, elementwise_affine, bias)


class GroupNorm(Layer, function=F.group_norm):
    """Normalize over groups of channels."""

    def build(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: Any = True
    ) -> None:
        """Create the parameters."""
        self._affine(num_channels, affine)


class InstanceNorm2d(Layer, function=F.instance_norm):
    """Normalize each channel of each image."""

    def build(
        self, num_features: int, eps: Any = 1e-5, momentum: Any = 0.1, affine: Any = False
    ) -> None:
        """Create the parameters."""
        self._affine(num_features, affine)


class PReLU(Layer, function=F.prelu):
    """x, or a parameter times x if x is negative."""

    def build(self, num_parameters: int = 1, init: float = 0.25) -> None:
        """Create the parameter."""
        self.weight = Parameter(ones(num_parameters) * init)


_OWN: dict[str, Callable[..., Any]] = {
    "Flatten": lambda x, start_dim=1, end_dim=-1: x.flatten(start_dim, end_dim),
    "ZeroPad2d": lambda x, padding: F.pad(x, each(padding, 4)),
    "ReflectionPad2d": lambda x, padding: F.pad(x, each(padding, 4), "reflect"),
}
_OF_FUNCTIONS = """
    ReLU ReLU6 SiLU Mish SELU Sigmoid Tanh Hardswish Hardsigmoid LogSigmoid Softsign GELU GLU ELU
    LeakyReLU Hardtanh Softplus Softmax LogSoftmax PixelShuffle CosineSimilarity PairwiseDistance
    Dropout Dropout2d Upsample:interpolate Unflatten MaxPool1d MaxPool2d MaxPool3d
    AvgPool1d AvgPool2d AvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveAvgPool1d
    AdaptiveAvgPool2d MSELoss L1Loss HuberLoss SmoothL1Loss NLLLoss PoissonNLLLoss GaussianNLLLoss
    KLDivLoss:kldiv CrossEntropyLoss:crossentropy BCELoss:binarycrossentropy SoftMarginLoss
    BCEWithLogitsLoss:binarycrossentropywithlogits TripletMarginLoss CosineEmbeddingLoss
    MarginRankingLoss
"""
"""Classes as `name` or `name:function`, without the underscores of the function's name."""


def _class(name: str, base: type[Layer], function: Any, **own: Any) -> type[Layer]:
    doc = f"Call `functional.{function.__name__}`." if base is Layer else base.__doc__
    return type(name, (base,), {"__doc__": doc, "__module__": __name__, **own}, function=function)


def _classes() -> dict[str, type[Layer]]:
    functions = {name.replace("_", ""): value for name, value in (FUNCTIONS | vars(F)).items()}
    classes = {name: _class(name, Layer, function) for name, function in _OWN.items()}
    for entry in _OF_FUNCTIONS.split():
        name, _, function = entry.partition(":")
        classes[name] = _class(name, Layer, functions[function or name.lower()])
    for n in (1, 2, 3):
        for name, base in {"Conv": _Conv, "ConvTranspose": _ConvTranspose}.items():
            own = getattr(F, f"{name.replace('T', '_t').lower()}{n}d")
            classes[f"{name}{n}d"] = _class(f"{name}{n}d", base, own, count=n)
        classes[f"BatchNorm{n}d"] = _class(f"BatchNorm{n}d", _BatchNorm, F.batch_norm)
    return classes


CLASSES = _classes()
vars().update(CLASSES)
