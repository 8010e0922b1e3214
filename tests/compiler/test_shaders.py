"""Access modes of operands, cheapest first; no shader exceeds the limits of the context."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.kernel import FusionLimits
from py_tensor.compiler.lowered_graph import LoweredGraph
from py_tensor.compiler.textures.target import TextureTarget
from py_tensor.ir.node import OpGraph
from py_tensor.language.sizes import MOST


def modes(tensor):
    """Access mode of each input of the only kernel, in the order of operands."""
    (draw,) = plan_of(tensor).draws
    return [mode for _, mode in sorted(zip(draw.inputs, draw.shader.modes, strict=True))]


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda: leaf(5, 7) + leaf(5, 7), ["same", "same"]),
        (lambda: leaf(5, 8) + leaf(8), ["same", "aligned"]),
        (lambda: leaf(5, 8) + leaf(5, 1), ["same", "splat"]),
        (lambda: leaf(5, 7) + leaf(7), ["same", "lanes"]),
        (lambda: leaf(5, 7) + leaf(5, 1), ["same", "lanes"]),
        (lambda: leaf(5, 7) + leaf(1), ["same", "splat"]),
        (lambda: leaf(8, 8)[2:6] + leaf(4, 8), ["aligned", "same"]),
        (lambda: leaf(8, 8)[:, 4:] + 0, ["aligned"]),
        (lambda: leaf(8, 8)[:, 3:7] + 0, ["strided"]),
        (lambda: leaf(8, 8).T + 0, ["strided"]),
        (lambda: leaf(8, 8).reshape((4, 16)) + 0, ["same"]),
        (lambda: leaf(64, 32).sum(axis=1), ["aligned"]),
        (lambda: leaf(64, 32).sum(axis=0), ["aligned"]),
        (lambda: leaf(64, 33).sum(axis=0), ["lanes"]),
        (lambda: pt.concat([leaf(4, 8), leaf(2, 8)]), ["aligned", "aligned"]),
        (lambda: pt.concat([leaf(5, 3), leaf(2, 3)]), ["lanes", "lanes"]),
        (lambda: pt.pad(leaf(4, 8), ((1, 2), (0, 0))), ["aligned"]),
        (lambda: pt.pad(leaf(4, 8), ((0, 0), (1, 1))), ["lanes"]),
        (lambda: pt.pad(leaf(4, 8), ((0, 0), (4, 8))), ["aligned"]),
        (lambda: pt.pad(leaf(4, 8), ((0, 0), (4, 2))), ["lanes"]),
        (lambda: pt.pad(leaf(4, 6, 2), ((0, 0), (2, 0), (0, 0))), ["aligned"]),
        (lambda: pt.pad(leaf(4, 6, 2), ((0, 0), (1, 1), (0, 0))), ["lanes"]),
    ],
)
def test_modes(build, expected):
    found = modes(build())
    assert found == expected


def test_modes_are_named_by_explain(backend_name):
    text = pt.explain(leaf(5, 8) + leaf(8) + leaf(5, 1))
    memory = backend_name == "wasm"
    assert f"slot 0 ({'neighbours' if memory else 'same'})" in text
    assert f"slot 1 ({'neighbours' if memory else 'aligned'})" in text
    assert "slot 2 (splat)" in text


def test_same_mode_depends_on_no_shape():
    sources = {
        plan_of(pt.exp(leaf(*shape) * 2)).draws[0].shader.source
        for shape in [(3,), (5, 7), (2, 3, 4)]
    }
    assert len(sources) == 1


def assert_within_limits(plan, limits):
    for draw in plan.draws:
        assert len(draw.inputs) <= limits.inputs
        assert sum(map(len, draw.shader.uniforms)) <= limits.scalars
        assert sum(map(len, draw.shader.sizes)) <= MOST
        assert len(draw.shader.source) < 40_000


def test_assert_within_limits_fails():
    xs = [leaf(4) for _ in range(3)]
    with pytest.raises(AssertionError):
        assert_within_limits(plan_of(xs[0] + xs[1] + xs[2]), FusionLimits(inputs=2))


LARGE = {
    "concat of 40": lambda xs: pt.concat(xs[:40]),
    "sum of 50": lambda xs: sum(xs, start=pt.zeros(())),
    "sum of 50 sines": lambda xs: sum(map(pt.sin, xs), start=pt.zeros(())),
    "stack of 50 reduced": lambda xs: pt.stack(xs).sum(axis=0),
    "500 steps": lambda xs: repeated(xs[0], 500),
    "sum of 30 complex steps": lambda xs: total_of_steps(xs[0] + 1j * xs[1], 30),
    "200 scalars": lambda xs: sum((xs[0] * (i + 0.5) for i in range(200)), start=pt.zeros(())),
}


def repeated(x, n):
    y = x
    for i in range(n):
        y = pt.sin(y) + x * (i * 0.01)
    return y


def total_of_steps(z, n):
    """Add up steps of an iteration; each step is materialized for the next one and the total."""
    total = pt.zeros(z.shape)
    for _ in range(n):
        inside = pt.abs(z) < 4
        z = pt.where(inside, z * z + (0.3 + 0.2j), z)
        total = total + inside * pt.exp(-pt.abs(z))
    return total / pt.max(total)


@pytest.mark.parametrize("inputs", [15, 9])
@pytest.mark.parametrize("name", LARGE)
def test_no_shader_exceeds_the_limits(name, inputs):
    xs = [leaf(3, 4) for _ in range(50)]
    limits = FusionLimits(inputs=inputs)
    assert_within_limits(plan_of(LARGE[name](xs), device=TextureTarget(8192, 8, limits)), limits)


def test_few_sines_share_a_shader():
    """Each sine contains a loop; Mesa's compile time doubles with each one more."""
    plan = plan_of(repeated(leaf(3, 4), 40))
    assert max(draw.shader.source.count("= pt_sin(") for draw in plan.draws) <= 10
    assert len(plan.draws) <= 6


def test_large_graphs_are_right(rng):
    arrays = [rng.standard_normal((3, 4)).astype("float32") for _ in range(50)]
    xs = [pt.asarray(a) for a in arrays]
    assert_values(LARGE["concat of 40"](xs), np.concatenate(arrays[:40]))
    assert_values(
        LARGE["sum of 50"](xs), np.sum(arrays, axis=0, dtype="float32"), rtol=1e-5, atol=1e-5
    )
    assert_values(
        LARGE["stack of 50 reduced"](xs),
        np.sum(arrays, axis=0, dtype="float32"),
        rtol=1e-5,
        atol=1e-5,
    )


def test_temporaries_share_textures():
    x = leaf(64, 64)
    y = x
    for _ in range(6):
        y = pt.softmax(y @ x)
    plan = plan_of(y)
    assert len(plan.draws) >= 12
    assert len(plan.temporaries) <= 6


def test_equal_kernels_of_different_plans_share_a_shader():
    x, y = leaf(4, 8), leaf(4, 8)
    (alone,) = plan_of(pt.sqrt(x) * y).draws
    _, second = plan_of(x - 1.0, pt.sqrt(y) * leaf(4, 8)).draws
    assert second.kernel != alone.kernel
    assert second.shader is alone.shader
    (same_operand,) = plan_of(pt.sqrt(x) * x).draws
    assert same_operand.shader.source != alone.shader.source


def test_constants_of_equal_values_may_differ_in_a_shader():
    lowered = LoweredGraph(OpGraph((), (), (), ()))
    zero, again, negative = (
        lowered.calls[lowered.constant(v, pt.float32)] for v in (0.0, 0.0, -0.0)
    )
    assert zero == again
    assert zero != negative
