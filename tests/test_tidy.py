"""Scopes own what is made in them, give away what they return, and end with errors too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors


@dataclass
class Pair:
    first: pt.Tensor
    rest: dict


def test_tidy_runs_a_function_and_keeps_what_it_returns():
    inner = []

    def work():
        a, b, c, d = (pt.ones(n) for n in (1, 2, 3, 4))
        inner.extend([a, b, c, d])
        return Pair(a, {"b": [b, (c, 1, "text")]})

    got = pt.tidy(work)
    assert [t.is_disposed for t in inner] == [False, False, False, True]
    assert_values(got.rest["b"][1][0], np.ones(3, "float32"))


def test_tidy_decorates():
    made = []

    @pt.tidy
    def scaled(x, factor=2):
        made.append(x * factor)
        return made[-1] + 1

    assert scaled.__name__ == "scaled"
    assert scaled(pt.ones(2)).tolist() == [3, 3]
    assert scaled(pt.ones(2), factor=4).tolist() == [5, 5]
    assert all(t.is_disposed for t in made)


def test_tidy_with_parentheses_and_as_context():
    made = []

    @pt.tidy()
    def one(x):
        made.append(x + 1)
        return made[-1] * 2

    assert one(pt.ones(1)).tolist() == [4]
    with pt.tidy():
        made.append(pt.ones(1))
        outer = pt.keep(pt.ones(2))
    assert all(t.is_disposed for t in made)
    assert outer.tolist() == [1, 1]


def test_scopes_nest():
    with pt.tidy():
        a = pt.ones(1)
        b = pt.tidy(lambda: pt.ones(2) + a)
        with pt.tidy():
            c = b * 2
        assert (a.is_disposed, b.is_disposed, c.is_disposed) == (False, False, True)
    assert a.is_disposed and b.is_disposed


def test_keep_holds_against_every_scope():
    with pt.tidy(), pt.tidy():
        x = pt.keep(pt.ones(1))
    assert not x.is_disposed


def test_arguments_belong_to_their_own_scope():
    x = pt.ones(2)
    pt.tidy(lambda: x + 1)
    assert not x.is_disposed


def test_an_error_ends_the_scope():
    made = []

    def fail():
        made.append(pt.ones(3) * 2)
        pt.realize(made[-1])
        made.append(made[-1] + pt.zeros(4))

    for _ in range(2):
        with pytest.raises(errors.ShapeError):
            pt.tidy(fail)
        with pytest.raises(errors.ShapeError), pt.tidy():
            fail()
    assert len(made) == 4
    assert all(t.is_disposed for t in made)


def test_tidy_refuses_what_does_not_finish():
    async def later():
        return pt.ones(1)

    def one_by_one():
        yield pt.ones(1)

    for function in (later, one_by_one):
        text = (
            f"tidy: the function does not finish when it returns; got {function!r}; use `with "
            f"pt.tidy():` around the parts between two awaits"
        )
        assert_raises(errors.ArgumentError, text, lambda function=function: pt.tidy(function))
