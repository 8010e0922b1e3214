"""The choice of a backend."""

from __future__ import annotations

import asyncio
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
    monkeypatch.setattr(executor, "_FACTORIES", without("webgpu", "webgl", "wasm", "numpy"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
        assert (x @ x + 1.0).tolist() == [[8.0, 11.0], [16.0, 23.0]]
        assert pt.get_backend() == "python"
    monkeypatch.setattr(executor.runtime, "backend", engine)
    (warned,) = caught
    assert str(warned.message) == (
        "set_backend: plain Python computes all tensors, which is slow; got: webgpu: backend not "
        "available: no webgpu here | webgl: backend not available: no webgl here"
        " | wasm: backend not available: no wasm here | numpy: backend not "
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
        factories = without(*{"webgpu", "wasm", "numpy"}.difference(available))
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


SLOW = "webgl: it computes on the processor here"
NO_WEBGPU = "webgpu: backend not available: no webgpu here"
NO_WASM = "wasm: backend not available: no wasm here"
NO_PAGE = "webgl: backend not available: this Python does not run in a web page"


@pytest.mark.parametrize(
    "renderer", [SWIFTSHADER, "llvmpipe (LLVM 15.0.6, 256 bits)", "Microsoft Basic Render Driver"]
)
def test_numpy_is_preferred_to_a_software_renderer(choose, renderer):
    name, choice, warned = choose(renderer, "numpy")
    assert name == "numpy"
    assert (
        choice
        == f"numpy is the fastest backend here ({NO_WEBGPU} | {SLOW} ({renderer}) | {NO_WASM})"
    )
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
    assert chosen == ("webgl", f"webgl is the fastest backend here ({NO_WEBGPU})", [])


@pytest.mark.parametrize("available", [("wasm",), ("wasm", "numpy")])
def test_webassembly_is_preferred_without_a_gpu(choose, available):
    reason = f"wasm is the fastest backend here ({NO_WEBGPU} | {SLOW} ({SWIFTSHADER}))"
    assert choose(SWIFTSHADER, *available) == ("wasm", reason, [])
    name, choice, warned = choose("", *available)
    assert (name, warned) == ("wasm", [])
    assert choice.startswith(f"wasm is the fastest backend here ({NO_WEBGPU} | {NO_PAGE}; got")


def test_a_software_renderer_is_used_without_another_backend(choose):
    name, choice, warned = choose(SWIFTSHADER)
    assert (name, warned) == ("webgl", [])
    missing = "numpy: backend not available: no numpy here"
    assert choice == f"webgl is the fastest backend here ({NO_WEBGPU} | {NO_WASM} | {missing})"


def test_numpy_is_the_choice_of_cpython(choose):
    name, choice, warned = choose("", "numpy")
    assert (name, warned) == ("numpy", [])
    assert choice.startswith(f"numpy is the fastest backend here ({NO_WEBGPU} | {NO_PAGE}; got no")


def test_a_warning_points_at_the_caller(choose):
    choose(SWIFTSHADER, "numpy")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pt.set_backend(None)
    assert caught[0].filename == __file__


class OnDevice(OnRenderer):
    """A backend that says that it is WebGPU on a certain adapter."""

    name = "webgpu"


def no_waiting():
    raise errors.BackendError("webgpu: backend not available: Python cannot wait here")


@pytest.fixture
def devices(engine, monkeypatch):
    """Return a function that makes WebGPU on an adapter and WebGL2 on a renderer available.

    With `waits` False, a device can be opened by `ready` alone.
    """

    def available(adapter, renderer, waits=True):
        async def opened(blocking):
            if adapter is None or (blocking and not waits):
                no_waiting()
            return OnDevice(adapter)

        factories = without(*(["webgpu"] if adapter is None else []), "wasm")
        if adapter is not None:
            factories["webgpu"] = (lambda: OnDevice(adapter)) if waits else no_waiting
        factories["webgl"] = lambda: OnRenderer(renderer)
        monkeypatch.setattr(executor, "_FACTORIES", factories)
        monkeypatch.setattr(executor, "_OPENERS", {"webgpu": opened})
        monkeypatch.setattr(executor.runtime, "backends", {})
        monkeypatch.setattr(executor.runtime, "backend", None)
        monkeypatch.setattr(executor.runtime, "preferred", None)

    yield available
    executor.use(engine)


GPU = "apple metal-3"
ADAPTER = "google swiftshader"


def test_webgpu_on_a_gpu_is_the_first_choice(devices):
    devices(GPU, GPU)
    assert pt.get_backend() == "webgpu"
    assert pt.env.backend_choice == "webgpu is the fastest backend here"


def test_webgl_is_chosen_if_python_cannot_wait_for_a_device(devices):
    devices(GPU, GPU, waits=False)
    assert pt.get_backend() == "webgl"
    reason = "webgpu: backend not available: Python cannot wait here"
    assert pt.env.backend_choice == f"webgl is the fastest backend here ({reason})"
    assert asyncio.run(pt.ready()) == "webgl"
    assert asyncio.run(pt.ready("webgpu")) == "webgpu"
    assert pt.env.backend_choice == "set by pt.set_backend"


def test_software_adapters_are_never_chosen_automatically(devices):
    devices(ADAPTER, GPU)
    assert asyncio.run(pt.ready()) == "webgl"
    assert f"it computes on the processor here ({ADAPTER})" in pt.env.backend_choice
    devices(ADAPTER, SWIFTSHADER)
    with pytest.warns(UserWarning, match="WebGL2 draws on the processor"):
        assert asyncio.run(pt.ready()) == "numpy"
    pt.set_backend("webgpu")
    assert pt.get_backend() == "webgpu"


@pytest.mark.parametrize(
    ("adapter", "renderer", "chosen"),
    [
        (GPU, GPU, "webgpu"),
        (None, GPU, "webgl"),
        (ADAPTER, GPU, "webgl"),
        (ADAPTER, SWIFTSHADER, "webgpu"),
    ],
)
def test_gpu_is_webgpu_or_else_webgl(devices, adapter, renderer, chosen):
    devices(adapter, renderer)
    pt.set_backend("gpu")
    assert pt.get_backend() == chosen
    devices(adapter, renderer, waits=False)
    assert asyncio.run(pt.ready("gpu")) == chosen


def test_gpu_without_a_page_is_an_error(monkeypatch):
    monkeypatch.setattr(executor.runtime, "backends", {})
    with pytest.raises(
        errors.BackendError, match=r"no backend computes on a GPU here; got: webgpu"
    ):
        pt.set_backend("gpu")


@pytest.mark.parametrize("waits", [True, False])
def test_the_address_of_a_page_keeps_webgl(devices, waits):
    devices(GPU, GPU, waits)
    pt.env.set_from_query("?py_tensor.backend=webgl")
    assert asyncio.run(pt.ready()) == pt.get_backend() == "webgl"
    assert pt.env.backend_choice == "the page's address names webgl"


def test_the_address_of_a_page_names_a_device_that_is_opened_later(devices):
    devices(GPU, GPU, waits=False)
    pt.env.set_from_query("?py_tensor.backend=webgpu")
    assert pt.get_backend() == "webgl"
    assert asyncio.run(pt.ready()) == "webgpu"


def test_ready_raises_the_reason_against_the_backend_that_it_is_given(devices):
    devices(None, GPU)
    with pytest.raises(errors.BackendError, match="webgpu: backend not available"):
        asyncio.run(pt.ready("webgpu"))
    with pytest.raises(errors.BackendError, match="unknown backend; got 'gpus'"):
        asyncio.run(pt.ready("gpus"))


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
