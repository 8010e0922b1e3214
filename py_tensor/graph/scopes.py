"""Memory scopes of deeplearn.js's `math`, and the safe mode that requires them.

Scopes are those of `pt.tidy`. The computations of deeplearn.js's `math` are py_tensor's functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..diagnostics import memory
from ..errors import ArgumentError, ScopeError
from ..runtime import scopes
from ..runtime.scopes import Scope, close_scope, open_scope
from ..signatures import parameters_of
from ..tensor import Tensor, node_behind


class NDArrayMath:
    """Scopes that free the tensors made in them (NDArrayMath, NDArrayMathCPU, NDArrayMathGPU).

    `pt.set_backend` chooses the device.

    Args:
        safe_mode: If True, sessions, `keep` and `track` raise ScopeError outside of scopes of any
            kind, also of `pt.tidy`; default False.

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
        """Call a function, and free all tensors made in it that are neither returned nor kept.

        As a decorator it calls the function at once, and binds the result to the function's name.

        Args:
            function: Function of no argument, of `keep`, or of `keep` and `track`.

        Returns:
            Result of the function. Its tensors, also those in containers, belong to the enclosing
            scope.

        Raises:
            ArgumentError: If the function is asynchronous or a generator function.

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
                "scope: the function must be neither asynchronous nor a generator; got "
                f"{function!r}; use start_scope and end_scope instead"
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
        """Open a scope, which `end_scope` closes (startScope).

        >>> import py_tensor as pt
        >>> pt.graph.math.start_scope()
        >>> x, y = pt.ones(3), pt.ones(2)
        >>> pt.graph.math.end_scope(x)
        >>> x.is_disposed, y.is_disposed
        (False, True)
        """
        self._open.append(open_scope("math.start_scope"))

    def end_scope(self, result: Any = None) -> None:
        """Close the innermost scope opened by `start_scope`, and free its tensors (endScope).

        Args:
            result: Tensors, also in containers, that move to the enclosing scope; default None.

        Raises:
            ScopeError: If no scope is open.

        >>> import py_tensor as pt
        >>> pt.graph.math.start_scope()
        >>> x = pt.ones(3)
        >>> pt.graph.math.end_scope()
        >>> x.is_disposed
        True
        """
        if not self._open:
            raise ScopeError(
                "end_scope: no scope is open; got more calls than of start_scope; call start_scope "
                "first"
            )
        close_scope(self._open.pop(), result, Tensor)

    def keep(self, tensor: Tensor) -> Tensor:
        """Exclude a tensor from all scopes.

        Args:
            tensor: Any tensor.

        Returns:
            The same tensor.

        Raises:
            ScopeError: In safe mode, outside of scopes.

        >>> import py_tensor as pt
        >>> x = pt.graph.math.scope(lambda keep, track: [keep(pt.ones(2)), 7])[0]
        >>> x.is_disposed
        False
        """
        self.require_scope("keep")
        return memory.keep(tensor)

    def track(self, tensor: Tensor) -> Tensor:
        """Add a tensor to the innermost scope, which will free it.

        Args:
            tensor: Any tensor, also one made outside of the scope.

        Returns:
            The same tensor.

        Raises:
            ScopeError: In safe mode, outside of scopes.

        >>> import py_tensor as pt
        >>> x = pt.ones(2)
        >>> pt.graph.math.scope(lambda keep, track: track(x).shape), x.is_disposed
        ((2,), True)
        """
        self.require_scope("track")
        node_behind("track", tensor)
        if open_scopes := scopes.open_scopes():
            open_scopes[-1].add(tensor)
        return tensor

    def require_scope(self, operation: str) -> None:
        """Raise ScopeError in safe mode if no scope is open.

        Args:
            operation: Name of the caller for the error text.
        """
        if self.safe_mode and not scopes.open_scopes():
            raise ScopeError(
                f"{operation}: math is in safe mode, and no scope is open; got a call at "
                f"{scopes.user_line()}; call it inside math.scope(lambda: ...), which frees "
                "temporaries"
            )


def _positional(function: Callable[..., Any]) -> int:
    """Return the number of required positional arguments; 2 if it takes any number."""
    parameters = parameters_of(function)
    if parameters is None:
        return 0
    if parameters.has_varargs:
        return 2
    return len(parameters.required.intersection(parameters.positional))


math = NDArrayMath()
"""Default of sessions (ENV.math); not in safe mode."""
