"""deeplearn.js's scopes dispose of tensors made in them; safe mode requires a scope."""

from __future__ import annotations

from typing import Any

import pytest
from graphs import InOrder
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors
from py_tensor.graph import Graph, NDArrayMath, Session, SGDOptimizer

math = pt.graph.math


def test_a_scope_disposes_of_unreturned_tensors():
    made: dict[str, pt.Tensor] = {}

    def work(keep: Any, track: Any) -> list[pt.Tensor]:
        made.update({name: pt.ones(2) for name in ("returned", "kept", "other")})
        keep(made["kept"])
        return [made["returned"]]

    [result] = math.scope(work)
    assert result is made["returned"]
    ended = [name for name, tensor in made.items() if tensor.is_disposed]
    assert ended == ["other"]


def test_returned_tensors_belong_to_the_outer_scope():
    def outer() -> pt.Tensor:
        inner = math.scope(lambda: pt.ones(3))
        assert not inner.is_disposed
        seen.append(inner)
        return inner + 1.0

    seen: list[pt.Tensor] = []
    assert math.scope(outer).tolist() == [2.0, 2.0, 2.0]
    assert seen[0].is_disposed


def test_track_moves_an_outside_tensor_into_the_scope():
    x, y = pt.ones(2), pt.ones(2)

    @math.scope
    def total(keep: Any, track: Any) -> pt.Tensor:
        return pt.sum(track(x) + y)

    assert (total.item(), x.is_disposed, y.is_disposed) == (4.0, True, False)
    assert math.track(y) is y
    assert not y.is_disposed


@pytest.mark.parametrize(
    "function",
    [lambda: 0, lambda keep: 1, lambda keep, track: 2, lambda *both: len(both), print, int],
)
def test_functions_take_any_number_of_arguments(function: Any, capsys: Any):
    math.scope(function)
    capsys.readouterr()


def test_a_scope_ends_with_an_error(state: Any):
    made: list[pt.Tensor] = []

    def work() -> None:
        made.append(pt.ones(2))
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        math.scope(work)
    assert made[0].is_disposed
    assert state()["open scopes"] == 0


def test_scopes_between_two_calls():
    math.start_scope()
    x = pt.ones(2)
    math.start_scope()
    y, z = x + 1.0, x + 2.0
    math.end_scope([y])
    assert (x.is_disposed, y.is_disposed, z.is_disposed) == (False, False, True)
    math.end_scope()
    assert (x.is_disposed, y.is_disposed) == (True, True)
    assert_raises(
        errors.ScopeError,
        "end_scope: no scope is open; got more calls than of start_scope; call start_scope first",
        math.end_scope,
    )


def test_asynchronous_functions_are_refused():
    async def later() -> None: ...

    with pytest.raises(errors.ArgumentError, match="the function must be neither asynchronous"):
        math.scope(later)


class Given:
    def __init__(self) -> None:
        self.math = NDArrayMath(safe_mode=True)
        self.graph = Graph()
        self.x, self.w = self.graph.placeholder("x", [2]), self.graph.variable("w", [1.0, 2.0])
        self.y = self.graph.multiply(self.x, self.w)
        self.cost = self.graph.reduce_sum(self.y)
        self.session = Session(self.graph, self.math)

    def train(self) -> pt.Tensor:
        feed = [(self.x, InOrder([[1.0, 1.0]]))]
        return self.session.train(self.cost, feed, 1, SGDOptimizer(1.0))


CALLS = {
    "eval": lambda given: given.session.eval(given.y, [(given.x, [3.0, 4.0])]),
    "eval_all": lambda given: given.session.eval_all([given.y], [(given.x, [3.0, 4.0])]),
    "train": lambda given: given.train(),
    "keep": lambda given: given.math.keep(pt.ones(2)),
    "track": lambda given: given.math.track(pt.ones(2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_safe_mode_requires_a_scope(name: str):
    given = Given()
    with pytest.raises(errors.ScopeError) as raised:
        CALLS[name](given)
    file, line = "test_graph_scopes.py", CALLS[name].__code__.co_firstlineno
    if name == "train":
        line = Given.train.__code__.co_firstlineno + 2
    assert str(raised.value) == (
        f"{name}: math is in safe mode, and no scope is open; got a call at {file}:{line}; call it "
        "inside math.scope(lambda: ...), which frees temporaries"
    )
    given.math.scope(lambda: CALLS[name](given))
    with pt.tidy():
        CALLS[name](given)


def test_trained_variables_outlive_their_scope():
    given = Given()
    given.math.scope(given.train)
    given.math.scope(given.train)
    assert given.w.node.data.tolist() == [-1.0, 0.0]
