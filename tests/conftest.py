"""Fixtures that choose the backend of a session and check that no test leaks resources."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import event_loop
import half_storage
import numpy as np
import playwright_bridge
import pytest

import py_tensor as pt
from py_tensor.runtime import executor, scopes
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.runtime.backends.python import PythonBackend
from py_tensor.runtime.backends.webgl import WebGLBackend
from py_tensor.runtime.backends.webgpu import WebGPUBackend
from py_tensor.settings import settings

# SciPy reads it when it is imported, by whichever test comes first.
os.environ["SCIPY_ARRAY_API"] = "1"


def late_jax() -> Any:
    """Make the JAX backend, whose import takes a second."""
    from py_tensor.runtime.backends.jax import JaxBackend

    return JaxBackend()


def late_wasm() -> Any:
    """Make the WebAssembly backend on wasmtime, which takes 0.1 s to load."""
    from wasmtime_engine import WasmtimeEngine

    from py_tensor.runtime.backends.wasm import WasmBackend

    return WasmBackend(WasmtimeEngine())


FAILED = pytest.StashKey[bool]()
HOST_BACKENDS = {"numpy": NumpyBackend, "python": PythonBackend, "jax": late_jax, "wasm": late_wasm}
BRIDGES = {
    "webgl": (playwright_bridge.PlaywrightBridge, WebGLBackend),
    "webgpu": (playwright_bridge.PlaywrightGpuBridge, WebGPUBackend),
}
"""Classes of the bridge to a browser and of the backend that uses it."""
BACKENDS = (*HOST_BACKENDS, *BRIDGES)
WITHOUT_BACKEND = {
    # Source texts, and errors that are raised before anything is computed.
    "test_architecture.py",
    "test_bad_arguments.py",
    "test_operand_names.py",
    "test_reference.py",
    # They choose the backend themselves.
    "test_jax_backend.py",
    "test_wasm.py",
    "test_wasm_decompositions.py",
    "test_wasm_products.py",
    "test_wasm_sorts.py",
    "test_wasm_sums.py",
    "test_wasm_text.py",
    # Files of weights are only read, and exported functions run in other libraries.
    "test_weights_fuzz.py",
    "test_to_onnx.py",
    "test_to_tfjs.py",
    # They start other processes, which choose their backends.
    "test_processes.py",
}
"""Files of tests that are the same on every backend, and are imported on NumPy alone.

Single tests, and files that compute nothing at all, have the marker `host` instead.
"""
SLOW_IN_PYTHON = {
    "vision/test_boxes.py::test_faces_of_blazeface_as_human": 100,
    "vision/test_poses.py::test_people_as_body_pix": 55,
    "audio/test_audio.py::test_positions_in_long_sounds_are_exact": 600,
    "fft/test_fft.py::test_a_million_elements": 25,
    "functions/test_statistical.py::test_split_rows_in_another_order": 7,
    "functions/test_statistical.py::test_ten_million_elements": 15,
    "functions/test_statistical_cumulative.py::test_a_million_elements": 2,
    "functions/test_statistical_cumulative.py::test_fusion_before_and_after": 3,
    "functions/test_statistical_cumulative.py::test_long_lines": 3,
    "linalg/test_linalg.py::test_number_of_sweeps_is_sufficient": 15,
    "linalg/test_linalg.py::test_svd": 4,
    "nn/test_nn_initializers.py::test_distributions": 7,
    "nn/test_nn_pooling.py::test_positions_in_long_sequences": 3,
    "plot/test_plot.py::test_a_million_points_are_read_reduced": 90,
    "plot/test_plot.py::test_extremes_of_long_lines_are_kept[200000]": 10,
    "plot/test_plot.py::test_large_images_are_reduced": 20,
    "runtime/test_readback.py::test_ten_million_elements": 2,
    "runtime/test_readback.py::test_ten_million_elements_in": 10,
    "test_random.py::test_integers_are_uniform": 8,
    "test_random.py::test_normal_moments": 5,
    "test_random.py::test_uniform_moments": 7,
    "test_random_distributions.py::test_categorical": 5,
    "train/test_train.py::test_training_on_digits_is_reproducible": 8,
}
"""Tests of large tensors that `--backend python` leaves out, with the seconds they take there."""

SLOW_ON_SWIFTSHADER = {
    "compiler/test_workgroup_sorts.py::test_argsort_of_short_and_long_lines[bool": 3,
    "compiler/test_workgroup_sorts.py::test_argsort_of_short_and_long_lines[int16": 3,
    "compiler/test_workgroup_sorts.py::test_argsort_of_short_and_long_lines[int32": 3,
    "compiler/test_workgroup_sorts.py::test_argsort_of_short_and_long_lines[uint16": 3,
    "compiler/test_workgroup_sorts.py::test_argsort_of_short_and_long_lines[uint32": 3,
    "functions/test_linear_algebra.py::test_transposed_operands": 24,
    "functions/test_sorting.py::test_long_axes": 40,
    "functions/test_statistical_cumulative.py::test_a_million_elements": 4,
    "functions/test_statistical_cumulative.py::test_fusion_before_and_after": 5,
    "functions/test_statistical_cumulative.py::test_long_lines": 7,
    "kernels/test_random_groups.py::test_random_groups": 11,
    "kernels/test_random_writes.py::test_random_writes": 14,
    "nn/test_nn_attention.py::test_shapes": 14,
}
"""Tests that `make test-webgpu` leaves out, with the seconds they take there: a software renderer
compiles kernels with barriers slowly, and other tests run such kernels."""
NO_ADAPTER = "Chromium gives no WebGPU adapter here"
"""Reason of the tests that are skipped for want of a device."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--backend", choices=BACKENDS, default="numpy", help="where tensors compute")
    parser.addoption(
        "--storage",
        choices=("float32", "float16"),
        default="float32",
        help="how WebGL stores float32; see half_storage.py",
    )
    parser.addoption("--examples", type=int, default=300, help="random programs to try")
    parser.addoption("--minutes", type=float, default=0, help="time for random sessions")
    parser.addoption("--losses", type=int, default=18, help="lost contexts to recover from")
    parser.addoption("--mutations", type=int, default=300, help="mutated files to load per format")
    parser.addoption("--quick", action="store_true", help="leave out SLOW_ON_SWIFTSHADER")
    parser.addoption("--adapter-skips", type=int, default=0, help="tests without a WebGPU adapter")
    parser.addoption("--rewrite-golden", action="store_true", help="rewrite tests/golden")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.storage == "float16":
        # Few tests are about the range of float16; they look at the warnings themselves.
        config.addinivalue_line("filterwarnings", "ignore:.*float32 is stored as float16")
        # Test modules may import the comparisons by name, so they are widened before.
        half_storage.start()


def pytest_unconfigure() -> None:
    half_storage.stop()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return (config.option.backend != "numpy" and collection_path.name in WITHOUT_BACKEND) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out: set[str] = set()
    if config.option.backend == "python":
        left_out |= SLOW_IN_PYTHON.keys()
    if config.option.quick:
        left_out |= SLOW_ON_SWIFTSHADER.keys()
    if config.option.storage == "float16":
        left_out |= half_storage.EXCEPTIONS.keys()
    on_numpy = config.option.backend == "numpy"
    is_compiled = config.option.backend in ("wasm", *BRIDGES)
    others = BRIDGES.keys() - {config.option.backend}
    forms: set[Any] = set()
    kept, deselected = [], []
    for item in items:
        is_left_out = (
            bool({*names_of(item.nodeid)} & left_out)
            or bool(others & {*getattr(item, "fixturenames", ())})
            or (not on_numpy and item.get_closest_marker("host") is not None)
            or (is_compiled and is_repeated(item, forms))
        )
        (deselected if is_left_out else kept).append(item)
    config.hook.pytest_deselected(items=deselected)
    items[:] = kept


def is_repeated(item: pytest.Item, forms: set[Any]) -> bool:
    """Return True if an earlier test has the same form, by `once_per_form`; else note the form.

    Files of models with the same operators differ in how they are read, which needs no kernels.
    """
    marker = item.get_closest_marker("once_per_form")
    if marker is None or not isinstance(item, pytest.Function):
        return False
    form_of = marker.kwargs["form"]
    form = item.module, item.originalname, form_of(**item.callspec.params)
    is_known = form in forms
    forms.add(form)
    return is_known


def names_of(nodeid: str) -> tuple[str, str, str]:
    """Return the names of a test in the tables of tests to leave out.

    They are without parameters, with all of them, and up to the end of the first one.
    The tables are `SLOW_IN_PYTHON`, `SLOW_ON_SWIFTSHADER` and `half_storage.EXCEPTIONS`.
    """
    name = nodeid.removeprefix("tests/")
    return name.partition("[")[0], name, name.partition("-")[0]


def pytest_collection_finish() -> None:
    # Freezing keeps the collector from scanning all imported modules after every test.
    gc.collect()
    gc.freeze()


def pytest_report_header(config: pytest.Config) -> str:
    return f"backend: {config.getoption('backend')}"


def adapter_skips(config: pytest.Config) -> int:
    """Return the number of tests skipped so far because there is no WebGPU adapter."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    reports = [] if reporter is None else reporter.stats.get("skipped", ())
    return sum(NO_ADAPTER in str(report.longrepr) for report in reports)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.option.backend == "webgpu":
        terminalreporter.write_line(
            f"tests without a WebGPU adapter: {adapter_skips(config)}, "
            f"expected: {config.option.adapter_skips}"
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    # The processes of xdist have no reporter; the one that started them counts.
    is_worker = hasattr(config, "workerinput")
    if not is_worker and adapter_skips(config) != config.option.adapter_skips:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def page() -> Iterator[Any]:
    """Yield a page of a real browser; tests that use it fail on a machine without a browser."""
    with playwright_bridge.open_page() as opened:
        yield opened


@pytest.fixture(scope="session")
def backend_name(request: pytest.FixtureRequest) -> str:
    name: str = request.config.getoption("backend")
    return name


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest, backend_name: str) -> Iterator[Any]:
    """Yield the backend of the whole session."""
    if backend_name in HOST_BACKENDS:
        yield HOST_BACKENDS[backend_name]()
        return
    open_bridge, make_backend = BRIDGES[backend_name]
    page = request.getfixturevalue("page")
    if backend_name == "webgpu" and not page.evaluate(playwright_bridge.HAS_ADAPTER):
        pytest.skip(NO_ADAPTER)
    bridge: Any = open_bridge(page)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "run", event_loop.run)
        if request.config.getoption("storage") == "float16":
            patch.setattr(settings, "float16_storage", True)
        backend: Any = make_backend(bridge)
        if backend_name == "webgpu":
            use_kernels_of_gpus(backend)
        yield backend
    bridge.destroy()


def use_kernels_of_gpus(backend: WebGPUBackend) -> None:
    """Run the kernels that GPUs run, although a software renderer computes.

    Tests of the forms for software renderers replace `device` themselves.
    """
    backend.on_processor = False
    backend.device = backend.device._replace(on_processor=False)


@pytest.fixture
def webgl(engine: Any) -> Any:
    """Return the session's backend in tests of shaders, which run on WebGL alone."""
    return engine


@pytest.fixture
def webgpu(engine: Any) -> Any:
    """Return the session's backend in tests that run on WebGPU alone."""
    return engine


@pytest.fixture(scope="session")
def mutations(request: pytest.FixtureRequest) -> int:
    number: int = request.config.getoption("mutations")
    return number


def state_of(engine: Any) -> dict[str, int]:
    """Return the counts that must not grow during a test."""
    memory = pt.memory()
    return {
        "live tensors": memory.num_tensors,
        "values": memory.num_data_buffers,
        "bytes of values": memory.num_bytes,
        "bytes in textures": memory.num_bytes_in_gpu,
        "open scopes": len(scopes.open_scopes()),
        "watchers": len(scopes.state.watchers),
    }


def runs_so_far() -> tuple[int, int]:
    """Return how often a plan was looked up: without a lookup nothing runs on a backend."""
    info = pt.cache_info()
    return info.plan_hits, info.plan_misses


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Keep the collector from scanning the objects of earlier modules, such as cached plans."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_left(engine: Any, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaks tensors, textures or open scopes, or that causes a WebGL error."""
    executor.use(engine)
    # Most tests compute tiny tensors but test shaders, so host evaluation is off.
    settings.host_elements = 0
    # Operations left pending by earlier tests would move the point at which work is flushed.
    scopes.state.pending = 0
    scopes.state.anchor = ()
    before = state_of(engine)
    runs = runs_so_far()
    yield
    if request.node.get_closest_marker("host") is not None:
        assert runs_so_far() == runs, "a test with the marker `host` computes on the backend"
    bridge = getattr(engine, "bridge", None)
    error = 0 if bridge is None else bridge.error()
    if request.node.stash[FAILED]:
        return  # the traceback of a failed test keeps its tensors alive
    assert not error, f"the GPU reports {error!r}"
    assert executor.runtime.backend is engine, "another backend was left in use"
    more = _more(engine, before)
    # A caught exception keeps its frames alive until the collector has run, and an unfinished
    # asynchronous generator until Playwright's event loop, which closes it. Collecting the young
    # generations nearly always suffices, while scanning all objects takes longer than most tests.
    for generation in range(3):
        if more:
            gc.collect(generation)
            if bridge is not None:
                bridge.run_event_loop()
            more = _more(engine, before)
    assert not more


def _more(engine: Any, before: dict[str, int]) -> dict[str, str]:
    after = state_of(engine)
    return {
        name: f"{before[name]} -> {after[name]}" for name in after if after[name] > before[name]
    }


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def state(engine: Any) -> Any:
    """Return a function that counts the resources alive now."""
    return lambda: state_of(engine)
