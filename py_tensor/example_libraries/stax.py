"""Layers as pairs of functions, under the names of `jax.example_libraries.stax`.

A layer is a pair: `init_fun(key, input_shape)` returns (output_shape, params), and
`apply_fun(params, inputs)` the outputs.

>>> import py_tensor as pt
>>> from py_tensor.example_libraries import stax
>>> init, apply = stax.serial(stax.Dense(8), stax.Relu, stax.Dense(3))
>>> shape, params = init(pt.random.key(0), (-1, 4))
>>> shape, apply(params, pt.ones((2, 4))).shape
((-1, 3), (2, 3))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .. import lax, nn, random
from ..errors import ArgumentError
from ..functions import elementwise as E, statistical
from ..functions.creation import ones, zeros
from ..functions.joining import concat
from ..functions.linear_algebra import matmul
from ..functions.manipulation import reshape
from ..functions.neural import softmax
from ..scipy.special import log_softmax
from ..tensor import Tensor

Layer = tuple[Callable[..., Any], Callable[..., Any]]
Init = Callable[[Any, Sequence[int]], Tensor]


def normal(stddev: float = 1e-2) -> Init:
    """Return a function of (key, shape) that draws normally distributed numbers."""
    return lambda rng, shape: stddev * random.normal(shape=tuple(shape), key=rng)


def glorot_normal(out_axis: int = -1, in_axis: int = -2) -> Init:
    """Return a function of (key, shape) that draws weights after Glorot."""

    def init(rng: Any, shape: Sequence[int]) -> Tensor:
        field = math.prod(shape) / shape[in_axis] / shape[out_axis]
        fans = (shape[in_axis] + shape[out_axis]) * field
        drawn = random.truncated_normal(-2.0, 2.0, shape=tuple(shape), key=rng)
        return drawn * (math.sqrt(2.0 / fans) / 0.87962566103423978)

    return init


def Dense(out_dim: int, W_init: Init | None = None, b_init: Init | None = None) -> Layer:
    """Return a layer that computes x @ W + b."""
    draw, draw_bias = W_init or glorot_normal(), b_init or normal()

    def init_fun(rng: Any, input_shape: Sequence[int]) -> Any:
        k1, k2 = random.split(rng)
        weights = draw(k1, (input_shape[-1], out_dim))
        return (*input_shape[:-1], out_dim), (weights, draw_bias(k2, (out_dim,)))

    def apply_fun(params: Any, inputs: Tensor, **kwargs: Any) -> Tensor:
        weights, bias = params
        result: Tensor = matmul(inputs, weights) + bias
        return result

    return init_fun, apply_fun


def GeneralConv(
    dimension_numbers: Any,
    out_chan: int,
    filter_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: str = "VALID",
    W_init: Init | None = None,
    b_init: Init | None = None,
) -> Layer:
    """Return a layer that convolves images."""
    lhs, rhs, out = dimension_numbers
    steps = tuple(strides or (1,) * len(filter_shape))
    draw = W_init or glorot_normal(rhs.index("O"), rhs.index("I"))

    def kernel_shape(input_shape: Sequence[int]) -> list[int]:
        sizes = iter(filter_shape)
        channels = {"O": out_chan, "I": input_shape[lhs.index("C")]}
        return [channels[c] if c in channels else next(sizes) for c in rhs]

    def init_fun(rng: Any, input_shape: Sequence[int]) -> Any:
        shape = kernel_shape(input_shape)
        images = [1 if c == "N" else n for c, n in zip(lhs, input_shape, strict=True)]
        result = lax.conv_general_dilated(
            zeros(images), zeros(shape), steps, padding, dimension_numbers=dimension_numbers
        )
        batch = input_shape[lhs.index("N")]
        output = tuple(batch if c == "N" else n for c, n in zip(out, result.shape, strict=True))
        k1, k2 = random.split(rng)
        bias = [out_chan if c == "C" else 1 for c in out]
        return output, (draw(k1, shape), (b_init or normal(1e-6))(k2, bias))

    def apply_fun(params: Any, inputs: Tensor, **kwargs: Any) -> Tensor:
        weights, bias = params
        result: Tensor = bias + lax.conv_general_dilated(
            inputs, weights, steps, padding, dimension_numbers=dimension_numbers
        )
        return result

    return init_fun, apply_fun


Conv = partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))


def BatchNorm(
    axis: Sequence[int] = (0, 1, 2),
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Layer:
    """Return a layer that normalizes over axes."""
    axes = tuple(axis)

    def init_fun(rng: Any, input_shape: Sequence[int]) -> Any:
        shape = [n for at, n in enumerate(input_shape) if at not in axes]
        return input_shape, (zeros(shape) if center else (), ones(shape) if scale else ())

    def apply_fun(params: Any, x: Tensor, **kwargs: Any) -> Tensor:
        beta, gamma = params
        mean = statistical.mean(x, axis=axes, keepdims=True)
        variance = statistical.var(x, axis=axes, keepdims=True)
        z = (x - mean) / E.sqrt(variance + epsilon)
        shape = [1 if at in axes else n for at, n in enumerate(x.shape)]
        z = z * reshape(gamma, shape) if scale else z
        return z + reshape(beta, shape) if center else z

    return init_fun, apply_fun


def elementwise(fun: Callable[..., Tensor], **fun_kwargs: Any) -> Layer:
    """Return a layer without parameters that applies a function."""
    return (
        lambda rng, input_shape: (input_shape, ()),
        lambda params, inputs, **kwargs: fun(inputs, **fun_kwargs),
    )


def logsoftmax(x: Tensor, axis: int = -1) -> Tensor:
    """Return the logarithms of `softmax` along an axis."""
    return log_softmax(x, axis=axis)


Tanh = elementwise(E.tanh)
Relu = elementwise(E.relu)
Exp = elementwise(E.exp)
LogSoftmax = elementwise(log_softmax, axis=-1)
Softmax = elementwise(softmax, axis=-1)
Softplus = elementwise(nn.softplus)
Sigmoid = elementwise(E.sigmoid)
Elu = elementwise(nn.elu)
LeakyRelu = elementwise(nn.leaky_relu)
Selu = elementwise(nn.selu)
Gelu = elementwise(nn.gelu)
Identity: Layer = elementwise(E.positive)


def _pooling(reducer: str) -> Callable[..., Layer]:
    def pool_layer(
        window_shape: Sequence[int],
        strides: Sequence[int] | None = None,
        padding: str = "VALID",
        spec: str | None = None,
    ) -> Layer:
        letters = spec or "NHWC"
        sizes, steps = iter(window_shape), iter(strides or (1,) * len(window_shape))
        window = tuple(1 if c in "NC" else next(sizes) for c in letters)
        step = tuple(1 if c in "NC" else next(steps) for c in letters)

        def pooled(inputs: Tensor) -> Tensor:
            if reducer == "max":
                return lax.reduce_window(inputs, -math.inf, lax.max, window, step, padding)
            total = lax.reduce_window(inputs, 0.0, E.add, window, step, padding)
            if reducer == "sum":
                return total
            return total / lax.reduce_window(ones(inputs.shape), 0.0, E.add, window, step, padding)

        def init_fun(rng: Any, input_shape: Sequence[int]) -> Any:
            images = [1 if c == "N" else n for c, n in zip(letters, input_shape, strict=True)]
            shape = pooled(zeros(images)).shape
            batch = input_shape[letters.index("N")]
            return tuple(batch if c == "N" else n for c, n in zip(letters, shape, strict=True)), ()

        return init_fun, lambda params, inputs, **kwargs: pooled(inputs)

    return pool_layer


MaxPool = _pooling("max")
SumPool = _pooling("sum")
AvgPool = _pooling("mean")


def _flatten() -> Layer:
    return (
        lambda rng, input_shape: ((input_shape[0], math.prod(input_shape[1:])), ()),
        lambda params, inputs, **kwargs: reshape(inputs, (inputs.shape[0], -1)),
    )


Flatten = _flatten()


def FanOut(num: int) -> Layer:
    """Return a layer that repeats its input `num` times, in a list."""
    return (
        lambda rng, input_shape: ([input_shape] * num, ()),
        lambda params, inputs, **kwargs: [inputs] * num,
    )


FanInSum: Layer = (
    lambda rng, input_shape: (input_shape[0], ()),
    lambda params, inputs, **kwargs: sum(inputs[1:], inputs[0]),
)


def FanInConcat(axis: int = -1) -> Layer:
    """Return a layer that joins its inputs along an axis."""

    def init_fun(rng: Any, input_shape: Any) -> Any:
        shape = list(input_shape[0])
        shape[axis] = sum(own[axis] for own in input_shape)
        return tuple(shape), ()

    return init_fun, lambda params, inputs, **kwargs: concat(inputs, axis=axis)


def Dropout(rate: float, mode: str = "train") -> Layer:
    """Return a layer that keeps a share `rate` of its inputs; `apply_fun` needs `rng`."""

    def apply_fun(params: Any, inputs: Tensor, **kwargs: Any) -> Tensor:
        if mode != "train":
            return inputs
        if kwargs.get("rng") is None:
            raise ArgumentError(
                "Dropout: there is no key; got no rng; call apply_fun(params, inputs, rng=key)"
            )
        keep = random.bernoulli(rate, shape=inputs.shape, key=kwargs["rng"])
        return E.where(keep, inputs / rate, 0.0)

    return lambda rng, input_shape: (input_shape, ()), apply_fun


def serial(*layers: Layer) -> Layer:
    """Return the layer that applies layers one after the other."""

    def init_fun(rng: Any, input_shape: Any) -> Any:
        params = []
        for init, _ in layers:
            rng, own = random.split(rng)
            input_shape, param = init(own, input_shape)
            params.append(param)
        return input_shape, params

    def apply_fun(params: Any, inputs: Any, **kwargs: Any) -> Any:
        for (_, apply), param, own in zip(layers, params, _keys(kwargs, layers), strict=True):
            inputs = apply(param, inputs, **own)
        return inputs

    return init_fun, apply_fun


def _keys(kwargs: dict[str, Any], layers: Sequence[Layer]) -> list[dict[str, Any]]:
    """Return the keyword arguments of each layer, with a key of its own."""
    rng = kwargs.pop("rng", None)
    keys = [None] * len(layers) if rng is None else random.split(rng, len(layers))
    return [{**kwargs, "rng": key} for key in keys]


def parallel(*layers: Layer) -> Layer:
    """Return the layer that applies each of several layers to its own input, in lists."""

    def init_fun(rng: Any, input_shape: Any) -> Any:
        keys = random.split(rng, len(layers))
        pairs = [
            init(key, shape)
            for (init, _), key, shape in zip(layers, keys, input_shape, strict=True)
        ]
        return [shape for shape, _ in pairs], tuple(param for _, param in pairs)

    def apply_fun(params: Any, inputs: Any, **kwargs: Any) -> Any:
        owns = _keys(kwargs, layers)
        every = zip(layers, params, inputs, owns, strict=True)
        return [apply(param, x, **own) for (_, apply), param, x, own in every]

    return init_fun, apply_fun


def shape_dependent(make_layer: Callable[[Any], Layer]) -> Layer:
    """Return the layer that a function makes for the shape of its input."""
    return (
        lambda rng, input_shape: make_layer(input_shape)[0](rng, input_shape),
        lambda params, inputs, **kwargs: make_layer(inputs.shape)[1](params, inputs, **kwargs),
    )
