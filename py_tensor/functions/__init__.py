"""The public functions, one module per chapter of the array API standard; most are also methods.

Input: tensors, array-likes and Python numbers. Output: lazy tensors. `elementwise` has a function
for each op of that kind. The other chapters build functions with axes, shapes or several steps.
`methods` binds the methods and operators of `Tensor`. Read `decorators`, `elementwise`,
`statistical` and `manipulation` first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..late import NAMES, lazy_names
from .methods import bind_methods

if TYPE_CHECKING:
    from .complex_numbers import *
    from .conversion import *
    from .convolution import *
    from .creation import *
    from .data_types import *
    from .einstein_sums import *
    from .elementwise import *
    from .indexing import *
    from .joining import *
    from .linear_algebra import *
    from .manipulation import *
    from .nan_statistics import *
    from .neural import *
    from .order_statistics import *
    from .precision import *
    from .searching import *
    from .segments import *
    from .sets import *
    from .sorting import *
    from .statistical import *
    from .utility import *
else:
    # Gradient rules get this package, and `apply` besides its functions.
    from ..tensor import apply as apply

    __getattr__ = lazy_names(__name__, "functions.")

CHAPTERS = tuple(
    module.removeprefix("functions.")
    for module in NAMES
    if module.startswith("functions.")
    and module not in ("functions.inspection", "functions.precision")
)
"""Names of the modules whose functions `py_tensor` exports."""

bind_methods()
