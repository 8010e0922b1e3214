"""Valid calls of public functions whose docstring has none, and the exceptions of the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bad_arguments import Call

import py_tensor as pt


def _call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


def _x() -> pt.Tensor:
    return pt.asarray([[3.0, 1.0], [2.0, 4.0]])


def _rng() -> Any:
    return pt.random.default_rng(0)


def _parquet() -> str:
    """Write a file into the folder of the test, and return its name."""
    from pyarrow import parquet, table

    parquet.write_table(table({"x": [1.0, 2.0]}), "rows.parquet")
    return "rows.parquet"


_DRAWS: dict[str, tuple[Any, ...]] = {
    "random": ((2,), "float32"),
    "uniform": (0.0, 2.0, (2,)),
    "normal": (0.0, 2.0, (2,)),
    "standard_normal": ((2,),),
    "bytes": (3,),
    "exponential": (2.0, (2,)),
    "standard_exponential": ((2,),),
    "laplace": (0.0, 2.0, (2,)),
    "logistic": (0.0, 2.0, (2,)),
    "lognormal": (0.0, 2.0, (2,)),
    "rayleigh": (2.0, (2,)),
    "negative_binomial": (3, 0.5, (2,)),
    "noncentral_chisquare": (3.0, 1.0, (2,)),
    "wald": (1.0, 2.0, (2,)),
    "weibull": (2.0, (2,)),
    "pareto": (2.0, (2,)),
    "power": (2.0, (2,)),
    "triangular": (0.0, 1.0, 2.0, (2,)),
    "standard_cauchy": ((2,),),
    "standard_gamma": (2.0, (2,)),
    "gamma": (2.0, 1.0, (2,)),
    "chisquare": (2.0, (2,)),
    "standard_t": (3.0, (2,)),
    "f": (2.0, 3.0, (2,)),
    "beta": (2.0, 3.0, (2,)),
    "dirichlet": ([1.0, 2.0], (2,)),
    "multivariate_normal": ([0.0, 1.0], [[2.0, 0.0], [0.0, 1.0]], (2,)),
    "geometric": (0.5, (2,)),
    "poisson": (2.0, (2,)),
    "binomial": (5, 0.5, (2,)),
    "multinomial": (5, [0.5, 0.5], (2,)),
    "permutation": ([1, 2, 3], 0),
    "permuted": ([1, 2, 3],),
    "choice": (5, (2,), True, None, 0),
}

VALID: dict[str, Callable[[], Call]] = {
    **{f"random.{name}": lambda args=args: Call(args, {}) for name, args in _DRAWS.items()},
    "optim.Optimizer": lambda: _call("half", lambda g, *, step: (g / 2,), 0.1, (), ()),
    **{
        f"random.Generator.{name}": lambda args=args: _call(_rng(), *args)
        for name, args in _DRAWS.items()
    },
    "jacobian": lambda: _call(lambda x: x[:2] * x[2]),
    "random.rand": lambda: _call(2, 3),
    "random.randn": lambda: _call(2, 3),
    "random.randint": lambda: _call(0, 9, (2,), "int32"),
    "random.random_sample": lambda: _call((2,)),
    "random.shuffle": lambda: _call(pt.arange(3), 0),
    "random.Generator.spawn": lambda: _call(_rng(), 2),
    "random.Generator.shuffle": lambda: _call(_rng(), pt.arange(3), 0),
    "random.Generator": lambda: _call(0),
    "random.Generator.integers": lambda: _call(_rng(), 0, 9, (2,), "int32", endpoint=False),
    "random.Generator.gumbel": lambda: _call(_rng(), 0.0, 2.0, (2,)),
    **{
        name: lambda: _call(pt.asarray([0.25, 0.5]))
        for name in ("arcsin", "arcsinh", "arctan", "arctanh", "deg2rad", "fix", "asanyarray")
    },
    **{
        name: lambda: _call(_x(), 1, keepdims=True, initial=1.0, where=[True, False])
        for name in ("amax", "amin")
    },
    **{name: lambda: _call(_x(), _x()) for name in ("arctan2", "may_share_memory", "mod")},
    "tidy": lambda: _call(lambda: pt.ones(2)),
    "around": lambda: _call(_x(), 1),
    "promote_types": lambda: _call("float32", "int8"),
    "draw": lambda: _call(pt.ones((2, 2, 3)), object()),
    "from_pixels": lambda: _call(object(), 3),
    "data.microphone": lambda: _call(
        fft_size=32, frames=2, columns=3, sample_rate=9, smoothing=0.5
    ),
    "data.webcam": lambda: _call(size=(2, 3), center_crop=True, facing_mode="user"),
    "nn.NormRange": lambda: _call(0.0, 2.0, 1.0, 0),
    "data.parquet": lambda: _call(_parquet(), columns=["x"]),
    "io.download": lambda: _call({"w": pt.ones(2)}, "file.safetensors", {"a": "b"}),
    "io.fetch": lambda: _call("file.safetensors", {"w": pt.ones(2)}, print),
    "io.remove": lambda: _call("model"),
    "io.restore": lambda: _call("model", {"w": pt.ones(2)}),
    "io.store": lambda: _call("model", {"w": pt.ones(2)}, {"a": "b"}),
    "io.upload": lambda: _call({"w": pt.ones(2)}),
}
"""Valid call of each function that its docstring does not call."""

RESULTS = {
    *("MemoryTrace", "Profile", "Timing"),
    *("CacheInfo", "Memory", "linalg.EigResult", "linalg.EighResult", "linalg.LstsqResult"),
    *(
        "vision.Detections",
        "vision.Hands",
        "vision.KeptBoxes",
        "vision.Letterboxed",
        "vision.Poses",
    ),
    *("vision.Poses", "vision.TextBoxes"),
    *("linalg.QRResult", "linalg.SVDResult", "linalg.SlogdetResult", "optim.LbfgsResult"),
    *(
        "optim.State",
        "nn.KeyValueCache",
        "nn.DecoderCache",
        "nn.SpeechCache",
        "nn.LayerOutput",
        "nn.PackedMatrix",
        "nn.SplitMatrix",
        "train.History",
        "audio.SpeechModel",
        "audio.SpeechSegment",
        "audio.Transcription",
    ),
    *(
        "train.Report",
        "train.Trainer",
        "data.Dataset",
        "data.Microphone",
        "data.Recording",
        "data.Webcam",
    ),
    "optim.LossScale",
    "lax.ConvDimensionNumbers",
}
"""Classes whose objects the library makes, for example results; users do not call them."""
ABSTRACT = {"nn.Module", "train.Callback", "nn.RecurrentOptions", "optim.Options"}
"""Classes to derive from, and types of dicts of options; they take no arguments."""
NO_ARGUMENTS = {"io.names", "enable_x64"}
"""Functions without arguments whose signature or example does not show it."""
READ_IN_KERNELS = {"shared", "barrier", "local_index"}
"""Functions that kernels read, and that raise wherever they are called."""

OTHER_NAMES = {
    "audio.load_speech": ("load", "files of tokenizers and sources have errors of their own"),
    "audio.transcribe": ("resample", "a ratio of rates that is too long"),
    "eval_shape": ("matmul", "the function of its example, which the user passes"),
    "lax.associative_scan": ("maximum", "the function of its example, which the user passes"),
    "warmup": ("jit", "the function is jitted; the error names the decorator the user wrote"),
    "optim.Optimizer": ("half", "errors of an optimizer begin with its own name"),
    "nn.summary": ("Sequential[0] Dense(784 -> 128)", "errors of a module name the module"),
}
"""Functions whose errors may begin with another name, and why."""
