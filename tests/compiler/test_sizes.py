"""Sizes of tensors are uniforms, so that kernels of other sizes share a program."""

import re

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.language.glsl import GLSL
from py_tensor.language.sizes import LARGEST, MOST, Sizes

PROGRAMS = {
    "transposed": lambda n: leaf(3 * n, 5 * n).T + 1.0,
    "broadcast": lambda n: leaf(50, 7 * n) * leaf(50, 1),
    "padded": lambda n: pt.pad(leaf(5 * n, 7 * n, 12), ((1, 1), (1, 1), (0, 0))),
    "joined": lambda n: pt.concat([leaf(5, 7 * n), leaf(5, 9 * n)], axis=1),
    "taken": lambda n: pt.take(leaf(9 * n, 12 * n), leaf(50 * n, dtype="int32"), axis=0),
    "sum of rows": lambda n: leaf(50 * n, 12 * n).sum(axis=1),
    "sum of columns": lambda n: leaf(9 * n, 12 * n).sum(axis=0),
    "running sum": lambda n: pt.cumulative_sum(leaf(72 * n, 12), axis=0),
    "product": lambda n: leaf(120 * n, 20 * n) @ leaf(20 * n, 48 * n),
    "convolution": lambda n: pt.conv2d(
        leaf(2, 7 * n, 28 * n, 20 * n), leaf(3, 3, 20 * n, 24 * n), padding="same"
    ),
}


def shaders(build, n):
    return [draw.shader for draw in plan_of(build(n)).draws]


@pytest.mark.parametrize("build", PROGRAMS.values(), ids=PROGRAMS)
def test_kernels_of_other_sizes_share_programs(build):
    one, other = shaders(build, 3), shaders(build, 5)
    assert [shader.source for shader in one] == [shader.source for shader in other]
    assert [shader.sizes for shader in one] != [shader.sizes for shader in other]


def test_equal_sizes_are_separate_uniforms():
    (square,) = shaders(lambda n: leaf(7, 7).T + 1.0, 1)
    (other,) = shaders(lambda n: leaf(7, 9).T + 1.0, 1)
    assert square.source == other.source


def test_small_numbers_and_short_loops_are_constants():
    (draw,) = plan_of(leaf(9, 3, 5).sum(axis=(1, 2))).draws
    assert re.findall(r"k\d+ < (.+?);", draw.shader.source) == ["3", "5"]
    (draw,) = plan_of(leaf(9, 12, 5).sum(axis=(1, 2))).draws
    assert re.findall(r"k\d+ < (.+?);", draw.shader.source) == ["I[2]", "5"]


def quotients(x, n):
    """Quotients as shaders compute them."""
    return ((x.astype("float32") + np.float32(0.5)) * np.float32(1.0 / n)).astype("int32")


@pytest.mark.parametrize("divisors", [range(3, 4096), range(4096, LARGEST, 1021)])
def test_products_with_reciprocals_are_quotients(divisors):
    for n in divisors:
        multiples = np.unique(np.linspace(1, LARGEST // n, 64).astype("int64")) * n
        x = np.concatenate([[0], multiples - 1, multiples, multiples + 1])
        x = x[x < LARGEST]
        np.testing.assert_array_equal(quotients(x, n), x // n)


def test_products_with_reciprocals_differ_for_larger_positions():
    x = np.arange(LARGEST << 2, LARGEST << 3)
    assert any((quotients(x, n) != x // n).any() for n in range(3, 20))


@pytest.mark.parametrize("rows", [5, 7, 1021, 1447])
def test_positions_below_the_limit_are_divided_exactly(rows):
    columns = LARGEST // rows
    x = np.arange(rows * columns, dtype="int32").reshape(rows, columns)
    assert_values(pt.asarray(x).T + 1, x.T + 1)


def test_kernels_of_larger_values_have_constants():
    (draw,) = plan_of(leaf(1, 7) * leaf(LARGEST // 4 + 1, 1)).draws
    assert " / 7;" in draw.shader.source
    assert draw.shader.sizes == ((), (), ())


def test_further_sizes_are_constants():
    sizes = Sizes(2, 3)
    text = " + ".join([GLSL.size(number) for number in range(5, 5 + MOST + 1)])
    found = sizes.filled(f"{text} + pt_quotient(x, $/7)").split(" + ")
    assert found == [
        *[f"I[{3 + place}]" for place in range(MOST)],
        f"{5 + MOST}",
        "pt_quotient(x, 1.0 / 7.0)",
    ]
    assert sizes.numbers == [*range(5, 5 + MOST)]


def test_equal_reciprocals_are_one_uniform():
    sizes = Sizes(2, 3)
    text = "pt_quotient(x, $/7) + pt_modulo(x, $7, $/7)"
    assert sizes.filled(text) == "pt_quotient(x, F[2]) + pt_modulo(x, I[3], F[2])"
    assert [*sizes.reciprocals] == [1 / 7]
    assert [*sizes.needs] == ["pt_quotient", "pt_modulo"]


def test_explain_shows_sizes(backend_name):
    text = pt.explain(leaf(5, 9) * leaf(5, 1) * 2.0)
    if backend_name == "wasm":
        # All sizes are constants of the kernel.
        assert "sizes in" not in text
    else:
        assert "sizes in F from F[1] on: 0.111111\n" in text
