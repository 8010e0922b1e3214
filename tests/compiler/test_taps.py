"""Taps of a row of a kernel that a fragment computes together."""

from itertools import product

import pytest

from py_tensor.compiler.textures.taps import LISTED, SHARED, taps_of
from py_tensor.ops.contractions import Window


def window(kernel, stride, dilation):
    return Window((1, kernel), (1, stride), (0, 0), (1, dilation), (9, 9), 1)


@pytest.mark.parametrize("height", [1, 2, 4, 8])
def test_each_tap_is_in_one_part_and_few_columns_are_listed(height):
    for kernel, stride, dilation in product(range(1, 41), range(1, 6), range(1, 5)):
        step, columns, parts = taps_of(height, window(kernel, stride, dilation))
        assert kernel % step == 0
        assert sorted(tap for part in parts for tap in part) == list(range(step))
        reads = {row * stride + tap * dilation for row in range(height) for tap in range(step)}
        assert set(columns) == reads
        assert len(columns) <= max(LISTED, height)
        for part in parts:
            own = {row * stride + tap * dilation for row in range(height) for tap in part}
            assert len(own) <= max(SHARED, height)


def test_a_row_that_shares_many_columns_is_computed_together():
    assert taps_of(4, window(5, 1, 1)).step == 5
    assert taps_of(4, window(16, 4, 1)).step == 1
