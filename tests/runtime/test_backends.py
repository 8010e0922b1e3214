"""The choice of a backend."""

from __future__ import annotations

import importlib.util
import sys
import warnings

import pytest
from plans import DEVICE

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.runtime.backends.python import PythonBackend
from py_tensor.runtime.backends.webgl import is_software

FACTORIES = dict(executor._FACTORIES)


def test_the_first_run_chooses_a_backend(engine, monkeypatch):
    monkeypatch.setattr(executor.runtime, "backend", None)
    # NumPy, if an earlier test used it, is preferred to WebGL2 on a processor.
    monkeypatch.setattr(executor.runtime, "backends", {})
    monkeypatch.setattr(executor, "_FACTORIES", {engine.name: lambda: engine})
    x = pt.arange(3)
    monkeypatch.setattr(executor.runtime, "backend", None)
    pt.realize(x)
    assert executor.runtime.backend is engine
    assert x.tolist() == [0, 1, 2]


def test_the_error_says_why_each_backend_is_not_available(monkeypatch):
    def missing(name):
        def create():
            raise errors.BackendError(f"no {name}")

        return create

    monkeypatch.setattr(executor.runtime, "backends", {})
    monkeypatch.setattr(executor, "_FACTORIES", {name: missing(name) for name in ("a", "b")})
    with pytest.raises(errors.BackendError, match=r"is available; got: no a \| no b$"):
        pt.set_backend(None)


def without(*names):
    """Return the factories of backends, of which those with these names are not available."""

    def missing(name):
        def create():
            raise errors.BackendError(f"{name}: backend not available: no {name} here")

        return create

    return FACTORIES | {name: missing(name) for name in names}


def test_plain_python_is_the_last_choice_and_warns_once(engine, monkeypatch):
    monkeypatch.setattr(executor.runtime, "backends", {})
    monkeypatch.setattr(executor.runtime, "backend", None)
    monkeypatch.setattr(executor, "_FACTORIES", without("webgl", "numpy"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
        assert (x @ x + 1.0).tolist() == [[8.0, 11.0], [16.0, 23.0]]
        assert pt.get_backend() == "python"
    monkeypatch.setattr(executor.runtime, "backend", engine)
    (warned,) = caught
    assert str(warned.message) == (
        "set_backend: plain Python computes all tensors, which is slow; got: webgl: backend not "
        "available: no webgl here | numpy: backend not available: no numpy here; use a browser "
        "with WebGL2 and turn its hardware acceleration on (https://get.webgl.org/webgl2 shows "
        "whether it works), or install NumPy"
    )


@pytest.mark.parametrize(("missing", "chosen"), [(("webgl",), "numpy"), ((), "python")])
def test_other_choices_do_not_warn(engine, missing, chosen, monkeypatch):
    monkeypatch.setattr(executor.runtime, "backends", {})
    monkeypatch.setattr(executor, "_FACTORIES", without(*missing))
    monkeypatch.setattr(executor.runtime, "backend", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pt.set_backend(None if missing else chosen)
        assert pt.get_backend() == chosen
    monkeypatch.setattr(executor.runtime, "backend", engine)


SWIFTSHADER = "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)"


class OnRenderer(PythonBackend):
    """A backend that says that it is WebGL2 on a certain renderer."""

    name = "webgl"

    def __init__(self, renderer):
        super().__init__()
        self.limits = {"renderer": renderer}
        self.device = DEVICE._replace(on_processor=is_software(renderer))


@pytest.fixture
def choose(engine, monkeypatch):
    """Return a function that chooses a backend on a renderer, with and without NumPy."""

    def chosen(renderer, numpy):
        monkeypatch.setattr(executor.runtime, "backends", {})
        monkeypatch.setattr(executor.runtime, "backend", None)
        missing = () if numpy else ("numpy",)
        webgl = {"webgl": lambda: OnRenderer(renderer)}
        monkeypatch.setattr(executor, "_FACTORIES", without(*missing) | webgl)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                assert (pt.ones(2) + 1.0).tolist() == [2.0, 2.0]
        return pt.get_backend(), pt.env.backend_choice, [str(each.message) for each in caught]

    yield chosen
    executor.use(engine)


@pytest.mark.parametrize(
    "renderer", [SWIFTSHADER, "llvmpipe (LLVM 15.0.6, 256 bits)", "Microsoft Basic Render Driver"]
)
def test_numpy_is_preferred_to_a_software_renderer(choose, renderer):
    name, choice, warned = choose(renderer, numpy=True)
    assert name == "numpy"
    assert choice == f"NumPy is loaded, and faster than WebGL2 on a processor ({renderer})"
    assert warned == [
        "set_backend: NumPy computes all tensors, because WebGL2 draws on the processor here, "
        f"which is 5 to 20 times slower; got {renderer}; turn hardware acceleration on, or call "
        'pt.set_backend("webgl")'
    ]
    pt.set_backend("webgl")
    assert (pt.get_backend(), pt.env.backend_choice) == ("webgl", "set by pt.set_backend")


@pytest.mark.parametrize("numpy", [True, False])
def test_a_gpu_is_preferred_to_numpy(choose, numpy):
    assert choose("ANGLE (NVIDIA, GeForce RTX)", numpy) == ("webgl", "the first available", [])


def test_a_software_renderer_is_used_without_numpy(choose, monkeypatch):
    assert choose(SWIFTSHADER, numpy=False) == ("webgl", "the first available", [])
    monkeypatch.delitem(sys.modules, "numpy")
    assert choose(SWIFTSHADER, numpy=True) == ("webgl", "the first available", [])
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert choose(SWIFTSHADER, numpy=True)[0] == "numpy"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert choose(SWIFTSHADER, numpy=True)[0] == "webgl"


@pytest.mark.parametrize("names", [("python", "numpy"), ("numpy", "python")])
def test_tensors_stay_valid_on_another_backend(engine, names):
    first, second = names
    try:
        pt.set_backend(first)
        x = pt.asarray([[1.0, 2.0], [3.0, 4.0]]) * 2.0
        z = pt.fft.fft(x)
        pt.realize(x, z)
        pt.set_backend(second)
        assert (x + 1.0).tolist() == [[3.0, 5.0], [7.0, 9.0]]
        assert (z * 1j).tolist() == [[6j, -2j], [14j, -2j]]
        assert x.numpy().dtype.name == "float32"
    finally:
        executor.use(engine)


def test_the_host_has_neither_textures_nor_programs():
    assert (
        NumpyBackend().statistics()
        == PythonBackend().statistics()
        == {
            "bytesInUse": 0,
            "bytesFree": 0,
            "programs": 0,
            "draws": 0,
        }
    )


def test_registered_backends_can_be_chosen(engine, monkeypatch):
    class Mine(NumpyBackend):
        name = "mine"

    monkeypatch.setattr(executor.runtime, "backends", dict(executor.runtime.backends))
    monkeypatch.setattr(executor, "_FACTORIES", dict(executor._FACTORIES))
    with pytest.raises(errors.BackendError, match="unknown backend; got 'mine'"):
        pt.set_backend("mine")
    for _ in range(2):  # the second time replaces the first backend
        pt.register_backend("mine", Mine)
        pt.set_backend("mine")
        assert pt.get_backend() == "mine"
        assert (pt.ones(2) + 1.0).tolist() == [2.0, 2.0]
        assert isinstance(executor.runtime.backend, Mine)
        first = executor.runtime.backend
    pt.register_backend("mine", Mine)
    pt.set_backend("mine")
    assert executor.runtime.backend is not first
    executor.use(engine)
