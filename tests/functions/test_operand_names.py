"""Invalid operands raise errors that name the function called by the user."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors

SPACES = {
    **{"": pt, "linalg.": pt.linalg, "fft.": pt.fft, "nn.": pt.nn, "image.": pt.image},
    **{"ragged.": pt.ragged, "signal.": pt.signal, "sparse.": pt.sparse},
    **{"audio.": pt.audio, "vision.": pt.vision},
}
HERE = object()
"""Placeholder for a tensor argument; each in turn is replaced by an invalid value."""
X = [[1.0, 2.0], [3.0, 4.0]]
BAD = {
    "object": (object(), errors.DTypeError, "cannot convert object to a tensor; got <object"),
    "text": ("abc", errors.DTypeError, "cannot convert str to a tensor; got 'abc'"),
    "ragged": ([[1.0, 2.0], [3.0]], errors.ShapeError, "ragged input; got length 1 at index [1]"),
    "large": ([[2**40]], errors.DTypeError, f"value does not fit dtype int32; got {2**40}"),
}

NO_TENSORS = {
    *("barrier", "local_index", "ready", "shared"),
    # Models, and their files.
    *("load_speech", "transcribe"),
    # Functions to differentiate or to run; trees, which may hold anything; handles.
    *("checkpoint", "custom_gradient", "grad", "jit", "jvp", "tidy", "value_and_grad", "vjp"),
    *("custom_jvp", "eval_shape", "hessian", "jacfwd", "jacrev", "linearize", "vmap"),
    *("custom_vjp", "glsl_kernel", "jacobian", "kernel", "make_jaxpr", "remat"),
    *("block_until_ready", "checkpoint_name", "device_get", "device_put"),
    *("ravel_pytree", "tree_map_with_path", "tree_reduce"),
    *("assert_no_leaks", "profile", "time"),
    *("memory_trace", "stop_gradient", "tree_flatten", "tree_leaves", "tree_map"),
    *("tree_unflatten", "warmup", "dispose", "explain", "keep", "realize"),
    # Shapes, numbers, dtypes; arrays of other libraries.
    *("arange", "broadcast_shapes", "empty", "eye", "fftfreq", "full", "linspace", "ones"),
    *("rfftfreq", "summary", "zeros", "can_cast", "finfo", "iinfo", "isdtype", "result_type"),
    "from_dlpack",
    # The page and the package.
    *("default_backend", "device_count", "devices", "local_device_count", "local_devices"),
    *("__array_namespace_info__", "cache_info", "draw", "enable_debug_mode"),
    *(
        "enable_production_mode",
        "enable_x64",
        "from_pixels",
        "get_backend",
        "memory",
        "set_backend",
    ),
    *(
        "buffer_field",
        "static_field",
        "Input",
        "frames",
        "next_frame",
        "progress",
        "register_backend",
        "show",
        "to_pixels",
    ),
    # Settings of layers, and trees of layers.
    *("L1", "L2", "max_norm", "min_max_norm", "unit_norm", "constrain", "regularize"),
    *("apply_constraints", "dequantize", "freeze", "quantize", "regularization_loss"),
    *("lora", "merge_lora"),
    # NumPy's functions of numbers, shapes, dtypes, texts, files and any objects.
    *(
        "bartlett",
        "base_repr",
        "binary_repr",
        "blackman",
        "diag_indices",
        "errstate",
    ),
    *("format_float_positional", "format_float_scientific", "frombuffer", "fromfile"),
    *("fromfunction", "fromiter", "fromstring", "genfromtxt", "geomspace", "get_printoptions"),
    *("geterr", "hamming", "hanning", "identity", "indices", "isscalar", "issubdtype", "iterable"),
    *("kaiser", "load", "loadtxt", "logspace", "mask_indices", "may_share_memory", "ndindex"),
    *("printoptions", "promote_types", "savez", "savez_compressed", "set_printoptions", "seterr"),
    *("shares_memory", "tri", "tril_indices", "triu_indices", "vectorize", "min_scalar_type"),
    # Compositions that name the first function that fails; blocks, which are lists.
    *("array", "asarray_chkfinite", "block", "require", "piecewise", "save", "savetxt", "select"),
    *(
        "apply_along_axis",
        "apply_over_axes",
        "choose",
        "einsum_path",
        "lexsort",
    ),
    *("multi_dot", "polyfit", "common_type"),
    # Functions of lengths, and of a function.
    *("cosine_window", "hamming_window", "hann_window", "multi_rnn_cell"),
    *("mel_filters", "cqt_frequencies", "rotary_frequencies", "ssd_anchors"),
    # Functions of vectors.
    *("digitize", "polyadd", "polydiv", "polymul", "polysub", "polyval"),
    # Functions that change their first argument.
    *("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"),
}
CALLS: dict[str, tuple[Any, ...]] = {
    "array_split": (HERE, 2),
    "astype": (HERE, "float32"),
    "column_stack": ([HERE, HERE],),
    "concatenate": ([HERE, HERE],),
    "delete": (HERE, 0),
    "dsplit": (HERE, 2),
    "dstack": ([HERE, HERE],),
    "hsplit": (HERE, 2),
    "hstack": ([HERE, HERE],),
    "insert": (HERE, 0, HERE),
    "nanpercentile": (HERE, 50),
    "partition": (HERE, 1),
    "argpartition": (HERE, 1),
    "percentile": (HERE, 50),
    "ravel_multi_index": ((HERE, HERE), (2, 2)),
    "resize": (HERE, (2, 3)),
    "rollaxis": (HERE, 1),
    "split": (HERE, 2),
    "swapaxes": (HERE, 0, 1),
    "unravel_index": (HERE, (2, 2)),
    "vsplit": (HERE, 2),
    "where": (HERE, HERE, HERE),
    "vstack": ([HERE, HERE],),
    "broadcast_arrays": (HERE, HERE),
    "broadcast_to": (HERE, (2, 2)),
    "concat": ([HERE, HERE],),
    "contraction_path": ("ij,jk", HERE, HERE),
    **{
        f"nn.adaptive_{kind}_pool{count}d": (HERE, 1)
        for kind in ("avg", "max")
        for count in (1, 2, 3)
    },
    "nn.batch_to_space": (HERE, [2]),
    "nn.confusion_matrix": (HERE, HERE, 2),
    "nn.depth_to_space": (HERE, 2),
    "nn.dropout": (HERE, 0.5),
    "nn.moving_average": (HERE, HERE, 0.5),
    "nn.space_to_batch": (HERE, [2]),
    "nn.space_to_depth": (HERE, 2),
    **{
        f"{space}.{name}": call
        for space in ("image", "vision")
        for name, call in {
            "crop_and_resize": ([[X]], HERE, [0, 0], (2, 2)),
            "non_max_suppression": (HERE, HERE, 2),
            "rotate": (HERE, 1.0),
            "transform": ([[X]], HERE),
        }.items()
    },
    "vision.body_parts": (X, HERE),
    "vision.box_iou": (HERE, [[0.0] * 4]),
    "vision.decode_boxes": (HERE, [[0.0] * 4]),
    "vision.decode_detections": (HERE, [[0.0] * 4], (8, 8)),
    "vision.decode_hands": ([[0.0] * 4], HERE, (8, 8)),
    "vision.decode_movenet": (HERE, (8, 8)),
    "vision.decode_pose": (HERE, X, 8),
    "vision.decode_poses": (HERE, X, X, X, 8),
    "vision.draw_boxes": (HERE, [[0.0] * 4]),
    "vision.draw_lines": (HERE, [[0.0] * 4]),
    "vision.draw_mask": (HERE, X),
    "vision.draw_points": (HERE, X),
    "vision.letterbox": (HERE, (2, 2)),
    "vision.region_matrices": (HERE, (2, 2)),
    "vision.resize": (HERE, (2, 2)),
    "vision.separate_people": (HERE, [[[0.0] * 34]], [[[0.0] * 3] * 17], 8),
    "vision.transform_boxes": (HERE, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "vision.transform_points": (HERE, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "vision.warp_affine": (HERE, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "vision.warp_perspective": (HERE, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    "audio.cqt": (HERE, 44100),
    "audio.mel_spectrogram": (HERE, 8000),
    "audio.mfcc": (HERE, 8000),
    "audio.resample": (HERE, 2, 1),
    "ragged.gather": ([[0, 2]], HERE, [0]),
    "ragged.to_tensor": ([HERE], HERE),
    "signal.frame": (HERE, 2, 1),
    "signal.stft": (HERE, 2, 1),
    "sparse.fill_empty_rows": ([[0, 0]], HERE, (2, 2)),
    "sparse.reshape": (HERE, (2, 2), (4,)),
    "sparse.to_dense": ([[0, 0]], HERE, (5, 5)),
    "einsum": ("ij,jk", HERE, HERE),
    "full_like": (HERE, 1.0),
    "nn.fold": (HERE, 4, 2),
    "nn.group_norm": (HERE, 2),
    "linalg.matrix_power": (HERE, 2),
    "meshgrid": (HERE, HERE),
    "moveaxis": (HERE, 0, 1),
    "nn.one_hot": (HERE, 2),
    "pad": (HERE, 1),
    "nn.pixel_shuffle": (HERE, 2),
    "permute_dims": (HERE, (1, 0)),
    "reshape": (HERE, (4,)),
    "roll": (HERE, 1),
    "nn.rotary_embedding": (HERE, [0, 1], [1.0]),
    "nn.separable_conv2d": (HERE, HERE, 1.0),
    "stack": ([HERE, HERE],),
    "nn.threshold": (HERE, 1.0, 1.0),
    "tile": (HERE, 2),
    "topk": (HERE, 1),
    "trapezoid": (HERE, HERE),
}
"""Calls of functions whose required parameters are not one tensor each."""
SIZES = ("size", "out")


def functions() -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    for prefix, space in SPACES.items():
        for name in space.__all__:
            function = getattr(space, name)
            if not inspect.isfunction(function) or name in NO_TENSORS:
                continue
            required = [
                parameter.name
                for parameter in inspect.signature(function).parameters.values()
                if parameter.default is parameter.empty
            ]
            call = tuple(2 if parameter in SIZES else HERE for parameter in required)
            yield prefix + name, function, CALLS.get(prefix + name, call)


FUNCTIONS = {name: (function, call) for name, function, call in functions()}


def filled(call: Any, values: Iterator[Any]) -> Any:
    if isinstance(call, (tuple, list)):
        return type(call)(filled(part, values) for part in call)
    return next(values) if call is HERE else call


def places(call: Any) -> int:
    return sum(map(places, call)) if isinstance(call, (tuple, list)) else call is HERE


def own_name(name: str) -> str:
    """Name of a function as its errors give it."""
    return str(FUNCTIONS[name][0].__name__)


def assert_names(name: str, call: Any) -> None:
    for value, error, text in BAD.values():
        with pytest.raises(error) as raised:
            call(value)
        assert str(raised.value).startswith(f"{name}: {text}"), str(raised.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_name_themselves(name):
    function, call = FUNCTIONS[name]
    good = pt.asarray(X)
    count = places(call)
    assert count
    for bad in range(count):

        def with_bad(value, bad=bad):
            values = [value if at == bad else good for at in range(count)]
            return function(*filled(call, iter(values)))

        assert_names(own_name(name), with_bad)


OPTIONAL = {
    "bincount weights": lambda bad: pt.bincount([0, 1], weights=bad),
    "clip min": lambda bad: pt.clip(X, bad, 1.0),
    "clip max": lambda bad: pt.clip(X, max=bad),
    "diff prepend": lambda bad: pt.diff(X, prepend=bad),
    "diff append": lambda bad: pt.diff(X, append=bad),
    "histogram bins": lambda bad: pt.histogram(X, bad),
    "histogram weights": lambda bad: pt.histogram(X, [0.0, 9.0], weights=bad),
    "interp left": lambda bad: pt.interp(X, X[0], X[0], left=bad),
    "interp right": lambda bad: pt.interp(X, X[0], X[0], right=bad),
    "searchsorted sorter": lambda bad: pt.searchsorted(X[0], X, sorter=bad),
    "lstsq rcond": lambda bad: pt.linalg.lstsq(X, X, rcond=bad),
    "matrix_rank rtol": lambda bad: pt.linalg.matrix_rank(X, rtol=bad),
    "pinv rtol": lambda bad: pt.linalg.pinv(X, rtol=bad),
    "batch_norm scale": lambda bad: pt.nn.batch_norm(X, X[0], X[1], scale=bad),
    "group_norm offset": lambda bad: pt.nn.group_norm(X, 2, offset=bad),
    "instance_norm scale": lambda bad: pt.nn.instance_norm([X], scale=bad),
    "layer_norm offset": lambda bad: pt.nn.layer_norm(X, offset=bad),
    "rms_norm scale": lambda bad: pt.nn.rms_norm(X, scale=bad),
    "scaled_dot_product_attention mask": lambda bad: pt.nn.scaled_dot_product_attention(
        X, X, X, mask=bad
    ),
    "separable_conv2d pointwise": lambda bad: pt.nn.separable_conv2d([[X]], [[X]], bad),
    "sigmoid_cross_entropy weights": lambda bad: pt.nn.sigmoid_cross_entropy(X, X, weights=bad),
    "softmax_cross_entropy weights": lambda bad: pt.nn.softmax_cross_entropy(X, X, weights=bad),
    "setitem value": lambda bad: pt.ones((2, 2)).__setitem__(0, bad),
    "setitem value at indices": lambda bad: pt.ones((2, 2)).__setitem__([0], bad),
}


@pytest.mark.parametrize("name", OPTIONAL)
def test_optional_parameters(name):
    assert_names(name.split()[0], OPTIONAL[name])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("getitem", lambda: pt.ones(3)[[2**40]]),
        ("getitem", lambda: pt.ones((3, 3))[:, [0, 2**40]]),
        ("setitem", lambda: pt.ones(3).__setitem__([0, 2**40], 1)),
        ("setitem", lambda: pt.ones(3).__setitem__([2**40], 1)),
        ("take", lambda: pt.take(pt.ones(3), [2**40])),
        ("concat", lambda: pt.concat([pt.ones(1), [2**40]])),
    ],
    ids=["getitem", "getitem of columns", "setitem", "setitem of one", "take", "concat"],
)
def test_indices_beyond_int32(name, call):
    with pytest.raises(errors.DTypeError, match=rf"^{name}: value does not fit dtype int32; got"):
        call()


def test_exact_text():
    assert_raises(
        errors.ShapeError,
        "inv: ragged input; got length 1 at index [1] and 2 before it; make all rows equally long",
        lambda: pt.linalg.inv([[1, 2], [3]]),
    )


@pytest.mark.parametrize("name", ["keep", "explain", "realize"])
def test_non_tensors_in_place_of_handles(name):
    with pytest.raises(errors.DTypeError) as caught:
        getattr(pt, name)(3)
    assert str(caught.value) == f"{name}: operand must be a tensor; got 3; use pt.asarray"


def wrong_operands(count: int) -> Iterator[list[pt.Tensor]]:
    """Tensors that few functions accept: of each kind, without axes, of other shapes."""
    for dtype in ("bool", "int32", "uint32", "complex64"):
        yield [pt.zeros((2, 2), dtype=dtype)] * count
    for shape in ((), (3,), (0, 3), (2, 2, 2)):
        yield [pt.zeros(shape)] * count
    for bad in range(count if count > 1 else 0):
        for odd in (pt.zeros((2, 3)), pt.zeros((2, 2), dtype="uint32"), pt.asarray(1j)):
            for dtype in ("float32", "int32"):
                values = [pt.zeros((2, 2), dtype=dtype)] * count
                values[bad] = odd
                yield values


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_name_themselves_for_other_dtypes_and_shapes(name):
    function, call = FUNCTIONS[name]
    own = own_name(name)
    for values in wrong_operands(places(call)):
        try:
            function(*filled(call, iter(values)))
        except errors.TensorError as error:
            assert str(error).startswith(f"{own}: ")
