"""Modules that are imported when they are first used, and the public names of each module.

`py_tensor`, `functions` and `numpy_functions` look their names up in `NAMES`. A module is imported
when one of its names is first used, so that the first import is fast.

Compiling the modules from source takes most of the time of the first import in a page. Modules that
a first computation does not need are therefore named by a `LateModule`; type checkers see the
module itself:

    if TYPE_CHECKING:
        from . import statistical
    else:
        statistical = LateModule("functions.statistical")
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

REASONS = {
    # Modules that may be missing, and those that import them.
    "kernels.jax_execution": "imports JAX",
    "runtime.backends.jax": "imports JAX",
    "runtime.backends.numpy": "imports NumPy",
    "runtime.backends.wasm": "needs a page, or another engine for WebAssembly",
    "runtime.backends.webgl": "needs a page",
    "runtime.backends.webgpu": "needs a page",
    # Modules that a first computation does not need.
    "functions.arguments": "arguments other than operands",
    "functions.complex_numbers": "methods of Tensor",
    "functions.conversion": "dtypes that are called, such as `float32(3)`",
    "functions.convolution": "methods of Tensor",
    "functions.copies": "`copy` and `pickle`",
    "functions.foreign_names": "errors for missing attributes",
    "functions.indexing": "methods of Tensor",
    "functions.inspection": "`__array_namespace__`",
    "functions.interchange": "methods of Tensor",
    "functions.joining": "methods of Tensor, and tensors in lists",
    "functions.linear_algebra": "methods of Tensor",
    "functions.manipulation": "methods of Tensor",
    "functions.neural": "methods of Tensor",
    "functions.parts": "assignment to parts of tensors",
    "functions.searching": "methods of Tensor",
    "functions.segments": "methods of Tensor",
    "functions.sorting": "methods of Tensor",
    "functions.statistical": "methods of Tensor",
    "language.arrays": "special functions on NumPy",
    "ops.complex_rules": "rules of complex operands",
    "ops.index_map": "positions in error messages",
    "ops.special_functions": "references and gradients of special functions",
    "kernels.native": "kernels that write, on backends with atomic operations",
    "runtime.array_format": "`repr` and `str`",
    "runtime.backends.python": "used if there is neither WebGL2 nor NumPy",
    "runtime.host_eval": "reads of tiny values",
    # Modules of later packages, which use the names that they complete.
    "display.html": "Tensor's methods for notebooks",
    "numpy_functions.generator": "NumPy's names in `random`",
    "numpy_functions.grids": "NumPy's methods of Tensor",
    "numpy_functions.key_draws": "random numbers with a key first, as in JAX",
    "numpy_functions.memory": "NumPy's methods of Tensor",
    "numpy_functions.outputs": "NumPy's arguments `out` and `where` of functions",
    "numpy_functions.products": "NumPy's methods of Tensor",
    "numpy_functions.selection": "NumPy's methods of Tensor",
    "numpy_functions.shapes": "NumPy's methods of Tensor",
    "numpy_functions.statistics": "NumPy's methods of Tensor",
    "numpy_functions.ufunc_methods": "NumPy's methods of functions, such as `add.reduce`",
}
"""Reason for each module that is imported late, by its name in the package."""
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
        poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots vander""",
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
    "nn.quantization": "dequantize quantize",
    "transforms.autodiff": """
        checkpoint checkpoint_name custom_gradient grad jvp remat stop_gradient
        value_and_grad vjp""",
    "transforms.custom_rules": "custom_jvp custom_vjp",
    "transforms.jacobians": "eval_shape hessian jacfwd jacobian jacrev linearize",
    "transforms.jaxpr": "make_jaxpr",
    "transforms.jit.api": "jit",
    "transforms.jit.precompile": "ShapeDtype warmup",
    "transforms.placement": """
        block_until_ready default_backend device_count device_get device_put devices
        local_device_count local_devices""",
    "transforms.trees": "ravel_pytree tree_map_with_path tree_reduce",
    "transforms.vmap": "vmap",
}
"""Public names by module, separated by spaces. Type checkers read them from the modules."""
HOMES = {name: module for module, names in NAMES.items() for name in names.split()}
"""Module of each name."""


def imported(name: str) -> ModuleType | None:
    """Return a module if the program has imported it; else None."""
    return sys.modules.get(name)


class Companion:
    """Finder that imports a module of the package after a module of another library.

    So einops, whose backends are classes of its own, knows tensors without a line in the program.
    """

    def __init__(self, foreign: str, name: str) -> None:
        self.foreign, self.name = foreign, name
        if foreign in sys.modules:
            import_module(name)
        else:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return None for other modules; find that of the library, and watch its execution."""
        if name != self.foreign:
            return None
        from importlib.machinery import PathFinder

        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                import_module(self.name)

            loader.exec_module = exec_module
        return spec


class LateFunction:
    """Function of a module that is imported by the first call.

    As an attribute of classes it is a method. The first use replaces it by the function.
    """

    def __init__(self, module: LateModule, name: str) -> None:
        self.module = module
        self.__name__ = name
        self.attributes: list[tuple[type, str]] = []

    @property
    def function(self) -> Any:
        return getattr(self.module.loaded, self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __set_name__(self, owner: type, name: str) -> None:
        self.attributes.append((owner, name))

    def __get__(self, instance: Any, kind: type) -> Any:
        for owner, name in self.attributes:
            setattr(owner, name, self.function)
        return self.function.__get__(instance, kind)


class LateModule:
    """Module of the package, of the table `REASONS`, that is imported when it is first used."""

    def __init__(self, name: str) -> None:
        assert name in REASONS, name
        self.__name__ = f"{__name__.partition('.')[0]}.{name}"

    @cached_property
    def loaded(self) -> Any:
        return import_module(self.__name__)

    def __getattr__(self, name: str) -> LateFunction:
        function = LateFunction(self, name)
        setattr(self, name, function)
        return function


def namespace() -> ModuleType:
    """Return the package `py_tensor`, which has the public names."""
    return sys.modules[__name__.partition(".")[0]]


def lazy_names(
    package: str, prefix: str = "", homes: Mapping[str, str] = HOMES
) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, which imports the module of a name.

    The package has the names in `homes` whose module's path starts with `prefix`. A name is looked
    up once and is an attribute of the package from then on.
    """
    root = namespace().__name__

    def get(name: str) -> Any:
        home = homes.get(name, "")
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
