"""`Tensor`, the lazily computed array of the public API.

A tensor is a handle on a node. Input: Python calls. Output: nodes, with shapes and dtypes checked.
Nothing is computed until a value is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, cast

from .dtypes import DType, bool_, complex64, float32, int32, of_scalar, promote
from .errors import BackendError, DTypeError, ShapeError
from .ir.node import (
    OpNode,
    TensorSpec,
    forget,
    fresh,
    leaf_node,
    lock,
    node_of,
    own_tapes,
    pending_handles,
    scalar_node,
    settled,
    tensor_spec,
    usable_nodes,
)
from .ir.tracer import ScalarTracer, fitting, is_traced, kind_of, sample, traced_node, unknown
from .late import LateModule, imported
from .ops.op_def import Elementwise, OpDef, Shape, Where
from .runtime import host_data, scopes
from .runtime.backends.base import Buffer
from .runtime.executor import backend, realize_nodes
from .runtime.scopes import DISPOSED, End, state
from .settings import settings

FEW_SLICES = 16
"""Slices up to which iterating over a tensor indexes it."""
ITERATED = 1 << 16
"""Elements up to which a tensor is read back to iterate over it."""


_drop_fresh, _drop_settled = fresh.pop, settled.pop
"""Bound once, since every tensor calls them when it ends, as `forget` does."""
_new = object.__new__


class _Disposed:
    """Marker that replaces the node of a handle that has ended."""

    __slots__ = ("end", "place")
    spec = None
    buffer = None

    def __init__(self, place: str, end: End) -> None:
        self.place = place
        self.end = end


if TYPE_CHECKING:
    from jax.sharding import NamedSharding

    from .functions import foreign_names, indexing, joining, parts
    from .functions.methods import TensorMethods
    from .functions.parts import Links
    from .runtime import array_format, host_eval
else:
    array_format = LateModule("runtime.array_format")
    foreign_names = LateModule("functions.foreign_names")
    host_eval = LateModule("runtime.host_eval")
    indexing = LateModule("functions.indexing")
    joining = LateModule("functions.joining")
    parts = LateModule("functions.parts")
    # `functions/methods` binds these methods, which need `Tensor`, once it exists.
    TensorMethods = object


class Tensor(TensorMethods):
    """An n-dimensional array of one dtype, computed lazily.

    Tensors are created by `asarray`, `zeros` and other functions, and by operations on tensors. A
    tensor is a handle on a node of the pending graph and is computed when its values are read.
    Assignment in place (`x[...] = v`, `x += v`) changes this tensor and those that share elements
    with it: parts, as in `x[0][1] = v`, transposes and contiguous reshapes are views, as in NumPy.
    Copies and results of other functions keep their values.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> (x * 2 + 1).tolist()
    [[3.0, 5.0], [7.0, 9.0]]
    """

    __slots__ = ("__weakref__", "_links", "_node")
    _links: Links
    """Tensors that share elements with this one; set if there are any."""
    __array_priority__ = 1000

    def __init__(self, node: OpNode) -> None:
        self._node = node
        fresh[id(self)] = node
        pending = state.pending = state.pending + 1
        if pending > settings.flush_threshold:
            flush_in_step()
        if state.watchers:
            state.notify(self)

    def __del__(self) -> None:
        if _drop_fresh(id(self), None) is None:
            node = _drop_settled(id(self), None)
            if node is not None:
                node.buffer.users -= 1

    @property
    def _spec(self) -> TensorSpec:
        node = self._node
        return node.spec if type(node) is OpNode else node_behind("tensor", self).spec

    @property
    def shape(self) -> Shape:
        """Length of each axis.

        >>> import py_tensor as pt
        >>> pt.ones((2, 3)).shape
        (2, 3)
        """
        return self._spec.shape

    @property
    def dtype(self) -> DType:
        """Data type of the elements.

        >>> import py_tensor as pt
        >>> pt.asarray([1, 2]).dtype
        int32
        """
        return self._spec.dtype

    @property
    def ndim(self) -> int:
        """Number of axes.

        >>> import py_tensor as pt
        >>> pt.ones((2, 3)).ndim
        2
        """
        return len(self._spec.shape)

    @property
    def size(self) -> int:
        """Number of elements.

        >>> import py_tensor as pt
        >>> pt.ones((2, 3)).size
        6
        """
        return self._spec.size

    @property
    def nbytes(self) -> int:
        """Size of all elements in bytes.

        >>> import py_tensor as pt
        >>> pt.ones((2, 3)).nbytes
        24
        """
        return self._spec.nbytes

    @property
    def device(self) -> str:
        """Name of the backend that computes: "webgl", "wasm", "numpy", "python" or "jax".

        >>> import py_tensor as pt
        >>> pt.ones(3).device == pt.get_backend()
        True
        """
        return backend().name

    @property
    def sharding(self) -> NamedSharding | None:
        """Placement on the devices of a mesh, a `jax.sharding.NamedSharding`; None if it has none.

        `pt.sharding.shard` places tensors.

        >>> import py_tensor as pt
        >>> pt.ones(3).sharding is None
        True
        """
        node = node_behind("sharding", self)
        if not backend().jax_arrays or (state.traces and is_traced(node)):
            return None
        self._buffer("sharding")
        return sharding_of(self)

    @property
    def is_disposed(self) -> bool:
        """True if `dispose`, a scope or a donation ended this handle.

        >>> import py_tensor as pt
        >>> pt.ones(3).is_disposed
        False
        """
        return isinstance(self._node, _Disposed)

    def dispose(self) -> None:
        """End this handle, so that using it raises DisposedError.

        Pending work that depends on its value is not affected. Disposing again does nothing.

        >>> import py_tensor as pt
        >>> x = pt.ones(3)
        >>> x.dispose()
        >>> x.is_disposed
        True
        """
        if not self.is_disposed:
            self._end(scopes.user_line())

    def _end(self, line: str, end: End = DISPOSED) -> None:
        end_handles([self], line, end)

    def _move(self, node: OpNode) -> None:
        """Make this handle, and those that share its elements, refer to new nodes."""
        if state.trace is not None:
            state.trace.refuse_move(self)
        links = getattr(self, "_links", None)
        if links is not None:
            parts.move(self, links, node)
            return
        set_node(self, node)

    def _buffer(self, operation: str) -> Buffer:
        node = node_behind(operation, self)
        if state.traces and is_traced(node):
            raise unknown("tensor", f"{operation} of {node.spec}")
        if node.buffer is None:
            realize_pending([node])
        return cast("Buffer", node.buffer)

    def _read_buffer(self, operation: str) -> Buffer:
        """Return the buffer for a read; tiny pending values are evaluated on the host."""
        node = node_behind(operation, self)
        if (
            node.buffer is None
            and node.spec.size <= settings.host_elements
            and backend().compiles
            and not (state.traces and is_traced(node))
            and host_eval.compute(node, settings.host_elements)
        ):
            state.pending = 0
        return self._buffer(operation)

    def _bytes(self, operation: str) -> memoryview:
        return backend().read(self._read_buffer(operation))

    def tolist(self) -> Any:
        """Return the values as nested lists of Python numbers; blocks until they are computed.

        Returns:
            Nested lists of the tensor's shape; a number for shape ().

        Raises:
            DisposedError: If the tensor has been disposed.
            TraceError: If the tensor is a tracer inside `jit`.

        >>> import py_tensor as pt
        >>> pt.ones((1, 2)).tolist()
        [[1.0, 1.0]]
        """
        spec = node_behind("tolist", self).spec
        return host_data.nest(host_data.unpack(self._bytes("tolist"), spec.dtype), spec.shape)

    def item(self, *args: int) -> Any:
        """Return an element as a Python number; blocks until it is computed.

        Args:
            args: Position in the flattened tensor, or one for each axis; none for the only element.

        Returns:
            bool, int, float or complex.

        Raises:
            ShapeError: If there is no such element, or several without a position.

        >>> import py_tensor as pt
        >>> pt.asarray([[7, 8]]).item(0, 1)
        8
        """
        if args:
            return indexing.item(self, *args)._one("item")
        return self._one("item")

    def _first(self, operation: str) -> Any:
        return host_data.first(self._bytes(operation), self._spec.dtype)

    def _one(self, operation: str) -> Any:
        if node_behind(operation, self).spec.size != 1:
            raise ShapeError(
                f"{operation}: only a tensor with exactly one element can be converted; got shape "
                f"{self.shape}; use .any(), .all() or an index"
            )
        return self._first(operation)

    def __bool__(self) -> bool:
        return bool(self._one("bool"))

    def _one_real(self, operation: str) -> Any:
        if node_behind(operation, self).spec.dtype.kind == "c":
            raise DTypeError(
                f"{operation}: tensor must be real; got {self._spec}; use pt.real(x), pt.imag(x) "
                "or pt.abs(x)"
            )
        return self._one(operation)

    def __int__(self) -> int:
        return int(self._one_real("int"))

    def __float__(self) -> float:
        return float(self._one_real("float"))

    def __complex__(self) -> complex:
        return complex(self._one("complex"))

    def __index__(self) -> int:
        spec = node_behind("index", self).spec
        if spec.dtype.kind not in "iu" or spec.size != 1:
            raise DTypeError(
                f"index: tensor must be a single integer; got dtype {spec.dtype}, shape "
                f"{spec.shape}; use int(x) for one element"
            )
        return int(self._first("index"))

    def __bytes__(self) -> bytes:
        return bytes(self._bytes("bytes"))

    def __len__(self) -> int:
        shape = self._spec.shape
        if not shape:
            raise TypeError("len: tensor has no axes; got shape (); use .size")
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        length = len(self)
        node, spec = self._node, self._spec
        followed = state.trace is not None or own_tapes() or (state.traces and is_traced(node))
        if length <= FEW_SLICES or spec.size > ITERATED or followed:
            return (self[i] for i in range(length))
        # Each index would be a plan of its own, which takes longer than to read all elements.
        return parts.rows(self)

    def __repr__(self) -> str:
        if isinstance(self._node, _Disposed):
            return f"tensor(disposed at {self._node.place})"
        spec = self._spec
        if state.traces and is_traced(self._node):
            return f"tensor(traced, shape={spec.shape}, dtype={spec.dtype})"
        if not spec.shape:  # short, because lists of numbers print many of them
            return f"tensor({self}, dtype={spec.dtype})"
        text = array_format.values(self.tolist(), spec.shape, " " * len("tensor("))
        rest = f"shape={spec.shape}, dtype={spec.dtype}, backend={backend().name}"
        if self.sharding is not None:
            rest += f", sharding={self.sharding.spec}"
        return f"tensor({text}, {rest})"

    def __str__(self) -> str:
        """Return the values only, as NumPy does; `repr` adds shape, dtype and backend."""
        if isinstance(self._node, _Disposed) or (state.traces and is_traced(self._node)):
            return repr(self)
        text = array_format.values(self.tolist(), self.shape, "")
        return f"{text}0" if text.endswith(".") else text

    def __format__(self, format_spec: str) -> str:
        return (
            format(self.item(), format_spec)
            if format_spec and self.size == 1
            else format(str(self), format_spec)
        )


def _missing(tensor: Tensor, name: str) -> Any:
    # Protocols are asked for by names with underscores, often, and are no mistakes.
    if name[:1] == "_":
        raise AttributeError(name, name=name, obj=tensor)
    if isinstance(own := getattr(Tensor, name, None), property):
        return own.__get__(tensor)  # it raised AxesError, which is an AttributeError
    raise foreign_names.missing_attribute(tensor, name)


# Not in the class, where type checkers would allow any name.
setattr(Tensor, "__getattr__", _missing)  # noqa: B010


def node_behind(operation: str, tensor: Tensor) -> OpNode:
    """Return the node of a handle.

    Raises the error stored in the handle (DisposedError, TraceError) if it has ended, and
    DTypeError if `tensor` is not a tensor.
    """
    try:
        node = tensor._node
    except AttributeError:
        raise DTypeError(
            f"{operation}: operand must be a tensor; got {tensor!r:.60}; use pt.asarray"
        ) from None
    if isinstance(node, _Disposed):
        error, wrong, advice = node.end
        raise error(f"{operation}: tensor {wrong} {node.place}; {advice}")
    return node


def sharding_of(tensor: Tensor) -> NamedSharding | None:
    """Return the placement of a tensor on a mesh; None if it has none, or is not computed yet."""
    handle = getattr(tensor._node.buffer, "handle", None)
    sharding: Any = getattr(handle, "sharding", None)
    return sharding if hasattr(sharding, "mesh") else None


def handle_on(node: OpNode) -> Tensor:
    """Wrap an existing node without notifying scopes, traces or debug mode."""
    tensor = object.__new__(Tensor)
    tensor._node = fresh[id(tensor)] = node
    return tensor


def set_node(tensor: Tensor, node: OpNode) -> None:
    """Make one handle refer to another node."""
    forget(id(tensor))
    tensor._node = fresh[id(tensor)] = node


def new_handles(nodes: list[OpNode]) -> list[Tensor]:
    """Return new tensors of the results of a call, which add no pending work."""
    tensors = []
    for node in nodes:
        tensor = _new(Tensor)
        tensor._node = node
        if node.buffer is None:
            fresh[id(tensor)] = node
        else:
            settled[id(tensor)] = node
            node.buffer.users += 1
        tensors.append(tensor)
    if state.watchers:
        for tensor in tensors:
            state.notify(tensor)
    return tensors


def end_handles(tensors: list[Tensor], line: str, end: End) -> None:
    """End handles, so that using them raises the error that `end` describes."""
    ended = cast("OpNode", _Disposed(line, end))
    for tensor in tensors:
        forget(id(tensor))
        tensor._node = ended


def realize_pending(nodes: list[OpNode]) -> None:
    """Run pending work for the nodes and reset the count of pending tensors."""
    state.pending = 0
    realize_nodes(nodes)


def flush_in_step() -> None:
    """Run all pending work if the user's loop is at the same instruction as at the last flush.

    At varying instructions the pending graph would differ each time and need a new plan. During
    differentiation nothing is flushed, because everything the backward pass may need would be
    materialized.
    """
    if state.trace is not None or own_tapes():
        return
    line = scopes.place()
    if line == state.anchor or not state.anchor or state.pending > 2 * settings.flush_threshold:
        state.anchor = line
        flush()


def flush() -> None:
    """Compute all living tensors that are pending; do nothing inside a trace."""
    if state.trace is not None:
        return
    with lock:
        nodes = [n for n in pending_handles() if not (state.traces and is_traced(n))]
    try:
        realize_pending(nodes)
    except BackendError:
        # Work on tensors that were lost with their context raises when it is read, not here.
        usable = usable_nodes(nodes, backend().is_lost)
        if len(usable) == len(nodes):
            raise
        realize_nodes(usable)


def realize(*tensors: Tensor) -> None:
    """Compute tensors now, in a single plan, without reading their values.

    Inside `jit` this does nothing.

    Args:
        tensors: Tensors to compute.

    Raises:
        DisposedError: If a tensor has been disposed.

    >>> import py_tensor as pt
    >>> x = pt.ones((2, 2)) * 3
    >>> pt.realize(x)
    >>> "nothing pending" in pt.explain(x)
    True
    """
    nodes = [node_behind("realize", tensor) for tensor in tensors]
    if state.trace is None:
        realize_pending(nodes)


_pending_bytes = 0


def from_host(data: Any, shape: Shape, dtype: DType, operation: str) -> Tensor:
    """Make a tensor from flat host bytes, which are uploaded at first use."""
    global _pending_bytes
    backend().check_size(operation, shape, dtype)
    spec = tensor_spec(shape, dtype)
    buffer = Buffer(dtype, spec.size, data)
    _pending_bytes += spec.nbytes
    if _pending_bytes > settings.flush_bytes and not own_tapes():
        _pending_bytes = 0
        flush()
    return Tensor(leaf_node(buffer, spec))


def adopt(value: Any, dtype: DType | None = None) -> Tensor | None:
    """Make a tensor that shares the memory of another library's array; None if none can."""
    adopted = backend().adopt(value)
    if adopted is None or dtype not in (None, adopted[0].dtype):
        return None
    buffer, shape = adopted
    return Tensor(leaf_node(buffer, tensor_spec(shape, buffer.dtype)))


def as_tensor(operation: str, value: Any, dtype: DType | None = None) -> Tensor:
    """Convert an argument to a Tensor; `operation` names the caller in error messages.

    Tensors are returned unchanged; `dtype` applies to other arguments.
    """
    if isinstance(value, Tensor):
        return value
    if type(value) is ScalarTracer:
        return Tensor(traced_node(operation, value, dtype))
    return _from_foreign(operation, value, dtype)


def _from_foreign(operation: str, value: Any, dtype: DType | None) -> Tensor:
    """Convert a Python number, nested sequences, a buffer, or an array of another library."""
    jax: Any = imported("jax")
    if jax is not None and isinstance(value, jax.Array):
        shared = adopt(value, dtype)
        if shared is not None:
            return shared
    if isinstance(value, (list, tuple)):
        value = host_data.flattened(operation, value)
        is_nested = not value.kinds.isdisjoint((Tensor, ScalarTracer))
    else:
        is_nested = False
    if not is_nested:
        data, shape, dtype = host_data.to_host(value, dtype, operation)
        return from_host(data, shape, dtype, operation)
    return joining.of_nested(operation, value, dtype)


def operand_of(operation: str, value: Any) -> Any:
    """Return Python scalars unchanged, and convert any other argument to a tensor."""
    scalar = type(value) in (bool, int, float, complex, ScalarTracer)
    return value if scalar else as_tensor(operation, value)


def operand_nodes(op: OpDef, operands: tuple[Any, ...], operation: str = "") -> tuple[OpNode, ...]:
    """Return the nodes of an operation's operands; Python scalars adopt the tensors' dtype."""
    name = operation or op.name
    operands = tuple(operand_of(name, value) for value in operands)
    first = 1 if isinstance(op, Where) else 0
    dtype: DType | None = None
    for value in operands[first:]:
        if isinstance(value, Tensor):
            other = node_behind(name, value).spec.dtype
            dtype = other if dtype is None else promote(name, dtype, other)
    scalars = [value for value in operands[first:] if not isinstance(value, Tensor)]
    if scalars:
        if dtype is None:
            floating = isinstance(op, Elementwise) and op.dtypes == "floating"
            kinds = set(map(kind_of, scalars))
            dtype = float32 if floating or float in kinds else int32 if int in kinds else bool_
        for value in scalars:
            dtype = of_scalar(name, sample(value), dtype)

    def node(position: int, value: Any) -> OpNode:
        if isinstance(value, Tensor):
            return node_behind(name, value)
        own: Any = bool_ if position < first else dtype
        if own is complex64 and not issubclass(kind_of(value), complex):
            own = float32
        return scalar_node(fitting(name, value, own), own)

    return tuple(node(position, value) for position, value in enumerate(operands))


def apply(op: OpDef, operands: tuple[Any, ...], arg: Hashable = None) -> Tensor:
    """Apply an op to arguments of a public function; raise the op's errors."""
    return Tensor(node_of(op, operand_nodes(op, operands), arg))
