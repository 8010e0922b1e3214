"""The choice of a backend."""

from __future__ import annotations

import warnings

import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor
from py_tensor.runtime.backends.bridged import is_software
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.runtime.backends.python import PythonBackend

FACTORIES = dict(executor._FACTORIES)


def test_the_first_run_chooses_a_backend(engine, monkeypatch):
    monkeypatch.setattr(executor.runtime, "backend", None)
    monkeypatch.setattr(executor.runtime, "backends", {})
    monkeypatch.setattr(executor, "_FACTORIES", {engine.name: lambda: engine})
    monkeypatch.setattr(executor, "_ORDER", ((engine.name, True),))
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
    monkeypatch.setattr(executor, "_ORDER", (("a", False), ("b", True)))
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
    monkeypatch.setattr(executor, "_FACTORIES", without("webgl", "wasm", "numpy"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
        assert (x @ x + 1.0).tolist() == [[8.0, 11.0], [16.0, 23.0]]
        assert pt.get_backend() == "python"
    monkeypatch.setattr(executor.runtime, "backend", engine)
    (warned,) = caught
    assert str(warned.message) == (
        "set_backend: plain Python computes all tensors, which is slow; got: webgl: backend not "
        "available: no webgl here | wasm: backend not available: no wasm here | numpy: backend not "
        "available: no numpy here; use a browser with WebGL2 and turn its hardware acceleration on "
        "(https://get.webgl.org/webgl2 shows whether it works), or install NumPy"
    )


@pytest.mark.parametrize(("missing", "chosen"), [(("webgl", "wasm"), "numpy"), ((), "python")])
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
        self.renderer = renderer
        self.on_processor = is_software(renderer)

    def fact(self, name):
        return self.renderer if name == "renderer" else None


class Assembly(PythonBackend):
    """A backend that says that it is WebAssembly."""

    name = "wasm"


@pytest.fixture
def choose(engine, monkeypatch):
    """Return a function that chooses a backend on a renderer, of those that are available."""

    def chosen(renderer, *available):
        monkeypatch.setattr(executor.runtime, "backends", {})
        monkeypatch.setattr(executor.runtime, "backend", None)
        factories = without(*{"wasm", "numpy"}.difference(available))
        if "wasm" in available:
            factories["wasm"] = Assembly
        if renderer:
            factories["webgl"] = lambda: OnRenderer(renderer)
        monkeypatch.setattr(executor, "_FACTORIES", factories)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                assert (pt.ones(2) + 1.0).tolist() == [2.0, 2.0]
        return pt.get_backend(), pt.env.backend_choice, [str(each.message) for each in caught]

    yield chosen
    executor.use(engine)


SLOW = "webgl: it draws on the processor here"
NO_WASM = "wasm: backend not available: no wasm here"
NO_PAGE = "webgl: backend not available: this Python does not run in a web page"


@pytest.mark.parametrize(
    "renderer", [SWIFTSHADER, "llvmpipe (LLVM 15.0.6, 256 bits)", "Microsoft Basic Render Driver"]
)
def test_numpy_is_preferred_to_a_software_renderer(choose, renderer):
    name, choice, warned = choose(renderer, "numpy")
    assert name == "numpy"
    assert choice == f"numpy is the fastest backend here ({SLOW} ({renderer}) | {NO_WASM})"
    assert warned == [
        "set_backend: NumPy computes all tensors, because WebGL2 draws on the processor here, "
        f"which is 5 to 20 times slower; got {renderer}; turn hardware acceleration on, or call "
        'pt.set_backend("webgl")'
    ]
    pt.set_backend("webgl")
    assert (pt.get_backend(), pt.env.backend_choice) == ("webgl", "set by pt.set_backend")


@pytest.mark.parametrize("available", [(), ("numpy",), ("wasm", "numpy")])
def test_a_gpu_is_preferred_to_the_processor(choose, available):
    chosen = choose("ANGLE (NVIDIA, GeForce RTX)", *available)
    assert chosen == ("webgl", "webgl is the fastest backend here", [])


@pytest.mark.parametrize("available", [("wasm",), ("wasm", "numpy")])
def test_webassembly_is_preferred_without_a_gpu(choose, available):
    reason = f"wasm is the fastest backend here ({SLOW} ({SWIFTSHADER}))"
    assert choose(SWIFTSHADER, *available) == ("wasm", reason, [])
    name, choice, warned = choose("", *available)
    assert (name, warned) == ("wasm", [])
    assert choice.startswith(f"wasm is the fastest backend here ({NO_PAGE}; got")


def test_a_software_renderer_is_used_without_another_backend(choose):
    name, choice, warned = choose(SWIFTSHADER)
    assert (name, warned) == ("webgl", [])
    missing = "numpy: backend not available: no numpy here"
    assert choice == f"webgl is the fastest backend here ({NO_WASM} | {missing})"


def test_numpy_is_the_choice_of_cpython(choose):
    name, choice, warned = choose("", "numpy")
    assert (name, warned) == ("numpy", [])
    assert choice.startswith(f"numpy is the fastest backend here ({NO_PAGE}; got no module js")


def test_a_warning_points_at_the_caller(choose):
    choose(SWIFTSHADER, "numpy")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pt.set_backend(None)
    assert caught[0].filename == __file__


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
