"""Define `custom_jvp` and `custom_vjp`: functions with rules of the user, in JAX's form.

Input: a function and its rules. Output: a function that is differentiated by the rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from types import MethodType
from typing import Any

from ..errors import ArgumentError, GradientError
from ..functions.arguments import function_of, integer, items
from ..functions.creation import zeros
from ..ir.node import own_tapes, task_tapes
from ..ir.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from ..ir.tracer import kind_of
from ..tensor import Tensor
from .autodiff import custom_gradient
from .autodiff.api import _or_zeros
from .autodiff.backward import pull_back
from .autodiff.tape import Tape, recording

__all__ = ["custom_jvp", "custom_vjp"]

_Function = Callable[..., Any]


class _Ruled:
    """A function with its own rule for derivatives; `_fixed` are its arguments without one."""

    __name__: str

    def __init__(self, operation: str, fun: _Function, nondiff_argnums: Sequence[int]) -> None:
        wrapper: Any = self
        update_wrapper(wrapper, function_of(operation, "fun", fun))
        self._function = fun
        if hasattr(nondiff_argnums, "__index__"):
            nondiff_argnums = (integer(operation, "nondiff_argnums", nondiff_argnums),)
        self._fixed = frozenset(
            integer(operation, "nondiff_argnums", at)
            for at in items(operation, "nondiff_argnums", nondiff_argnums)
        )
        self._rule: _Function | None = None

    def __get__(self: Any, instance: Any, owner: type) -> Any:
        return self if instance is None else MethodType(self, instance)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], list[int]]:
        """Return all arguments by position, and the positions of fixed ones."""
        try:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
        except ValueError:  # a builtin function has no signature
            positional = list(args)
        else:
            if not hasattr(self._function, "nin"):  # elementwise options are no operands
                bound.apply_defaults()
            positional = list(bound.args)
            kwargs.clear()
            kwargs.update(bound.kwargs)
        return positional, [at for at in range(len(positional)) if self._is_fixed(at, positional)]

    def _is_fixed(self, at: int, args: list[Any]) -> bool:
        return at in self._fixed or at - len(args) in self._fixed


class CustomJVP(_Ruled):
    """A function whose rule maps tangents; made by `custom_jvp`."""

    def defjvp(self, jvp: _Function) -> _Function:
        """Set the rule and return it, so that it can be used as a decorator.

        Args:
            jvp: Function of a tuple of arguments and a tuple of their tangents, in the arguments'
                structure, that returns (result, tangent of the result). The arguments that
                `nondiff_argnums` names come first. The tangent must be linear in the tangents.

        Returns:
            The same function.

        >>> import py_tensor as pt
        >>> @pt.custom_jvp
        ... def half(x):
        ...     return x / 2.0
        >>> @half.defjvp
        ... def rule(primals, tangents):
        ...     return half(*primals), tangents[0] * 7.0
        >>> pt.grad(half)(1.0).item()
        7.0
        """
        self._rule = jvp
        return jvp

    def defjvps(self, *jvps: _Function | None) -> None:
        """Set one rule for each argument, or None for an argument without derivative.

        Args:
            jvps: Functions of the argument's tangent, the result and all arguments, that return
                the part of the result's tangent that comes from the argument.

        >>> import py_tensor as pt
        >>> product = pt.custom_jvp(lambda x, y: x * y)
        >>> product.defjvps(lambda t, ans, x, y: t * y, lambda t, ans, x, y: 10.0 * x * t)
        >>> pt.grad(product, argnums=1)(2.0, 3.0).item()
        20.0
        """

        def rule(primals: tuple[object, ...], tangents: tuple[object, ...]) -> Any:
            result = self(*primals)
            parts = [
                part(tangent, result, *primals)
                for part, tangent in zip(jvps, tangents, strict=True)
                if part is not None
            ]
            total = tree_map(lambda leaf: zeros(leaf.shape, dtype=leaf.dtype), result)
            for part in parts:
                total = tree_map(lambda a, b: a + b, total, part)
            return result, total

        self._rule = rule

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self._rule is None:
            raise ArgumentError(
                f"custom_jvp: there is no rule; got a call of {self.__name__}; "
                "give the rule with defjvp"
            )
        values, fixed = self._bound(args, kwargs)

        @custom_gradient
        def evaluated(*primals: object) -> Any:
            remaining = iter(primals)
            every = [value if at in fixed else next(remaining) for at, value in enumerate(values)]
            result = self._function(*every, **kwargs)
            constants = [values[at] for at in fixed]
            return result, lambda cotangent: self._pull(constants, primals, cotangent)

        return evaluated(*(value for at, value in enumerate(values) if at not in fixed))

    def _pull(
        self, fixed: list[object], primals: tuple[object, ...], cotangent: object
    ) -> tuple[Any, ...]:
        """Return the transpose of the rule, which is linear in the tangents."""
        assert self._rule is not None
        leaves, structure = tree_flatten(primals)
        blank = [_blank(leaf) for leaf in leaves]
        inputs = [zero._node for zero in blank if zero is not None]
        tape = Tape(inputs)
        with recording(tape):
            tangents = tree_unflatten(structure, blank)
            pair = self._rule(*fixed, primals, tangents)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise GradientError(
                    f"custom_jvp: rule returned no pair; got {pair!r:.60}; return (result, tangent)"
                )
            pushed = [leaf for leaf in tree_leaves(pair[1]) if isinstance(leaf, Tensor)]
        wanted = [g for g in tree_leaves(cotangent) if g is not None]
        if [leaf.shape for leaf in pushed] != [g.shape for g in wanted]:
            raise GradientError(
                f"custom_jvp: tangent does not have the result's shapes; got "
                f"{[leaf.shape for leaf in pushed]} for {[g.shape for g in wanted]}; "
                "return one tangent for each floating result"
            )
        parts = iter(pull_back(tape, [leaf._node for leaf in pushed], wanted, inputs))
        pulled = [None if zero is None else _or_zeros(next(parts), zero._node) for zero in blank]
        cotangents: tuple[object, ...] = tree_unflatten(structure, pulled)
        return cotangents


def _blank(leaf: object) -> Tensor | None:
    """Return the zero tangent of a tensor or number; None if it is not floating."""
    if isinstance(leaf, Tensor):
        return zeros(leaf.shape, dtype=leaf.dtype) if leaf.dtype.kind in "cf" else None
    return zeros(()) if kind_of(leaf) is float else None


def custom_jvp(fun: _Function | None = None, /, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """Decorate a function to give it its own rule for derivatives.

    The rule says how tangents are pushed forward; for gradients it is transposed. To say how
    cotangents are pulled back, use `custom_gradient`.

    Args:
        fun: Function of tensors, numbers or trees of these. If None (default), a decorator is
            returned.
        nondiff_argnums: Positions of arguments that have no tangents, for example functions.

    Returns:
        Function with the methods `defjvp` and `defjvps`, of which one sets the rule. Keyword
        arguments get no derivative.

    Raises:
        ArgumentError: When called, if there is no rule.
        GradientError: In the backward pass, if the rule's tangent does not match the result.

    >>> import py_tensor as pt
    >>> @pt.custom_jvp
    ... def log1pexp(x):
    ...     return pt.log(1.0 + pt.exp(x))
    >>> @log1pexp.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return log1pexp(x), (1.0 - 1.0 / (1.0 + pt.exp(x))) * t
    >>> pt.grad(log1pexp)(100.0).item()
    1.0
    """
    if fun is None:
        return partial(custom_jvp, nondiff_argnums=nondiff_argnums)
    return CustomJVP("custom_jvp", fun, nondiff_argnums)


class CustomCotangents(_Ruled):
    """A function whose rule maps cotangents; made by `custom_vjp`."""

    _forward: _Function

    def defvjp(self, fwd: _Function, bwd: _Function) -> None:
        """Set the two functions of the rule.

        Args:
            fwd: Function of the same arguments that returns (result, residuals); residuals are any
                values.
            bwd: Function of the arguments that `nondiff_argnums` names, of the residuals, and of
                the result's cotangents, None for leaves that are not floating. It returns a tuple
                with one cotangent for each other argument, in its structure, None for zero.

        >>> import py_tensor as pt
        >>> @pt.custom_vjp
        ... def half(x):
        ...     return x / 2.0
        >>> half.defvjp(lambda x: (half(x), None), lambda _, g: (g * 7.0,))
        >>> pt.grad(half)(1.0).item()
        7.0
        """
        self._forward = function_of("custom_vjp", "fwd", fwd)
        self._rule = function_of("custom_vjp", "bwd", bwd)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        backward = self._rule
        if backward is None:
            raise ArgumentError(
                f"custom_vjp: there is no rule; got a call of {self.__name__}; "
                "give the rule with defvjp"
            )
        if not own_tapes():
            return self._function(*args, **kwargs)
        values, fixed = self._bound(args, kwargs)

        @custom_gradient
        def evaluated(*primals: object) -> Any:
            remaining = iter(primals)
            every = [value if at in fixed else next(remaining) for at, value in enumerate(values)]
            pair = self._outside(every, kwargs)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise GradientError(
                    f"custom_vjp: fwd returned no pair; got {pair!r:.40}; return (result, rest)"
                )
            constants = [values[at] for at in fixed]

            def rule(cotangent: object) -> Any:
                parts = backward(*constants, pair[1], cotangent)
                return tuple(parts) if isinstance(parts, list) else parts

            return pair[0], rule

        return evaluated(*(value for at, value in enumerate(values) if at not in fixed))

    def _outside(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call `fwd` outside of the innermost differentiation: it may call the function itself."""
        around = task_tapes.set(own_tapes()[:-1])
        try:
            return self._forward(*args, **kwargs)
        finally:
            task_tapes.reset(around)


def custom_vjp(fun: _Function | None = None, /, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """Decorate a function to give it its own rule for gradients, in JAX's form.

    The rule says how cotangents are pulled back. `custom_gradient` does the same in one function.

    Args:
        fun: Function of tensors, numbers or trees of these. If None (default), a decorator is
            returned.
        nondiff_argnums: Positions of arguments that have no cotangents, for example functions; they
            are the first arguments of `bwd`.

    Returns:
        Function with the method `defvjp`, which sets the rule.

    Raises:
        ArgumentError: When called, if there is no rule.
        GradientError: When differentiated, if `fwd` returns no pair; in the backward pass, if the
            cotangents do not match the arguments.

    >>> import py_tensor as pt
    >>> @pt.custom_vjp
    ... def clipped(x, limit):
    ...     return x
    >>> clipped.defvjp(
    ...     lambda x, limit: (x, limit), lambda limit, g: (pt.clip(g, -limit, limit), None)
    ... )
    >>> pt.grad(lambda x: clipped(x, 1.0) * 5.0)(2.0).item()
    1.0
    """
    if fun is None:
        return partial(custom_vjp, nondiff_argnums=nondiff_argnums)
    return CustomCotangents("custom_vjp", fun, nondiff_argnums)
