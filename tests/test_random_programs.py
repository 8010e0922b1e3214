"""Random programs compute on the backend what NumPy computes on the host."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_spec
from hypothesis import HealthCheck, given, settings
from programs import Program, programs

import py_tensor as pt


def check(program: Program, wanted: slice) -> None:
    pairs = program.values[wanted]
    try:
        pt.realize(*(tensor for tensor, _ in pairs))
        for tensor, array in pairs:
            assert_spec(tensor, array.shape, array.dtype.name)
            if array.dtype.kind == "f":
                got, want = tensor.numpy().astype("float64"), array.astype("float64")
                # Sums of what was rounded cancel: errors are measured by the largest element.
                size = max(1.0, np.abs(want).max(initial=0.0))
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * size)
            else:
                np.testing.assert_array_equal(tensor.numpy(), array)
    except Exception as error:
        error.add_note("\n".join(program.steps))
        raise


@pytest.mark.parametrize(
    "wanted", [slice(-1, None), slice(None)], ids=["the last value", "all values"]
)
def test_random_programs(wanted, request):
    budget = request.config.getoption("examples")

    @settings(
        max_examples=budget // 2,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def run(program):
        check(program, wanted)

    run()


def test_a_wrong_result_is_found():
    program = Program()
    program.add(pt.asarray([1.0, 2.0]) * 2, np.float32([2, 5]), "wrong")
    with pytest.raises(AssertionError) as raised:
        check(program, slice(None))
    assert raised.value.__notes__ == ["v0 = wrong: float32[2]"]
