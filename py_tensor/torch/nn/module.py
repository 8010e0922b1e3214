"""`Module` and its containers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from itertools import count
from typing import Any, NamedTuple, Self

from ...dtypes import DType, float16, float32
from ..autograd import no_grad
from ..tensor import Parameter, Tensor


class Unmatched(NamedTuple):
    """Names that `load_state_dict` did not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class _Hook:
    """Handle that removes a hook."""

    numbers = count()

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self.hooks, self.number = hooks, next(self.numbers)
        hooks[self.number] = hook

    def remove(self) -> None:
        """Remove the hook."""
        self.hooks.pop(self.number, None)


class Module:
    """Base class of layers and models, with parameters, buffers and modules as attributes.

    >>> import py_tensor.torch as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.ones(1))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> [name for name, _ in Scale().named_parameters()]
    ['factor']
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        own: dict[str, Any] = {name: {} for name in (*_KINDS, "_before", "_after")}
        vars(self).update(own | {"training": True})

    def __setattr__(self, name: str, value: Any) -> None:
        own = vars(self)
        kind = next((table for table, kind in _KINDS.items() if isinstance(value, kind)), None)
        known = next((table for table in _KINDS if name in own.get(table, ())), None)
        if kind == "_buffers" or value is None:
            kind = known if value is None or known in _BUFFERS else None
        if kind is None and known is not None:
            raise TypeError(
                f"cannot assign to {name!r} of {type(self).__name__}; got "
                f"{type(value).__name__}; use torch.nn.Parameter, a module or None"
            )
        if kind is None:
            object.__setattr__(self, name, value)
        elif kind not in own:
            raise AttributeError(
                "cannot assign parameters or modules before Module.__init__() call; got "
                f"{name}; call super().__init__() first"
            )
        else:
            self._put(kind, name, value)

    def _put(self, kind: str, name: str, value: Any) -> None:
        """Add a value to a table, and remove others of its name."""
        own = vars(self)
        for table in (own, *(own[other] for other in _KINDS if other != kind)):
            table.pop(name, None)
        own[kind][name] = value

    def __getattr__(self, name: str) -> Any:
        for table in _KINDS:
            values = vars(self).get(table, {})
            if name in values:
                return values[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        own = vars(self)
        table = next((own[table] for table in _KINDS if name in own[table]), own)
        if name not in table:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        del table[name]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = vars(self)
        for hook in [*own["_before"].values()]:
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for hook in [*own["_after"].values()]:
            changed = hook(self, args, result)
            result = result if changed is None else changed
        return result

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; every subclass defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or None as its placeholder."""
        self._put("_parameters", name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is no parameter; it is part of the state if it is persistent."""
        self._put("_buffers" if persistent else "_transient", name, tensor)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a module."""
        self._put("_modules", name, module)

    add_module = register_module

    def register_forward_hook(self, hook: Callable[..., Any]) -> _Hook:
        """Call a function with the module, its arguments and its result after each call."""
        return _Hook(vars(self)["_after"], hook)

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> _Hook:
        """Call a function with the module and its arguments before each call."""
        return _Hook(vars(self)["_before"], hook)

    def named_modules(
        self, memo: Any = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Iterate over this module and those inside it, each once, with their names."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self.named_children():
            yield from module.named_modules(memo, f"{prefix}.{name}".lstrip("."), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Iterate over this module and those inside it, each once."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Iterate over the modules in the attributes, with their names."""
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def children(self) -> Iterator[Module]:
        """Iterate over the modules in the attributes."""
        return (module for _, module in self.named_children())

    def _named(
        self, tables: tuple[str, ...], prefix: str = "", recurse: bool = True, once: bool = True
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(None, prefix, once) if recurse else iter([(prefix, self)])
        for path, module in modules:
            values = [item for table in tables for item in vars(module)[table].items()]
            for name, value in values:
                if value is not None and not (once and id(value) in seen):
                    seen.add(id(value))
                    yield f"{path}.{name}".lstrip("."), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Iterate over the parameters with their names; a shared one has its first name."""
        return self._named(("_parameters",), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters, each once."""
        return (value for _, value in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Iterate over the buffers with their names."""
        return self._named(_BUFFERS, prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers."""
        return (value for _, value in self.named_buffers(recurse=recurse))

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """Return parameters and buffers by name; they change with the module."""
        named = self._named(("_parameters", "_buffers"), once=False)
        return OrderedDict((name, value.detach()) for name, value in named)

    def load_state_dict(
        self, state_dict: Mapping[str, Tensor], strict: bool = True, assign: bool = False
    ) -> Unmatched:
        """Set parameters and buffers to values by name."""
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unknown = [name for name in state_dict if name not in own]
        shapes = [
            f"size mismatch for {name}: {tuple(state_dict[name].shape)} instead of "
            f"{tuple(value.shape)}"
            for name, value in own.items()
            if name in state_dict and state_dict[name].shape != value.shape
        ]
        if shapes or (strict and (missing or unknown)):
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}: missing {missing}, "
                f"unexpected {unknown}; got {shapes or 'other names'}; rename them, or pass "
                "strict=False"
            )
        with no_grad():
            for name in own.keys() & state_dict.keys():
                own[name].copy_(state_dict[name])
        return Unmatched(missing, unknown)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call a function with each module, this one last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set `training` of this module and those inside it."""
        for module in self.modules():
            vars(module)["training"] = mode
        return self

    def eval(self) -> Self:
        """Set `training` to False."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of the parameters."""
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of the parameters."""
        for parameter in self.parameters():
            parameter.grad = None

    def to(self, *args: Any, dtype: Any = None, **kwargs: Any) -> Self:
        """Convert the floating parameters and buffers to a dtype; devices are ignored."""
        for arg in args:
            dtype = arg if isinstance(arg, DType) else dtype
        if dtype is not None:
            for _, value in (*self.named_parameters(), *self.named_buffers()):
                if value.is_floating_point() and value.dtype is not dtype:
                    value.data = value.detach().to(dtype)
        return self

    def float(self) -> Self:
        """Convert to float32."""
        return self.to(float32)

    double = float

    def half(self) -> Self:
        """Convert to float16."""
        return self.to(float16)

    def cpu(self, device: Any = None) -> Self:
        """Return the module."""
        return self

    cuda = share_memory = cpu

    def extra_repr(self) -> str:
        """Return the text between the parentheses of `repr`."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({n}): {m!r}".replace("\n", "\n  ") for n, m in self._modules.items()]
        inside = self.extra_repr()
        if lines:
            inside = "\n  " + "\n  ".join([*([inside] if inside else []), *lines]) + "\n"
        return f"{type(self).__name__}({inside})"


class Sequential(Module):
    """Call modules one after another."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], dict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, x: Any) -> Any:
        for module in self._modules.values():
            if module is not None:
                x = module(x)
        return x

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter([*self._modules.values()])

    def __getitem__(self, key: Any) -> Any:
        modules: list[Any] = [*self._modules.values()]
        return self._of(modules[key]) if isinstance(key, slice) else modules[key]

    def _of(self, modules: list[Any]) -> Sequential:
        return Sequential(*modules)

    def __setitem__(self, key: int, module: Module) -> None:
        self._modules[[*self._modules][key]] = module


class ModuleList(Sequential):
    """List of modules."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__(*modules)

    def _of(self, modules: list[Any]) -> ModuleList:
        return ModuleList(modules)


class ModuleDict(Module, MutableMapping[str, Any]):
    """Dict of modules."""

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    __setitem__ = Module.add_module

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)


_BUFFERS = ("_buffers", "_transient")
_KINDS = {"_parameters": Parameter, "_modules": Module} | dict.fromkeys(_BUFFERS, Tensor)
"""Tables of attributes, and the classes of their values."""
