"""Control flow and array functions under the names of `jax.lax`.

A submodule keeps these names apart from the array functions: `map` is a builtin of Python, and
`pt.linalg.cond` is a condition number. Programs that call `jax.lax.scan` call `pt.lax.scan`. Unlike
JAX's, these functions promote dtypes and broadcast shapes.

>>> import py_tensor as pt
>>> pt.lax.fori_loop(0, 10, lambda i, total: total + i, 0).item()
45
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..late import import_names

if TYPE_CHECKING:
    from ..transforms.autodiff import stop_gradient as stop_gradient
    from ..transforms.control_flow import (
        associative_scan as associative_scan,
        cond as cond,
        fori_loop as fori_loop,
        map as map,
        scan as scan,
        switch as switch,
        while_loop as while_loop,
    )
    from .arrays import *
    from .convolutions import *
    from .elementwise import *
    from .reductions import *
    from .slices import *

_NAMES = {
    ".transforms.autodiff": "stop_gradient",
    ".transforms.control_flow": """
        associative_scan cond fori_loop map scan switch while_loop""",
    ".functions.complex_numbers": "complex imag real",
    ".functions.elementwise": """
        abs acos acosh add asin asinh atan atan2 atanh betainc bitwise_and bitwise_or
        bitwise_xor ceil conj cos cosh digamma erf erfc exp expm1 floor lgamma log log1p
        nextafter pow rsqrt sign sin sinh sqrt square tan tanh reciprocal""",
    ".functions.manipulation": "broadcast_shapes expand_dims squeeze",
    ".numpy_functions.arithmetic": "cbrt exp2",
    "elementwise": """
        bitcast_convert_type bitwise_not clamp convert_element_type div eq erf_inv ge gt
        integer_pow is_finite le logistic lt max min mul ne neg population_count rem round
        select select_n shift_left shift_right_arithmetic shift_right_logical sub""",
    "arrays": """
        argmax argmin batch_matmul broadcast broadcast_in_dim broadcasted_iota collapse
        concatenate dot dot_general full full_like iota pad reshape rev sort sort_key_val
        split top_k transpose""",
    "slices": """
        dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim
        dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim
        index_in_dim index_take slice slice_in_dim""",
    "reductions": """
        cumlogsumexp cummax cummin cumprod cumsum padtype_to_pads reduce reduce_and
        reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_window""",
    "convolutions": """
        ConvDimensionNumbers conv conv_dimension_numbers conv_general_dilated
        conv_transpose conv_with_general_padding""",
}
__all__ = import_names(__name__, _NAMES)
