"""`Tensor` of PyTorch: a tensor of py_tensor that can be assigned to, with `grad` and `backward`.

Functions of py_tensor's tensors, here called values, are applied to these tensors by `call`. Parts,
as `x[0]` or `x.view(-1)`, share elements with their tensor because their values do so. A tensor
whose value was made by a recorded call is no leaf.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Self
from weakref import ref

from ..functions.conversion import asarray
from ..functions.creation import zeros
from ..functions.elementwise import astype
from ..functions.manipulation import broadcast_to
from ..functions.parts import root_of
from ..functions.searching import where
from ..tensor import Tensor as Value, handle_on, set_node
from . import autograd
from .autograd import constant, is_grad_enabled, is_result, recorded


class Size(tuple[int, ...]):
    """Shape of a tensor."""

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self)

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


def _reading(function: Callable[[Value], Any]) -> Callable[[Any], Any]:
    """Return a method that applies a function to the value."""
    return lambda self: function(self._value)


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
    is_cuda = is_sparse = is_quantized = False
    if TYPE_CHECKING:
        # `methods` binds these.
        _method: Any = None
        __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _method
        __truediv__ = __rtruediv__ = __pow__ = __matmul__ = __neg__ = __invert__ = _method
        __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = _method
    _value: Value
    _wanted = False
    """True if gradients of a leaf are wanted."""
    _fixed = False
    """True for a result of a recorded call that is used as a leaf."""

    def __init__(self, *sizes: Any, dtype: Any = "float32") -> None:
        data = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else zeros(sizes)
        self._value = asarray(plain(data), dtype=dtype)

    @classmethod
    def _of(cls, value: Value, fixed: bool = False) -> Tensor:
        """Wrap a value."""
        tensor = object.__new__(Tensor)
        tensor._value = value
        if fixed:
            tensor._fixed = True
        return tensor

    # --- values ---------------------------------------------------------------------------------

    def _mark(self) -> None:
        """Make the node of a leaf known to `backward`."""
        value = self._value
        origin = getattr(value._node, "origin", ())
        if origin == ():
            value._node.origin = ref(self)
        elif type(origin) is ref and origin() is not self:
            set_node(value, constant(value)._node)
            value._node.origin = ref(self)

    def _operand(self) -> Value:
        """Return the value as an operand of a recorded call."""
        value = self._value
        is_constant = not self.requires_grad and hasattr(value._node, "origin")
        return constant(value) if is_constant else value

    def _assign(self, new: Tensor) -> Self:
        """Change the tensor in place."""
        if is_grad_enabled() and self._wanted and self.is_leaf:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation; got "
                f"shape {tuple(self.shape)}; use torch.no_grad()"
            )
        old = self._value
        if new.shape != old.shape or new.dtype is not old.dtype:
            new = call(lambda x: broadcast_to(astype(x, old.dtype, copy=False), old.shape), new)
        value = new._value
        is_recorded = new.requires_grad or self.requires_grad
        if is_recorded and is_grad_enabled() and not self._fixed:
            value = new._operand()
            recorded(_moved, [root_of(old)[0]._node, value._node], old, value)
        else:
            value = constant(value) if hasattr(value._node, "origin") else value
            old._move(value._node)
        return self

    def _accumulate(self, value: Value) -> None:
        if self.grad is None:
            self.grad = Tensor._of(value)
        elif is_result(value):
            self.grad = call(Value.__add__, self.grad, Tensor._of(value))
        else:
            self.grad._value._move((self.grad._value + value)._node)

    # --- attributes -----------------------------------------------------------------------------

    is_leaf = property(lambda self: self._fixed or not is_result(self._value))
    """False for results of recorded calls."""
    shape = property(lambda self: Size(self._value.shape))
    """Length of each axis."""
    ndim = property(lambda self: self._value.ndim)
    """Number of axes."""
    dtype = property(lambda self: self._value.dtype)
    """Data type."""
    device = property(lambda self: device("cpu"))
    """Device "cpu", also where a GPU computes: programs move nothing to other devices."""

    @property
    def requires_grad(self) -> bool:
        """True if calls on this tensor are recorded."""
        return self._wanted or not self.is_leaf

    @requires_grad.setter
    def requires_grad(self, requires_grad: bool) -> None:
        if requires_grad and self._fixed and is_result(self._value):
            self._value = constant(self._value)
        self._wanted = requires_grad

    @property
    def grad_fn(self) -> str | None:
        """Name of the operation that made a result of a recorded call; None for leaves."""
        if self.is_leaf:
            return None
        origin: Any = self._value._node.origin
        return f"<{origin[0].op.name if type(origin) is tuple else type(origin).__name__}>"

    @property
    def data(self) -> Tensor:
        """The same tensor, not recorded: assigning to it changes this one."""
        return self.detach()

    @data.setter
    def data(self, new: Tensor) -> None:
        self._value = constant(new._value) if is_result(new._value) else new._value

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the length of an axis."""
        return self.shape if dim is None else self.shape[dim]

    def detach(self) -> Tensor:
        """Return the same tensor, not recorded: assigning to it changes this one."""
        return Tensor._of(self._value, True)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad`."""
        self.requires_grad = requires_grad
        return self

    def retain_grad(self) -> None:
        """Keep the gradient of a tensor that is no leaf."""
        autograd.retained.add(self)

    def backward(
        self, gradient: Tensor | None = None, retain_graph: bool | None = None,
        create_graph: bool = False, inputs: Any = None,
    ) -> None:  # fmt: skip
        """Add the gradients of this tensor to the `grad` of the leaves that it depends on."""
        autograd.backward(self, gradient, retain_graph, create_graph, inputs)

    # --- Python's numbers and containers --------------------------------------------------------

    __bool__ = _reading(bool)
    __int__ = _reading(int)
    __float__ = _reading(float)
    __index__ = _reading(index)
    __len__ = _reading(len)
    item = _reading(Value.item)
    tolist = _reading(Value.tolist)

    def numpy(self, *, force: bool = False) -> Any:
        """Return the elements as an array of NumPy."""
        if self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad; got a recorded tensor; use "
                "tensor.detach().numpy() instead"
            )
        return self._value.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __iter__(self) -> Iterator[Tensor]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor; got shape (); use item()")
        return iter([self[at] for at in range(len(self))])

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __repr__(self) -> str:
        text = str(self._value).replace("\n", "\n" + " " * len("tensor("))
        short = self.dtype.name in ("float32", "int32", "bool")
        rest = "" if short else f", dtype=torch.{self.dtype.name}"
        if self.requires_grad:
            rest += ", requires_grad=True" if self.is_leaf else f", grad_fn={self.grad_fn}"
        return f"tensor({text}{rest})"

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and not self.ndim else format(repr(self), spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        copy = object.__new__(type(self))
        memo[id(self)] = copy
        copy._value = handle_on(constant(self._value)._node)
        copy._wanted, copy.grad = self._wanted, self.grad
        return copy

    def __setitem__(self, key: Any, new: Any) -> None:
        self._assign(call(_replaced, self, key, new))

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

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        value = zeros(0) if data is None else data._value
        self._value = constant(value) if is_result(value) else value
        self._wanted = requires_grad


def _moved(value: Value, new: Value) -> list[Value]:
    """Change a value, and return all that change with it: those that share its elements."""
    value._move(new._node)
    whole = root_of(value)[0]
    links = getattr(whole, "_links", None)
    parts = [] if links is None else [weak() for weak in links.parts]
    return [value, whole, *(part for part in parts if part is not None)]


def _replaced(x: Value, key: Any, new: Any) -> Value:
    """Return a value with elements replaced."""
    if isinstance(key, Value) and key.dtype.kind == "b" and not getattr(new, "ndim", 0):
        mask = key.reshape(key.shape + (1,) * (x.ndim - key.ndim))
        return astype(where(mask, new, x), x.dtype, copy=False)
    if isinstance(new, Value):
        new = astype(new, x.dtype, copy=False)
    return x.at[key].set(new)


def plain(data: Any) -> Any:
    """Return data with values instead of tensors."""
    if isinstance(data, Tensor):
        return data._value
    if isinstance(data, (list, tuple)):
        return [plain(part) for part in data]
    return data


def _values(arg: Any, read: Callable[[Tensor], Any]) -> Any:
    """Return an argument with the results of a function instead of the tensors in it."""
    if isinstance(arg, Tensor):
        return read(arg)
    if isinstance(arg, (list, tuple)) and arg:
        parts = [_values(part, read) for part in arg]
        return tuple(parts) if isinstance(arg, tuple) else parts
    return arg


def _wrapped(result: Any, is_recorded: bool, operands: list[Value]) -> Any:
    if isinstance(result, Value):
        # An operand that is returned must not change together with the result.
        if any(result is value for value in operands):
            result = handle_on(result._node)
        origin = getattr(result._node, "origin", ())
        if type(origin) is ref and is_recorded:
            set_node(result, constant(result)._node)
            autograd.follow(result, [value._node for value in operands], {})
        return Tensor._of(result, origin != () and not is_recorded)
    if isinstance(result, (tuple, list)):
        parts = [_wrapped(part, is_recorded, operands) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _called(record: Callable[..., Any], function: Any, args: Any, kwargs: Any) -> Any:
    tensors: list[Tensor] = []
    for arg in (*args, *kwargs.values()):
        _values(arg, tensors.append)
    is_recorded = is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    if is_recorded:
        for tensor in tensors:
            if tensor._wanted:
                tensor._mark()
    operands: list[Value] = []

    def value_of(tensor: Tensor) -> Value:
        value = tensor._operand() if is_recorded else tensor._value
        operands.append(value)
        return value

    values = [_values(arg, value_of) for arg in args]
    named = {name: _values(arg, value_of) for name, arg in kwargs.items()}
    if is_recorded:
        result = record(function, [value._node for value in operands], *values, **named)
    else:
        result = function(*values, **named)
    return _wrapped(result, is_recorded, operands)


def call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Apply a function of values to tensors, and record the call if operands require gradients."""
    return _called(recorded, function, args, kwargs)


def call_for_part(function: Callable[..., Any], x: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Apply a function that makes a part, or parts, of a tensor."""
    made = _called(autograd.recorded_views, function, (x, *args), kwargs)
    if x._fixed or not is_grad_enabled():
        for part in made if isinstance(made, (tuple, list)) else (made,):
            part._fixed = True
    return made
