"""deeplearn.js's `math`, as far as it is about memory: scopes, and the safe mode that demands them.

Scopes are `pt.tidy`'s. What deeplearn.js's `math` computes, py_tensor's functions compute.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .. import accounting, lifetime
from ..errors import ArgumentError, ScopeError
from ..lifetime import Scope, close_scope, open_scope
from ..tensor import Tensor, node_behind


class NDArrayMath:
    """Scopes, which end the tensors made in them (NDArrayMath, NDArrayMathCPU, NDArrayMathGPU).

    In safe mode sessions, `keep` and `track` raise ScopeError outside of every scope, be it one of
    these or `pt.tidy`. Where tensors compute is `pt.set_backend`'s choice.

    >>> import py_tensor as pt
    >>> math = pt.graph.NDArrayMath(safe_mode=True)
    >>> kept = math.scope(lambda keep, track: [keep(pt.ones(2)), pt.zeros(2)][0])
    >>> kept.is_disposed
    False
    """

    def __init__(self, safe_mode: bool = False) -> None:
        self.safe_mode = safe_mode
        self._open: list[Scope] = []

    def scope[Result](self, function: Callable[..., Result], /) -> Result:
        """What `function` returns; ends all other tensors made meanwhile that are not kept.

        `function` may take two arguments, or the first of them: `keep` and `track`. What it
        returns, in containers too, belongs to the scope around this one. As a decorator it runs the
        function at once, and puts the result in the place of its name.

        >>> import py_tensor as pt
        >>> @pt.graph.math.scope
        ... def total(keep, track):
        ...     x = pt.ones(3)
        ...     return pt.sum(x)
        >>> total.item()
        3.0
        """
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise ArgumentError(
                f"scope: the function does not finish when it returns; got {function!r}; "
                "use start_scope and end_scope between two awaits"
            )
        arguments = (self.keep, self.track)[: _positional(function)]
        scope = open_scope("math.scope")
        result = None
        try:
            result = function(*arguments)
            return result
        finally:
            close_scope(scope, result, Tensor)

    def start_scope(self) -> None:
        """Begins a scope, which `end_scope` ends (startScope).

        >>> import py_tensor as pt
        >>> pt.graph.math.start_scope()
        >>> x, y = pt.ones(3), pt.ones(2)
        >>> pt.graph.math.end_scope(x)
        >>> x.is_disposed, y.is_disposed
        (False, True)
        """
        self._open.append(open_scope("math.start_scope"))

    def end_scope(self, result: Any = None) -> None:
        """Ends the scope begun last; tensors in `result` belong to the one around it (endScope).

        Raises ScopeError where none is open.

        >>> import py_tensor as pt
        >>> pt.graph.math.start_scope()
        >>> x = pt.ones(3)
        >>> pt.graph.math.end_scope()
        >>> x.is_disposed
        True
        """
        if not self._open:
            raise ScopeError(
                "end_scope: no scope is open; got one call more than of start_scope; "
                "call start_scope first"
            )
        close_scope(self._open.pop(), result, Tensor)

    def keep(self, tensor: Tensor) -> Tensor:
        """The tensor, which no scope will end.

        Raises ScopeError in safe mode, outside of scopes.

        >>> import py_tensor as pt
        >>> x = pt.graph.math.scope(lambda keep, track: [keep(pt.ones(2)), 7])[0]
        >>> x.is_disposed
        False
        """
        self.require_scope("keep")
        return accounting.keep(tensor)

    def track(self, tensor: Tensor) -> Tensor:
        """The tensor, which the innermost scope will end, wherever it was made.

        Raises ScopeError in safe mode, outside of scopes.

        >>> import py_tensor as pt
        >>> x = pt.ones(2)
        >>> pt.graph.math.scope(lambda keep, track: track(x).shape), x.is_disposed
        ((2,), True)
        """
        self.require_scope("track")
        node_behind("track", tensor)
        if lifetime.scopes:
            lifetime.scopes[-1].add(tensor)
        return tensor

    def require_scope(self, operation: str) -> None:
        """Raises ScopeError in safe mode where no scope is open."""
        if self.safe_mode and not lifetime.scopes:
            raise ScopeError(
                f"{operation}: math is in safe mode, and no scope is open; got a call at "
                f"{lifetime.user_line()}; put it into math.scope(lambda: ...), which ends what it "
                "leaves behind"
            )


def _positional(function: Callable[..., Any]) -> int:
    """How many arguments it takes by position."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions have none
        return 0
    kinds = [parameter.kind for parameter in parameters if parameter.default is parameter.empty]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return 2
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(kind in by_position for kind in kinds)


math = NDArrayMath()
"""The one sessions use where none is given (ENV.math); not in safe mode."""
