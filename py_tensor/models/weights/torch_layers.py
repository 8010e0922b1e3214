"""Set the weights of modules to tensors with PyTorch's names and layouts.

Input: a module of `pt.nn` and a state_dict of PyTorch. `LAYERS` has a row for each layer whose
names or layouts differ. The table in docs/from_pytorch.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ... import nn as layers
from ...errors import ArgumentError, ShapeError
from ...functions.indexing import replace
from ...functions.manipulation import permute_dims, reshape
from ...ir.pytree import leaf_names, tree_leaves
from ...nn.module import Module
from ...tensor import Tensor, as_tensor as tensor_of
from ...typing import ArrayLike

OPERATION = "load_torch_state_dict"


class TorchRow(NamedTuple):
    """Parameters of a layer that are computed from others of PyTorch."""

    names: tuple[str, ...]
    """Names in PyTorch's layer."""
    fields: tuple[str, ...]
    """Fields of the layer, and of layers inside it after a dot."""
    convert: Callable[..., Any]
    """Takes PyTorch's tensors; returns a tensor, or a sequence with one for each field."""


def _same(w: Tensor) -> Tensor:
    return w


def _transposed(w: Tensor) -> Tensor:
    return w.T


def _kernel(w: Tensor) -> Tensor:
    """Move the spatial axes in front of the channels, and the outputs to the end."""
    return permute_dims(w, (*range(2, w.ndim), 1, 0))


def _added(w: Tensor, v: Tensor) -> Tensor:
    return w + v


def _thirds(w: Tensor) -> list[Tensor]:
    third = w.shape[0] // 3
    return [w[at * third : (at + 1) * third] for at in range(3)]


def _transposed_thirds(w: Tensor) -> list[Tensor]:
    return [part.T for part in _thirds(w)]


def _affine(names: tuple[str, ...], fields: tuple[str, ...]) -> tuple[TorchRow, ...]:
    return tuple(TorchRow((a,), (b,), _same) for a, b in zip(names, fields, strict=True))


_BIAS = TorchRow(("bias",), ("bias",), _same)
_CONVOLUTION = (TorchRow(("weight",), ("weight",), _kernel), _BIAS)
_NORM = _affine(("weight", "bias"), ("scale", "offset"))
_RECURRENT = (
    TorchRow(("weight_ih",), ("weight",), _transposed),
    TorchRow(("weight_hh",), ("recurrent_weight",), _transposed),
)
_SUMMED_BIAS = TorchRow(("bias_ih", "bias_hh"), ("bias",), _added)
_PROJECTIONS = ("query", "key", "value")
_OUTPUT = (
    TorchRow(("out_proj.weight",), ("output.weight",), _transposed),
    TorchRow(("out_proj.bias",), ("output.bias",), _same),
)

LAYERS: dict[type[Module], tuple[TorchRow, ...]] = {
    layers.Dense: (TorchRow(("weight",), ("weight",), _transposed), _BIAS),
    **dict.fromkeys(
        (
            *(layers.Conv1D, layers.Conv2D, layers.Conv3D),
            *(layers.ConvTranspose1D, layers.ConvTranspose2D, layers.ConvTranspose3D),
            layers.DepthwiseConv2D,
        ),
        _CONVOLUTION,
    ),
    layers.BatchNorm: _affine(
        ("weight", "bias", "running_mean", "running_var"), ("scale", "offset", "mean", "variance")
    ),
    **dict.fromkeys((layers.LayerNorm, layers.GroupNorm, layers.InstanceNorm), _NORM),
    layers.RMSNorm: _affine(("weight",), ("scale",)),
    layers.PReLU: _affine(("weight",), ("alpha",)),
    **dict.fromkeys((layers.RNN, layers.LSTM), (*_RECURRENT, _SUMMED_BIAS)),
    layers.GRU: (*_RECURRENT, *_affine(("bias_ih", "bias_hh"), ("bias", "recurrent_bias"))),
}
"""Rows of each layer whose names or layouts differ from PyTorch's."""
_ATTENTION = {
    "in_proj_weight": (
        TorchRow(
            ("in_proj_weight",), tuple(f"{p}.weight" for p in _PROJECTIONS), _transposed_thirds
        ),
        TorchRow(("in_proj_bias",), tuple(f"{p}.bias" for p in _PROJECTIONS), _thirds),
        *_OUTPUT,
    ),
    "q_proj_weight": (
        *(TorchRow((f"{p[0]}_proj_weight",), (f"{p}.weight",), _transposed) for p in _PROJECTIONS),
        TorchRow(("in_proj_bias",), tuple(f"{p}.bias" for p in _PROJECTIONS), _thirds),
        *_OUTPUT,
    ),
}
"""Rows of MultiHeadAttention by a name that the file has; otherwise it has three linear layers."""
_TRANSFORMER = {
    "attention": "self_attn", "cross_attention": "multihead_attn", "first": "linear1",
    "second": "linear2", "norms.0": "norm1", "norms.1": "norm2", "norms.2": "norm3",
}  # fmt: skip
PLACES: dict[type[Module], dict[str, str]] = {
    layers.TransformerEncoderLayer: _TRANSFORMER,
    layers.TransformerDecoderLayer: _TRANSFORMER,
}
"""PyTorch's names of layers inside of other layers, where they differ."""
_COUNTERS = ".num_batches_tracked"
"""Ending of numbers that are not used for inference."""


class Unmatched(NamedTuple):
    """Names that `load_torch_state_dict` did not use.

    >>> import py_tensor as pt
    >>> pt.models.Unmatched((), ("head.weight",)).unexpected
    ('head.weight',)
    """

    missing: tuple[str, ...]
    """PyTorch's names of tensors that the module has and the state lacks."""
    unexpected: tuple[str, ...]
    """Names in the state for which the module has no tensor."""


class _Slot(NamedTuple):
    """Tensors of a module that one row computes."""

    names: tuple[str, ...]
    targets: tuple[tuple[Any, str, Tensor], ...]
    """Owner, field and present value; the field is "" for tensors in lists and dicts."""
    convert: Callable[..., Any]


def load_torch_state_dict(
    module: Module,
    state: Mapping[str, ArrayLike],
    *,
    strict: bool = True,
    prefix: str = "",
    rename: Mapping[str, str] | Callable[[str], str] | None = None,
    flattened: Mapping[str, tuple[int, ...]] | None = None,
    assign: bool = False,
) -> Unmatched:
    """Set a module's tensors to weights with PyTorch's names and layouts.

    Fields of the module have the names of PyTorch's attributes; layers of `pt.nn.Sequential` have
    their position. Inside layers, names and layouts are converted: kernels have the inputs before
    the outputs, the scales of normalizations are PyTorch's weights, both biases of RNN and LSTM are
    added, and the three parts of in_proj_weight become separate layers. Tensors of other modules
    need the same names and shapes. Nothing is changed if an error is raised.

    Args:
        module: Module of `pt.nn`, or of a subclass of `pt.nn.Module`.
        state: Tensors or array-likes by name, for example from `load_weights`.
        strict: Refuse missing and unexpected names; if False, only return them. Default True.
        prefix: Use only names that begin with this text, which is removed; default "".
        rename: Dict of beginnings of names and their replacements, of which the first that fits is
            used, or a function from name to name; None (default) for no changes.
        flattened: Shapes (channels, height, width) of PyTorch's images before their elements become
            the inputs of a linear layer, by the name of this layer; None (default) for none.
        assign: Use the given tensors, with their dtypes, instead of converting them to the dtypes
            of the module's tensors. Default False.

    Returns:
        `Unmatched`: names missing in the state, and names in it that the module lacks. Counters of
        batches (num_batches_tracked) do not count.

    Raises:
        ArgumentError: If `strict` and the names differ, or two names become one.
        ShapeError: If a shape differs.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(3, 2), pt.relu)
    >>> state = {"net.0.weight": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "net.0.bias": [0.0, 1.0]}
    >>> pt.models.load_torch_state_dict(model, state, prefix="net.")
    Unmatched(missing=(), unexpected=())
    >>> model(pt.asarray([1.0, 0.0, 0.0])).tolist()
    [1.0, 5.0]
    """
    named = _renamed(state, prefix, rename)
    images = {f"{name}.weight": shape for name, shape in (flattened or {}).items()}
    missing: list[str] = []
    used: set[str] = set()
    changes: list[tuple[Any, str, Tensor, Tensor]] = []
    for slot in _slots(module, "", named):
        used.update(slot.names)
        if absent := [name for name in slot.names if name not in named]:
            missing += absent
            continue
        values = [tensor_of(OPERATION, named[name]) for name in slot.names]
        if slot.names[0] in images:
            values[0] = _channels_last(values[0], slot.names[0], images[slot.names[0]])
        changes += _changes(slot, values)
    unexpected = [name for name in named if name not in used and not name.endswith(_COUNTERS)]
    if strict and (missing or unexpected):
        raise ArgumentError(
            f"{OPERATION}: names differ; got {_listed(unexpected)} instead of {_listed(missing)}; "
            "use prefix or rename, or pass strict=False to ignore them"
        )
    for owner, field, old, new in changes:
        if assign and field:
            setattr(owner, field, new)
        else:
            replace(old, ..., new.astype(old.dtype, copy=False))
    return Unmatched(tuple(missing), tuple(unexpected))


def _renamed(state: Mapping[str, Any], prefix: str, rename: Any) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, value in state.items():
        if not name.startswith(prefix):
            continue
        new = name.removeprefix(prefix)
        if callable(rename):
            new = rename(new)
        elif rename is not None:
            old = next((old for old in rename if new.startswith(old)), None)
            new = new if old is None else rename[old] + new.removeprefix(old)
        if new in renamed:
            raise ArgumentError(
                f"{OPERATION}: two names become one; got {new!r} again for {name!r}; rename them "
                "differently"
            )
        renamed[new] = value
    return renamed


def _slots(
    module: Module, path: str, named: Mapping[str, Any], ending: str = ""
) -> Iterator[_Slot]:
    """Yield the slots of a module and the modules inside it; names begin with the path."""
    rows = LAYERS.get(type(module), ())
    if isinstance(module, layers.MultiHeadAttention):
        rows = next(
            (rows_of_name for name, rows_of_name in _ATTENTION.items() if path + name in named), ()
        )
    recurrent = isinstance(module, (layers.RNN, layers.GRU, layers.LSTM))
    if isinstance(module, layers.Bidirectional):
        yield from _slots(module.forward_layer, path, named)
        yield from _slots(module.backward_layer, path, named, "_reverse")
        return
    stack = (module, *(getattr(module, "upper", ()) if recurrent else ()))
    for number, layer in enumerate(stack):
        suffix = f"_l{number}{ending}" if recurrent else ""
        for row in rows:
            targets = tuple(_target(layer, field) for field in row.fields)
            if targets[0][2] is not None:
                names = tuple(f"{path}{name}{suffix}" for name in row.names)
                yield _Slot(names, targets, row.convert)
    if recurrent:
        return
    done = {id(target[2]) for row in rows for target in (_target(module, f) for f in row.fields)}
    inner = dict(module.children())
    inside = {id(leaf) for child in inner.values() for leaf in tree_leaves(child)}
    for name, leaf in zip(leaf_names(module), tree_leaves(module), strict=True):
        if isinstance(leaf, Tensor) and id(leaf) not in done | inside:
            field = name if getattr(module, name, None) is leaf else ""
            yield _Slot((path + name,), ((module, field, leaf),), _same)
    if isinstance(module, layers.MultiHeadAttention) and rows:
        return
    places = PLACES.get(type(module), {})
    for key, child in inner.items():
        name = key.removeprefix(".").replace("[", ".").replace("]", "").removeprefix(".")
        if not isinstance(module, layers.Sequential):
            name = places.get(name, name)
        yield from _slots(child, f"{path}{name}.", named)


def _target(layer: Any, field: str) -> tuple[Any, str, Any]:
    *owners, name = field.split(".")
    for owner in owners:
        layer = getattr(layer, owner)
    return layer, name, getattr(layer, name)


def _changes(slot: _Slot, values: list[Tensor]) -> list[tuple[Any, str, Tensor, Tensor]]:
    """Return the owner, field, old and new value of each target of a slot."""
    shapes = " and ".join(str(value.shape) for value in values)
    try:
        converted = slot.convert(*values)
    except (ShapeError, ArgumentError):
        converted = []
    news = list(converted) if isinstance(converted, (list, tuple)) else [converted]
    if isinstance(slot.targets[0][0], layers.DepthwiseConv2D) and news[0].ndim == 4:
        old = slot.targets[0][2]
        news = [reshape(new, old.shape) if new.size == old.size else new for new in news]
    olds = [old for _, _, old in slot.targets]
    if [new.shape for new in news] != [old.shape for old in olds]:
        raise ShapeError(
            f"{OPERATION}: shapes differ; got {shapes} of {', '.join(map(repr, slot.names))} for "
            f"{', '.join(str(old.shape) for old in olds)}; use a module of the same sizes"
        )
    return [
        (owner, field, old, new)
        for (owner, field, old), new in zip(slot.targets, news, strict=True)
    ]


def _channels_last(weight: Tensor, name: str, shape: tuple[int, ...]) -> Tensor:
    """Reorder the inputs of a linear layer from (channels, ...) to (..., channels)."""
    try:
        images = reshape(weight, (weight.shape[0], *shape))
    except (ShapeError, ArgumentError):
        raise ShapeError(
            f"{OPERATION}: shape of flattened images does not fit; got {shape} for {weight.shape} "
            f"of {name!r}; pass (channels, height, width)"
        ) from None
    last = permute_dims(images, (0, *range(2, images.ndim), 1))
    return reshape(last, weight.shape)


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown or "none"
