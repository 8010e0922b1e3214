"""Compute the operations of a graph for any number of examples at once.

Every value has a leading axis. Its length is the number of examples if the value depends on a feed,
and 1 if it is the same for all examples. A batch is therefore one pass over the graph: weights are
not copied, and the gradients of all examples are summed automatically.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .. import functions as F
from ..functions.elementwise import where
from ..ops.op_def import Shape
from ..tensor import Tensor
from ..transforms.autodiff import custom_gradient

EPSILON = 1e-5
"""Added to probabilities before taking their logarithm."""


def reshape(x: Tensor, *, shape: Shape) -> Tensor:
    return F.reshape(x, (x.shape[0], *shape))


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
        return F.reshape(x, (examples, *(1,) * ndim))
    return F.reshape(x, (examples, *(1,) * (ndim - len(lengths)), *lengths))


def fused_linear_combination(x1: Tensor, x2: Tensor, c1: Tensor, c2: Tensor) -> Tensor:
    def scale(c: Tensor) -> Tensor:
        return F.reshape(c, (c.shape[0], *(1,) * (x1.ndim - 1)))

    return scale(c1) * x1 + scale(c2) * x2


def reduce_sum(x: Tensor) -> Tensor:
    return F.sum(_flat(x), axis=1)


def _flat(x: Tensor) -> Tensor:
    return F.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


def _together(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Broadcast both to the same number of examples."""
    examples = max(x1.shape[0], x2.shape[0])
    return _repeated(x1, examples), _repeated(x2, examples)


def _repeated(x: Tensor, examples: int) -> Tensor:
    return x if x.shape[0] == examples else F.broadcast_to(x, (examples, *x.shape[1:]))


def concat(x1: Tensor, x2: Tensor, *, axis: int) -> Tensor:
    return F.concat(_together(x1, x2), axis=axis + 1)


def matmul(x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply matrices and vectors, in one product if the matrix is the same for all examples."""
    if x1.ndim == 3 and x2.ndim == 3:
        return F.matmul(x1, _only(x2) if x2.shape[0] == 1 else x2)
    if x1.ndim == 3:
        if x1.shape[0] == 1:
            return F.matmul(x2, F.permute_dims(_only(x1), (1, 0)))
        product = F.matmul(x1, F.reshape(x2, (*x2.shape, 1)))
        return F.reshape(product, product.shape[:2])
    if x2.shape[0] == 1:
        return F.matmul(x1, _only(x2))
    product = F.matmul(F.reshape(x1, (x1.shape[0], 1, x1.shape[1])), x2)
    return F.reshape(product, (product.shape[0], product.shape[2]))


def _only(x: Tensor) -> Tensor:
    """Drop the axis of examples, which has length 1."""
    return F.reshape(x, x.shape[1:])


def conv2d(x: Tensor, w: Tensor, b: Tensor, *, stride: int, zero_pad: int) -> Tensor:
    bias = F.reshape(b, (b.shape[0], 1, 1, b.shape[1]))
    if w.shape[0] == 1:
        return F.conv2d(x, _only(w), stride=stride, padding=zero_pad) + bias
    return _conv2d_each(x, w, stride, zero_pad) + bias


def _conv2d_each(x: Tensor, w: Tensor, stride: int, zero_pad: int) -> Tensor:
    """Convolve each example with its own kernel, as groups of channels of one image."""
    x, w = _together(x, w)
    examples, height, width, channels = x.shape
    _, kernel_height, kernel_width, _, outputs = w.shape
    image = F.reshape(F.permute_dims(x, (1, 2, 0, 3)), (height, width, examples * channels))
    kernel = F.reshape(
        F.permute_dims(w, (1, 2, 3, 0, 4)),
        (kernel_height, kernel_width, channels, examples * outputs),
    )
    results = F.conv2d(image, kernel, stride=stride, padding=zero_pad, groups=examples)
    return F.permute_dims(F.reshape(results, (*results.shape[:2], examples, outputs)), (2, 0, 1, 3))


def max_pool(x: Tensor, *, field_size: int, stride: int, zero_pad: int) -> Tensor:
    return F.max_pool2d(x, field_size, stride=stride, padding=zero_pad)


def leaky_relu(x: Tensor, *, alpha: float) -> Tensor:
    return where(x > 0.0, x, alpha * x)


def prelu(x: Tensor, alpha: Tensor) -> Tensor:
    return where(x > 0.0, x, alpha * x)


def elu(x: Tensor) -> Tensor:
    # Clamped to 0 in the other branch, because the gradient of a large exponential is infinite.
    return where(x >= 0.0, x, F.expm1(F.minimum(x, 0.0)))


def softmax(x: Tensor) -> Tensor:
    return F.softmax(x, axis=-1)


def softmax_cross_entropy_cost(x: Tensor, target: Tensor) -> Tensor:
    cost: Tensor = _cross_entropy(*_together(x, target))
    return cost


@custom_gradient
def _cross_entropy(x: Tensor, target: Tensor) -> tuple[Tensor, Callable[..., object]]:
    probabilities = F.softmax(x, axis=-1)
    logarithms = F.log(probabilities + EPSILON)

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

    return reduce_sum(F.square(difference)) * (0.5 / size), rule


def argmax(x: Tensor) -> Tensor:
    return F.argmax(_flat(x), axis=1)


def argmax_equals(x1: Tensor, x2: Tensor) -> Tensor:
    return F.equal(argmax(x1), argmax(x2))
