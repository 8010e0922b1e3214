"""The backend every test runs on, and what every test must leave behind: nothing."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import event_loop
import numpy as np
import playwright_bridge
import pytest

import py_tensor as pt
from py_tensor import lifetime, runtime
from py_tensor.backends.numpy import NumpyBackend
from py_tensor.backends.webgl import WebGLBackend

FAILED = pytest.StashKey[bool]()
BACKENDS = ("numpy", "webgl")
WITHOUT_BACKEND = {"test_architecture.py", "test_operand_names.py", "test_reference.py"}
"""Tests of source texts, and of errors that are raised before there is anything to compute."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--backend", choices=BACKENDS, default="numpy", help="where tensors compute")
    parser.addoption("--examples", type=int, default=300, help="random programs to try")
    parser.addoption("--rewrite-golden", action="store_true", help="write tests/golden anew")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return (config.option.backend != "numpy" and collection_path.name in WITHOUT_BACKEND) or None


def pytest_collection_finish() -> None:
    # The collector goes over what a test left, not over all modules again each time.
    gc.collect()
    gc.freeze()


def pytest_report_header(config: pytest.Config) -> str:
    return f"backend: {config.getoption('backend')}"


@pytest.fixture(scope="session")
def page() -> Iterator[Any]:
    """A page of a real browser; a machine without one fails the tests that asked for it."""
    with playwright_bridge.open_page() as opened:
        yield opened


@pytest.fixture(scope="session")
def backend_name(request: pytest.FixtureRequest) -> str:
    name: str = request.config.getoption("backend")
    return name


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest, backend_name: str) -> Iterator[Any]:
    """The backend in use for the whole session."""
    if backend_name == "numpy":
        yield NumpyBackend()
        return
    bridge = playwright_bridge.PlaywrightBridge(request.getfixturevalue("page"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "run", event_loop.run)
        yield WebGLBackend(bridge)
    bridge.destroy()


def state_of(engine: Any) -> dict[str, int]:
    """What a test must not leave more of."""
    memory = pt.memory()
    return {
        "live tensors": memory.num_tensors,
        "values": memory.num_data_buffers,
        "bytes of values": memory.num_bytes,
        "bytes in textures": memory.num_bytes_in_gpu,
        "open scopes": len(lifetime.scopes),
        "watchers": len(lifetime.state.watchers),
    }


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture(autouse=True)
def nothing_left(engine: Any, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves tensors, textures, open scopes or a WebGL error behind."""
    runtime.use(engine)
    # Most tests compute tiny tensors, and are about shaders all the same.
    runtime.runtime.host_elements = 0
    before = state_of(engine)
    yield
    bridge = getattr(engine, "bridge", None)
    error = 0 if bridge is None else bridge.error()
    if request.node.stash[FAILED]:
        return  # its traceback holds what the test held
    assert error == 0, f"getError() is {error:#x}"
    assert runtime.runtime.backend is engine, "another backend was left in use"
    more = _more(engine, before)
    if more:
        # A caught exception holds the frames it went through until the collector has run.
        gc.collect()
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
    """A function that says what is alive now."""
    return lambda: state_of(engine)
