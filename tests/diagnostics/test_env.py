"""`pt.env` shows and changes all settings, from Python and from an address."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.diagnostics.env import _FLAGS, apply_query
from py_tensor.runtime.executor import runtime
from py_tensor.settings import Settings, settings

SETTABLE = [name for name, each in _FLAGS.items() if each.set is not None]
INTEGERS = [name for name in SETTABLE if _FLAGS[name].kind is int]


@pytest.fixture(autouse=True)
def restored(engine):
    names = [name for name in INTEGERS if getattr(pt.env, name) is not None]
    before = {name: getattr(pt.env, name) for name in names}
    yield
    pt.enable_production_mode()
    for name, value in before.items():
        setattr(pt.env, name, value)


@pytest.mark.parametrize("name", INTEGERS)
def test_settings_are_read_and_changed(name, engine):
    if getattr(pt.env, name) is None:
        message = f'env: {name} needs the backend "webgl"; got "{engine.name}"; call'
        with pytest.raises(errors.ArgumentError, match=message):
            setattr(pt.env, name, 5)
        return
    setattr(pt.env, name, 77)
    assert getattr(pt.env, name) == 77
    for wrong in (-1, 1.5, "3", None):
        with pytest.raises(errors.TensorError, match=f"^env: {name} "):
            setattr(pt.env, name, wrong)
    assert getattr(pt.env, name) == 77


def test_defaults_are_the_values_at_the_start(engine):
    assert {name: getattr(Settings(), name) for name in Settings.__slots__} == {
        name: _FLAGS[name].default for name in Settings.__slots__
    }
    if engine.name in ("webgl", "webgpu"):
        assert pt.env.pool_limit == _FLAGS["pool_limit"].default
        assert pt.env.program_limit == _FLAGS["program_limit"].default
    assert pt.env.plan_limit == _FLAGS["plan_limit"].default


def test_values_reach_the_places_that_use_them(engine):
    pt.env.flush_threshold = 20
    x = kept = pt.ones(3)
    for _ in range(50):
        x = x + 1.0
    assert kept is not None and pt.explain(x).count("add(") < 41
    pt.env.host_elements = 9
    assert settings.host_elements == 9
    for n in range(4, 10):
        pt.realize(pt.ones(n) * 3.0)
    pt.env.plan_limit = 2
    assert len(runtime.plans) == 2
    pt.realize(x)
    assert len(runtime.plans) == 2


def test_pool_limit_empties_the_pool(engine):
    if pt.env.pool_limit is None:
        assert engine.name not in ("webgl", "webgpu", "wasm")
        return
    pt.realize(pt.ones((64, 64)) * 2.0)
    assert pt.memory().num_bytes_in_gpu_free >= 64 * 64 * 4
    pt.env.pool_limit = 0
    assert pt.memory().num_bytes_in_gpu_free == 0


ON_DEVICES = ("fences", "timer", "parallel_compile", "renderer")
"""Facts that a device of WebGPU has, too."""


def test_facts_of_the_context(engine):
    facts = [name for name in pt.env if name not in (*SETTABLE, "backend_choice")]
    for name in facts:
        value = getattr(pt.env, name)
        known = {"webgl": facts, "webgpu": ON_DEVICES}.get(engine.name, ())
        if name in known:
            assert type(value) is _FLAGS[name].kind
        else:
            assert value is None
        with pytest.raises(errors.ArgumentError, match=f"env: {name} is read only; got 3; "):
            setattr(pt.env, name, 3)
    if engine.name == "webgl":
        assert pt.env.max_texture_size == engine.limits["maxTextureSize"] >= 2048
        assert pt.env.texture_units >= 16 and pt.env.webgl_version == 2
        assert pt.env.float32_rendering


def test_modes():
    assert (pt.env.debug, pt.env.production) == (False, True)
    pt.env.debug = True
    assert (pt.env.debug, pt.env.production) == (True, False)
    with pytest.raises(errors.NumericError):
        pt.log(pt.asarray([-1.0]))
    with pytest.raises(errors.TensorError, match="env: debug must be True or False; got 'no'"):
        pt.env.debug = "no"
    pt.env.production = True
    assert (pt.env.debug, pt.env.production) == (False, True)


def test_backend(engine):
    assert pt.env.backend == engine.name
    pt.env.backend = engine.name
    with pytest.raises(errors.BackendError, match="unknown backend; got 'gpus'"):
        pt.env.backend = "gpus"


def test_unknown_names():
    with pytest.raises(errors.ArgumentError, match="env: unknown flag; got 'flush'; use one of b"):
        pt.env.flush = 3
    with pytest.raises(AttributeError, match="env: unknown flag; got 'flush'; use one of"):
        _ = pt.env.flush
    assert not hasattr(pt.env, "flush")


def test_query_of_an_address():
    pt.env.set_from_query("?lang=en&py_tensor.flush_threshold=1000&py_tensor.debug=1")
    assert (pt.env.flush_threshold, pt.env.debug) == (1000, True)
    pt.env.set_from_query("py_tensor.debug=false&py_tensor.host_elements=8")
    assert (pt.env.host_elements, pt.env.debug) == (8, False)
    pt.env.set_from_query("?py_tensor.debug")
    assert pt.env.debug
    for query, message in (
        ("?py_tensor.flush=1", "env: unknown flag; got 'flush'; use one of "),
        ("?py_tensor.flush_threshold=many", "env: flush_threshold must be an integer; got 'many'"),
        ("?py_tensor.debug=maybe", "env: debug must be True or False; got 'maybe'"),
        ("?py_tensor.flush_threshold=0", "env: flush_threshold is too small; got 0; use 1 or more"),
        ("?py_tensor.timer=1", "env: timer is read only"),
    ):
        with pytest.raises(errors.TensorError, match=re.escape(message)):
            pt.env.set_from_query(query)
    with pytest.raises(errors.TensorError, match="env: query must be text; got 3"):
        pt.env.set_from_query(3)


def test_a_wrong_address_warns():
    """A page with a wrong address still starts."""
    with pytest.warns(UserWarning, match="env: unknown flag; got 'x'.*in the page's address"):
        apply_query("?py_tensor.x=1")


def test_table(engine):
    lines = str(pt.env).splitlines()
    assert lines[0].split() == ["flag", "value", "default", "type", "meaning"]
    assert [line.split()[0] for line in lines[1:]] == list(pt.env)
    row = next(line for line in lines if line.startswith("flush_threshold"))
    assert row.split()[1:4] == ["500", "500", "integer"]
    assert "<td>flush_threshold</td>" in pt.env._repr_html_()


def test_the_guide_lists_every_flag():
    text = (Path(__file__).parents[2] / "docs" / "measuring.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", text, re.MULTILINE))
    assert {name: rows.get(name) for name in pt.env} == {
        name: "read only"
        if each.set is None
        else f"{each.default:,}"
        if each.kind is int
        else str(each.default if each.default is not None else "the fastest available")
        for name, each in _FLAGS.items()
    }


def test_prepared_values_are_kept_if_plans_are_compiled_again(engine):
    if pt.env.fused_multiply_add is None:
        assert engine.name != "wasm"
        return
    weights = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    product = pt.jit(lambda x: x @ pt.softmax(weights @ weights))
    x = pt.asarray([[1.0, 0.0]])
    before = product(x).tolist()
    for fused in (False, True):
        pt.env.fused_multiply_add = fused
        assert product(x).tolist() == [pytest.approx(before[0])]


def test_products_round_twice_without_fused_multiply_add(engine):
    if pt.env.fused_multiply_add is None:
        assert engine.name != "wasm"
        return
    rows = [[-1.0, 1.0 + 2.0**-12]]
    columns = [[1.0 + 2.0**-11], [1.0 + 2.0**-12]]
    product = pt.jit(lambda a, b: a @ b)
    results = {}
    for fused in (True, False):
        pt.env.fused_multiply_add = fused
        results[fused] = [(pt.asarray(rows) @ pt.asarray(columns)).item()]
        results[fused].append(product(pt.asarray(rows), pt.asarray(columns)).item())
    pt.env.fused_multiply_add = True
    # The square is 1 + 2**-11 + 2**-24, whose last bit is lost if it is rounded.
    assert results[False] == [0.0, 0.0]
    assert results[True] == ([2.0**-24] * 2 if engine.engine.has_fma else [0.0] * 2)
