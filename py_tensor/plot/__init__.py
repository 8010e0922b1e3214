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
"""

from .api import histogram, image, line, scatter
from .figure import Plot

__all__ = ["Plot", "histogram", "image", "line", "scatter"]
