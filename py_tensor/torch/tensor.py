"""`Tensor` of PyTorch: a tensor of py_tensor that can be assigned to, with `grad` and `backward`.

Functions of py_tensor's tensors, here called values, are applied to these tensors by `call`. A
part, as `x[0]` or `x.view(-1)`, knows the tensor that it is a part of, and the function that makes
it. It is made again after a change of the whole, and a change of the part changes the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from weakref import ref

from ..dtypes import DType
from ..functions.conversion import asarray
from ..functions.creation import arange, zeros
from ..functions.elementwise import astype
from ..functions.manipulation import broadcast_to
from ..io.element_formats import CODES, decoded
from ..io.safetensors import Entry
from ..ir.node import OpNode
from ..tensor import Tensor as Value, handle_on
from . import autograd
from .autograd import constant, is_grad_enabled, recorded, retained


class Size(tuple[int, ...]):
    """Shape of a tensor."""

    def numel(self) -> int:
        """Return the number of elements."""
        total = 1
        for length in self:
            total *= length
        return total

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


class device(str):
    """Name of a device. All tensors are on the device of the backend in use."""

    type = property(lambda self: self.split(":")[0])
    index: Any = None

    def __new__(cls, name: Any = "cpu", index: int | None = None) -> Self:
        return super().__new__(cls, name)

    def __repr__(self) -> str:
        return f"device(type='{self}')"


class Tensor:
    """A tensor under PyTorch's names; see https://docs.pytorch.org for the methods.

    >>> import py_tensor.torch as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> w.grad
    tensor([2., 4.])
    """

    grad: Tensor | None = None
    """Sum of the gradients of all calls of `backward` since it was None."""
    requires_grad = False
    """True if calls on this tensor are recorded."""
    is_leaf = True
    """False for results of recorded calls."""
    is_cuda = is_sparse = is_quantized = False
    if TYPE_CHECKING:
        # `methods` binds these.
        __getitem__: Any
        __add__: Any
        __radd__: Any
        __sub__: Any
        __rsub__: Any
        __mul__: Any
        __rmul__: Any
        __truediv__: Any
        __rtruediv__: Any
        __pow__: Any
        __matmul__: Any
        __neg__: Any
        __lt__: Any
        __le__: Any
        __gt__: Any
        __ge__: Any
        __and__: Any
        __or__: Any
        __invert__: Any
    _value: Value
    _part: tuple[Tensor, Callable[[Any], Any], OpNode] | None = None
    """The whole, the function that makes this part of it, and the whole's node at that time."""

    def __init__(self, *sizes: Any) -> None:
        data = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else zeros(sizes)
        self._value = asarray(plain(data), dtype="float32")

    @classmethod
    def _of(cls, value: Value, recorded: bool = False) -> Tensor:
        """Wrap a value."""
        tensor = object.__new__(Tensor)
        tensor._value = value
        if recorded and value.dtype.kind in "cf":
            tensor.requires_grad, tensor.is_leaf = True, False
        return tensor

    # --- values ---------------------------------------------------------------------------------

    def _read(self) -> Value:
        """Return the value; a part is made again if the whole has changed."""
        if self._part is not None:
            whole, function, node = self._part
            new = whole._read()._node
            if new is not node:
                made = call(function, whole)
                self._value._move(made._value._node)
                self.requires_grad, self.is_leaf = made.requires_grad, made.is_leaf
                self._part = whole, function, new
        return self._value

    def _operand(self) -> Value:
        """Return the value as an operand of a recorded call."""
        value = self._read()
        if not self.requires_grad and hasattr(value._node, "origin"):
            return constant(value)
        return value

    def _mark(self) -> None:
        """Make the node of a leaf known to `backward`."""
        value = self._read()
        if self.is_leaf:
            origin = getattr(value._node, "origin", None)
            if origin is None:
                value._node.origin = ref(self)
            elif type(origin) is not ref or origin() is not self:
                value._move(constant(value)._node)
                value._node.origin = ref(self)

    def _assign(self, new: Tensor) -> Self:
        """Change the tensor in place."""
        if is_grad_enabled() and self.requires_grad and self.is_leaf:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation; got "
                f"shape {tuple(self.shape)}; use torch.no_grad()"
            )
        value, old = new._read(), self._read()
        if value.shape != old.shape or value.dtype is not old.dtype:
            new = call(lambda x: broadcast_to(astype(x, old.dtype, copy=False), old.shape), new)
            value = new._read()
        if self._part is not None:
            whole, function, _ = self._part
            whole._assign(call(partial(_with_part, function), whole, new))
            self._read()
            return self
        old._move(value._node)
        if new.requires_grad and not new.is_leaf:
            self.requires_grad, self.is_leaf = True, False
        elif is_grad_enabled() and not self.is_leaf:
            self.requires_grad, self.is_leaf = False, True
        return self

    def _accumulate(self, value: Value, recorded: bool) -> None:
        if self.grad is None:
            self.grad = Tensor._of(value, recorded)
        elif recorded:
            self.grad = call(Value.__add__, self.grad, Tensor._of(value, recorded))
        else:
            self.grad._read()._move((self.grad._read() + value)._node)

    # --- attributes -----------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """Length of each axis."""
        return Size(self._value.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._value.ndim

    @property
    def dtype(self) -> DType:
        """Data type."""
        return self._value.dtype

    @property
    def device(self) -> device:
        """Device "cpu", also where a GPU computes: programs move nothing to other devices."""
        return device("cpu")

    @property
    def grad_fn(self) -> str | None:
        """Name of the operation that made a result of a recorded call; None for leaves."""
        origin = getattr(self._read()._node, "origin", None)
        return None if self.is_leaf else f"<{origin[0].op.name if origin else 'freed'}>"

    @property
    def data(self) -> Tensor:
        """The same tensor, not recorded: assigning to it changes this one."""
        return self.detach()

    @data.setter
    def data(self, new: Tensor) -> None:
        value = new._read()
        self._value = constant(value) if hasattr(value._node, "origin") else value

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the length of an axis."""
        return self.shape if dim is None else self.shape[dim]

    def detach(self) -> Tensor:
        """Return the same tensor, not recorded: assigning to it changes this one."""
        tensor = Tensor._of(self._read())
        tensor._part = self._part
        return tensor

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad`."""
        self.requires_grad = requires_grad
        return self

    def retain_grad(self) -> None:
        """Keep the gradient of a tensor that is no leaf."""
        retained.add(self)

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradients of this tensor to the `grad` of the leaves that it depends on."""
        autograd.backward(self, gradient, retain_graph, create_graph, inputs)

    # --- Python's numbers and containers --------------------------------------------------------

    def item(self) -> Any:
        """Return the only element as a Python number."""
        return self._read().item()

    def tolist(self) -> Any:
        """Return the elements as nested lists."""
        return self._read().tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """Return the elements as an array of NumPy."""
        if self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad; got a recorded tensor; use "
                "tensor.detach().numpy() instead"
            )
        return self._read().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __index__(self) -> int:
        return self._read().__index__()

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Iterator[Tensor]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor; got shape (); use item()")
        return iter([self[at] for at in range(len(self))])

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __repr__(self) -> str:
        text = str(self._read()).replace("\n", "\n" + " " * len("tensor("))
        short = self.dtype.name in ("float32", "int32", "bool")
        rest = "" if short else f", dtype=torch.{self.dtype.name}"
        if self.requires_grad:
            rest += ", requires_grad=True" if self.is_leaf else f", grad_fn={self.grad_fn}"
        return f"tensor({text}{rest})"

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and not self.ndim else format(repr(self), spec)

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        copy = object.__new__(type(self))
        memo[id(self)] = copy
        copy._value = handle_on(constant(self._read())._node)
        copy.requires_grad, copy.grad = self.requires_grad, self.grad
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        state = type(self), bytes(self._read()), self.dtype.name, tuple(self.shape)
        return _restored, (*state, self.requires_grad)

    def __setitem__(self, key: Any, new: Any) -> None:
        self._assign(call(_replaced, self, key, new))

    # Methods of the table in `methods`, for type checkers.
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"'Tensor' object has no attribute {name!r}; docs/from_pytorch.md lists what "
            "py_tensor.torch leaves out"
        )


class Parameter(Tensor):
    """A tensor that is a parameter of the module to which it is assigned.

    >>> import py_tensor.torch as torch
    >>> torch.nn.Parameter(torch.zeros(2)).requires_grad
    True
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        return object.__new__(cls)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        value = zeros(0) if data is None else data._read()
        self._value = constant(value) if hasattr(value._node, "origin") else value
        self.requires_grad = requires_grad


def _restored(
    kind: type[Tensor], data: bytes, dtype: str, shape: tuple[int, ...], requires_grad: bool
) -> Tensor:
    """Make a tensor of its pickled state."""
    tensor = object.__new__(kind)
    code = next(code for own, code in CODES.items() if own.name == dtype)
    tensor._value = decoded("tensor", Entry(code, shape, data))
    tensor.requires_grad = requires_grad
    return tensor


def _with_part(function: Callable[[Any], Any], whole: Value, part: Value) -> Value:
    """Return the whole with other values in the part that a function selects of it."""
    positions = function(arange(whole.size).reshape(whole.shape))
    flat = whole.reshape(-1).at[positions.reshape(-1)].set(part.reshape(-1))
    return flat.reshape(whole.shape)


def _replaced(x: Value, key: Any, new: Any) -> Value:
    """Return a value with elements replaced."""
    if isinstance(key, Value) and key.dtype.kind == "b" and not getattr(new, "ndim", 0):
        mask = key.reshape(key.shape + (1,) * (x.ndim - key.ndim))
        return _where(mask, new, x)
    if isinstance(new, Value):
        new = astype(new, x.dtype, copy=False)
    return x.at[key].set(new)


def _where(mask: Value, new: Any, x: Value) -> Value:
    from ..functions.searching import where

    result: Value = where(mask, new, x)
    return astype(result, x.dtype, copy=False)


def plain(data: Any) -> Any:
    """Return data with values instead of tensors."""
    if isinstance(data, Tensor):
        return data._read()
    if isinstance(data, (list, tuple)):
        return [plain(part) for part in data]
    return data


def _collect(arg: Any, operands: list[Tensor]) -> None:
    if isinstance(arg, Tensor):
        operands.append(arg)
    elif isinstance(arg, (list, tuple)):
        for part in arg:
            _collect(part, operands)


def _values(arg: Any, read: Callable[[Tensor], Value]) -> Any:
    if isinstance(arg, Tensor):
        return read(arg)
    if isinstance(arg, (list, tuple)) and arg:
        parts = [_values(part, read) for part in arg]
        return tuple(parts) if isinstance(arg, tuple) else parts
    return arg


def _wrapped(result: Any, is_recorded: bool, read: set[int]) -> Any:
    if isinstance(result, Value):
        # An operand that is returned must not change together with the result.
        value = handle_on(result._node) if id(result) in read else result
        return Tensor._of(value, is_recorded)
    if isinstance(result, (tuple, list)):
        parts = [_wrapped(part, is_recorded, read) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Apply a function of values to tensors, and record the call if operands require gradients."""
    operands: list[Tensor] = []
    _collect(args, operands)
    if kwargs:
        _collect(tuple(kwargs.values()), operands)
    is_recorded = is_grad_enabled() and any(tensor.requires_grad for tensor in operands)
    read: set[int] = set()
    ends: list[OpNode] = []
    if is_recorded:
        for tensor in operands:
            if tensor.requires_grad:
                tensor._mark()

    def value_of(tensor: Tensor) -> Value:
        value = tensor._operand() if is_recorded else tensor._read()
        read.add(id(value))
        ends.append(value._node)
        return value

    values = _values(args, value_of)
    named = {name: _values(arg, value_of) for name, arg in kwargs.items()} if kwargs else kwargs
    if is_recorded:
        result = recorded(function, ends, *values, **named)
    else:
        result = function(*values, **named)
    return _wrapped(result, is_recorded, read)


def call_for_part(function: Callable[..., Any], x: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Apply a function that makes a part, or parts, of a tensor."""
    made = call(function, x, *args, **kwargs)
    if isinstance(made, (tuple, list)):
        for at, part in enumerate(made):
            part._part = x, partial(_item, at, function, args, kwargs), x._value._node
    else:
        made._part = x, partial(_item, None, function, args, kwargs), x._value._node
    return made


def _item(at: int | None, function: Any, args: Any, kwargs: Any, x: Value) -> Any:
    made = function(x, *args, **kwargs)
    return made if at is None else made[at]
