"""Public names of `py_tensor`, by the module that defines them.

`py_tensor`, `functions` and `numpy_functions` look their names up here. A module is imported when
one of its names is first used, so that the first import is fast.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

NAMES = {
    "dtypes": "bool_ complex64 float16 float32 int8 int16 int32 uint8 uint16 uint32",
    "runtime.executor": "enable_x64 get_backend ready register_backend set_backend",
    "tensor": "Tensor realize",
    "ir.pytree": "tree_flatten tree_leaves tree_map tree_unflatten",
    "functions.conversion": "asarray copy from_dlpack",
    "functions.creation": """
        arange empty empty_like eye full full_like linspace meshgrid ones ones_like tril
        triu zeros zeros_like""",
    "functions.data_types": "can_cast finfo iinfo isdtype promote_types result_type",
    "functions.elementwise": """
        abs acos acosh add asin asinh astype atan atan2 atanh betainc bitwise_and
        bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor ceil
        clip conj copysign cos cosh digamma divide equal erf erfc erfinv exp expm1 floor
        floor_divide greater greater_equal hypot i0 isfinite isinf isnan less less_equal
        lgamma log log1p log2 log10 logaddexp logical_and logical_not logical_or
        logical_xor maximum minimum multiply negative nextafter not_equal positive pow
        reciprocal relu remainder round rsqrt sigmoid sign signbit sin sinh sqrt square
        subtract tan tanh trunc""",
    "functions.complex_numbers": "angle complex imag iscomplex isreal real",
    "functions.statistical": """
        all amax amin any argmax argmin cumulative_prod cumulative_sum max mean min prod
        std sum var""",
    "functions.nan_statistics": """
        nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nanvar""",
    "functions.order_statistics": "bincount histogram median nanmedian nanquantile quantile",
    "functions.manipulation": """
        broadcast_arrays broadcast_shapes broadcast_to expand_dims flatten flip
        matrix_transpose moveaxis pad permute_dims reshape squeeze transpose""",
    "functions.joining": "concat concatenate repeat roll stack tile unstack",
    "functions.indexing": "take take_along_axis",
    "functions.searching": "count_nonzero nonzero searchsorted where",
    "functions.segments": "segment_max segment_mean segment_min segment_prod segment_sum",
    "functions.sorting": "argsort sort topk",
    "functions.sets": "isin unique_all unique_counts unique_inverse unique_values",
    "functions.utility": "diff divide_no_nan interp trapezoid",
    "functions.linear_algebra": "cov kron matmul tensordot vecdot",
    "functions.einstein_sums": "contraction_path einsum",
    "functions.neural": "avg_pool2d max_pool2d softmax",
    "functions.convolution": "conv2d conv2d_transpose",
    "functions.inspection": "__array_api_version__ __array_namespace_info__",
    "functions.precision": "autocast",
    "diagnostics.debug": "enable_debug_mode enable_production_mode",
    "diagnostics.env": "env",
    "diagnostics.explain": "explain",
    "diagnostics.leaks": "MemoryTrace assert_no_leaks memory_trace",
    "diagnostics.memory": "CacheInfo Memory cache_info dispose keep memory tidy",
    "diagnostics.profile": "Profile Timing profile time",
    "display.api": "show",
    "display.bars": "progress",
    "images": "Frame draw frames from_pixels next_frame to_pixels",
    "kernels.api": "kernel",
    "kernels.hand_written": "glsl_kernel",
    "kernels.workgroups": "barrier local_index shared",
    "numpy_functions.arithmetic": """
        allclose array_equal array_equiv bitwise_count cbrt deg2rad degrees divmod exp2
        fabs float_power fmax fmin fmod frexp gcd heaviside isclose iscomplexobj isneginf
        isposinf isrealobj isscalar iterable lcm ldexp logaddexp2 modf nan_to_num packbits
        rad2deg radians real_if_close rint sinc spacing unpackbits""",
    "numpy_functions.files": """
        fromfile genfromtxt load loadtxt save savetxt savez savez_compressed""",
    "numpy_functions.grids": """
        asarray_chkfinite c_ diag diag_indices diag_indices_from diagflat diagonal
        frombuffer fromfunction fromiter fromstring geomspace identity index_exp indices
        ix_ logspace mask_indices mgrid ndenumerate ndindex ogrid r_ ravel_multi_index
        require s_ trace tri tril_indices tril_indices_from triu_indices triu_indices_from
        unravel_index""",
    "numpy_functions.kinds": """
        common_type complexfloating floating generic inexact integer issubdtype
        min_scalar_type number signedinteger unsignedinteger""",
    "numpy_functions.polynomials": """
        poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots vander""",
    "numpy_functions.products": "cross dot einsum_path inner matvec outer vdot vecmat",
    "numpy_functions.selection": """
        argpartition argwhere choose compress copyto digitize extract fill_diagonal
        flatnonzero lexsort partition piecewise place put put_along_axis putmask select
        sort_complex vectorize""",
    "numpy_functions.set_operations": "intersect1d setdiff1d setxor1d union1d unique",
    "numpy_functions.settings": "errstate geterr may_share_memory seterr shares_memory",
    "numpy_functions.shapes": """
        append apply_along_axis apply_over_axes array array_split atleast_1d atleast_2d
        atleast_3d block column_stack delete dsplit dstack fliplr flipud hsplit hstack
        insert ndim ravel resize rollaxis rot90 shape size split swapaxes vsplit vstack""",
    "numpy_functions.signals": """
        bartlett blackman convolve correlate ediff1d gradient hamming hanning kaiser
        trim_zeros unwrap""",
    "numpy_functions.statistics": """
        average corrcoef cumprod cumsum histogram2d histogram_bin_edges histogramdd
        nancumprod nancumsum nanpercentile percentile ptp""",
    "numpy_functions.text": """
        array2string array_repr array_str base_repr binary_repr format_float_positional
        format_float_scientific get_printoptions printoptions set_printoptions""",
    "transforms.autodiff": "checkpoint custom_gradient grad jvp stop_gradient value_and_grad vjp",
    "transforms.jacobians": "custom_jvp eval_shape hessian jacfwd jacrev linearize",
    "transforms.jit.api": "jit",
    "transforms.jit.precompile": "ShapeDtype warmup",
    "transforms.trees": "ravel_pytree tree_map_with_path tree_reduce",
    "transforms.vmap": "vmap",
}
"""Names by module of the package, separated by spaces. Type checkers read them from the modules."""
HOMES = {name: module for module, names in NAMES.items() for name in names.split()}
"""Module of each name."""


def namespace() -> ModuleType:
    """Return the package `py_tensor`, which has the public names."""
    return sys.modules[__name__.partition(".")[0]]


def lazy_names(package: str, prefix: str = "") -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, which imports the module of a public name.

    The package has the names of those modules whose path starts with `prefix`. A name is looked up
    once and is an attribute of the package from then on.
    """
    root = namespace().__name__

    def get(name: str) -> Any:
        home = HOMES.get(name, "")
        if not home or not home.startswith(prefix):
            raise AttributeError(f"module '{package}' has no attribute {name!r}")
        value = getattr(import_module(f"{root}.{home}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get


def import_names(package: str, names: dict[str, str]) -> list[str]:
    """Import a package's modules, set their public names as its attributes, and return these names.

    `names` has the names by module, separated by spaces. Some functions have the name of their
    module, so all modules are imported before names are bound.
    """
    modules = {path: import_module(f".{path}", package) for path in names}
    values = {name: getattr(modules[path], name) for path in names for name in names[path].split()}
    vars(sys.modules[package]).update(values)
    return sorted(values)


def merged_tables(package: str, table: str, names: str) -> dict[str, Any]:
    """Merge the tables of one name that modules of a package have; `names` are the modules."""
    merged: dict[str, Any] = {}
    for name in names.split():
        merged |= getattr(import_module(f".{name}", package), table)
    return merged
