"""Functions and methods of tensors, made of the functions of values; and functions that create."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, partialmethod, wraps
from typing import Any

from .. import functions as F, numpy_functions as N
from ..dtypes import DType, bool_, complex64, float16, float32, int8, int16, int32, uint8
from ..functions.indexing import views_of
from ..functions.parts import is_contiguous, linked
from ..nn import one_hot as _one_hot
from ..tensor import Tensor as Value
from . import functions, random
from .functions import OWN, PARTS, cast, lengths
from .tensor import Tensor, call, call_for_part, plain

__all__ = ["arange", "as_tensor", "empty", "empty_like", "eye", "from_numpy", "full",
           "full_like", "linspace", "normal", "ones", "ones_like", "rand", "rand_like", "randint",
           "randn", "randn_like", "randperm", "tensor", "zeros", "zeros_like"]  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Functions of the namespace `torch` by name."""
DTYPES: dict[str, DType] = {
    "float": float32, "double": float32, "half": float16, "bfloat16": float16, "long": int32,
    "int": int32, "short": int16, "char": int8, "byte": uint8, "bool": bool_, "cfloat": complex64,
}  # fmt: skip
"""Dtypes by the names of the methods that convert to them; none has 64 bits."""


_TO_TORCH = {"axis": "dim", "keepdims": "keepdim"}


def lifted(
    function: Callable[..., Any], apply: Callable[..., Any] = call, names: Any = _TO_TORCH
) -> Callable[..., Any]:
    """Return a function of tensors that applies a function of values with arguments renamed."""

    @wraps(function)
    def of_tensors(*args: Any, **kwargs: Any) -> Any:
        inplace = kwargs.pop("inplace", False)
        if kwargs:
            if kwargs.pop("out", None) is not None:
                raise TypeError("out: argument is left out; got a tensor; use copy_ of the result")
            if not args:
                args = (kwargs.pop("input"),)
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
        result = apply(function, *args, **kwargs)
        return args[0]._assign(result) if inplace else result

    return of_tensors


def assigned(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Return a method that assigns the result of a function of values to its tensor."""
    return lambda self, *args, **kwargs: self._assign(call(function, self, *args, **kwargs))


def _bind() -> None:
    table: dict[str, Any] = {}
    for entry in functions.SAME.split():
        name, _, own = entry.partition(":")
        function = getattr(F, own or name, None) or getattr(N, own or name)
        table[name] = lifted(function, names=functions.NAMES)
    for name, function in (OWN | PARTS | functions.IN_PLACE).items():
        if "<" in function.__qualname__:
            function.__qualname__ = name
    table |= {name: lifted(function) for name, function in OWN.items()}
    table |= {name: lifted(function, call_for_part) for name, function in PARTS.items()}
    FUNCTIONS.update(table)
    for name in functions.ASSIGNED.split():
        table[f"{name}_"] = assigned(functions.IN_PLACE.get(name) or table[name].__wrapped__)
    for name, other in functions.ALIASES.items():
        table[name] = FUNCTIONS[name] = table[other]
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        table[f"__{name}__"] = table[name]
    for symbol in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and",
                   "or", "xor"):  # fmt: skip
        function = getattr(operator, f"__{symbol}__")
        table[f"__{symbol}__"] = lifted(function)
        table[f"__r{symbol}__"] = lifted(partial(_swapped, function))
        table[f"__i{symbol}__"] = assigned(function)
    for symbol in ("neg", "pos", "abs", "invert"):
        table[f"__{symbol}__"] = lifted(getattr(operator, f"__{symbol}__"))
    for name, value in (table | METHODS).items():
        setattr(Tensor, name, value)


def _swapped(function: Callable[..., Any], x: Any, other: Any) -> Any:
    return function(other, x)


def _getitem(self: Tensor, key: Any) -> Any:
    parts = key if isinstance(key, tuple) else (key,)
    if any(isinstance(part, (Tensor, list, range)) or hasattr(part, "__array__") for part in parts):
        return call(PARTS["getitem"], self, key)
    if parts and self.ndim and not self.requires_grad and type(parts[0]) in (int, slice):
        made = _at_position(self, parts[0], parts[1:])
        if made is not None:
            return made
    # With an ellipsis, single elements are parts, too.
    parts = parts if any(part is ... for part in parts) else (*parts, ...)
    return call_for_part(PARTS["getitem"], self, parts)


def _at_position(self: Tensor, first: Any, rest: tuple[Any, ...]) -> Tensor | None:
    """Return a part of stored data; its start is a number that plans do not contain.

    So loops over the batches of a tensor make one plan. None for other parts.
    """
    length, single = len(self), isinstance(first, int)
    if self._value._node.buffer is None or (single and not -length <= first < length):
        return None
    ends = slice(first % length, None) if single else first
    start, stop, step = ends.indices(length)
    count = 1 if single else len(range(start, stop, step))
    if step != 1 or not count or (start == 0 and count == length):
        return None
    value = self._value
    calls = views_of("getitem", (first, *rest, ...), value._spec)
    rows = F.take(value, F.arange(count) + start, axis=0)
    return Tensor._of(linked(value, rows[(0 if single else slice(None), *rest, ...)], calls))


def to(self: Tensor, *args: Any, dtype: DType | None = None, **kwargs: Any) -> Any:
    """Convert to a dtype, or to that of another tensor; devices are ignored."""
    for arg in args:
        dtype = arg if isinstance(arg, DType) else getattr(arg, "dtype", dtype)
    if dtype is None or dtype is self.dtype:
        return self
    return call(F.astype, self, dtype)


def _type(self: Tensor, dtype: Any = None, **kwargs: Any) -> Any:
    if dtype is None:
        return f"torch.{self.dtype.name}"
    named = isinstance(dtype, str)
    return to(self, DTYPES[dtype.rpartition(".")[2][:-6].lower()] if named else dtype)


def _made(value: Value, dtype: Any = None, requires_grad: bool = False, **ignored: Any) -> Tensor:
    return Tensor._of(cast(value, dtype)).requires_grad_(requires_grad)


def tensor(data: Any, *, dtype: Any = None, **kwargs: Any) -> Tensor:
    """Make a tensor of numbers, nested sequences or an array.

    >>> import py_tensor.torch as torch
    >>> torch.tensor([[1, 2], [3, 4]]).shape
    torch.Size([2, 2])
    """
    return _made(F.asarray(plain(data), dtype=dtype, copy=True), **kwargs)


def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Any:
    """Return a tensor unchanged, and make one of other data."""
    return to(data, dtype=dtype) if isinstance(data, Tensor) else tensor(data, dtype=dtype)


def _shaped(function: Callable[..., Value]) -> Callable[..., Tensor]:
    """Return a function that creates a tensor of the shape given as lengths or a sequence."""

    def create(*size: Any, **kwargs: Any) -> Tensor:
        own = {"generator": kwargs.pop("generator")} if "generator" in kwargs else {}
        shape = lengths((kwargs.pop("size"),) if "size" in kwargs else size)
        return _made(function(shape, **own), **kwargs)

    return create


def _like(function: Callable[..., Value]) -> Callable[..., Tensor]:
    """Return a function that creates a tensor of another one's shape and dtype."""
    return lambda x, *args, **kwargs: _made(
        function(tuple(x.shape), *args), **{"dtype": x.dtype} | kwargs
    )


zeros, ones, empty = _shaped(F.zeros), _shaped(F.ones), _shaped(F.zeros)
rand, randn = _shaped(random.uniform), _shaped(random.normal)
zeros_like, ones_like, empty_like = _like(F.zeros), _like(F.ones), _like(F.zeros)
rand_like, randn_like, full_like = _like(random.uniform), _like(random.normal), _like(F.full)


def full(size: Any, fill_value: Any, **kwargs: Any) -> Tensor:
    """Make a tensor of one number."""
    return _made(F.full(lengths((size,)), plain(fill_value)), **kwargs)


def arange(*ends: Any, **kwargs: Any) -> Tensor:
    """Make a tensor of evenly spaced numbers."""
    make: Callable[..., Value] = F.arange
    numbers = [end.item() if isinstance(end, Tensor) else end for end in ends]
    return _made(make(*numbers), **kwargs)


def linspace(start: Any, end: Any, steps: int, **kwargs: Any) -> Tensor:
    """Make a tensor of a number of values from start to end."""
    return _made(F.linspace(start, end, steps), **kwargs)


def eye(n: int, m: int | None = None, **kwargs: Any) -> Tensor:
    """Make an identity matrix."""
    return _made(F.eye(n, m), **kwargs)


def randint(*ends: Any, size: Any = None, generator: Any = None, **kwargs: Any) -> Any:
    """Draw integers: `randint(high, size)` or `randint(low, high, size)`."""
    *limits, shape = ends if size is None else (*ends, size)
    low, high = (0, *limits) if len(limits) == 1 else limits
    return _made(random.integers(low, high, tuple(shape), generator=generator), **kwargs)


def randperm(n: int, *, generator: Any = None, **kwargs: Any) -> Tensor:
    """Return the integers below n in a random order."""
    return _made(random.permutation(n, generator), **kwargs)


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None) -> Any:
    """Draw numbers of normal distributions."""
    shape = size if size is not None else (mean if isinstance(mean, Tensor) else std).shape
    return Tensor._of(random.normal(tuple(shape), generator=generator)) * std + mean


def from_numpy(array: Any) -> Tensor:
    """Make a tensor of an array of NumPy; it does not share the array's memory."""
    return Tensor._of(F.asarray(array))


def one_hot(x: Tensor, num_classes: int = -1) -> Any:
    """Return 1 at each class number and 0 elsewhere."""
    classes = int(FUNCTIONS["max"](x)) + 1 if num_classes < 0 else num_classes
    return call(_one_hot, x, classes, dtype=int32)


def _itself(self: Any, *args: Any, **kwargs: Any) -> Any:
    return self


def _new(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda self, *args, **kwargs: function(*args, **{"dtype": self.dtype} | kwargs)


METHODS: dict[str, Any] = {
    "__getitem__": _getitem,
    **dict.fromkeys(("cpu", "cuda", "pin_memory", "share_memory_"), _itself),
    "to": to,
    "type": _type,
    "contiguous": lambda self, **kw: self if self.is_contiguous() else self.clone(),
    "dim": lambda self: self.ndim,
    "numel": lambda self: self._value.size,
    "nelement": lambda self: self._value.size,
    "is_contiguous": lambda self: is_contiguous(self._value),
    "is_floating_point": lambda self: self.dtype.kind == "f",
    "T": property(lambda self: self.permute(*range(self.ndim)[::-1])),
    "mT": property(lambda self: self.transpose(-2, -1)),
    "new_zeros": _new(zeros),
    "new_ones": _new(ones),
    "new_empty": _new(zeros),
    "new_tensor": _new(tensor),
    "new_full": _new(full),
    "random_": lambda self, *ends: self.copy_(randint(*ends, size=self.shape)),
}


METHODS |= {name: partialmethod(to, dtype) for name, dtype in DTYPES.items()}
_bind()
FUNCTIONS |= {
    "numel": METHODS["numel"],
    "is_tensor": lambda x: isinstance(x, Tensor),
    "is_floating_point": METHODS["is_floating_point"],
    "broadcast_shapes": F.broadcast_shapes,
    "normal": normal,
    **{
        f"{name.capitalize()}Tensor": partial(Tensor, dtype=dtype) for name, dtype in DTYPES.items()
    },
}
