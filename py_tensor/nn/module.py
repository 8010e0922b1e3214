"""Base class of layers and models: parameters and computation in one tree.

A module is a dataclass. `pt.jit`, `pt.grad`, the optimizers and `pt.io` flatten it like any other
tree: tensors are leaves, other modules are branches, and the rest is static.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import Field, dataclass, field, fields
from functools import wraps
from typing import Any, ClassVar

from ..dtypes import wrong_type
from ..errors import ArgumentError, ShapeError, TensorError
from ..functions.arguments import flag
from ..functions.decorators import OF_OPERANDS, rename
from ..functions.indexing import replace
from ..ir.pytree import buffer_leaves, changes, leaf_names, leaves_with_paths, tree_leaves
from ..signatures import parameters_of
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike


def static_field() -> Any:
    """Declare a module field that is not a parameter: a hashable size, name or function.

    Returns:
        Dataclass field, to be assigned in the class body.

    >>> import py_tensor as pt
    >>> class Scaled(pt.nn.Module):
    ...     factor: float = pt.nn.static_field()
    ...     def __init__(self, factor):
    ...         self.factor = factor
    >>> pt.tree_leaves(Scaled(2.0))
    []
    """
    return field(metadata={"static": True})


def buffer_field() -> Any:
    """Declare a module field for tensors that are state but are not trained.

    Returns:
        Dataclass field, to be assigned in the class body.

    >>> import py_tensor as pt
    >>> class Counted(pt.nn.Module):
    ...     calls: pt.Tensor = pt.nn.buffer_field()
    ...     def __init__(self):
    ...         self.calls = pt.zeros(())
    >>> pt.optim.sgd().init([Counted(), pt.ones(3)]).vectors[0].shape
    (4,)
    """
    return field(metadata={"buffer": True})


Functions = tuple[tuple[str, Callable[[Tensor], Tensor]], ...]
"""Pairs of a parameter's name and a function of it."""


class Symbolic:
    """Base class of arguments that record the calls of modules instead of being computed."""

    def applied(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Record the call of a module, and return symbolic results."""
        raise NotImplementedError


_PACKAGE = __name__.partition(".")[0] + "."
_training: ContextVar[bool] = ContextVar("py_tensor_module_training", default=False)
"""Value of `training` of the innermost running call that was given one."""


def _names_class(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor whose errors about arguments begin with the name of the class."""

    @wraps(init)
    def construct(self: Module, *args: Any, **kwargs: Any) -> None:
        try:
            init(self, *args, **kwargs)
        except OF_OPERANDS as error:
            rename(error, type(self).__name__)
            raise

    return construct


class Module:
    """Base class of layers and models.

    Declare the fields in the class, assign them in `__init__`, and compute in `forward`. A field
    holds a tensor, a module, or a list, tuple or dict of them. Use `static_field()` for anything
    else, and `buffer_field()` for state that is not trained. Calling the module calls `forward`.
    `training=True` in a call also holds for the modules that `forward` calls without it; `forward`
    need not have this parameter. Errors of py_tensor raised inside name the module.

    Raises:
        AttributeError: If an attribute is assigned that the class does not declare.

    >>> import py_tensor as pt
    >>> class Residual(pt.nn.Module):
    ...     dense: pt.nn.Dense
    ...     def __init__(self, features):
    ...         self.dense = pt.nn.Dense(features, features, weight_init=pt.nn.initializers.ones)
    ...     def forward(self, x):
    ...         return x + pt.relu(self.dense(x))
    >>> Residual(2)(pt.asarray([[1.0, 2.0]])).tolist()
    [[4.0, 5.0]]
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    regularizers: Functions = field(default=(), metadata={"static": True})
    """Penalties by the names of parameters, set by `nn.regularize`."""
    constraints: Functions = field(default=(), metadata={"static": True})
    """Constraints by the names of parameters, set by `nn.constrain`."""
    frozen: tuple[str, ...] = field(default=(), metadata={"static": True})
    """Names of fields whose tensors are not trained, set by `nn.freeze`."""
    announces_changes: ClassVar[bool] = True
    """True since each assignment to a field calls `changes` of `ir.pytree`."""
    _takes_training: ClassVar[bool] = True
    """True if `forward` has the parameter `training`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(_PACKAGE) and "__init__" in vars(cls):
            type.__setattr__(cls, "__init__", _names_class(vars(cls)["__init__"]))
        parameters = parameters_of(cls.forward)
        cls._takes_training = parameters is None or parameters.accepts_keyword("training")
        dataclass(init=False, eq=False, repr=False)(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in type(self).__dataclass_fields__:
            raise AttributeError(
                f"{type(self).__name__}: attribute is not declared; got {name} = {value!r:.60}; "
                f'write "{name}: ..." in the class, so that it is part of the module\'s tree'
            )
        object.__setattr__(self, name, value)
        for forget in changes:
            forget()

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        for forget in changes:
            forget()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; every subclass defines it.

        Args:
            *args: Inputs, as the subclass defines them.
            **kwargs: Options; layers take `training`, default False.

        Returns:
            Result of the module.

        Raises:
            NotImplementedError: If the subclass does not define it.
        """
        raise NotImplementedError(
            f"{type(self).__name__}: forward is missing; got a module without one; define it"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`.

        Args:
            *args: Passed to `forward`.
            **kwargs: Passed to `forward`; `training=True` while the model learns, also if
                `forward` lacks the parameter.

        Returns:
            Result of `forward`.

        Raises:
            TensorError: As `forward` does, with the module's name in front of the message.
        """
        for arg in tree_leaves(args, _is_symbolic):
            if isinstance(arg, Symbolic):
                return arg.applied(self, args, kwargs)
        token = None
        if "training" in kwargs:
            token = _training.set(kwargs["training"])
            if not self._takes_training:
                del kwargs["training"]
        elif self._takes_training and _training.get():
            kwargs["training"] = True
        try:
            result = self.forward(*args, **kwargs)
        except TensorError as error:
            _name_module(error, self)
            raise
        finally:
            if token is not None:
                _training.reset(token)
        for watcher in watchers.get():
            watcher(self, result)
        return result

    def children(self) -> Iterator[tuple[str, Module]]:
        """Iterate over the modules in this module's fields, with their places.

        Returns:
            Iterator of (place, module); a place reads ".dense" or ".layers[0]".

        >>> import py_tensor as pt
        >>> model = pt.nn.Sequential(pt.nn.Dense(4, 8), pt.relu)
        >>> [(place, repr(module)) for place, module in model.children()]
        [('[0]', 'Dense(4 -> 8)'), ('[1]', 'Activation(relu)')]
        """
        for own_field in fields(self):
            if not own_field.metadata.get("static"):
                # An error may be raised in a call from `__init__`, before all fields are set.
                value = getattr(self, own_field.name, None)
                for path, leaf in leaves_with_paths(value, lambda tree: isinstance(tree, Module)):
                    if isinstance(leaf, Module):
                        yield f".{own_field.name}{''.join(map(str, path))}", leaf

    def parameters(self) -> Iterator[Tensor]:
        """Iterate over the parameters: floating tensors that are not buffers, each once.

        Returns:
            Iterator of tensors, in the order of `named_parameters`.

        >>> import py_tensor as pt
        >>> sum(parameter.size for parameter in pt.nn.Dense(4, 3).parameters())
        15
        """
        return (tensor for _, tensor in self.named_parameters())

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Iterate over the parameters with their names; a shared one has its first name.

        Names are the fields, indices and keys that lead to a tensor, joined by dots, as in the
        files of `pt.io`.

        Returns:
            Iterator of (name, tensor).

        >>> import py_tensor as pt
        >>> model = pt.nn.Sequential(pt.nn.Dense(4, 8), pt.relu)
        >>> [(name, tensor.shape) for name, tensor in model.named_parameters()]
        [('layers.0.weight', (4, 8)), ('layers.0.bias', (8,))]
        """
        seen: set[int] = set()
        leaves = zip(leaf_names(self), tree_leaves(self), buffer_leaves(self), strict=True)
        for name, leaf, buffer in leaves:
            trained = isinstance(leaf, Tensor) and leaf.dtype.kind == "f" and not buffer
            if trained and id(leaf) not in seen:
                seen.add(id(leaf))
                yield name, leaf

    def state_dict(self) -> dict[str, Tensor]:
        """Return all tensors of the module, parameters and buffers, by name.

        The tensors are the module's own: they change when the module is trained. `pt.io.save`
        writes them to a file.

        Returns:
            Dict of tensors; names are those of `named_parameters`.

        >>> import py_tensor as pt
        >>> sorted(pt.nn.BatchNorm(2).state_dict())
        ['mean', 'offset', 'scale', 'variance']
        """
        leaves = zip(leaf_names(self), tree_leaves(self), strict=True)
        return {name: leaf for name, leaf in leaves if isinstance(leaf, Tensor)}

    def load_state_dict(self, state: Mapping[str, ArrayLike], *, strict: bool = True) -> None:
        """Set the module's tensors to the values of a dict, for example of `state_dict`.

        Nothing is changed if an error is raised.

        Args:
            state: Values by name, of the shapes of the module's tensors. They are converted to the
                dtypes of the module's tensors.
            strict: Refuse missing and unknown names; if False, ignore them. Default True.

        Raises:
            ArgumentError: If `strict` and the names differ.
            ShapeError: If a shape differs.

        >>> import py_tensor as pt
        >>> first, second = pt.nn.Dense(4, 3), pt.nn.Dense(4, 3)
        >>> second.load_state_dict(first.state_dict())
        >>> bool((first.weight == second.weight).all())
        True
        """
        own = self.state_dict()
        missing, unknown = sorted(own.keys() - state.keys()), sorted(state.keys() - own.keys())
        if strict and (missing or unknown):
            raise ArgumentError(
                f"load_state_dict: names differ; got {unknown} instead of {missing}; rename them, "
                "or pass strict=False to ignore them"
            )
        values = {name: as_tensor("load_state_dict", state[name]) for name in own if name in state}
        for name, value in values.items():
            if value.shape != own[name].shape:
                raise ShapeError(
                    f"load_state_dict: shapes differ; got {value.shape} for {own[name].shape} of "
                    f"{name}; pass the state of a module of the same sizes"
                )
        for name, value in values.items():
            replace(own[name], ..., value.astype(own[name].dtype, copy=False))

    def _apply_constraints(self) -> None:
        """Replace the parameters by those that fulfil the constraints, not those of children."""
        for name, constraint in self.constraints:
            parameter = getattr(self, name)
            replace(parameter, ..., constraint(parameter))

    def facts(self) -> str:
        """Describe the module's configuration: the text between the parentheses of `repr`.

        Returns:
            Short text, empty by default.

        >>> import py_tensor as pt
        >>> pt.nn.Dense(4, 8).facts()
        '4 -> 8'
        """
        return ""

    def __repr__(self) -> str:
        return "\n".join(_lines(self, "", ""))


dataclass(init=False, eq=False, repr=False)(Module)


def freeze[M: Module](module: M, /, *names: str, frozen: bool = True) -> M:
    """Exclude parameters of a module from training, or include them again.

    Optimizers leave frozen parameters as they are, and `parameters` leaves them out.

    Args:
        module: Module, which is changed.
        *names: Starts of names, as `state_dict` gives them, up to a dot or the end; none for all.
        frozen: False trains the parameters again; default True.

    Returns:
        The module.

    Raises:
        ArgumentError: If no parameter has a name.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(4, 8), pt.relu, pt.nn.Dense(8, 2))
    >>> model = pt.nn.freeze(model, "layers.0")
    >>> [name for name, _ in model.named_parameters()]
    ['layers.2.weight', 'layers.2.bias']
    """
    if not isinstance(module, Module):
        raise wrong_type("freeze", "module", "a module", module, "a layer such as pt.nn.Dense")
    frozen = flag("freeze", "frozen", frozen)
    for name in names:
        if not isinstance(name, str):
            raise wrong_type("freeze", "name", "text", name)
    matched: set[str] = set()
    for full, owner, name in _fields_by_name(module):
        fitting = {start for start in names if f"{full}.".startswith(f"{start}.")}
        if fitting or not names:
            matched |= fitting
            others = tuple(other for other in owner.frozen if other != name)
            owner.frozen = (*others, name) if frozen else others
    if len(matched) < len(set(names)):
        raise ArgumentError(
            f"freeze: no parameter has a name; got {sorted(set(names) - matched)}; use the start "
            f"of one of {', '.join(module.state_dict())}"
        )
    return module


def _fields_by_name(module: Module) -> Iterator[tuple[str, Module, str]]:
    """Yield the names of fields with tensors, with their modules and their names there."""
    for path, owner in named_modules(module):
        for own in fields(owner):
            if not own.metadata.get("static"):
                leaves = tree_leaves(getattr(owner, own.name), _is_symbolic)
                if any(isinstance(leaf, Tensor) for leaf in leaves):
                    yield f"{path}.{own.name}".removeprefix("."), owner, own.name


def named_modules(module: Module, name: str = "") -> Iterator[tuple[str, Module]]:
    """Iterate over a module and those inside it, with the starts of their tensors' names."""
    yield name, module
    for own in fields(module):
        if not own.metadata.get("static"):
            value = getattr(module, own.name)
            for path, leaf in leaves_with_paths(value, lambda tree: isinstance(tree, Module)):
                if isinstance(leaf, Module):
                    inner = ".".join([name, own.name, *(str(step.key) for step in path)])
                    yield from named_modules(leaf, inner.removeprefix("."))


def modules_of(tree: Any) -> Iterator[Module]:
    """Iterate over all modules in a tree, each before the modules inside it."""
    for _, leaf in leaves_with_paths(tree, lambda tree: isinstance(tree, Module)):
        if isinstance(leaf, Module):
            yield leaf
            for _, child in leaf.children():
                yield from modules_of(child)


def with_functions(operation: str, module: Module, named: Mapping[str, Any]) -> Functions:
    """Return the functions by the names of parameters; raise ArgumentError for other names."""
    if not isinstance(module, Module):
        raise wrong_type(operation, "module", "a module", module, "a layer such as pt.nn.Dense")
    for name, function in named.items():
        if not isinstance(getattr(module, name, None), Tensor) or not callable(function):
            raise ArgumentError(
                f"{operation}: a parameter's name and a function are required; got {name}="
                f"{function!r:.60} for {described(module)}; pass for example weight=pt.nn.L2()"
            )
    return tuple(named.items())


def _is_symbolic(tree: Any) -> bool:
    return isinstance(tree, (Symbolic, Module))


Watcher = Callable[[Module, Any], None]
watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("py_tensor_module_watchers", default=())
"""Functions that the running task calls with each module after its call, and with its result."""


def described(module: Module) -> str:
    """Return a module's class name and its facts in one line."""
    facts = module.facts()
    return f"{type(module).__name__}({facts})" if facts else type(module).__name__


def count_parameters(module: Module) -> tuple[int, int]:
    """Return the number of tensor elements in a module, and how many of them are trained.

    A tensor that occurs in several places counts once.
    """
    sizes: dict[int, tuple[int, bool]] = {}
    for leaf, buffer in zip(tree_leaves(module), buffer_leaves(module), strict=True):
        if isinstance(leaf, Tensor):
            sizes[id(leaf)] = leaf.size, not buffer and leaf.dtype.kind == "f"
    return (
        sum(size for size, _ in sizes.values()),
        sum(size for size, trained in sizes.values() if trained),
    )


def _lines(module: Module, path: str, indent: str) -> Iterator[str]:
    """Yield one line for the module and, indented, one for each module inside it."""
    children = list(module.children())
    total = f": {count_parameters(module)[0]:,} parameters" if children else ""
    yield f"{indent}{path}{described(module)}{total}"
    for at, child in children:
        yield from _lines(child, f"{at.removeprefix('.')} ", indent + "  ")


@dataclass
class _Raised:
    """Origin of an error: the outermost module it has passed, and the path from there."""

    module: Module
    path: str
    origin: str
    text: str


def _name_module(error: TensorError, module: Module) -> None:
    """Put the module that raised an error, and the path to it, into the error's text."""
    raised: _Raised | None = getattr(error, "raised_in", None)
    if raised is None:
        raised = _Raised(module, "", described(module), str(error))
        vars(error)["raised_in"] = raised
        error.args = (f"{raised.origin}: {raised.text}",)
        return
    inner = raised.module
    path = next((at for at, child in module.children() if child is inner), "")
    raised.module, raised.path = module, path + raised.path
    error.args = (f"{type(module).__name__}{raised.path} {raised.origin}: {raised.text}",)
