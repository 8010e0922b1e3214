"""onnx's own test cases of its operators, run as models by pt.models.

Inputs become tensors by pt.asarray: int64 becomes int32 if the values fit, and float64 becomes
float32. Expected results are converted likewise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_exceptions
import pytest
from helpers import HALF, assert_spec
from onnx_cases import Case, load

import py_tensor as pt
from py_tensor.errors import TensorError
from py_tensor.models.execution import FOLDED, HOST_ELEMENTS, ModelProgram
from py_tensor.models.graph import ModelConstant
from py_tensor.models.onnx.operators import OPERATORS
from py_tensor.models.onnx.reader import parse, read

SUMS = {"DFT"}
"""Sums that cancel: off by 2e-7 next to 54, where float32 has steps of 4e-6."""
QUANTIZED = {"DynamicQuantizeLinear"}
"""Operators whose quotients may be rounded the other way: NVIDIA GPUs divide by a reciprocal."""
NARROW = {
    "float64": "float32", "int64": "int32", "uint64": "uint32", "bfloat16": "float32",
    "int4": "int8", "uint4": "uint8", "int2": "int8", "uint2": "uint8",
    "float8_e4m3fn": "float32", "float8_e4m3fnuz": "float32", "float8_e5m2": "float32",
    "float8_e5m2fnuz": "float32", "float4_e2m1fn": "float32", "float8_e8m0fnu": "float32",
}  # fmt: skip
BFLOAT16 = 2**-7
"""Relative error of one unit of the last place of bfloat16."""
WITHOUT_CASES = {
    *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform"),
    *("RandomUniformLike", "Function", "SimplifiedLayerNormalization"),
    *(name for name in OPERATORS if name.startswith("com.microsoft.")),
    *("ConcatFromSequence", "MaxRoiPool", "Optional", "SequenceAt", "SequenceConstruct"),
    *("SequenceEmpty", "SequenceErase", "SequenceLength"),
}
"""Operators with tests of their own in tests/models: functions, random numbers, extensions."""
TESTED = [*(OPERATORS.keys() - WITHOUT_CASES), "Constant"]
"""Operators of cases: a constant is no operator after reading."""


@pytest.fixture(scope="module")
def exceptions() -> onnx_exceptions.Exceptions:
    return onnx_exceptions.read(onnx_exceptions.FILE.read_text())


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return load()


def results(case: Case, compiled: bool = True) -> list[tuple[pt.Tensor, Any]]:
    """Pairs of the model's result, pending if it is not compiled, and the expected one."""
    model = pt.models.loads(case.model)
    model._runner.eager = not compiled
    given = model.run({name: in_our_dtypes(array) for name, array in case.inputs.items()})
    assert len(given) == len(case.outputs), f"{len(given)} results of {len(case.outputs)}"
    found = []
    for result, expected in zip(given.values(), case.outputs, strict=True):
        assert isinstance(result, list) == isinstance(expected, list)
        if isinstance(expected, list):
            assert len(result) == len(expected)
            found += zip(result, expected, strict=True)
        elif expected is not None:
            found.append((result, expected))
    return [(tensor, in_our_dtypes(array)) for tensor, array in found]


def in_our_dtypes(array: Any) -> Any:
    if array is None or isinstance(array, list):
        return array and [in_our_dtypes(each) for each in array]
    if array.dtype.name not in NARROW:
        return array
    narrow = array.astype(NARROW.get(array.dtype.name, array.dtype))
    if array.dtype.kind in "iu":
        np.testing.assert_array_equal(narrow, array, err_msg="does not fit 32 bits")
    return narrow


def compare(case: Case, pairs: list[tuple[pt.Tensor, Any]], engine: Any) -> None:
    rounded = any(getattr(array, "dtype", None) == "bfloat16" for array in case.outputs)
    for tensor, array in pairs:
        assert_spec(tensor, array.shape, array.dtype.name)
        # The cases' relative error is one unit of the last place of float16.
        rtol = max(case.rtol, HALF) if array.dtype == np.float16 else case.rtol
        rtol = max(rtol, BFLOAT16) if rounded else rtol
        step = 1 if case.operator in QUANTIZED else 0
        size = np.abs(array).max(initial=0.0) if case.operator in SUMS else 0.0
        np.testing.assert_allclose(
            tensor.numpy().astype("float64"),
            array.astype("float64"),
            rtol=rtol,
            atol=max(case.atol, step, size * np.finfo("float32").eps),
            err_msg=case.name,
        )


def form_of(case: Case) -> tuple[Any, ...]:
    """Return the names of a case's attributes, and the kinds of numbers of its inputs."""
    node = parse(case.model)["graph"]["node"][0]
    kinds = [getattr(array, "dtype", np.dtype(object)).kind for array in case.inputs.values()]
    return sorted(attribute["name"] for attribute in node.get("attribute", [])), kinds


@pytest.mark.parametrize("operator", sorted(TESTED))
def test_operator(operator, cases, exceptions, engine, backend_name):
    ours = [case for case in cases if case.operator == operator]
    wanted = [case for case in ours if not exceptions.patterns_of(case.name)]
    assert wanted, "no case is left"
    if backend_name in ("webgl", "webgpu"):
        wanted = [*{str(form_of(case)): case for case in wanted}.values()]
    # On GPUs all cases of an operator are one plan, because compiling each takes long.
    found = [results(case, compiled=backend_name == "numpy") for case in wanted]
    pt.realize(*(tensor for pairs in found for tensor, _ in pairs))
    for case, pairs in zip(wanted, found, strict=True):
        compare(case, pairs, engine)


def test_definitions(cases, exceptions, engine, backend_name):
    """Run the definitions of operators in terms of others, which are functions of several nodes."""
    ours = [case for case in cases if not case.operator and not exceptions.patterns_of(case.name)]
    assert len(ours) > 400
    # Shaders of all of them take minutes to compile.
    wanted = ours if backend_name in ("numpy", "wasm") else ours[::20]
    found = [results(case, compiled=backend_name == "numpy") for case in wanted]
    for case, pairs in zip(wanted, found, strict=True):
        compare(case, pairs, engine)


def works(case: Case, engine: Any) -> bool:
    try:
        compare(case, results(case), engine)
    except (AssertionError, TypeError, ValueError, TensorError):
        return False
    return True


def test_exceptions_fail(cases, exceptions, engine):
    excepted = [
        case
        for case in cases
        if (not case.operator or case.operator in OPERATORS) and exceptions.patterns_of(case.name)
    ]
    assert [case.name for case in excepted if works(case, engine)] == []


def test_exceptions_are_exact(cases, exceptions):
    operators = {case.operator for case in cases if case.operator}
    assert set(exceptions.operators) == operators - set(TESTED)
    assert set(TESTED) <= operators
    used = set()
    for case in cases:
        known = not case.operator or case.operator in OPERATORS
        patterns = exceptions.patterns_of(case.name) if known else []
        assert len(patterns) <= 1, f"{case.name} is excepted twice, by {patterns}"
        used.update(patterns)
    assert used == set(exceptions.cases)


@pytest.mark.parametrize("operator", sorted(n for n, row in OPERATORS.items() if row.fold))
def test_constants_are_folded(operator, cases, exceptions, engine):
    """Operators on constants give constants with the same numbers as operators on tensors."""
    folded = 0
    for case in cases:
        if case.operator != operator or exceptions.patterns_of(case.name):
            continue
        arrays = {name: in_our_dtypes(array) for name, array in case.inputs.items()}
        if not all(
            isinstance(a, np.ndarray) and a.dtype.name in FOLDED and a.size <= HOST_ELEMENTS
            for a in arrays.values()
        ):
            continue
        given = {
            name: ModelConstant(name, pt.asarray(array).dtype, array.shape, array.ravel().tolist())
            for name, array in arrays.items()
        }
        graph = read(parse(case.model), {})
        names = [info.name for info in graph.outputs]
        found = ModelProgram(graph, OPERATORS).run(given, names)
        for value, original in zip(found, case.outputs, strict=True):
            expected = in_our_dtypes(original)
            if isinstance(value, ModelConstant):
                folded += 1
                assert (value.shape, value.dtype.name) == (expected.shape, expected.dtype.name)
                assert isinstance(value.tolist(), list) == bool(expected.shape)
                # The case's own tolerance, which is exact for integers.
                rtol = case.rtol if expected.dtype.kind == "f" else 0
                rtol = BFLOAT16 if original.dtype.name == "bfloat16" else rtol
                got = np.reshape(value.tolist(), value.shape)
                np.testing.assert_allclose(got, expected, rtol, case.atol, err_msg=case.name)
    assert folded


def test_a_wrong_result_is_found(cases, engine):
    case = next(case for case in cases if case.name == "test_neg_example")
    [expected] = case.outputs
    assert works(case, engine)
    assert not works(case._replace(outputs=[-expected]), engine)
    assert not works(case._replace(outputs=[expected.astype("float16")]), engine)
    assert not works(case._replace(outputs=[expected, expected]), engine)


def test_every_name_has_one_reason():
    found = onnx_exceptions.read(
        "# Head.\n\n# Why\n# indeed:\nOne test_two_*\n\n# Other:\ntest_three\ntest_*_expanded\n"
    )
    assert found.operators == {"One": "Why indeed:"}
    assert found.patterns_of("test_two_") == ["test_two_*"]
    assert found.patterns_of("test_two_expanded") == ["test_*_expanded"]
    assert found.patterns_of("test_three_") == []
    for text in ("test_one\n", "# A:\ntest_one\n\n# B:\ntest_one\n"):
        with pytest.raises(AssertionError):
            onnx_exceptions.read(text)
