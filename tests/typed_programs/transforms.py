"""Compiled functions and derivatives."""

from __future__ import annotations

import py_tensor as pt


@pt.jit
def step(w: pt.Tensor, rate: float) -> pt.Tensor:
    gradient: pt.Tensor = pt.grad(energy)(w)
    return w - rate * gradient


def energy(w: pt.Tensor) -> pt.Tensor:
    return pt.sum(pt.square(w))


@pt.jit(static_argnames="power")
def total(w: pt.Tensor, *, power: int) -> pt.Tensor:
    return (w**power).sum()


w = step(pt.asarray([1.0, -2.0]), 0.25)
assert w.tolist() == [0.5, -1.0]
assert total(w, power=2).item() == 1.25
result, pull = pt.vjp(energy, w)
(cotangent,) = pull(1.0)
assert result.shape == () and cotangent.shape == (2,)
_, tangent = pt.jvp(energy, (w,), (pt.ones(2),))
assert tangent.shape == ()


@pt.checkpoint
def block(x: pt.Tensor) -> pt.Tensor:
    return pt.tanh(x)


with pt.tidy():
    kept = pt.keep(block(w))
assert kept.shape == (2,)
assert pt.tidy(lambda: block(w)).shape == (2,)
