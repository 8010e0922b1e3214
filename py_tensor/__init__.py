"""py_tensor: tensors for Python in web pages, computed on WebGL2; on CPython, with NumPy.

The packages and modules, in data-flow order; imports point from later to earlier ones:

    errors       error classes
    settings     values that `pt.env` shows and changes
    signatures   parameters of functions
    late         the modules that are imported when they are first used, and why; public names
    dtypes       data types and their promotion
    typing       types for annotations of arguments
    ops          op definitions: one per operation, with shader text, reference and gradient
    ir           nodes of pending work, graphs and their keys, trees of containers, tracers
    compiler     from a graph to a plan: lowering, fusion, GLSL, slots
    runtime      the plan cache, host evaluation, scopes; all backends
    tensor       Tensor, the handle that users hold
    functions    the public functions, one module per chapter of the array API standard
    diagnostics  memory counts, leaks, times and profiles, explain, debug mode, `env`
    images       images and canvases of the page
    display      `show` and `progress`; tensors as HTML
    plot         plots as SVG
    random       random numbers
    transforms   grad, vjp, jvp, checkpoint, jit, warmup
    kernels      kernel: Python functions that become shaders
    tree         trees of containers under the names of jax.tree; tree_util has jax.tree_util's
    lib          `stride_tricks`, as in NumPy
    sharding     tensors on several devices, through JAX
    linalg       linear algebra
    data         datasets
    io           safetensors files, downloads, browser storage
    ragged       rows of different lengths
    sparse       tensors that are mostly zero
    nn           layers, losses and models
    vision       images before a model, and what it found after; image has tf.image's names
    optim        optimizers and learning rate schedules
    train        training loops, metrics and callbacks
    graph        the Graph and Session API of deeplearn.js
    fft          Fourier transforms
    signal       frames and windows of signals
    audio        spectrograms, cepstral coefficients and resampling of sounds
    numpy_functions  functions of NumPy that the array API standard lacks
    debug        values of traced functions, under the names of jax.debug
    checkpoint_policies, ad_checkpoint, test_util  the same names in JAX
    lax          control flow and array functions under the names of jax.lax
    scipy        functions under the names of jax.scipy
    example_libraries  JAX's small libraries for layers and optimizers
    numpy        NumPy's namespace, for `import py_tensor.numpy as np`
    einops_backend  registers tensors with einops
    models       models of other libraries: ONNX
    onnx         models under the names of onnxruntime
    torch        PyTorch's names, for programs that were written for it
    text         texts as tokens of models

What a first computation does not need is imported when it is first used, see `late`.

>>> import py_tensor as pt
>>> x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
>>> (x @ x + 1).tolist()
[[8.0, 11.0], [16.0, 23.0]]
"""

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any as _Any

from . import errors as errors, late as _late, typing as typing
from .dtypes import (
    bool_ as bool_,
    complex64 as complex64,
    float16 as float16,
    float32 as float32,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
)
from .functions import conversion as _conversion, elementwise as _elementwise
from .settings import page_query as _page_query
from .tensor import Tensor as Tensor, realize as realize

if TYPE_CHECKING:
    # First, since names that the chapters import themselves, such as `io`, are among these.
    from .functions import *
    from .nn.quantization import dequantize as dequantize, quantize as quantize
    from .numpy_functions import *

if TYPE_CHECKING:
    __version__: str

    from . import (
        ad_checkpoint as ad_checkpoint,
        audio as audio,
        checkpoint_policies as checkpoint_policies,
        data as data,
        debug as debug,
        example_libraries as example_libraries,
        fft as fft,
        graph as graph,
        image as image,
        io as io,
        kernels as kernels,
        lax as lax,
        lib as lib,
        linalg as linalg,
        models as models,
        nn as nn,
        numpy as numpy,
        onnx as onnx,
        optim as optim,
        plot as plot,
        ragged as ragged,
        random as random,
        scipy as scipy,
        sharding as sharding,
        signal as signal,
        sparse as sparse,
        test_util as test_util,
        text as text,
        train as train,
        tree as tree,
        tree_util as tree_util,
        vision as vision,
    )
    from .diagnostics.debug import *
    from .diagnostics.env import env as env
    from .diagnostics.explain import explain as explain
    from .diagnostics.leaks import *
    from .diagnostics.memory import *
    from .diagnostics.profile import *
    from .display.api import show as show
    from .display.bars import progress as progress

    # Star imports leave out names that begin with an underscore.
    from .functions.inspection import (
        __array_api_version__ as __array_api_version__,
        __array_namespace_info__ as __array_namespace_info__,
    )
    from .images import *
    from .ir.pytree import *
    from .kernels.api import kernel as kernel
    from .kernels.hand_written import glsl_kernel as glsl_kernel
    from .kernels.workgroups import barrier as barrier, local_index as local_index, shared as shared
    from .runtime.executor import *
    from .transforms.autodiff import *
    from .transforms.custom_rules import *
    from .transforms.jacobians import *
    from .transforms.jaxpr import make_jaxpr as make_jaxpr
    from .transforms.jit.api import jit as jit
    from .transforms.jit.precompile import ShapeDtype as ShapeDtype, warmup as warmup
    from .transforms.placement import *
    from .transforms.trees import *
    from .transforms.vmap import vmap as vmap
else:
    for _module in (_conversion, _elementwise):
        for _name in _late.NAMES[_module.__name__.partition(".")[2]].split():
            globals()[_name] = getattr(_module, _name)

e = 2.718281828459045
"""Euler's number, the base of natural logarithms; a Python float."""
inf = float("inf")
"""Positive infinity; a Python float."""
nan = float("nan")
"""Not a number, which is unequal to every number including itself; a Python float."""
newaxis = None
"""As an index, a new axis of length 1: `x[:, pt.newaxis]`."""
pi = 3.141592653589793
"""Ratio of a circle's circumference to its diameter; a Python float."""
euler_gamma = 0.5772156649015329
"""Euler's constant, the limit of the harmonic series less the logarithm; a Python float."""

# PyTorch's spelling. The module that defines `Tensor` has the same name. Its import above has bound
# that name here, and Python binds it once only, so that the function replaces it for good. The
# module is still found by `from py_tensor.tensor import Tensor`.
tensor = asarray

# Spellings of NumPy. WebGL has no 64-bit types: their names stand for the 32-bit dtypes.
absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
around = round
asanyarray = ascontiguousarray = asfortranarray = asarray
bitwise_not = invert = bitwise_invert
left_shift = bitwise_left_shift
right_shift = bitwise_right_shift
conjugate = conj
fix = trunc
mod = remainder
Array = ndarray = Tensor
power = pow
true_divide = divide
bool = bool_
byte = int8
ubyte = uint8
short = int16
ushort = uint16
int_ = intc = intp = int64 = long = longlong = int32
uint = uintc = uintp = uint64 = ulong = ulonglong = uint32
half = float16
single = double = float64 = float32
csingle = cdouble = complex128 = complex64
True_ = True
False_ = False

_SUBPACKAGES = {
    *("audio", "data", "fft", "graph", "image", "io", "kernels", "lax", "lib", "linalg", "models"),
    *("nn", "numpy", "onnx", "optim", "plot", "ragged", "random", "sharding", "signal", "sparse"),
    *("text", "train", "tree", "tree_util", "vision"),
    # Namespaces of JAX.
    *("ad_checkpoint", "checkpoint_policies", "debug", "example_libraries", "scipy", "test_util"),
}
_OWN = {n for n, value in globals().items() if n[0] != "_" and type(value) is not _ModuleType}
__all__ = sorted(_OWN - {"TYPE_CHECKING"} | _late.HOMES.keys() | {"errors", "random", "typing"})

if not TYPE_CHECKING:
    _public_name = _late.lazy_names(__name__)

    def __getattr__(name: str) -> _Any:
        """Import a public name or a subpackage, or look up the version, on first use."""
        if name in _SUBPACKAGES:
            return _import_module(f"{__name__}.{name}")
        if name == "__version__":
            from importlib.metadata import version

            return version("py_tensor")
        return _public_name(name)


def _apply_page_query() -> None:
    """Change the settings that the page's address names, for example "?py_tensor.debug=1"."""
    if "py_tensor." in _page_query():
        _import_module(f"{__name__}.diagnostics.env").apply_query(_page_query())


_apply_page_query()
_late.Companion("einops._backends", f"{__name__}.einops_backend")


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBPACKAGES, "__version__"})
