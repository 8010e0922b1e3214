"""Plans and reused textures depend on the program's tensors, not on who else refers to its nodes.

Debuggers, test runners and interactive shells keep references to frames, nodes and values.
"""

from __future__ import annotations

import builtins
import code
import sys
from unittest.mock import patch

import numpy as np
import pytest
from helpers import finished

import py_tensor as pt
from py_tensor import errors
from py_tensor.ir import node as ir_node
from py_tensor.runtime import scopes

X = np.arange(6, dtype="float32").reshape(2, 3) / 4


def fresh():
    x = pt.asarray(X) * 1
    pt.realize(x)
    return x


# --- programs: each returns tensors, and what they compute is compared ---------------------------


def shared_intermediates():
    x = pt.asarray(X)
    h = pt.exp(x) @ pt.ones((3, 3))
    a = pt.sin(h) + 1
    b = h * h
    found = [a.numpy()]
    del a
    c = pt.sqrt(b + h)
    found.append(c.numpy())
    return [*found, b.numpy(), h.numpy()]


def _norm(x):
    mean = pt.mean(pt.exp(x), axis=1, keepdims=True)
    centered = x - mean
    scale = pt.sqrt(pt.mean(centered * centered, axis=1, keepdims=True) + 1)
    return centered / scale, mean


def temporaries_in_frames():
    x = fresh()
    found = []
    for _ in range(3):
        y, mean = _norm(x)
        z = pt.softmax(y @ pt.ones((3, 3)), axis=1)
        found.append(z.numpy())
        found.append(mean.numpy())
        x = x + z
    return [*found, x.numpy()]


def dropped_handles():
    x = fresh()
    h = pt.exp(x) @ pt.ones((3, 3))
    user = pt.sin(h)
    other = pt.cos(h)
    del h
    first = other.numpy()
    return [first, user.numpy()]


def pending_limit():
    x = fresh()
    for _ in range(1300):
        x = pt.sin(x) * 0.5 + x
    return [x.numpy()]


def _loss(w, x):
    h = pt.tanh(x @ w[0] + w[1])
    return pt.mean((h @ w[2] - 1.0) ** 2)


def _weights():
    return [pt.full((3, 4), 0.25), pt.zeros((4,)), pt.ones((4, 2))]


def gradients():
    w, x = _weights(), fresh()
    found = []
    for _ in range(3):
        value, slopes = pt.value_and_grad(_loss)(w, x)
        found.append(value.numpy())
        w = [p - 0.1 * g for p, g in zip(w, slopes, strict=True)]
    return [*found, *(p.numpy() for p in w)]


def values_read_while_differentiating():
    def f(x, w):
        h = pt.exp(x @ pt.ones((3, 3)))
        y = h @ w
        scale = y.numpy().max()
        return pt.sum(pt.sin(y) * float(scale) + pt.sum(h))

    slopes = pt.grad(f, (0, 1))(fresh(), pt.ones((3, 2)))
    return [slope.numpy() for slope in slopes]


def products_later():
    y, pull = pt.vjp(lambda x: pt.sin(pt.exp(x) @ pt.ones((3, 3))), fresh())
    first = y.numpy()
    (a,) = pull(pt.ones((2, 3)))
    (b,) = pull(y)
    pt.realize(a)
    _, pushed = pt.jvp(lambda x: pt.exp(x) @ pt.ones((3, 3)), (fresh(),), (pt.ones((2, 3)),))
    return [first, a.numpy(), b.numpy(), pushed.numpy()]


def recomputed_and_custom():
    block = pt.checkpoint(lambda x: pt.tanh(pt.exp(x) @ pt.ones((3, 3))))
    clipped = pt.custom_gradient(lambda x: (pt.sinh(x), lambda g: g * 0.5))
    slope = pt.grad(lambda x: pt.sum(clipped(block(block(x)))))(fresh())
    return [slope.numpy()]


def donation_in_a_loop():
    @lambda f: pt.jit(f, donate_argnums=0)
    def step(w, x):
        return [p + pt.sum(x) * 0.5 for p in w], pt.sum(x * w[0])

    w, x = [fresh(), fresh() + 1], fresh()
    pt.realize(*w)
    found = []
    for _ in range(4):
        w, value = step(w, x)
        found.append(value.numpy())
    return [*found, *(p.numpy() for p in w)]


def donated_values_in_use():
    plus = pt.jit(lambda x: x + 1, donate_argnums=0)
    found = []
    for other in (pt.copy, pt.exp, lambda x: x.reshape((6,))):
        for realized in (True, False):
            x = fresh()
            kept = other(x)
            if realized:
                pt.realize(kept)
            found += [plus(x).numpy(), kept.numpy()]
    x = fresh()
    unseen = pt.exp(x)
    user = unseen + 1
    del unseen
    return [*found, plus(x).numpy(), user.numpy()]


def donated_values_captured():
    plus = pt.jit(lambda x: x + 1, donate_argnums=0)
    x = fresh()
    captured = pt.jit(lambda y: x * y)
    first = captured(pt.ones((3,))).numpy()
    second = plus(x).numpy()
    y = fresh()
    value, pull = pt.vjp(lambda y: y * y * y, y)
    pt.realize(value)
    third = plus(y).numpy()
    (slope,) = pull(pt.ones((2, 3)))
    return [first, second, captured(pt.ones((3,))).numpy(), third, slope.numpy()]


def kept_tracebacks():
    def fail(x):
        h = pt.exp(x) @ pt.ones((3, 3))
        y = pt.sin(h)
        return y + pt.ones((7,))

    x = fresh()
    found, raised = [], []
    for _ in range(2):
        try:
            fail(x)
        except errors.ShapeError as error:
            raised.append(error)
        x = pt.cos(x) * 2
        found.append(x.numpy())
        pt.realize(pt.exp(x))
    return found


PROGRAMS = (
    shared_intermediates,
    temporaries_in_frames,
    dropped_handles,
    pending_limit,
    gradients,
    values_read_while_differentiating,
    products_later,
    recomputed_and_custom,
    donation_in_a_loop,
    donated_values_in_use,
    donated_values_captured,
    kept_tracebacks,
)


# --- ways to run them ----------------------------------------------------------------------------


def plainly(program):
    return program()


def under_a_tracer(program):
    def trace(frame, event, arg):
        dict(frame.f_locals)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return program()
    finally:
        sys.settrace(before)


def with_nodes_held(program):
    held = []
    create = ir_node.OpNode.__init__

    def noted(self, *args):
        held.append(self)
        create(self, *args)

    with patch.object(ir_node.OpNode, "__init__", noted):
        return program()


def observed(engine, program, way):
    """Results of a program, and the graph and the overwritten leaves of each plan that ran."""
    runs = []
    run = engine.run

    def noted(plan, leaves, scalars, donated=()):
        if engine.name in ("numpy", "jax"):
            graph = plan[0] if isinstance(plan, tuple) else plan.graph
        else:
            graph = getattr(plan, "plan", plan).lowered.graph
        runs.append((graph, tuple(donated)))
        return run(plan, leaves, scalars, donated)

    scopes.state.pending, scopes.state.anchor = 0, ()
    with patch.object(engine, "run", noted):
        return way(program), runs


@pytest.mark.parametrize("way", [under_a_tracer, with_nodes_held])
@pytest.mark.parametrize("program", PROGRAMS)
def test_other_references_change_nothing(engine, program, way):
    values, runs = observed(engine, program, plainly)
    got, again = observed(engine, program, way)
    assert runs
    assert again == runs
    for value, same in zip(values, got, strict=True):
        np.testing.assert_array_equal(value, same)


def test_another_program_makes_other_runs(engine):
    runs = [observed(engine, program, plainly)[1] for program in PROGRAMS]
    assert all(a != b for at, a in enumerate(runs) for b in runs[:at])


LINES = """\
x = pt.asarray(X) * 1
{}x * 2
w = step(x)
y = pt.exp(w)
{}w + y
w = step(w)
{}pt.sum(w * y)
"""


def test_an_interactive_shell_changes_nothing(engine):
    step = pt.jit(lambda x: x + 1, donate_argnums=0)
    names = {"pt": pt, "X": X, "step": step, "show": lambda x: repr(x) and None}

    def typed():
        console = code.InteractiveConsole(dict(names))
        with patch.object(sys, "displayhook", shown):
            for line in LINES.format("", "", "").splitlines():
                assert not console.push(line)
        return console.locals["w"].numpy()

    def shown(value):
        repr(value)
        builtins._ = value

    def script():
        scope = dict(names)
        for line in LINES.format("r = ", "r = ", "r = ").splitlines():
            exec(line, scope)
            if line.startswith("r = "):
                repr(scope["r"])
        return scope["w"].numpy()

    try:
        value, runs = observed(engine, script, plainly)
        got, again = observed(engine, typed, plainly)
    finally:
        del builtins._
    assert again == runs
    assert any(donated for _, donated in runs)
    np.testing.assert_array_equal(value, got)


def test_donated_textures_are_overwritten_exactly_if_nothing_else_reads_them(engine):
    _, runs = observed(engine, donation_in_a_loop, plainly)
    assert [len(donated) for _, donated in runs if donated] == [2] * 4
    _, runs = observed(engine, donated_values_in_use, plainly)
    # A realized pt.exp has its own texture. A realized view has its operand's, except on the host.
    assert sum(bool(donated) for _, donated in runs) == 1 + (pt.env.pool_limit is None)
    _, runs = observed(engine, donated_values_captured, plainly)
    assert not any(donated for _, donated in runs)


def test_a_read_in_progress_keeps_its_texture(engine):
    plus = pt.jit(lambda x: x + 1, donate_argnums=0)
    x = fresh()
    owner = getattr(engine, "bridge", engine)
    read = owner.read_async
    found = []

    async def late(*args):
        found.append(plus(x))
        return await read(*args)

    with patch.object(owner, "read_async", late):
        data = finished(x.data())
    assert data.tolist() == X.tolist()
    np.testing.assert_array_equal(found[0].numpy(), X + 1)
