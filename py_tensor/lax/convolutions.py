"""Convolutions under the names of `jax.lax`.

Operands are turned to the order of `conv2d`: images have their channels last, and kernels their
outputs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..dtypes import described
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import items
from ..functions.convolution import general_convolution
from ..functions.elementwise import astype
from ..functions.manipulation import flip, permute_dims
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike
from .arrays import pad
from .checks import Axes, Padding, checked, integers, per_axis
from .reductions import padding_of

__all__ = [
    "ConvDimensionNumbers",
    "conv",
    "conv_dimension_numbers",
    "conv_general_dilated",
    "conv_transpose",
    "conv_with_general_padding",
]


class ConvDimensionNumbers(NamedTuple):
    """Positions of the axes of a convolution's operands and of its result.

    `lhs_spec` and `out_spec` are (batch, channels, *space), and `rhs_spec` is (outputs, channels,
    *space).

    >>> import py_tensor as pt
    >>> pt.lax.conv_dimension_numbers((1, 8, 8, 3), (3, 3, 3, 4), ("NHWC", "HWIO", "NHWC")).lhs_spec
    (0, 3, 1, 2)
    """

    lhs_spec: tuple[int, ...]
    rhs_spec: tuple[int, ...]
    out_spec: tuple[int, ...]


@checked
def conv_dimension_numbers(
    lhs_shape: Axes, rhs_shape: Axes, dimension_numbers: Any = None
) -> ConvDimensionNumbers:
    """Return the positions of the axes of a convolution.

    Args:
        lhs_shape: Shape of the images.
        rhs_shape: Shape of the kernel.
        dimension_numbers: Orders of the axes of images, kernel and result, for example ("NHWC",
            "HWIO", "NHWC"); None (default) for ("NCHW", "OIHW", "NCHW").

    Raises:
        ArgumentError: If an order does not fit a shape.

    >>> import py_tensor as pt
    >>> pt.lax.conv_dimension_numbers((1, 3, 8), (4, 3, 3)).rhs_spec
    (0, 1, 2)
    """
    operation, name = "conv_dimension_numbers", "dimension_numbers"
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return ConvDimensionNumbers(*[integers(operation, name, n) for n in dimension_numbers])
    rank = len(lhs_shape)
    if dimension_numbers is None:
        return ConvDimensionNumbers(*[tuple(range(rank))] * 3)
    orders = items(operation, name, dimension_numbers)
    lhs, rhs, out = per_axis(operation, name, orders, 3)
    space = [letter for letter in str(lhs) if letter not in "NC"]
    specs = [("NC", lhs), ("OI", rhs), ("NC", out)]
    for first, text in specs:
        letters = sorted(text) if isinstance(text, str) else []
        if letters != sorted([*first, *space]) or not len(letters) == rank == len(rhs_shape):
            raise ArgumentError(
                f"{operation}: order of axes does not fit; got {described(text)} for shapes "
                f"{tuple(lhs_shape)} and {tuple(rhs_shape)}; give one letter for each axis, such "
                'as "NHWC", "HWIO"'
            )
    # The spatial axes of all three come in the kernel's order.
    order = [letter for letter in rhs if letter not in "OI"]
    return ConvDimensionNumbers(
        *[tuple(text.index(letter) for letter in (*first, *order)) for first, text in specs]
    )


@checked
def conv_general_dilated(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Axes,
    padding: Padding,
    lhs_dilation: Axes | None = None,
    rhs_dilation: Axes | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> Tensor:
    """Return a convolution of images with a kernel, without turning the kernel.

    Args:
        lhs: Images with 1 to 3 spatial axes.
        rhs: Kernel.
        window_strides: Step of the kernel along each spatial axis.
        padding: "VALID", "SAME", "SAME_LOWER", or (before, after) for each spatial axis; negative
            numbers cut elements off.
        lhs_dilation: Distance between elements of the images; None (default) for 1. Zeros are put
            between them.
        rhs_dilation: Distance between elements of the kernel; None (default) for 1.
        dimension_numbers: Orders of the axes, see `conv_dimension_numbers`.
        feature_group_count: Number of groups of channels; 1 by default.
        batch_group_count: Must be 1.
        precision: For compatibility; ignored.
        preferred_element_type: Dtype of the result; None (default) for that of the operands.

    Returns:
        Tensor with the axes in the order of `dimension_numbers`.

    Raises:
        ArgumentError: If an order, the padding or `batch_group_count` is not supported.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> x, w = pt.ones((1, 3, 8, 8)), pt.ones((4, 3, 3, 3))
    >>> pt.lax.conv_general_dilated(x, w, (2, 2), "SAME").shape
    (1, 4, 4, 4)
    """
    if batch_group_count != 1:
        raise ArgumentError(
            f"conv_general_dilated: groups of batches are not supported; got {batch_group_count}; "
            "use feature_group_count"
        )
    x, w = as_tensor("conv_general_dilated", lhs), as_tensor("conv_general_dilated", rhs)
    if not 3 <= x.ndim == w.ndim <= 5:
        raise ShapeError(
            f"conv_general_dilated: wrong number of axes; got shapes {x.shape} and {w.shape}; use "
            "images and a kernel with 1 to 3 spatial axes"
        )
    numbers = conv_dimension_numbers(x.shape, w.shape, dimension_numbers)
    batch, channels, *space = numbers.lhs_spec
    x = permute_dims(x, (batch, *space, channels))
    outs, inputs, *space = numbers.rhs_spec
    w = permute_dims(w, (*space, inputs, outs))
    count = x.ndim - 2
    steps, between, dilation = [
        per_axis("conv_general_dilated", name, tuple(values or (1,) * count), count, 1)
        for name, values in {
            "window_strides": window_strides,
            "lhs_dilation": lhs_dilation,
            "rhs_dilation": rhs_dilation,
        }.items()
    ]
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[:count], dilation, strict=True)]
    image = [(n - 1) * d + 1 for n, d in zip(x.shape[1:-1], between, strict=True)]
    pads = padding_of("conv_general_dilated", padding, image, reach, steps)
    inner = [(min(a, 0), min(b, 0), d - 1) for (a, b), d in zip(pads, between, strict=True)]
    x = pad(x, 0, [(0, 0, 0), *inner, (0, 0, 0)])
    outer = [(max(a, 0), max(b, 0)) for a, b in pads]
    result = general_convolution(
        "conv_general_dilated", x, w, count, steps, outer, dilation, feature_group_count
    )
    if preferred_element_type is not None:
        result = astype(result, preferred_element_type, copy=False)
    return _placed(result, numbers.out_spec)


def _placed(x: Tensor, spec: tuple[int, ...]) -> Tensor:
    """Return the result with its axes at the positions of `spec`."""
    first, channels, *space = spec
    order = {first: 0, channels: x.ndim - 1} | {axis: at + 1 for at, axis in enumerate(space)}
    return permute_dims(x, tuple(order[axis] for axis in range(x.ndim)))


@checked
def conv(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Axes,
    padding: str,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> Tensor:
    """Return a convolution of images (N, C, H, W) with a kernel (O, I, H, W).

    Args:
        lhs: Images.
        rhs: Kernel.
        window_strides: Step of the kernel along each spatial axis.
        padding: "VALID" or "SAME".
        precision: For compatibility; ignored.
        preferred_element_type: Dtype of the result; None (default) for that of the operands.

    >>> import py_tensor as pt
    >>> pt.lax.conv(pt.ones((1, 3, 8, 8)), pt.ones((4, 3, 3, 3)), (1, 1), "VALID").shape
    (1, 4, 6, 6)
    """
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, preferred_element_type=preferred_element_type
    )


@checked
def conv_with_general_padding(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Axes,
    padding: Padding,
    lhs_dilation: Axes | None,
    rhs_dilation: Axes | None,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> Tensor:
    """Return a convolution of images (N, C, H, W), see `conv_general_dilated`.

    >>> import py_tensor as pt
    >>> x, w = pt.ones((1, 1, 4, 4)), pt.ones((1, 1, 2, 2))
    >>> pt.lax.conv_with_general_padding(x, w, (1, 1), [(1, 1), (0, 0)], (2, 2), None).shape
    (1, 1, 8, 6)
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        preferred_element_type=preferred_element_type,
    )


@checked
def conv_transpose(
    lhs: ArrayLike,
    rhs: ArrayLike,
    strides: Axes,
    padding: Padding,
    rhs_dilation: Axes | None = None,
    dimension_numbers: Any = None,
    transpose_kernel: bool = False,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> Tensor:
    """Return a transposed convolution: a convolution with zeros between the elements of images.

    Args:
        lhs: Images with 1 to 3 spatial axes.
        rhs: Kernel.
        strides: Factor by which each spatial axis grows.
        padding: "VALID", "SAME", or (before, after) for each spatial axis.
        rhs_dilation: Distance between elements of the kernel; None (default) for 1.
        dimension_numbers: Orders of the axes, by default ("NHWC", "HWIO", "NHWC") or the same for
            other numbers of axes.
        transpose_kernel: If True, the kernel is turned, and its channels and outputs are swapped,
            as in a gradient; False by default.
        precision: For compatibility; ignored.
        preferred_element_type: Dtype of the result; None (default) for that of the operands.

    >>> import py_tensor as pt
    >>> pt.lax.conv_transpose(pt.ones((1, 4, 4, 3)), pt.ones((3, 3, 3, 8)), (2, 2), "SAME").shape
    (1, 8, 8, 8)
    """
    x, w = as_tensor("conv_transpose", lhs), as_tensor("conv_transpose", rhs)
    if dimension_numbers is None:
        space = "DHW"[5 - x.ndim :]
        dimension_numbers = (f"N{space}C", f"{space}IO", f"N{space}C")
    numbers = conv_dimension_numbers(x.shape, w.shape, dimension_numbers)
    outs, channels, *axes = numbers.rhs_spec
    dilation = tuple(rhs_dilation or (1,) * len(axes))
    per_axis("conv_transpose", "rhs_dilation", dilation, len(axes))
    per_axis("conv_transpose", "strides", strides, len(axes))
    reach = [(w.shape[axis] - 1) * d + 1 for axis, d in zip(axes, dilation, strict=True)]
    if isinstance(padding, str):
        padding = [
            _transposed_padding(k, step, padding.upper() == "SAME")
            for k, step in zip(reach, strides, strict=True)
        ]
    if transpose_kernel:
        w = flip(w, axis=tuple(axes))
        numbers = numbers._replace(rhs_spec=(channels, outs, *axes))
    return conv_general_dilated(
        x,
        w,
        (1,) * len(axes),
        padding,
        tuple(strides),
        dilation,
        numbers,
        preferred_element_type=preferred_element_type,
    )


def _transposed_padding(size: int, stride: int, same: bool) -> tuple[int, int]:
    total = size + stride - 2 if same else size + stride - 2 + max(size - stride, 0)
    before = (size - 1 if stride > size - 1 else -(-total // 2)) if same else size - 1
    return before, total - before
