"""Errors of functions made of others name the one that the user called."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..errors import DTypeError, ShapeError, TensorError

OF_OPERANDS = (DTypeError, ShapeError)
"""What a step says of operands is true of the whole, unlike where a tensor ended or a trace is."""


def named[Function: Callable[..., Any]](function: Function) -> Function:
    """The function, whose errors of dtypes and shapes begin with its name."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except OF_OPERANDS as error:
            rename(error, function.__name__)
            raise

    return call  # type: ignore[return-value]


def presented[Function: Callable[..., Any]](function: Function, name: str, doc: str) -> Function:
    """A function that another one made, with the name and docstring of a public one."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = "py_tensor"
    function.__doc__ = doc
    return function


def rename(error: TensorError, name: str) -> None:
    """Puts the name in the place of the one that the error begins with."""
    inner, _, wrong = str(error).partition(": ")
    if inner != name:
        error.args = (f"{name}: {wrong}",)
