"""Define `pt.jit`: trace a function once for each kind of arguments, and cache the executables.

Input: a function of tensors. Output: a function with the same results that creates no nodes and
looks up no plan at each call.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, update_wrapper
from types import MethodType
from typing import Any, overload

from ...diagnostics.debug import is_debug_mode
from ...diagnostics.explain import describe
from ...dtypes import wrong_type
from ...errors import ArgumentError, TraceError
from ...functions.arguments import function_of, integer, items
from ...functions.decorators import autocast_dtype
from ...ir.node import BoundedCache, OpNode, leaf_node, lock, own_tapes, pending_handles, tapes
from ...ir.pytree import (
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_unflatten,
    typed,
)
from ...ir.tracer import ArgumentBuffer, Recording, ScalarTracer
from ...runtime.executor import backend, runtime
from ...runtime.scopes import End, begin_trace, end_trace, state
from ...signatures import parameters_of
from ...tensor import Tensor, as_tensor, node_behind, realize_pending
from ..subgraph import end_made, first_places
from .arguments import KINDS, add_argument
from .executable import Executable, LeafResult, ResultKind, TraceResult, end_donated

TRACE_LIMIT = 64
"""Executables cached per function; the oldest is evicted first, with a warning the first time."""

Places = tuple[frozenset[int], frozenset[str]]
"""Positions and names of arguments."""


class Jitted:
    """A jitted function; called like the function itself."""

    def __init__(self, function: Callable[..., Any], static: Places, donated: Places) -> None:
        update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", repr(function))
        self._static_positions, self._static_names = static
        self._donated_positions, self._donated_names = donated
        self._executables: BoundedCache[tuple[Any, ...], Executable] = BoundedCache(TRACE_LIMIT)
        self._warned = False

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"jit({self._function!r})"

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if (tapes and own_tapes()) or (
            state.watchers and (state.trace is not None or is_debug_mode())
        ):
            return self._run_untraced(args, kwargs)
        leaves: list[object] = []
        executable = self._lookup(args, kwargs, leaves)[1]
        if executable is None:
            leaves = []
            executable = self.trace(args, kwargs, leaves)
        else:
            runtime.hits += 1
        result = executable(leaves)
        if executable.effects:
            result, values = result
            for effect, own in zip(executable.effects, values, strict=True):
                effect.run(own)
        return result

    def explain(self, *args: object, **kwargs: object) -> str:
        """Return the text of `pt.explain` for a call with these arguments, without running it."""
        graph = self.trace(args, kwargs, []).graph
        return "graph\n  nothing to compute\n" if graph is None else describe(graph)

    def _run_untraced(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
        """Call the function without jit: in debug mode, or inside a trace or differentiation."""
        given = self._given(args, kwargs)
        if any(hasattr(leaf, "__array__") and not isinstance(leaf, Tensor) for leaf, _ in given):
            args = tuple(a if self.is_static(at) else _converted(a) for at, a in enumerate(args))
            kwargs = {at: a if self.is_static(at) else _converted(a) for at, a in kwargs.items()}
        donated = [leaf for leaf, gone in given if gone]
        result = self._function(*args, **kwargs)
        end_donated([leaf for leaf in donated if isinstance(leaf, Tensor)], self._name)
        return result

    # --- arguments ------------------------------------------------------------------------------

    def _lookup(
        self, args: tuple[object, ...], kwargs: dict[str, object], leaves: list[object]
    ) -> tuple[tuple[Any, ...], Executable | None]:
        """Return the key of a call and its executable, and append its leaves to `leaves`."""
        key = self._key(args, kwargs, leaves)
        try:
            return key, self._executables.get(key)
        except TypeError:
            self._check_hashes(args, kwargs)
            raise

    def _key(
        self, args: tuple[Any, ...], kwargs: dict[str, object], leaves: list[object]
    ) -> tuple[Any, ...]:
        """Return the cache key of a call, and append its tensors and numbers to `leaves`.

        It lists the containers and the leaves' specs, or kinds of numbers, from left to right.
        """
        key: list[object] = [runtime.backend, autocast_dtype.get()]
        static = self._static_positions
        for position, arg in enumerate(args):
            kind = arg.__class__
            if position in static:
                key.append(self._static(arg, position))
            elif kind is Tensor:
                leaves.append(arg)
                key.append(arg._node.spec)
            else:
                add_argument(arg, position, key, leaves, self._wrong_leaf)
        for name in sorted(kwargs):
            key.append(name)
            if name in self._static_names:
                key.append(self._static(kwargs[name], name))
            else:
                add_argument(kwargs[name], name, key, leaves, self._wrong_leaf)
        return tuple(key)

    def _static(self, arg: object, parameter: int | str) -> object:
        if isinstance(arg, Tensor):
            raise self._argument_error(
                "static argument must not be a tensor", arg, parameter, "do not make it static"
            )
        return typed(arg)

    def _check_hashes(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        """Raise ArgumentError if a static value of the arguments cannot be hashed."""
        parameters: list[tuple[int | str, object]] = [*enumerate(args), *sorted(kwargs.items())]
        for parameter, arg in parameters:
            if self.is_static(parameter):
                what, values = "static argument", [arg]
            else:
                what = "static field or key"
                values = [part for part in tree_flatten(arg)[1].parts if part is not None]
            for value in values:
                try:
                    hash(value)
                except TypeError:
                    advice = "pass a tuple or another immutable value"
                    raise self._argument_error(
                        f"{what} is not hashable", value, parameter, advice
                    ) from None

    def _argument_error(
        self, wrong: str, got: object, parameter: int | str, advice: str
    ) -> ArgumentError:
        shown = repr(got._spec) if isinstance(got, Tensor) else f"{got!r:.60}"
        return ArgumentError(
            f"jit: {wrong}; got {type(got).__name__} {shown} in argument {parameter} of "
            f"{self._name}; {advice}"
        )

    def _wrong_leaf(self, leaf: object, parameter: int | str) -> ArgumentError:
        wrong = "arguments must contain only tensors and numbers"
        return self._argument_error(wrong, leaf, parameter, _advice(leaf, parameter))

    def _given(
        self, args: Iterable[object], kwargs: dict[str, object]
    ) -> list[tuple[object, bool]]:
        """Return (leaf, donated) for each leaf of the arguments that are not static."""
        parameters: list[tuple[int | str, object]] = [*enumerate(args), *sorted(kwargs.items())]
        return [
            (leaf, parameter in self._donated_positions or parameter in self._donated_names)
            for parameter, arg in parameters
            if not self.is_static(parameter)
            for leaf in tree_leaves(arg)
        ]

    def is_static(self, parameter: int | str) -> bool:
        """Return True if the argument at that position or of that name is static."""
        return parameter in self._static_positions or parameter in self._static_names

    # --- tracing --------------------------------------------------------------------------------

    def trace(
        self, args: tuple[object, ...], kwargs: dict[str, object], leaves: list[object]
    ) -> Executable:
        """Return the executable for these arguments, tracing the function if there is none.

        Appends the arguments' leaves to `leaves`.
        """
        backend()
        key, executable = self._lookup(args, kwargs, leaves)
        if executable is not None:
            return executable
        runtime.misses += 1
        for leaf in leaves:
            if isinstance(leaf, Tensor):
                node_behind("jit", leaf)
        outside = _pending()
        with _recording(self._name) as recording:
            tracers = [_tracer(recording, leaf, at) for at, leaf in enumerate(leaves)]
            remaining = iter(tracers)

            def replaced(parameter: int | str, arg: object) -> Any:
                if self.is_static(parameter):
                    return arg
                own, structure = tree_flatten(arg)
                new: list[Any] = []
                for at, first in enumerate(first_places(own, structure.has_fields)):
                    new.append(next(remaining) if first == at else new[first])
                return tree_unflatten(structure, new)

            new_args = [replaced(parameter, arg) for parameter, arg in enumerate(args)]
            new_kwargs = {name: replaced(name, kwargs[name]) for name in sorted(kwargs)}
            tracked = self._given(new_args, new_kwargs)
            result = self._function(*new_args, **new_kwargs)
            _check_unchanged(self._name, tracked, self._given(new_args, new_kwargs))
            gone = {id(leaf) for leaf, gone in tracked if gone and isinstance(leaf, Tensor)}
            donated = [at for at, leaf in enumerate(tracers) if id(leaf) in gone]
            if recording.effects:
                result = result, [values for _, values in recording.effects]
            traced = self._trace_result(result, tracers, donated, recording)
            _realize_outside(outside, [*traced.handles, *(node for _, node in traced.moved)])
            del outside
            executable = _compiled(traced)
            executable.effects = [effect for effect, _ in recording.effects]
        if len(self._executables) >= TRACE_LIMIT:
            self._warn()
        self._executables[key] = executable
        return executable

    def _trace_result(
        self, result: object, tracers: list[object], donated: list[int], recording: Recording
    ) -> TraceResult:
        """Describe the function's result and assignments in terms of the argument tracers."""
        leaves, structure = tree_flatten(result)
        arguments = {id(value): at for at, value in enumerate(tracers) if at not in donated}
        handles: dict[int, int] = {}
        nodes: list[OpNode] = []
        results: list[LeafResult] = []
        for leaf in leaves:
            if isinstance(leaf, Tensor):
                node = node_behind("jit", leaf)
                if id(leaf) in arguments:
                    results.append(LeafResult(ResultKind.ARGUMENT, arguments[id(leaf)]))
                    continue
                if id(leaf) not in handles:
                    handles[id(leaf)] = len(nodes)
                    nodes.append(node)
                results.append(LeafResult(ResultKind.HANDLE, handles[id(leaf)]))
            elif type(leaf) is ScalarTracer:
                results.append(LeafResult(ResultKind.NUMBER, recording.tape.slot(leaf)))
            elif isinstance(leaf, KINDS):
                results.append(LeafResult(ResultKind.CONSTANT, leaf))
            else:
                raise TraceError(
                    f"jit: result must contain only tensors and numbers; got {type(leaf).__name__} "
                    f"{leaf!r:.60} from {self._name}; return only tensors and numbers"
                )
        moved = [
            (at, value._node)
            for at, value in enumerate(tracers)
            if isinstance(value, Tensor)
            and not (type(value._node.buffer) is ArgumentBuffer and value._node.buffer.leaf == at)
        ]
        numbers = [
            (value.slot, at) for at, value in enumerate(tracers) if type(value) is ScalarTracer
        ]
        return TraceResult(
            self._name, structure, results, nodes, moved, donated, numbers, recording.tape
        )

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"jit: {self._name} has been traced for {TRACE_LIMIT} kinds of arguments, and the "
                "oldest traces are dropped; pass what varies as tensors of few shapes, or as "
                "Python numbers that are not static",
                stacklevel=4,
            )


def _check_unchanged(
    name: str, before: list[tuple[object, bool]], after: list[tuple[object, bool]]
) -> None:
    """Raise TraceError if a traced function modified a container or disposed of an argument."""
    unchanged = len(before) == len(after) and all(
        a is b for (a, _), (b, _) in zip(before, after, strict=True)
    )
    if not unchanged:
        raise TraceError(
            "jit: the function must not modify a container argument; got other values after "
            f"{name}; return the new values instead"
        )
    for leaf, _ in before:
        if isinstance(leaf, Tensor) and leaf.is_disposed:
            end: Any = leaf._node
            raise TraceError(
                "jit: the function must not dispose of an argument; got a tensor disposed of "
                f"at {end.place} in {name}; use donate_argnums"
            )


def _converted(arg: object) -> Any:
    """Convert arrays in an argument to tensors."""

    def converted(leaf: object) -> object:
        is_array = hasattr(leaf, "__array__") and not isinstance(leaf, KINDS)
        return as_tensor("jit", leaf) if is_array else leaf

    return tree_map(converted, arg)


def _advice(leaf: object, parameter: int | str) -> str:
    how = (
        f"static_argnums={parameter}"
        if isinstance(parameter, int)
        else f'static_argnames="{parameter}"'
    )
    return f'make it static with {how}, a dataclass field with field(metadata={{"static": True}})'


@contextmanager
def _recording(name: str) -> Iterator[Recording]:
    """Record all tensors created inside the block, and end their handles after it."""
    recording = Recording(name)
    pending = state.pending
    around = begin_trace(recording)
    try:
        yield recording
    finally:
        end_trace(recording, around)
        state.pending = pending
        recording.tape.closed = True
        end_made(recording, _OUTLIVED)


_OUTLIVED = End(
    TraceError, "outlived the trace it belongs to; got one made inside of", "return it from there"
)


def _tracer(recording: Recording, leaf: object, at: int) -> Any:
    if isinstance(leaf, Tensor):
        return Tensor(leaf_node(ArgumentBuffer(at), leaf._spec))
    return recording.tape.number(type(leaf))


def _pending() -> list[OpNode]:
    with lock:
        return pending_handles()


def _compiled(traced: TraceResult) -> Executable:
    with lock:
        return Executable(traced)


def _realize_outside(outside: list[OpNode], wanted: list[OpNode]) -> None:
    """Run pending work from before the trace that the results need, so that calls need not."""
    known = set(map(id, outside))
    needed: list[OpNode] = []
    seen: set[int] = set()
    stack = list(wanted)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if id(node) in known:
            needed.append(node)
        else:
            stack.extend(node.srcs)
    realize_pending(needed)


def _places(
    option: str, function: Callable[..., Any], argnums: object, argnames: object = ()
) -> Places:
    """Resolve arguments given by position or name to both, if the signature is known."""
    positions = {
        integer("jit", option, at)
        for at in ([argnums] if hasattr(argnums, "__index__") else items("jit", option, argnums))
    }
    names: Any = [argnames] if isinstance(argnames, str) else items("jit", option, argnames)
    if not all(isinstance(name, str) for name in names):
        raise wrong_type("jit", "static_argnames", "names", argnames, "a name or a list of names")
    parameters = parameters_of(function)
    if parameters is None:
        return frozenset(positions), frozenset(names)
    known = parameters.positional
    positions = {at + len(known) if at < 0 else at for at in positions}
    for at in positions:
        if not (0 <= at < len(known) or (at >= 0 and parameters.has_varargs)):
            raise ArgumentError(
                f"jit: {option} does not match an argument; got {at} for the arguments {known}; "
                "count them from 0, self included"
            )
    names = set(names)
    for name in names:
        if not parameters.accepts_keyword(name):
            every = known + parameters.keyword_only
            raise ArgumentError(
                f"jit: {option} does not match an argument; got {name!r} for the arguments "
                f"{every}; use one of these"
            )
    named = {known[at] for at in positions if at < len(known)}
    counted = {at for at, name in enumerate(known) if name in names}
    return frozenset(positions | counted), frozenset(names | named)


@overload
def jit[Function: Callable[..., Any]](
    function: Function,
    /,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
) -> Function: ...


@overload
def jit[Function: Callable[..., Any]](
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
) -> Callable[[Function], Function]: ...


def jit(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
) -> Any:
    """Compile a function: trace it once for each kind of arguments, then run the compiled plan.

    The first call with given shapes, dtypes, containers and static values runs the Python function
    on tracers and compiles everything it computes into one plan. Later calls run that plan.
    Therefore Python side effects happen only while tracing, captured tensors keep the values they
    had then, and reading a value (`if x > 0`, `float(x)`, `x.tolist()`) raises TraceError. Methods
    can be decorated too: `self` is their first argument, a dataclass or static.

    Args:
        function: Function whose arguments and results are tensors, Python numbers and None, in
            lists, tuples, dicts and dataclasses. If None (default), a decorator is returned.
        static_argnums: Position or positions of static arguments: hashable values that may be of
            any type; the function is traced again for each new value. Negative positions count
            from the end.
        static_argnames: Name or names of static arguments.
        donate_argnums: Position or positions of arguments whose tensors are disposed by the call;
            results may reuse their memory.

    Returns:
        Function with the same arguments and results. Numbers may change from call to call without a
        new trace.

    Raises:
        ArgumentError: If the function is asynchronous or a generator, or an option names a missing
            argument; when called, if an argument that is not static holds an unsupported value.
        TraceError: When called, if the function reads the value of a tracer.

    >>> import py_tensor as pt
    >>> @pt.jit
    ... def step(w, gradient, rate):
    ...     return w - rate * gradient
    >>> w = pt.asarray([1.0, 2.0])
    >>> step(w, pt.ones(2), 0.5).tolist()
    [0.5, 1.5]
    >>> @pt.jit(static_argnames="power")
    ... def total(x, power):
    ...     return pt.sum(x**power)
    >>> total(w, power=2).item()
    5.0
    """
    if function is None:
        return partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
        )
    function_of("jit", "function", function)
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise ArgumentError(
            f"jit: the function must be neither asynchronous nor a generator; got {function!r}; "
            "move the code between two awaits into separate functions"
        )
    return Jitted(
        function,
        _places("static_argnums", function, static_argnums, static_argnames),
        _places("donate_argnums", function, donate_argnums),
    )
