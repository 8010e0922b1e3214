"""Functions of NumPy's main namespace that the array API standard lacks.

A program written for NumPy runs with `import py_tensor as np`; docs/from_numpy.md lists what
differs. The modules are written with the public functions of `py_tensor`. They are imported when
one of their names is first used:

    arithmetic      elementwise functions, comparisons with tolerances
    shapes          joining, splitting, turning and editing arrays
    grids           diagonals, triangles, indices, arrays from functions and buffers
    selection       finding, choosing and replacing elements, partial sorts
    statistics      averages, percentiles, correlations, running totals, histograms
    set_operations  distinct elements and sets
    products        products of vectors and matrices
    signals         convolution, differences, windows
    polynomials     polynomials as vectors of coefficients
    kinds           NumPy's hierarchy of dtypes
    text            numbers and arrays as text
    files           .npy, .npz and text files
    settings        settings without effect
    distributions   distributions of random numbers
    generator       random generators, for `pt.random`
"""

from typing import TYPE_CHECKING

from ..late import lazy_names

if TYPE_CHECKING:
    from .arithmetic import *
    from .files import *
    from .grids import *
    from .kinds import *
    from .polynomials import *
    from .products import *
    from .selection import *
    from .set_operations import *
    from .settings import *
    from .shapes import *
    from .signals import *
    from .statistics import *
    from .text import *
else:
    __getattr__ = lazy_names(__name__, "numpy_functions.")
