"""Functions that begin a plot with its first series."""

from __future__ import annotations

from typing import Any

from .figure import Plot
from .samples import Range


def line(x: Any, y: Any = None, *, label: str = "", **options: Any) -> Plot:
    """Plot a line.

    Lines of more than 1,200 points are reduced on the device: the least and the greatest value of
    each of 500 parts are drawn. NaN, infinite values and None are gaps.

    Args:
        x: Vector of positions; the values if `y` is None.
        y: Vector of values; None (default) for `x` as values at 0, 1, 2, ...
        label: Text in the legend; "" (default) for none.
        options: Arguments of `Plot`: `title`, `x_label`, `y_label`, `log`, `width` and `height`.

    Returns:
        `Plot`, to which its methods add further series.

    Raises:
        ShapeError: If the arguments are no vectors of the same length.
        DTypeError: If they are complex.
        TraceError: If they are tracers inside `jit`.

    >>> import py_tensor as pt
    >>> pt.plot.line([3.0, 1.0, 2.0], label="loss", title="Training")
    Training
    loss  █▁▅  1 to 3
    """
    return Plot(**options).line(x, y, label=label)


def scatter(x: Any, y: Any, *, label: str = "", **options: Any) -> Plot:
    """Plot points.

    If there are more than 3,000 points, the points in cells of the plot are counted on the device,
    and the number is shown as opacity.

    Args:
        x: Vector of horizontal positions.
        y: Vector of vertical positions.
        label: Text in the legend; "" (default) for none.
        options: Arguments of `Plot`: `title`, `x_label`, `y_label`, `log`, `width` and `height`.

    Returns:
        `Plot`, to which its methods add further series.

    Raises:
        ShapeError: If the arguments are no vectors of the same length.
        DTypeError: If they are complex.
        TraceError: If they are tracers inside `jit`.

    >>> import py_tensor as pt
    >>> pt.plot.scatter([1.0, 2.0], [2.0, 1.0], label="pairs")
    pairs  █▁  1 to 2
    """
    return Plot(**options).scatter(x, y, label=label)


def histogram(
    x: Any, bins: Any = 40, *, range: Range | None = None, label: str = "", **options: Any
) -> Plot:
    """Plot a histogram, whose elements are counted on the device.

    Args:
        x: Tensor of any shape.
        bins: Number of bins of equal width (default 40), or a sorted vector of their limits.
        range: Pair (low, high) that the bins cover; None (default) for all finite values.
        label: Text in the legend; "" (default) for none.
        options: Arguments of `Plot`: `title`, `x_label`, `y_label`, `log`, `width` and `height`.

    Returns:
        `Plot`, to which its methods add further series.

    Raises:
        ArgumentError: If there is no finite value, or `bins` is not between 1 and 2000.
        DTypeError: If x is complex.
        TraceError: If x is a tracer inside `jit`.

    >>> import py_tensor as pt
    >>> pt.plot.histogram([1.0, 2.0, 2.0, 4.0], 3, label="counts")
    counts  ▁█▁  1 to 2
    """
    return Plot(**options).histogram(x, bins, range=range, label=label)


def image(x: Any, *, range: Range | None = None, **options: Any) -> Plot:
    """Plot an image on axes. A matrix gets colors, and a scale that explains them.

    Sides of more than 512 pixels are reduced on the device to the means of blocks.

    Args:
        x: Matrix of numbers, or a picture of shape (height, width, 3 or 4) as for `draw`.
        range: Pair of the values with the first and the last color; None (default) for the least
            and the greatest value.
        options: Arguments of `Plot`: `title`, `x_label`, `y_label`, `width` and `height`.

    Returns:
        `Plot`, to which its methods add further series.

    Raises:
        ShapeError: If x has another shape.
        TraceError: If x is a tracer inside `jit`.

    >>> import py_tensor as pt
    >>> pt.plot.image(pt.eye(8), title="Identity")
    Identity
    image of 8 x 8, 0 to 1
    """
    return Plot(**options).image(x, range=range)
