"""`Tensor`, the array that programs hold: it is computed when its values are asked for.

A handle on a node, and where operations meet their errors. Comes in: Python calls; goes out: nodes.
Nothing runs here until a value is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from . import conversion, hosting, lifetime, printing
from .backends.base import Buffer
from .dtypes import (
    OF_PYTHON,
    DType,
    as_dtype,
    bool_,
    complex64,
    float32,
    int32,
    of_scalar,
    promote,
)
from .errors import ArgumentError, DTypeError, ShapeError
from .lifetime import DISPOSED, End, state
from .nodes import Node, Spec, leaf_node, node_of, scalar_node, spec_of, tapes
from .ops.elementwise import CAST
from .ops.rows import Elementwise, Row, Shape, Where
from .ops.views import BROADCAST
from .runtime import backend, check_device, realize_nodes, runtime
from .tracing import TracedNumber, fitting, is_traced, kind_of, sample, unknown

PENDING_LIMIT = 500
"""Nodes made before all pending work is run: a loop that never reads must not grow for ever."""
PENDING_BYTES = 1 << 26
"""Bytes of new host data that may wait in pending work, likewise."""

_live = state.live


class _Disposed:
    """What a handle points to after its end."""

    __slots__ = ("end", "place")
    spec = None
    buffer = None

    def __init__(self, place: str, end: End) -> None:
        self.place = place
        self.end = end


class Tensor:
    """An n-dimensional array of one dtype, computed lazily.

    Made by `asarray`, `zeros`, ... and by operations; holds no values of its own but a place in the
    pending graph. Assignment (`x[...] = v`, `x += v`) moves this handle to a new value; other
    handles keep theirs.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> (x * 2 + 1).tolist()
    [[3.0, 5.0], [7.0, 9.0]]
    """

    __slots__ = ("__weakref__", "_node")
    __hash__ = object.__hash__
    __array_priority__ = 1000

    def __init__(self, node: Node) -> None:
        self._node: Any = node
        _live[id(self)] = node
        state.pending += 1
        if state.pending > PENDING_LIMIT:
            flush_in_step()
        if state.watchers:
            for watcher in state.watchers:
                watcher(self)

    def __del__(self) -> None:
        _live.pop(id(self), None)

    # --- what it is -----------------------------------------------------------------------------

    @property
    def _spec(self) -> Spec:
        return node_behind("tensor", self).spec

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
        """Bytes of all elements.

        >>> import py_tensor as pt
        >>> pt.ones((2, 3)).nbytes
        24
        """
        return self._spec.nbytes

    @property
    def device(self) -> str:
        """Name of the backend that computes: "webgl" or "numpy".

        >>> import py_tensor as pt
        >>> pt.ones(3).device == pt.get_backend()
        True
        """
        return backend().name

    @property
    def is_disposed(self) -> bool:
        """Whether `dispose` or a scope ended this handle.

        >>> import py_tensor as pt
        >>> pt.ones(3).is_disposed
        False
        """
        return type(self._node) is _Disposed

    def dispose(self) -> None:
        """Ends this handle; pending work that took its value keeps it. Twice does nothing.

        >>> import py_tensor as pt
        >>> x = pt.ones(3)
        >>> x.dispose()
        >>> x.is_disposed
        True
        """
        if not self.is_disposed:
            self._end(lifetime.user_line())

    def _end(self, place: str, end: End = DISPOSED) -> None:
        _live.pop(id(self), None)
        self._node = _Disposed(place, end)

    def _move(self, node: Node) -> None:
        """Points this handle to another value."""
        if state.trace is not None:
            state.trace.refuse_move(self)
        self._node = node
        _live[id(self)] = node

    # --- reading --------------------------------------------------------------------------------

    def _buffer(self, operation: str) -> Buffer:
        node = node_behind(operation, self)
        if state.trace is not None and is_traced(node):
            raise unknown("tensor", f"{operation} of {node.spec}")
        if node.buffer is None:
            realize_pending([node])
        return node.buffer

    def _read_buffer(self, operation: str) -> Buffer:
        """The buffer, on the host where that is the shorter way to a value that is read."""
        node = node_behind(operation, self)
        if (
            node.buffer is None
            and node.spec.size <= runtime.host_elements
            and not backend().on_host
            and (state.trace is None or not is_traced(node))
            and hosting.compute(node, runtime.host_elements)
        ):
            state.pending = 0
        return self._buffer(operation)

    def _bytes(self, operation: str) -> memoryview:
        return backend().read(self._read_buffer(operation))

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers; the number itself for shape ().

        Waits for the values.

        >>> import py_tensor as pt
        >>> pt.ones((1, 2)).tolist()
        [[1.0, 1.0]]
        """
        spec = node_behind("tolist", self).spec
        return conversion.nest(conversion.unpack(self._bytes("tolist"), spec.dtype), spec.shape)

    def item(self) -> Any:
        """The only element as a Python number. Raises ShapeError for other sizes.

        >>> import py_tensor as pt
        >>> pt.asarray([7]).item()
        7
        """
        spec = node_behind("item", self).spec
        if spec.size != 1:
            raise ShapeError(
                f"item: tensor has not exactly one element; got shape {spec.shape}; index it first"
            )
        return self._first("item")

    def _first(self, operation: str) -> Any:
        return conversion.unpack(self._bytes(operation), self._spec.dtype)[0]

    def numpy(self) -> Any:
        """The values as a new NumPy array; waits for them. Raises ImportError without NumPy."""
        try:
            import numpy as np
        except ImportError:
            raise ImportError(
                "numpy: NumPy is not installed; got no module numpy; use tolist() or memoryview(t)"
            ) from None
        spec = node_behind("numpy", self).spec
        flat = np.frombuffer(bytearray(self._bytes("numpy")), dtype=spec.dtype.name)
        return flat.reshape(spec.shape)

    async def data(self) -> memoryview:
        """The values as a memoryview of this shape, without blocking the page.

        Empty tensors of several axes give a flat view, since Python has no empty shaped one;
        complex ones have one more axis, for real and imaginary parts, since it has no complex one.

        >>> import asyncio
        >>> import py_tensor as pt
        >>> asyncio.run(pt.asarray([1, 2]).data()).tolist()
        [1, 2]
        """
        spec = node_behind("data", self).spec
        data = await backend().read_async(self._read_buffer("data"))
        return conversion.shaped(data, spec.dtype, spec.shape if spec.size else (0,))

    def __buffer__(self, flags: int, /) -> memoryview:
        spec = node_behind("memoryview", self).spec
        if spec.dtype.kind == "c":
            # Only NumPy makes views of complex numbers, and takes views for what an array holds.
            try:
                return memoryview(self.numpy())
            except ImportError:
                raise BufferError(
                    f"a tensor of {spec.dtype} has no memoryview without NumPy; use tolist(), "
                    "pt.real(x) and pt.imag(x), or await x.data()"
                ) from None
        return conversion.shaped(self._bytes("memoryview"), spec.dtype, spec.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of a copy in the CPU's memory. Needs NumPy."""
        return self.numpy().__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """The CPU, where values are read to."""
        return 1, 0

    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
        """This tensor, for the device in use. Raises ArgumentError for others.

        >>> import py_tensor as pt
        >>> x = pt.ones(3)
        >>> x.to_device(pt.get_backend()) is x
        True
        """
        check_device("to_device", device)
        if stream is not None:
            raise ArgumentError("to_device: there are no streams; got one; leave stream out")
        return self

    def _one(self, operation: str) -> Any:
        if node_behind(operation, self).spec.size != 1:
            raise ShapeError(
                f"{operation}: only a tensor of one element has a value of its own; "
                f"got shape {self.shape}; use .any(), .all() or an index"
            )
        return self._first(operation)

    def __bool__(self) -> bool:
        return bool(self._one("bool"))

    def _one_real(self, operation: str) -> Any:
        if node_behind(operation, self).spec.dtype.kind == "c":
            raise DTypeError(
                f"{operation}: tensor is complex; got {self._spec}; "
                "use pt.real(x), pt.imag(x) or pt.abs(x)"
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
                f"index: tensor is not one integer; got dtype {spec.dtype}, shape {spec.shape}; "
                "use int(x) for one element"
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
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if self.is_disposed:
            return f"tensor(disposed at {self._node.place})"
        spec = self._spec
        if state.trace is not None and is_traced(self._node):
            return f"tensor(traced, shape={spec.shape}, dtype={spec.dtype})"
        text = printing.values(self.tolist(), spec.shape, " " * len("tensor("))
        return f"tensor({text}, shape={spec.shape}, dtype={spec.dtype}, backend={backend().name})"

    def __format__(self, format_spec: str) -> str:
        return (
            format(self.item(), format_spec)
            if format_spec and self.size == 1
            else format(repr(self), format_spec)
        )


def node_behind(operation: str, tensor: Tensor) -> Node:
    """The node of a handle; raises DisposedError, naming where, if the handle has ended.

    Raises DTypeError for what is no tensor.
    """
    try:
        node = tensor._node
    except AttributeError:
        raise DTypeError(
            f"{operation}: operand is no tensor; got {tensor!r:.60}; use pt.asarray"
        ) from None
    if type(node) is _Disposed:
        error, wrong, advice = node.end
        raise error(f"{operation}: tensor {wrong} {node.place}; {advice}")
    return node  # type: ignore[no-any-return]


def handle_on(node: Node) -> Tensor:
    """A handle on a value that an operation gave before: nobody is told of a new tensor."""
    tensor = object.__new__(Tensor)
    tensor._node = _live[id(tensor)] = node
    return tensor


def realize_pending(nodes: list[Node]) -> None:
    """Runs pending work for the nodes, and counts pending work from zero."""
    state.pending = 0
    realize_nodes(nodes)


def flush_in_step() -> None:
    """Runs everything pending where the user's loop is as far as it was the last time.

    Cut anywhere else, the pending graph would differ each time and need a plan of its own; cut in a
    differentiation, all that the backward pass may need would have to be stored.
    """
    if state.trace is not None or tapes:
        return
    place = lifetime.place()
    if place == state.anchor or not state.anchor or state.pending > 2 * PENDING_LIMIT:
        state.anchor = place
        flush()


def flush() -> None:
    """Runs everything pending that a living handle can still ask for; a trace must end first."""
    if state.trace is not None:
        return
    realize_pending([node for node in list(_live.values()) if node.buffer is None])


def realize(*tensors: Tensor) -> None:
    """Computes the tensors now, in one go, without reading them; inside `jit`, does nothing.

    Raises DisposedError for tensors that have ended.

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
    """A tensor of flat host bytes, uploaded at first use."""
    global _pending_bytes
    spec = spec_of(shape, dtype)
    backend().check_size(operation, shape, dtype)
    _pending_bytes += spec.nbytes
    if _pending_bytes > PENDING_BYTES:
        _pending_bytes = 0
        flush()
    return Tensor(leaf_node(Buffer(dtype, spec.size, data), spec))


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Tensor:
    """A tensor of numbers, nested sequences, a buffer, a NumPy array or another tensor.

    Floats become float32, integers int32, booleans bool, complex numbers complex64, unless `dtype`
    says otherwise; 64-bit input becomes the 32-bit dtype, complex128 complex64. Tensors of one
    shape in sequences are joined, with their gradients. A tensor of the same dtype is returned as
    it is, unless `copy` is True. Raises ShapeError for ragged input,
    DTypeError for values or dtypes that do not fit.

    >>> import py_tensor as pt
    >>> pt.asarray([1, 2, 3]).dtype
    int32
    """
    check_device("asarray", device)
    target = None if dtype is None else as_dtype(dtype, "asarray")
    if isinstance(obj, Tensor):
        # The operation that a tensor goes through to checks it, and has the better name.
        if target is None and not copy:
            return obj
        node = node_behind("asarray", obj)
        if target is not None and target is not node.spec.dtype:
            return Tensor(node_of(CAST, (node,), target))
        return Tensor(node) if copy else obj
    if copy is False and type(obj) is not TracedNumber:
        raise ArgumentError("asarray: host data is always copied; got copy=False; leave copy out")
    return as_tensor("asarray", obj, target)


def as_tensor(operation: str, value: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of what the user passed to that operation, whose name errors have.

    A tensor is returned as it is; `dtype` is for all else.
    """
    if isinstance(value, Tensor):
        return value
    if type(value) is TracedNumber:
        target = dtype or OF_PYTHON[value.kind]
        scalar = scalar_node(fitting(operation, value, target), target)
        return Tensor(node_of(BROADCAST, (scalar,), ()))
    if isinstance(value, (list, tuple)):
        elements = conversion.flattened(operation, value)
        if not elements.kinds.isdisjoint((Tensor, TracedNumber)):
            return Tensor._of_nested(operation, elements, dtype)
        return from_host(*conversion.pack(operation, elements, dtype), operation)
    return from_host(*conversion.to_host(value, dtype, operation), operation)


def operand_of(operation: str, value: Any) -> Any:
    """A tensor or a Python scalar out of what the user passed."""
    scalar = type(value) in (bool, int, float, complex, TracedNumber)
    return value if scalar else as_tensor(operation, value)


def operand_nodes(row: Row, operands: tuple[Any, ...], operation: str = "") -> tuple[Node, ...]:
    """The nodes of an operation's operands; Python scalars take the dtype of tensors beside."""
    name = operation or row.name
    operands = tuple(operand_of(name, value) for value in operands)
    first = 1 if isinstance(row, Where) else 0
    dtype: DType | None = None
    for value in operands[first:]:
        if isinstance(value, Tensor):
            other = node_behind(name, value).spec.dtype
            dtype = other if dtype is None else promote(name, dtype, other)
    scalars = [value for value in operands[first:] if not isinstance(value, Tensor)]
    if scalars:
        if dtype is None:
            floating = isinstance(row, Elementwise) and row.dtypes == "floating"
            kinds = set(map(kind_of, scalars))
            dtype = float32 if floating or float in kinds else int32 if int in kinds else bool_
        for value in scalars:
            dtype = of_scalar(name, sample(value), dtype)

    def node(position: int, value: Any) -> Node:
        if isinstance(value, Tensor):
            return node_behind(name, value)
        own: Any = bool_ if position < first else dtype
        if own is complex64 and not issubclass(kind_of(value), complex):
            own = float32
        return scalar_node(fitting(name, value, own), own)

    return tuple(node(position, value) for position, value in enumerate(operands))


def apply(row: Row, operands: tuple[Any, ...], arg: Hashable = None) -> Tensor:
    """A tensor for a row applied to what the user passed; raises the row's errors."""
    return Tensor(node_of(row, operand_nodes(row, operands), arg))


def install(methods: dict[str, Callable[..., Any]]) -> None:
    """Puts functions on Tensor as methods and operators."""
    for name, function in methods.items():
        setattr(Tensor, name, function)
