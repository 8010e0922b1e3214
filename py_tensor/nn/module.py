"""Modules: parameters and what is computed with them, as one tree.

A module is a dataclass, so `pt.jit`, `pt.grad`, the optimizers and `pt.saving` take it apart like
any other tree: its tensors are leaves, other modules are branches, the rest is static.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import TensorError
from ..pytree import buffer_leaves, tree_leaves
from ..tensor import Tensor


def static_field() -> Any:
    """Declares a field of a module that is no parameter: a size, a name, a function; hashable.

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
    """Declares a field of tensors that belong to the module, but that gradients do not change.

    >>> import py_tensor as pt
    >>> class Counted(pt.nn.Module):
    ...     calls: pt.Tensor = pt.nn.buffer_field()
    ...     def __init__(self):
    ...         self.calls = pt.zeros(())
    >>> pt.optim.sgd().init([Counted(), pt.ones(3)]).vectors[0].shape
    (4,)
    """
    return field(metadata={"buffer": True})


class Module:
    """Base of layers and models: declare the fields, set them in `__init__`, compute in `forward`.

    Every attribute is declared in the class: a tensor, a module, or a list, tuple or dict of them
    as it is; `static_field()` for what is neither; `buffer_field()` for state that is not trained.
    Calling the module calls `forward`. Errors of py_tensor that are raised inside name the module.

    >>> import py_tensor as pt
    >>> class Residual(pt.nn.Module):
    ...     dense: pt.nn.Dense
    ...     def __init__(self, features):
    ...         self.dense = pt.nn.Dense(features, features)
    ...     def forward(self, x, *, training=False):
    ...         return x + pt.relu(self.dense(x))
    >>> Residual(4)(pt.ones((2, 4))).shape
    (2, 4)
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(init=False, eq=False, repr=False)(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in type(self).__dataclass_fields__:  # type: ignore[attr-defined]
            raise AttributeError(
                f"{type(self).__name__}: attribute is not declared; got {name} = {value!r:.60}; "
                f'write "{name}: ..." in the class, so that it is part of the module\'s tree'
            )
        object.__setattr__(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass has its own.

        Raises NotImplementedError where it has none.
        """
        raise NotImplementedError(
            f"{type(self).__name__}: forward is missing; got a module without one; define it"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `forward` gives; `training=True` where it learns.

        Raises what `forward` raises, errors of py_tensor with the module named in front.
        """
        try:
            result = self.forward(*args, **kwargs)
        except TensorError as error:
            _name_module(error, self)
            raise
        for note in watchers:
            note(self, result)
        return result

    def children(self) -> Iterator[tuple[str, Module]]:
        """The modules in the fields of this one, each with where it is: ".dense", ".layers[0]".

        >>> import py_tensor as pt
        >>> model = pt.nn.Sequential(pt.nn.Dense(4, 8), pt.relu)
        >>> [(place, repr(module)) for place, module in model.children()]
        [('[0]', 'Dense(4 -> 8)'), ('[1]', 'Activation(relu)')]
        """
        for each in fields(self):  # type: ignore[arg-type]
            if not each.metadata.get("static"):
                # A module may be called, and may fail, before all its fields are set.
                yield from _modules_in(getattr(self, each.name, None), f".{each.name}")

    def facts(self) -> str:
        """What `repr` says between the parentheses, where there are no modules inside.

        >>> import py_tensor as pt
        >>> pt.nn.Dense(4, 8).facts()
        '4 -> 8'
        """
        return ""

    def __repr__(self) -> str:
        return "\n".join(_lines(self, "", ""))


watchers: list[Callable[[Module, Any], None]] = []
"""Called with each module that was called, and its result."""


def described(module: Module) -> str:
    """The class of a module and its facts, in one line."""
    facts = module.facts()
    return f"{type(module).__name__}({facts})" if facts else type(module).__name__


def count_parameters(module: Module) -> tuple[int, int]:
    """How many elements the tensors of a module have, and how many of those are trained.

    A tensor that stands in several places counts once.
    """
    sizes: dict[int, tuple[int, bool]] = {}
    for leaf, buffer in zip(tree_leaves(module), buffer_leaves(module), strict=True):
        if isinstance(leaf, Tensor):
            sizes[id(leaf)] = leaf.size, not buffer and leaf.dtype.kind == "f"
    return (
        sum(size for size, _ in sizes.values()),
        sum(size for size, trained in sizes.values() if trained),
    )


def _modules_in(value: Any, place: str) -> Iterator[tuple[str, Module]]:
    if isinstance(value, Module):
        yield place, value
    elif isinstance(value, (list, tuple)):
        for at, item in enumerate(value):
            yield from _modules_in(item, f"{place}[{at}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _modules_in(item, f"{place}[{key!r}]")


def _lines(module: Module, place: str, indent: str) -> Iterator[str]:
    """A line for the module, and one, further in, for each module inside of it."""
    children = list(module.children())
    total = f": {count_parameters(module)[0]:,} parameters" if children else ""
    yield f"{indent}{place}{described(module)}{total}"
    for at, child in children:
        yield from _lines(child, f"{at.removeprefix('.')} ", indent + "  ")


@dataclass
class _Raised:
    """Where an error comes from: the outermost module it has passed so far, and the way in."""

    module: Module
    path: str
    what: str
    text: str


def _name_module(error: TensorError, module: Module) -> None:
    """Puts into an error's text which module of which it was raised in."""
    raised: _Raised | None = getattr(error, "raised_in", None)
    if raised is None:
        raised = _Raised(module, "", described(module), str(error))
        error.raised_in = raised  # type: ignore[attr-defined]
        error.args = (f"{raised.what}: {raised.text}",)
        return
    inner = raised.module
    place = next((at for at, child in module.children() if child is inner), "")
    raised.module, raised.path = module, place + raised.path
    error.args = (f"{type(module).__name__}{raised.path} {raised.what}: {raised.text}",)
