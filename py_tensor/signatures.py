"""Parameters of functions, read from code objects.

`inspect.signature` is not used because it may evaluate annotations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any, NamedTuple


class Parameters(NamedTuple):
    """Names of a function's parameters, without those bound to `self` or by `partial`.

    `required` are the positional and keyword-only ones that have no default.
    """

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    required: frozenset[str]
    has_varargs: bool
    has_varkw: bool

    def accepts_keyword(self, name: str) -> bool:
        """Return True if the function can be called with a keyword argument of that name."""
        return self.has_varkw or name in self.positional + self.keyword_only


def parameters_of(function: Callable[..., Any]) -> Parameters | None:
    """Return the parameters of a function, method or callable object; None if it is not in Python.

    >>> from py_tensor.signatures import parameters_of
    >>> parameters_of(lambda x, *, axis=0: x).required
    frozenset({'x'})
    """
    if isinstance(function, partial):
        inner = parameters_of(function.func)
        if inner is None:
            return None
        count = len(function.args)
        filled = {*inner.positional[:count], *function.keywords}
        return inner._replace(positional=inner.positional[count:], required=inner.required - filled)
    function = inspect.unwrap(function)
    plain: Any = getattr(function, "__func__", function)
    if not hasattr(plain, "__code__"):
        plain = inspect.unwrap(type(function).__call__)
    code: CodeType | None = getattr(plain, "__code__", None)
    if code is None:
        return None
    count = code.co_argcount
    positional = code.co_varnames[:count]
    keyword_only = code.co_varnames[count : count + code.co_kwonlyargcount]
    optional = positional[count - len(plain.__defaults__ or ()) :]
    bound = positional[: plain is not function]
    unneeded = {*bound, *optional, *(plain.__kwdefaults__ or ())}
    return Parameters(
        positional[len(bound) :],
        keyword_only,
        frozenset({*positional, *keyword_only} - unneeded),
        bool(code.co_flags & inspect.CO_VARARGS),
        bool(code.co_flags & inspect.CO_VARKEYWORDS),
    )
