"""`pt.debug`: Python functions that are called with values of traced programs."""

from __future__ import annotations

import pytest

import py_tensor as pt


@pytest.fixture
def seen():
    return []


@pytest.fixture
def shown(seen):
    """Return a function that notes its argument and returns its sine."""

    def function(x):
        pt.debug.callback(lambda value: seen.append(value.item()), x)
        return pt.sin(x)

    return function


def test_each_call_of_a_jitted_function_is_noted(seen, shown):
    jitted = pt.jit(shown)
    for x in (1.0, 2.0):
        assert jitted(pt.asarray(x)).item() == pt.sin(pt.asarray(x)).item()
    assert seen == [1.0, 2.0]


def test_each_example_is_noted(seen, shown):
    x = pt.asarray([1.0, 2.0])
    assert pt.vmap(shown)(x).tolist() == pt.sin(x).tolist()
    pt.jit(pt.vmap(pt.vmap(shown)))(pt.asarray([[3.0, 4.0]]))
    assert seen == [1.0, 2.0, 3.0, 4.0]


def test_each_iteration_is_noted(seen, shown):
    pt.lax.map(shown, pt.asarray([1.0, 2.0]))
    pt.jit(lambda x: pt.lax.map(shown, x))(pt.asarray([3.0, 4.0]))
    pt.lax.scan(lambda c, x: (c, shown(x)), 0.0, pt.asarray([6.0, 5.0]), reverse=True)
    total, _ = pt.lax.scan(lambda c, x: (c + x, shown(c)), 7.0, pt.asarray([1.0, 1.0]))
    assert seen == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    assert total.item() == 9.0


def test_only_the_chosen_branch_is_noted(seen, shown):
    def chosen(x):
        return pt.lax.cond(x > 0, shown, lambda x: x, x)

    pt.jit(chosen)(pt.asarray(1.0))
    pt.jit(chosen)(pt.asarray(-1.0))
    pt.vmap(chosen)(pt.asarray([-5.0, 2.0]))
    chosen(pt.asarray(-3.0))
    pt.jit(lambda at, x: pt.lax.switch(at, [lambda x: x, shown], x))(pt.asarray(1), pt.asarray(3.0))
    assert seen == [1.0, 2.0, 3.0]


def test_differentiated_functions_are_noted_once(seen, shown):
    assert pt.grad(shown)(0.0).item() == 1.0
    pt.jit(pt.grad(shown))(pt.asarray(1.0))
    assert seen == [0.0, 1.0]


def test_values_are_printed_with_constants(capsys):
    pt.jit(lambda x: pt.debug.print("{} {name} {y}", x, name="is", y=x + 1))(pt.asarray(2))
    pt.debug.print("{x:.2f}", x=pt.asarray(1.5))
    pt.jit(lambda n: pt.debug.print("{}", n))(3)
    assert capsys.readouterr().out == "2 is 3\n1.50\n3\n"
