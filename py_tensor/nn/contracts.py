"""Paragraphs that docstrings of convolution and pooling share, for any number of axes.

Input: a template and a number of axes. Output: a contract for `documented`.
"""

from __future__ import annotations

import re
from textwrap import fill

_AXES = ("depth", "height", "width")
_LEARNED = """
Args:
    inputs: Number of input channels.
    outputs: Number of output channels.
    size: Length of the kernel in elements; {size}.
    dilation: Distance between the elements of a window; {size}; default 1.
    output_padding: Elements added at the end of each axis; not with "same"; default 0.
    groups: Number of groups of channels that are convolved separately; default 1.
    bias: Add a bias of shape (outputs,); default True.
    weight_init: Initializer of the kernel; default `initializers.glorot_uniform`.
    bias_init: Initializer of the bias; default `initializers.zeros`.
    dtype: Dtype of the parameters, float32 (default) or float16.

Raises:
    ArgumentError: If an option is out of range.
"""
_WINDOWS = """
Args:
    stride: Step of the windows in elements; {size}; default 1.
    padding: "valid" (default) for none, "same" for zeros that keep the length at stride 1, a
        number, or {ends}.
"""
_GROUPS = """
Raises:
    ShapeError: If `groups` does not divide `inputs` and `outputs`; in a call, if shapes do not fit.
"""
CONVOLUTION = (
    _WINDOWS,
    """
Args:
    x: Tensor of shape {shape}, and a numeric dtype.
    dilation: Distance between the elements of a window; {size}; default 1.
    groups: Number of groups of channels that are convolved separately; default 1.
    data_format: "NHWC" (default) for channels last, "NCHW" for channels before the height, in
        `x` and in the result. The kernel has the same shape for both.

Raises:
    ArgumentError: If an option is out of range.
    DTypeError: If a dtype is not numeric.
    ShapeError: If the shapes or groups do not fit.
""",
)
TRANSPOSED = (
    """
Args:
    stride: Distance in the result between neighbours in `x`; {size}; default 1.
    padding: Padding of the `conv{count}d`, which is cut off here: "valid" (default), "same", a
        number, or {ends}.
    output_padding: Elements added at the end of each axis; not with "same"; default 0.
    dilation: Distance between the elements of the kernel; {size}; default 1.
""",
    *CONVOLUTION,
)
CONVOLUTION_LAYER = (_WINDOWS, _GROUPS, _LEARNED)
TRANSPOSED_LAYER = (
    """
Args:
    stride: Distance in the result between neighbours in the input; {size}; default 1.
    padding: Elements cut off at the ends: "valid" (default) for none, "same" for a result of
        width * stride, a number, or {ends}.
""",
    _GROUPS,
    _LEARNED,
)
CHANNELWISE_LAYER = (
    _WINDOWS,
    """
Raises:
    ShapeError: In a call, if the shape does not fit.
""",
    _LEARNED,
)
_POOLED = """
Args:
    x: Tensor of shape {shape}, and a {dtype} dtype.
    size: Length of the windows in elements; {size}.
    stride: Step of the windows in elements; {size}; None (default) for the size.
    padding: "valid" (default) for none, "same" to keep the length at stride 1, a number, or
        {ends}.{padded}
    dilation: Distance between the elements of a window; {size}; default 1.
    count_include_pad: Count padding as zeros in the mean; by default the mean is over the elements
        of `x` alone, and NaN if a window has none.

Raises:
    ArgumentError: If an option is out of range.
"""
POOLING = (
    """
Raises:
    DTypeError: If the dtype is not {dtype}.
    ShapeError: If the shape does not fit, or a window is larger than the padded axis.
""",
    _POOLED,
)
POOLING_LAYER = (
    """
Raises:
    ShapeError: In a call, if the shape does not fit, or a window is larger than the padded axis.
""",
    _POOLED,
)
ADAPTIVE = (
    """
Args:
    x: Tensor of shape {shape}, and a {dtype} dtype.
    parts: Number of parts, 1 or more; {size}.

Returns:
    Tensor of the dtype of `x` and of its shape, with {lengths} `parts`.

Raises:
    ArgumentError: If `parts` is below 1.
    DTypeError: If the dtype is not {dtype}.
    ShapeError: If `x` has another number of axes, or an axis to pool is empty.
""",
)
ADAPTIVE_LAYER = (
    """
Args:
    out: Number of parts, 1 or more; {size}.

Raises:
    ArgumentError: If `out` is below 1.
    ShapeError: In a call, if the input has another number of axes, or an axis to pool is empty.
""",
)


def contract(
    templates: tuple[str, ...], count: int, dtype: str = "numeric", padded: str = ""
) -> list[str]:
    """Return the contracts for windows along so many axes; `padded` says what padding counts."""
    axes = ", ".join(_AXES[-count:])
    values = {
        "count": count,
        "dtype": dtype,
        "padded": padded and f" {padded}",
        "size": f"a number, or ({axes})" if count > 1 else "a number",
        "shape": f"(batch, {axes}, channels) or ({axes}, channels)",
        "ends": "(before, after) for each axis" if count > 1 else "(before, after)",
        "lengths": "lengths" if count > 1 else "length",
    }
    return [re.sub(_ENTRY, _filled, text.format(**values)) for text in templates]


_ENTRY = re.compile(r"^    \S.*(?:\n {8}.*)*", re.MULTILINE)


def _filled(entry: re.Match[str]) -> str:
    text = " ".join(entry[0].split())
    return fill(text, 92, initial_indent=" " * 4, subsequent_indent=" " * 8)
