"""Parameters of functions are found without evaluating annotations."""

from __future__ import annotations

from functools import partial, wraps

import pytest

from py_tensor.signatures import Parameters, parameters_of

pytestmark = pytest.mark.host


def f(a, b, /, c=1, *, d, e=2):
    pass


def anything(*args, **kwargs):
    pass


@wraps(f)
def wrapped(*args, **kwargs):
    pass


class Called:
    def __call__(self, x, *, training=False):
        pass

    def method(self, x, y=1):
        pass


def found(positional, keyword_only, required, has_varargs=False, has_varkw=False):
    names = frozenset(required.split())
    return Parameters(
        tuple(positional.split()), tuple(keyword_only.split()), names, has_varargs, has_varkw
    )


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (f, found("a b c", "d e", "a b d")),
        (wrapped, found("a b c", "d e", "a b d")),
        (anything, found("", "", "", True, True)),
        (lambda: None, found("", "", "")),
        (partial(f, 1, d=3), found("b c", "d e", "b")),
        (partial(partial(f, 1), 2), found("c", "d e", "d")),
        (Called(), found("x", "training", "x")),
        (Called().method, found("x y", "", "x")),
        (Called.method, found("self x y", "", "self x")),
        (Called, None),
        (len, None),
        (partial(len), None),
        (5, None),
    ],
)
def test_parameters(function, expected):
    assert parameters_of(function) == expected


def test_keywords():
    assert parameters_of(Called()).accepts_keyword("training")
    assert parameters_of(anything).accepts_keyword("training")
    assert not parameters_of(f).accepts_keyword("training")
