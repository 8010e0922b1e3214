"""Low-rank adaptation: small trained matrices next to frozen dense layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from ...dtypes import wrong_type
from ...errors import ArgumentError
from ...functions.arguments import MOST_ELEMENTS, integer, items, number
from ...functions.indexing import replace
from ...ir.pytree import tree_flatten, tree_unflatten
from ...tensor import Tensor
from ..initializers import he_uniform, zeros
from ..module import Module, freeze, named_modules, static_field
from .linear import Dense, dtype_of


class LoRADense(Module):
    """Compute base(x) + x @ down @ up * factor, where only `down` and `up` are trained.

    `lora` makes these layers. `down` has shape (inputs, rank), and `up`, which is first 0, has
    shape (rank, outputs). Source: Hu et al. 2021, arXiv:2106.09685.

    Args:
        base: Dense layer.
        rank: Number of columns of `down`.
        alpha: Factor of the result, times the rank; None (default) for the rank.

    Raises:
        ArgumentError: If the rank is below 1.

    >>> import py_tensor as pt
    >>> layer = pt.nn.LoRADense(pt.nn.Dense(4, 3), 2)
    >>> layer(pt.ones((2, 4))).shape
    (2, 3)
    """

    base: Dense
    down: Tensor
    up: Tensor
    factor: float = static_field()

    def __init__(self, base: Dense, rank: int, *, alpha: float | None = None) -> None:
        if not isinstance(base, Dense):
            raise wrong_type("LoRADense", "base", "a Dense", base)
        rank = integer("LoRADense", "rank", rank, 1, MOST_ELEMENTS)
        self.base = base
        dtype = dtype_of(base)
        self.down = he_uniform((base.inputs, rank), dtype=dtype)
        self.up = zeros((rank, base.outputs), dtype=dtype)
        self.factor = 1.0 if alpha is None else number("LoRADense", "alpha", alpha) / rank

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        result: Tensor = self.base(x) + (x @ self.down) @ self.up * self.factor
        return result

    def merged(self) -> Dense:
        """Add the product of the matrices to the weight of the dense layer, and return the layer.

        Returns:
            `Dense`, which is changed.

        Raises:
            ArgumentError: If the weight is packed.

        >>> import py_tensor as pt
        >>> pt.nn.LoRADense(pt.nn.Dense(4, 3), 2).merged()
        Dense(4 -> 3)
        """
        weight = self.base.weight
        if not isinstance(weight, Tensor):
            raise ArgumentError(
                f"merge_lora: weight is packed; got {weight!r}; call pt.dequantize(model) first"
            )
        replace(weight, ..., weight + self.down @ self.up * self.factor)
        return self.base

    def facts(self) -> str:
        return f"rank {self.down.shape[1]}"


def lora[M: Module](
    model: M, rank: int, alpha: float | None = None, *, names: Iterable[str] = ()
) -> M:
    """Freeze a model, and add trained matrices of low rank to its dense layers.

    Source: Hu et al. 2021, arXiv:2106.09685. Optimizers train `down` and `up` of the new
    `LoRADense` layers only, see `freeze`. `merge_lora` undoes it.

    Args:
        model: Module, which is changed.
        rank: Rank of the products.
        alpha: Factor of their results, times the rank; None (default) for the rank.
        names: Names of dense layers, or parts between dots, for example ["query", "value"]; by
            default all.

    Returns:
        The model; if it is a `Dense` itself, a `LoRADense`.

    Raises:
        ArgumentError: If no dense layer has a name, the rank is below 1, or the model is a result
            of `lora`.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(4, 8), pt.relu, pt.nn.Dense(8, 2))
    >>> model = pt.nn.lora(model, 2, names=["layers.0"])
    >>> [name for name, _ in model.named_parameters()]
    ['layers.0.down', 'layers.0.up']
    """
    if not isinstance(model, Module):
        raise wrong_type("lora", "model", "a module", model, "a layer such as pt.nn.Dense")
    wanted = items("lora", "names", (names,) if isinstance(names, str) else names)
    for name in wanted:
        if not isinstance(name, str):
            raise wrong_type("lora", "names", "text", name)
    rank = integer("lora", "rank", rank, 1, MOST_ELEMENTS)
    alpha = rank if alpha is None else number("lora", "alpha", alpha)
    if any(isinstance(own, LoRADense) for _, own in named_modules(model)):
        raise ArgumentError(
            "lora: model has trained matrices of low rank; got a result of lora; call "
            "pt.nn.merge_lora(model) first"
        )
    dense = {path: own for path, own in named_modules(model) if isinstance(own, Dense)}
    fitting = {path: {name for name in wanted if f".{name}." in f".{path}."} for path in dense}
    missing = set(wanted).difference(*fitting.values())
    if missing or not dense:
        raise ArgumentError(
            f"lora: no dense layer has a name; got {sorted(missing)}; use parts of "
            f"{', '.join(dense) or 'a model with dense layers'}"
        )
    made: dict[int, Module] = {}
    for path, own in dense.items():
        if fitting[path] or not wanted:
            made[id(own)] = made.get(id(own)) or LoRADense(own, rank, alpha=alpha)
    return _replaced(freeze(model), made)


def merge_lora[M: Module](model: M) -> M:
    """Replace the layers that `lora` added by dense layers that compute the same.

    Parameters stay frozen; `freeze(model, frozen=False)` trains them again.

    Args:
        model: Module, which is changed.

    Returns:
        The model; if it is a `LoRADense` itself, its `Dense`.

    Raises:
        ArgumentError: If a weight is packed.

    >>> import py_tensor as pt
    >>> pt.nn.merge_lora(pt.nn.lora(pt.nn.Sequential(pt.nn.Dense(4, 2)), 1))[0]
    Dense(4 -> 2)
    """
    if not isinstance(model, Module):
        raise wrong_type("merge_lora", "model", "a module", model, "a result of lora")
    adapted = [own for _, own in named_modules(model) if isinstance(own, LoRADense)]
    once = {id(own): own for own in adapted}
    return _replaced(model, {key: own.merged() for key, own in once.items()})


def _replaced[M: Module](module: M, new: Mapping[int, Module]) -> M:
    """Replace modules in a tree by those of a dict from their ids."""
    if id(module) in new:
        return new[id(module)]  # type: ignore[return-value]
    for own in fields(module):
        value = getattr(module, own.name)
        if own.metadata.get("static") or value is None:
            continue
        leaves, structure = tree_flatten(value, lambda tree: isinstance(tree, Module))
        if any(isinstance(leaf, Module) for leaf in leaves):
            leaves = [_replaced(x, new) if isinstance(x, Module) else x for x in leaves]
            setattr(module, own.name, tree_unflatten(structure, leaves))
    return module
