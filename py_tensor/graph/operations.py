"""What the operations of a graph compute, for any number of examples at once.

Every value has a leading axis: of the examples' length where it depends on what is fed, of length 1
where it is the same for all examples. So a batch is one pass over the graph, in which weights are
not copied, and the gradients of all examples add up by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..autodiff import custom_gradient
from ..functions.convolution import conv2d as _conv2d
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.joining import concat as _concat
from ..functions.linear_algebra import matmul as _matmul
from ..functions.manipulation import broadcast_to, permute_dims
from ..functions.manipulation import reshape as _reshape
from ..functions.neural import softmax as _softmax
from ..functions.pooling import max_pool2d
from ..functions.statistical import PUBLIC as STATISTICAL
from ..ops.rows import Shape
from ..tensor import Tensor

EPSILON = 1e-5
"""Added to probabilities before their logarithm is taken."""


def reshape(x: Tensor, *, shape: Shape) -> Tensor:
    return _reshape(x, (x.shape[0], *shape))


def binary(
    x1: Tensor, x2: Tensor, *, function: Callable[[Tensor, Tensor], Tensor], shape: Shape
) -> Tensor:
    """`function` of two operands, each of them of `shape`, a row of it, or a single element."""
    return function(_fitting(x1, len(shape)), _fitting(x2, len(shape)))


def _fitting(x: Tensor, ndim: int) -> Tensor:
    """x with that many axes behind its leading one; axes of length 1 are left out or put before."""
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
    return STATISTICAL["sum"](_flat(x), axis=1)


def _flat(x: Tensor) -> Tensor:
    return _reshape(x, (x.shape[0], math.prod(x.shape[1:])))


def _together(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Both for as many examples, where one of them may be the same for all."""
    examples = max(x1.shape[0], x2.shape[0])
    return _repeated(x1, examples), _repeated(x2, examples)


def _repeated(x: Tensor, examples: int) -> Tensor:
    return x if x.shape[0] == examples else broadcast_to(x, (examples, *x.shape[1:]))


def concat(x1: Tensor, x2: Tensor, *, axis: int) -> Tensor:
    return _concat(_together(x1, x2), axis=axis + 1)


def matmul(x1: Tensor, x2: Tensor) -> Tensor:
    """Products of matrices and vectors: a single one where the matrix is the same for all."""
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
    """x, which has one example, without the axis of examples."""
    return _reshape(x, x.shape[1:])


def conv2d(x: Tensor, w: Tensor, b: Tensor, *, stride: int, zero_pad: int) -> Tensor:
    bias = _reshape(b, (b.shape[0], 1, 1, b.shape[1]))
    if w.shape[0] == 1:
        return _conv2d(x, _only(w), stride=stride, padding=zero_pad) + bias
    return _conv2d_each(x, w, stride, zero_pad) + bias


def _conv2d_each(x: Tensor, w: Tensor, stride: int, zero_pad: int) -> Tensor:
    """Each example with its own kernel: the examples are groups of channels of one image."""
    x, w = _together(x, w)
    examples, height, width, channels = x.shape
    _, kernel_height, kernel_width, _, outputs = w.shape
    image = _reshape(permute_dims(x, (1, 2, 0, 3)), (height, width, examples * channels))
    kernel = _reshape(
        permute_dims(w, (1, 2, 3, 0, 4)),
        (kernel_height, kernel_width, channels, examples * outputs),
    )
    found = _conv2d(image, kernel, stride=stride, padding=zero_pad, groups=examples)
    return permute_dims(_reshape(found, (*found.shape[:2], examples, outputs)), (2, 0, 1, 3))


def max_pool(x: Tensor, *, field_size: int, stride: int, zero_pad: int) -> Tensor:
    return max_pool2d(x, field_size, stride=stride, padding=zero_pad)


def leaky_relu(x: Tensor, *, alpha: float) -> Tensor:
    return ELEMENTWISE["where"](x > 0.0, x, alpha * x)


def prelu(x: Tensor, alpha: Tensor) -> Tensor:
    return ELEMENTWISE["where"](x > 0.0, x, alpha * x)


def elu(x: Tensor) -> Tensor:
    # Held at 0 where it is not chosen: the exponential of large numbers has no finite gradient.
    return ELEMENTWISE["where"](x >= 0.0, x, ELEMENTWISE["expm1"](ELEMENTWISE["minimum"](x, 0.0)))


def softmax(x: Tensor) -> Tensor:
    return _softmax(x, axis=-1)


def softmax_cross_entropy_cost(x: Tensor, target: Tensor) -> Tensor:
    cost: Tensor = _cross_entropy(*_together(x, target))
    return cost


@custom_gradient
def _cross_entropy(x: Tensor, target: Tensor) -> tuple[Tensor, Callable[..., object]]:
    probabilities = _softmax(x, axis=-1)
    logarithms = ELEMENTWISE["log"](probabilities + EPSILON)

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

    return reduce_sum(ELEMENTWISE["square"](difference)) * (0.5 / size), rule


def argmax(x: Tensor) -> Tensor:
    return STATISTICAL["argmax"](_flat(x), axis=1)


def argmax_equals(x1: Tensor, x2: Tensor) -> Tensor:
    return ELEMENTWISE["equal"](argmax(x1), argmax(x2))
