"""`pt.jit`: functions that are traced once for each kind of arguments, and replayed.

Comes in: a function of tensors; goes out: one that does the same, without making nodes, finding
plans or scheduling at each call.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, update_wrapper
from itertools import islice
from types import CodeType, MethodType
from typing import Any

from . import lifetime
from .debugging import is_debug_mode
from .errors import ArgumentError, TraceError
from .explaining import describe
from .lifetime import End, state
from .nodes import Node, leaf_node, tapes
from .pytree import tree_flatten, tree_leaves, tree_unflatten, typed, walk
from .replaying import Result, Trace, Traced, end_donated
from .runtime import backend, runtime
from .tensor import Tensor, node_behind, realize_pending
from .tracing import Recording, TracedBuffer, TracedNumber

TRACE_LIMIT = 64
"""Traces kept for one function; the oldest goes first, and a warning says so the first time."""

_KINDS: tuple[Any, ...] = (bool, int, float, complex)
_NUMBERS = frozenset(_KINDS)
Places = tuple[frozenset[int], frozenset[str]]
"""Arguments by position and by name."""


class Jitted:
    """A function under `jit`, to be called like the function itself."""

    def __init__(self, function: Callable[..., Any], static: Places, donated: Places) -> None:
        update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", repr(function))
        self._static_positions, self._static_names = static
        self._donated_positions, self._donated_names = donated
        self._traces: dict[tuple[Any, ...], Trace] = {}
        self._warned = False

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"jit({self._function!r})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if tapes or (state.watchers and (state.trace is not None or is_debug_mode())):
            return self._run_plainly(args, kwargs)
        leaves: list[Any] = []
        trace = self._traces.get(self._key(args, kwargs, leaves))
        if trace is None:
            leaves = []
            trace = self.trace(args, kwargs, leaves)
        else:
            runtime.hits += 1
        return trace(leaves)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What `pt.explain` says of the work of a call with these arguments; runs nothing."""
        graph = self.trace(args, kwargs, []).graph
        return "graph\n  nothing to compute\n" if graph is None else describe(graph)

    def _run_plainly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """In debug mode, and inside of another function's trace or differentiation."""
        donated = [leaf for leaf, gone in self._given(args, kwargs) if gone]
        result = self._function(*args, **kwargs)
        end_donated([leaf for leaf in donated if isinstance(leaf, Tensor)], self._name)
        return result

    # --- what a call is given -------------------------------------------------------------------

    def _key(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> tuple[Any, ...]:
        """What has to be equal for a trace to fit; appends tensors and numbers to `leaves`."""
        key: list[Any] = [runtime.backend]
        static = self._static_positions
        for position, arg in enumerate(args):
            kind = arg.__class__
            if position in static:
                key.append(self._static(arg, position))
            elif kind is Tensor:
                leaves.append(arg)
                key.append(arg._node.spec)
            elif kind in _NUMBERS:
                leaves.append(arg)
                key.append(kind)
            else:
                self._add_tree(arg, position, key, leaves)
        for name in sorted(kwargs):
            key.append(name)
            if name in self._static_names:
                key.append(self._static(kwargs[name], name))
            else:
                self._add_tree(kwargs[name], name, key, leaves)
        return tuple(key)

    def _static(self, arg: Any, place: int | str) -> Any:
        if isinstance(arg, Tensor):
            raise self._refused("static argument is a tensor", arg, place, "make it not static")
        self._check_hash(arg, "static argument", place)
        return typed(arg)

    def _check_hash(self, value: Any, what: str, place: int | str) -> None:
        try:
            hash(value)
        except TypeError:
            advice = "give a tuple, or another value that cannot change"
            raise self._refused(f"{what} is not hashable", value, place, advice) from None

    def _add_tree(self, arg: Any, place: int | str, key: list[Any], leaves: list[Any]) -> None:
        first = len(leaves)
        parts: list[Any] = []
        walk(arg, leaves, parts)
        for part in parts:
            if part is not None:
                self._check_hash(part, "static field or key", place)
        if parts != [None]:
            key += parts
        for at in range(first, len(leaves)):
            leaf = leaves[at]
            kind = leaf.__class__
            if kind is Tensor:
                key.append(leaf._node.spec)
            elif isinstance(leaf, _KINDS):
                kind = next(number for number in _KINDS if isinstance(leaf, number))
                leaves[at] = kind(leaf)
                key.append(kind)
            else:
                wrong = "argument holds what is neither a tensor nor a number"
                raise self._refused(wrong, leaf, place, _advice(leaf, place))

    def _refused(self, wrong: str, got: Any, place: int | str, advice: str) -> ArgumentError:
        shown = repr(got._spec) if isinstance(got, Tensor) else f"{got!r:.60}"
        return ArgumentError(
            f"jit: {wrong}; got {type(got).__name__} {shown} in argument {place} of {self._name}; "
            f"{advice}"
        )

    def _given(self, args: Iterable[Any], kwargs: dict[str, Any]) -> list[tuple[Any, bool]]:
        """The leaves of all arguments that are not static, and whether they are donated."""
        places: list[tuple[int | str, Any]] = [*enumerate(args), *sorted(kwargs.items())]
        return [
            (leaf, place in self._donated_positions or place in self._donated_names)
            for place, arg in places
            if not self.is_static(place)
            for leaf in tree_leaves(arg)
        ]

    def is_static(self, place: int | str) -> bool:
        """Whether the argument at that position, or of that name, is."""
        return place in self._static_positions or place in self._static_names

    # --- tracing --------------------------------------------------------------------------------

    def trace(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> Trace:
        """The trace for such arguments, made if there is none; appends their leaves to `leaves`."""
        backend()
        key = self._key(args, kwargs, leaves)
        trace = self._traces.get(key)
        if trace is not None:
            return trace
        runtime.misses += 1
        for leaf in leaves:
            if isinstance(leaf, Tensor):
                node_behind("jit", leaf)
        outside = [node for node in state.live.values() if node.buffer is None]
        with _recording(self._name) as recording:
            stand_ins = [_stand_in(recording, leaf, at) for at, leaf in enumerate(leaves)]
            remaining = iter(stand_ins)

            def replaced(place: int | str, arg: Any) -> Any:
                if self.is_static(place):
                    return arg
                structure = tree_flatten(arg)[1]
                return tree_unflatten(structure, islice(remaining, structure.count))

            new_args = [replaced(place, arg) for place, arg in enumerate(args)]
            new_kwargs = {name: replaced(name, kwargs[name]) for name in sorted(kwargs)}
            given = self._given(new_args, new_kwargs)
            result = self._function(*new_args, **new_kwargs)
            self._check_arguments(given, self._given(new_args, new_kwargs))
            donated = [at for at, (leaf, gone) in enumerate(given) if gone and _is_tensor(leaf)]
            traced = self._traced(result, stand_ins, donated, recording)
            _realize_outside(outside, [*traced.handles, *(node for _, node in traced.moved)])
            del outside
            trace = Trace(traced)
        if len(self._traces) >= TRACE_LIMIT:
            self._warn()
            del self._traces[next(iter(self._traces))]
        self._traces[key] = trace
        return trace

    def _check_arguments(
        self, before: list[tuple[Any, bool]], after: list[tuple[Any, bool]]
    ) -> None:
        same = len(before) == len(after) and all(
            a is b for (a, _), (b, _) in zip(before, after, strict=True)
        )
        if not same:
            raise TraceError(
                f"jit: the function changed a container among its arguments; got other values in "
                f"it after {self._name}; return what is new instead"
            )
        for leaf, _ in before:
            if isinstance(leaf, Tensor) and leaf.is_disposed:
                raise TraceError(
                    f"jit: the function disposed of an argument; got a tensor ended at "
                    f"{leaf._node.place} in {self._name}; use donate_argnums"
                )

    def _traced(
        self, result: Any, stand_ins: list[Any], donated: list[int], recording: Recording
    ) -> Traced:
        """What the function gave, in terms of its arguments' stand-ins."""
        found, structure = tree_flatten(result)
        given = {id(value): at for at, value in enumerate(stand_ins) if at not in donated}
        handles: dict[int, int] = {}
        nodes: list[Node] = []
        results: list[Result] = []
        for leaf in found:
            if isinstance(leaf, Tensor):
                node = node_behind("jit", leaf)
                if id(leaf) in given:
                    results.append(("same", given[id(leaf)]))
                    continue
                if id(leaf) not in handles:
                    handles[id(leaf)] = len(nodes)
                    nodes.append(node)
                results.append(("new", handles[id(leaf)]))
            elif type(leaf) is TracedNumber:
                results.append(("number", recording.tape.slot(leaf)))
            elif isinstance(leaf, _KINDS):
                results.append(("constant", leaf))
            else:
                raise TraceError(
                    f"jit: result holds what is neither a tensor nor a number; "
                    f"got {type(leaf).__name__} {leaf!r:.60} from {self._name}; return it some "
                    "other way"
                )
        moved = [
            (at, value._node)
            for at, value in enumerate(stand_ins)
            if isinstance(value, Tensor)
            and not (type(value._node.buffer) is TracedBuffer and value._node.buffer.leaf == at)
        ]
        numbers = [
            (value.slot, at) for at, value in enumerate(stand_ins) if type(value) is TracedNumber
        ]
        return Traced(
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


def _advice(leaf: Any, place: int | str) -> str:
    if hasattr(leaf, "__array__"):
        return "make a tensor of it with pt.asarray"
    how = f"static_argnums={place}" if isinstance(place, int) else f'static_argnames="{place}"'
    return f'make it static with {how}, a dataclass field with field(metadata={{"static": True}})'


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


@contextmanager
def _recording(name: str) -> Iterator[Recording]:
    """Notes what is made meanwhile; in the end, all of it has ended."""
    recording = Recording(name)
    pending, note = state.pending, recording.note
    lifetime.watch(note)
    state.trace = recording
    try:
        yield recording
    finally:
        state.trace = None
        lifetime.unwatch(note)
        state.pending = pending
        recording.tape.closed = True
        for reference in recording.made.values():
            tensor = reference()
            if tensor is not None and not tensor.is_disposed:
                tensor._end(name, _OUTLIVED)


_OUTLIVED = End(
    TraceError, "outlived the trace it belongs to; got one made inside of", "return it from there"
)


def _stand_in(recording: Recording, leaf: Any, at: int) -> Any:
    if isinstance(leaf, Tensor):
        return Tensor(leaf_node(TracedBuffer(at), leaf._spec))
    return recording.tape.number(type(leaf))


def _realize_outside(outside: list[Node], wanted: list[Node]) -> None:
    """Runs the pending work that was there before and is needed, so that calls need not."""
    known = set(map(id, outside))
    needed: list[Node] = []
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


def _places(option: str, function: Callable[..., Any], argnums: Any, argnames: Any = ()) -> Places:
    """Arguments chosen by position or name, as both where the function says how they are named."""
    positions = {argnums} if isinstance(argnums, int) else set(argnums)
    names = {argnames} if isinstance(argnames, str) else set(argnames)
    function = inspect.unwrap(function)
    plain = getattr(function, "__func__", function)
    code: CodeType | None = getattr(plain, "__code__", None)
    if code is None:
        return frozenset(positions), frozenset(names)
    bound = plain is not function
    count = code.co_argcount
    known = code.co_varnames[bound:count]
    every = code.co_varnames[bound : count + code.co_kwonlyargcount]
    positions = {at + len(known) if at < 0 else at for at in positions}
    for at in positions:
        if not (0 <= at < len(known) or (at >= 0 and code.co_flags & inspect.CO_VARARGS)):
            raise ArgumentError(
                f"jit: {option} names no argument; got {at} for the arguments {known}; "
                "count them from 0, self included"
            )
    for name in names:
        if name not in every and not code.co_flags & inspect.CO_VARKEYWORDS:
            raise ArgumentError(
                f"jit: {option} names no argument; got {name!r} for the arguments {every}; "
                "use one of these"
            )
    named = {known[at] for at in positions if at < len(known)}
    counted = {at for at, name in enumerate(known) if name in names}
    return frozenset(positions | counted), frozenset(names | named)


def jit(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: Any = (),
    static_argnames: Any = (),
    donate_argnums: Any = (),
) -> Any:
    """The function, traced once for each kind of arguments and from then on replayed.

    The first call with given shapes, dtypes, containers and static values runs the Python function
    on stand-ins and makes one plan of all it computes; later calls run that plan. So Python's side
    effects happen once, tensors from outside are taken as they were then, and asking a tensor or a
    number for its value (`if x > 0`, `float(x)`, `x.tolist()`) raises TraceError. Arguments and
    results are tensors, Python numbers and None, in lists, tuples, dicts and dataclasses. Numbers
    may change from call to call; anything else must be static: positions in `static_argnums` or
    names in `static_argnames`, hashable, each value traced anew. Tensors at `donate_argnums` end
    with the call, and results may take their memory. Also decorates methods: `self` is the first
    argument, a dataclass or static. Raises ArgumentError for other arguments.

    >>> import py_tensor as pt
    >>> @pt.jit
    ... def step(w, gradient, rate):
    ...     return w - rate * gradient
    >>> w = pt.asarray([1.0, 2.0])
    >>> step(w, pt.ones(2), 0.5).tolist()
    [0.5, 1.5]
    """
    if function is None:
        return partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
        )
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise ArgumentError(
            f"jit: the function does not finish when it returns; got {function!r}; "
            "put the parts between two awaits into functions of their own"
        )
    return Jitted(
        function,
        _places("static_argnums", function, static_argnums, static_argnames),
        _places("donate_argnums", function, donate_argnums),
    )
