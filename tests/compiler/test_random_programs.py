"""Random programs compute the same on the backend as with NumPy on the host."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from programs import STEPS, RandomProgram, add, programs
from programs.jitted import check_jitted
from programs.program import compare, leaves, repeatable

import py_tensor as pt

OPERATORS = {
    *("chosen", "complex operators", "enlarge", "getitem", "indexed kernel", "resize", "scalar"),
    *("setitem", "updated", "warp"),
}
"""Steps that are not named after a function."""
NOT_GENERATED = {
    "its elements are not defined": {"empty", "empty_like"},
    "its pixels come from a page": {"from_pixels"},
    "kernels read it, and it raises elsewhere": {"barrier", "local_index", "shared"},
    "whole programs run under it, here": {"jit"},
    "its result is its operand": {"checkpoint_name", "device_put"},
    "it changes a module": {"dequantize", "quantize"},
    "it takes a function, and has tests of its own": {
        "checkpoint",
        "custom_gradient",
        "custom_jvp",
        "custom_vjp",
        "eval_shape",
        "glsl_kernel",
        "grad",
        "hessian",
        "jacfwd",
        "jacrev",
        "jvp",
        "linearize",
        "make_jaxpr",
        "tidy",
        "tree_map",
        "tree_map_with_path",
        "tree_reduce",
        "value_and_grad",
        "vjp",
        "vmap",
        "ready",
        "warmup",
    },
    "NumPy has no such function; tests of the function's own chapter compare it": {
        "betainc",
        "divide_no_nan",
        "ravel_pytree",
    },
    "it makes no tensor": {
        "__array_namespace_info__",
        "assert_no_leaks",
        "broadcast_shapes",
        "block_until_ready",
        "cache_info",
        "can_cast",
        "contraction_path",
        "default_backend",
        "device_count",
        "device_get",
        "devices",
        "dispose",
        "draw",
        "enable_debug_mode",
        "enable_production_mode",
        "enable_x64",
        "explain",
        "finfo",
        "frames",
        "get_backend",
        "iinfo",
        "isdtype",
        "keep",
        "memory",
        "memory_trace",
        "next_frame",
        "profile",
        "progress",
        "realize",
        "register_backend",
        "result_type",
        "set_backend",
        "show",
        "time",
        "to_pixels",
        "tree_flatten",
        "tree_leaves",
        "tree_unflatten",
    },
}
"""Functions that random programs do not call, by the reason."""


def check(program: RandomProgram, wanted: slice) -> None:
    try:
        compare(program.values[wanted])
    except Exception as error:
        error.add_note("\n".join(program.steps))
        raise


@pytest.mark.parametrize(
    "wanted", [slice(-1, None), slice(None)], ids=["the last value", "all values"]
)
def test_random_programs(wanted, request):
    budget = request.config.getoption("examples")

    @repeatable(budget // 2)
    @given(programs())
    def run(program):
        check(program, wanted)

    run()


def test_random_programs_under_jit(request):
    @repeatable(request.config.getoption("examples") // 3)
    @given(st.data())
    def run(data):
        check_jitted(data.draw)

    run()


def test_every_function_is_generated():
    # The functions of numpy_functions are compositions of the others.
    functions = {
        name
        for name in pt.__all__
        if inspect.isfunction(value := getattr(pt, name))
        and value.__module__.partition("py_tensor.numpy_functions")[1] == ""
        and not (value.__name__ != name and getattr(pt, value.__name__, None) is value)
    }
    reasoned = [name for names in NOT_GENERATED.values() for name in names]
    assert len(set(reasoned)) == len(reasoned)
    assert functions == (set(STEPS) - OPERATORS) | set(reasoned)
    assert not set(STEPS) & set(reasoned)


@pytest.mark.parametrize("name", STEPS)
def test_each_step(name, request):
    """Run each step alone, on leaves; all its examples share one plan."""
    program = RandomProgram()
    leaves(program)
    count = len(program.values)
    made: list[tuple[pt.Tensor, Any]] = []

    @repeatable(max(8, request.config.getoption("examples") // 40))
    @given(st.data())
    def run(data):
        add(STEPS[name], data.draw, program)
        made.extend(program.pop() for _ in program.values[count:])

    run()
    assert made
    assert name in program.called | OPERATORS
    compare(made)
    # Hypothesis keeps `run` until the collector has run.
    made.clear()
    program.values.clear()


def test_a_wrong_result_is_found():
    program = RandomProgram()
    program.add(pt.asarray([1.0, 2.0]) * 2, np.float32([2, 5]), "wrong")
    with pytest.raises(AssertionError) as raised:
        check(program, slice(None))
    assert raised.value.__notes__ == ["v0 = wrong: float32[2]"]
