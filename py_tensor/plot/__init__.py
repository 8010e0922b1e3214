"""Plots as SVG: lines, points, histograms and images.

Input: tensors, NumPy arrays or lists. Output: `Plot`, which notebooks and `pt.show` show. The text
of a plot contains no script and no style, so that pages with a strict policy show it, too.

    samples   large data, reduced on the device before they are read
    scales    from values to pixels; ticks
    content   what a plot shows
    drawing   SVG
    figure    `Plot`
    api       functions that begin a plot

>>> import py_tensor as pt
>>> plot = pt.plot.line([3.0, 1.0, 2.0], label="loss", title="Training")
>>> plot
Training
loss  █▁▅  1 to 3

The module can be called, which plots a line.

>>> pt.plot([0.0, 1.0, 4.0], [3.0, 1.0, 2.0], label="loss")
loss  █▁▅  1 to 3
"""

import sys
from types import ModuleType

from .api import histogram, image, line, scatter
from .figure import Plot

__all__ = ["Plot", "histogram", "image", "line", "scatter"]


class _PlotModule(ModuleType):
    """Module that can be called: `pt.plot(x, y)` is `pt.plot.line(x, y)`."""

    __call__ = staticmethod(line)


sys.modules[__name__].__class__ = _PlotModule
