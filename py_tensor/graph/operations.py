"""Compute the operations of a graph for any number of examples at once.

Every value has a leading axis. Its length is the number of examples if the value depends on a feed,
and 1 if it is the same for all examples. A batch is therefore one pass over the graph: weights are
not copied, and the gradients of all examples are summed automatically.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..functions import statistical
from ..functions.convolution import conv2d as _conv2d
from ..functions.elementwise import equal, expm1, log, minimum, square, where
from ..functions.joining import concat as _concat
from ..functions.linear_algebra import matmul as _matmul
from ..functions.manipulation import broadcast_to, permute_dims, reshape as _reshape
from ..functions.neural import max_pool2d, softmax as _softmax
from ..ops.op_def import Shape
from ..tensor import Tensor
from ..transforms.autodiff import custom_gradient

EPSILON = 1e-5
"""Added to probabilities before taking their logarithm."""


def reshape(x: Tensor, *, shape: Shape) -> Tensor:
    return _reshape(x, (x.shape[0], *shape))


def binary(
    x1: Tensor, x2: Tensor, *, function: Callable[[Tensor, Tensor], Tensor], shape: Shape
) -> Tensor:
    """Apply `function` to two operands, each of `shape`, a row of it, or a single element."""
    return function(_fitting(x1, len(shape)), _fitting(x2, len(shape)))


def _fitting(x: Tensor, ndim: int) -> Tensor:
    """Reshape x to `ndim` axes after its leading one by dropping or prepending axes of length 1."""
    examples, *lengths = x.shape
    if len(lengths) == ndim:
        return x
    if math.prod(lengths) == 1:
        return _reshape(x, (examples, *(1,) * ndim))
    return _reshape(x, (examples, *(1,) * (ndim - len(lengths)), *lengths))


def fused_linear_combination(x1: Tensor, x2: Tensor, c1: Tensor, c2: Tensor) -> Tensor:
    def scale(c: Tensor) -> Tensor:
        return _reshape(c, (c.shape[0], *(1,) * (x1.ndim - 1)))

    return scale(c1) * x1 + scale(c2) * x2


def reduce_sum(x: Tensor) -> Tensor:
    return statistical.sum(_flat(x), axis=1)


def _flat(x: Tensor) -> Tensor:
    return _reshape(x, (x.shape[0], math.prod(x.shape[1:])))


def _together(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Broadcast both to the same number of examples."""
    examples = max(x1.shape[0], x2.shape[0])
    return _repeated(x1, examples), _repeated(x2, examples)


def _repeated(x: Tensor, examples: int) -> Tensor:
    return x if x.shape[0] == examples else broadcast_to(x, (examples, *x.shape[1:]))


def concat(x1: Tensor, x2: Tensor, *, axis: int) -> Tensor:
    return _concat(_together(x1, x2), axis=axis + 1)


def matmul(x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply matrices and vectors, in one product if the matrix is the same for all examples."""
    if x1.ndim == 3 and x2.ndim == 3:
        return _matmul(x1, _only(x2) if x2.shape[0] == 1 else x2)
    if x1.ndim == 3:
        if x1.shape[0] == 1:
            return _matmul(x2, permute_dims(_only(x1), (1, 0)))
        product = _matmul(x1, _reshape(x2, (*x2.shape, 1)))
        return _reshape(product, product.shape[:2])
    if x2.shape[0] == 1:
        return _matmul(x1, _only(x2))
    product = _matmul(_reshape(x1, (x1.shape[0], 1, x1.shape[1])), x2)
    return _reshape(product, (product.shape[0], product.shape[2]))


def _only(x: Tensor) -> Tensor:
    """Drop the axis of examples, which has length 1."""
    return _reshape(x, x.shape[1:])


def conv2d(x: Tensor, w: Tensor, b: Tensor, *, stride: int, zero_pad: int) -> Tensor:
    bias = _reshape(b, (b.shape[0], 1, 1, b.shape[1]))
    if w.shape[0] == 1:
        return _conv2d(x, _only(w), stride=stride, padding=zero_pad) + bias
    return _conv2d_each(x, w, stride, zero_pad) + bias


def _conv2d_each(x: Tensor, w: Tensor, stride: int, zero_pad: int) -> Tensor:
    """Convolve each example with its own kernel, as groups of channels of one image."""
    x, w = _together(x, w)
    examples, height, width, channels = x.shape
    _, kernel_height, kernel_width, _, outputs = w.shape
    image = _reshape(permute_dims(x, (1, 2, 0, 3)), (height, width, examples * channels))
    kernel = _reshape(
        permute_dims(w, (1, 2, 3, 0, 4)),
        (kernel_height, kernel_width, channels, examples * outputs),
    )
    results = _conv2d(image, kernel, stride=stride, padding=zero_pad, groups=examples)
    return permute_dims(_reshape(results, (*results.shape[:2], examples, outputs)), (2, 0, 1, 3))


def max_pool(x: Tensor, *, field_size: int, stride: int, zero_pad: int) -> Tensor:
    return max_pool2d(x, field_size, stride=stride, padding=zero_pad)


def leaky_relu(x: Tensor, *, alpha: float) -> Tensor:
    return where(x > 0.0, x, alpha * x)


def prelu(x: Tensor, alpha: Tensor) -> Tensor:
    return where(x > 0.0, x, alpha * x)


def elu(x: Tensor) -> Tensor:
    # Clamped to 0 in the other branch, because the gradient of a large exponential is infinite.
    return where(x >= 0.0, x, expm1(minimum(x, 0.0)))


def softmax(x: Tensor) -> Tensor:
    return _softmax(x, axis=-1)


def softmax_cross_entropy_cost(x: Tensor, target: Tensor) -> Tensor:
    cost: Tensor = _cross_entropy(*_together(x, target))
    return cost


@custom_gradient
def _cross_entropy(x: Tensor, target: Tensor) -> tuple[Tensor, Callable[..., object]]:
    probabilities = _softmax(x, axis=-1)
    logarithms = log(probabilities + EPSILON)

    def rule(g: Tensor) -> tuple[Tensor, None]:
        return _fitting(g, x.ndim - 1) * (probabilities - target), None

    return -reduce_sum(target * logarithms), rule


def mean_squared_cost(label: Tensor, prediction: Tensor) -> Tensor:
    cost: Tensor = _squared(*_together(label, prediction))
    return cost


@custom_gradient
def _squared(label: Tensor, prediction: Tensor) -> tuple[Tensor, Callable[..., object]]:
    difference = label - prediction
    size = math.prod(label.shape[1:])

    def rule(g: Tensor) -> tuple[Tensor, Tensor]:
        to_label = _fitting(g, label.ndim - 1) * difference
        return to_label, -to_label

    return reduce_sum(square(difference)) * (0.5 / size), rule


def argmax(x: Tensor) -> Tensor:
    return statistical.argmax(_flat(x), axis=1)


def argmax_equals(x1: Tensor, x2: Tensor) -> Tensor:
    return equal(argmax(x1), argmax(x2))
