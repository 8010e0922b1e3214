"""Which operations share a draw, how each operand is read, and that no shader exceeds the limits.

Graphs are built outside of `assert`: pytest holds on to every part of an assertion, and what is
held may be asked for later, so it is stored.
"""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor.graph import linearise
from py_tensor.plan import Device, make_plan
from py_tensor.schedule.fuse import Limits

DEVICE = Device(largest=8192, draw_buffers=8, limits=Limits())


def plan_of(*tensors, device=DEVICE):
    nodes = [tensor._node for tensor in tensors]
    return make_plan(linearise([node for node in nodes if node.buffer is None]).graph(), device)


def kernels(*tensors):
    """Kind and name of each draw."""
    return [f"{draw.kernel.kind} {draw.shader.name}" for draw in plan_of(*tensors).draws]


def modes(tensor):
    """How the only kernel reads each of its inputs, the first operand first."""
    (draw,) = plan_of(tensor).draws
    return [
        mode for _, mode in sorted(zip(draw.inputs, draw.shader.modes, strict=True), reverse=True)
    ]


def leaf(*shape, dtype="float32"):
    x = pt.asarray(np.ones(shape, dtype))
    pt.realize(x)
    return x


# --- how many kernels ---


def test_a_chain_is_one_kernel():
    x, y = leaf(5, 7), leaf(5, 7)
    names = kernels(pt.tanh(pt.exp(x * 2 + y) - 1) / (pt.abs(y) + 3) * x)
    assert names == ["map multiply"]


def test_views_cost_nothing():
    x = leaf(6, 8)
    names = kernels((x.T.reshape((-1,)) + 1)[::2] * 3)
    assert names == ["map multiply"]


@pytest.mark.parametrize("shape", [(50, 10), (64, 128)], ids=str)
def test_softmax(shape):
    names = kernels(pt.softmax(leaf(*shape)))
    assert len(names) <= 3


def test_matmul_bias_relu():
    x, w, b = leaf(16, 32), leaf(32, 24), leaf(24)
    names = kernels(pt.relu(x @ w + b))
    assert [name.split()[0] for name in names] == ["contract", "map"]


def test_odd_matmul_pads_first():
    names = kernels(leaf(17, 21) @ leaf(21, 23))
    assert [name.split()[0] for name in names] == ["map", "map", "contract", "map"]


def test_convolution_normalised_and_clipped():
    x, w = leaf(2, 8, 8, 16), leaf(3, 3, 16, 32)
    scale, shift = leaf(32), leaf(32)
    names = kernels(pt.clip(pt.conv2d(x, w, padding="same") * scale + shift, 0.0, 6.0))
    assert [name.split()[0] for name in names] == ["contract", "map"]


def test_layer_norm():
    x, scale, shift = leaf(32, 64), leaf(64), leaf(64)
    mean = pt.mean(x, axis=-1, keepdims=True)
    var = pt.var(x, axis=-1, keepdims=True)
    names = kernels((x - mean) * pt.rsqrt(var + 1e-5) * scale + shift)
    assert len(names) <= 4


def test_reduction_takes_work_before_and_behind():
    x, y = leaf(64, 32), leaf(64, 32)
    names = kernels(pt.sqrt(pt.sum(pt.square(x - y), axis=1)) * 2)
    assert names == ["reduce sum+multiply"]


def test_long_sum_is_split():
    names = kernels(leaf(1000, 1000).sum())
    assert set(names) == {"reduce sum"}
    assert 2 <= len(names) <= 3


def test_setitem_is_one_kernel():
    x = leaf(6, 8)
    x[1:4, ::3] = 2.0
    assert len(kernels(x)) == 1


def test_random_normal_is_one_kernel():
    names = kernels(pt.random.normal((100,), key=pt.random.key(0)))
    assert len(names) == 1


def test_nothing_to_do_is_no_kernel():
    assert kernels(leaf(3, 0) + 1) == []


# --- computed once or again ---


def test_an_expensive_shared_node_is_computed_once():
    x = leaf(64, 64)

    def both():
        shared = pt.erfinv(pt.sin(x))
        return shared.sum(axis=0), shared.sum(axis=1)

    plan = plan_of(*both())
    bodies = "".join(draw.shader.source.split("void main")[1] for draw in plan.draws)
    assert bodies.count("pt_erfinv(") == 1
    assert len(plan.draws) == 3


def test_a_cheap_shared_node_is_computed_again():
    x = leaf(64, 64)

    def both():
        shared = x * 2
        return shared.sum(axis=0), shared.sum(axis=1)

    assert kernels(*both()) == ["reduce sum", "reduce sum"]


def test_an_expensive_node_is_not_repeated_by_broadcasting():
    x = leaf(8)
    y = leaf(64, 8)
    plan = plan_of(pt.erfinv(pt.sin(x)) + y)
    sizes = [
        plan.program.spec(draw.kernel.output).size
        for draw in plan.draws
        if "pt_erfinv(v" in draw.shader.source
    ]
    assert sizes == [8]


def test_shared_subexpressions_are_named_once():
    x = leaf(5, 8)
    shared = pt.exp(x)
    squared = shared * shared + shared
    del shared
    (draw,) = plan_of(squared).draws
    assert draw.shader.source.split("void main")[1].count("pt_exp(") == 1


# --- how operands are read ---


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
        (lambda: leaf(8, 8)[:, 3:7] + 0, ["lanes"]),
        (lambda: leaf(8, 8).T + 0, ["lanes"]),
        (lambda: leaf(8, 8).reshape((4, 16)) + 0, ["same"]),
        (lambda: leaf(64, 32).sum(axis=1), ["aligned"]),
        (lambda: leaf(64, 32).sum(axis=0), ["aligned"]),
        (lambda: leaf(64, 33).sum(axis=0), ["lanes"]),
        (lambda: pt.concat([leaf(4, 8), leaf(2, 8)]), ["aligned", "aligned"]),
        (lambda: pt.concat([leaf(5, 3), leaf(2, 3)]), ["lanes", "lanes"]),
        (lambda: pt.pad(leaf(4, 8), ((1, 2), (0, 0))), ["aligned"]),
        (lambda: pt.pad(leaf(4, 8), ((0, 0), (1, 1))), ["lanes"]),
    ],
)
def test_modes(build, expected):
    found = modes(build())
    assert found == expected


def test_modes_are_named_by_explain():
    text = pt.explain(leaf(5, 8) + leaf(8) + leaf(5, 1))
    assert "slot 2 (same)" in text
    assert "slot 1 (aligned)" in text
    assert "slot 0 (splat)" in text


def test_the_same_mode_knows_no_shape():
    sources = {
        plan_of(pt.exp(leaf(*shape) * 2)).draws[0].shader.source
        for shape in [(3,), (5, 7), (2, 3, 4)]
    }
    assert len(sources) == 1


# --- limits ---


def assert_within_limits(plan, limits):
    for draw in plan.draws:
        assert len(draw.inputs) <= limits.inputs
        assert sum(map(len, draw.uniforms)) <= limits.scalars
        assert len(draw.shader.source) < 40_000


def test_assert_within_limits_fails():
    xs = [leaf(4) for _ in range(3)]
    with pytest.raises(AssertionError):
        assert_within_limits(plan_of(xs[0] + xs[1] + xs[2]), Limits(inputs=2))


LARGE = {
    "concat of 40": lambda xs: pt.concat(xs[:40]),
    "sum of 50": lambda xs: sum(xs, start=pt.zeros(())),
    "sum of 50 sines": lambda xs: sum(map(pt.sin, xs), start=pt.zeros(())),
    "stack of 50 reduced": lambda xs: pt.stack(xs).sum(axis=0),
    "500 steps": lambda xs: repeated(xs[0], 500),
    "200 scalars": lambda xs: sum((xs[0] * (i + 0.5) for i in range(200)), start=pt.zeros(())),
}


def repeated(x, n):
    y = x
    for i in range(n):
        y = pt.sin(y) + x * (i * 0.01)
    return y


@pytest.mark.parametrize("inputs", [15, 9])
@pytest.mark.parametrize("name", LARGE)
def test_no_shader_exceeds_the_limits(name, inputs):
    xs = [leaf(3, 4) for _ in range(50)]
    limits = Limits(inputs=inputs)
    assert_within_limits(plan_of(LARGE[name](xs), device=Device(8192, 8, limits)), limits)


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
