"""Read the configuration of a layers model: which layers it has, with their options and weights.

Input: `modelTopology` of a `model.json`, as Keras 2, Keras 3 and TensorFlow.js write it. Output: a
tree of `LayerSpec`s, and the slots of all weights. `topology` makes the graph from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

from ...dtypes import as_dtype
from ...errors import ModelError
from ...ir.pytree import tree_flatten, tree_unflatten
from ...nn.module import Module
from ...signatures import parameters_of
from ...tensor import Tensor
from ..execution import Operator, some_of
from ..graph import ValueInfo
from .layer_calls import CallArguments, Reference, call_of, references
from .layers import ACTIVATIONS, LAYERS, LayerRow, Weight
from .layers.recorded import OPERATIONS, PREFIX
from .layers.recurrent import scan
from .weight_names import WeightSlot, snake_case

MODELS = ("Sequential", "Functional", "Model")
RECORDED = ("TFOpLambda", "SlicingOpLambda")
STATES = {"GRU": 1, "LSTM": 2, "SimpleRNN": 1, "ConvLSTM1D": 2, "ConvLSTM2D": 2, "ConvLSTM3D": 2}
"""Number of states of each recurrent layer."""
_ALIASES = {
    **{f"AvgPool{n}D": f"AveragePooling{n}D" for n in (1, 2, 3)},
    **{f"MaxPool{n}D": f"MaxPooling{n}D" for n in (1, 2, 3)},
    **{f"{name}V{n}": name for name in ("BatchNormalization", "GRU", "LSTM") for n in (1, 2)},
    "SyncBatchNormalization": "BatchNormalization",
    "UnifiedGRU": "GRU",
    "UnifiedLSTM": "LSTM",
}
_CELLS = {
    **{f"{name}Cell{version}": name for name in ("GRU", "LSTM") for version in ("", "V2")},
    "SimpleRNNCell": "SimpleRNN",
}
_OF_LOOPS = ["go_backwards", "return_sequences", "return_state", "stateful", "zero_output_for_mask"]
_IGNORED = {
    "adjustment", "autocast", "batch_input_shape", "batch_shape", "bounding_box_format",
    "build_config", "cell", "dtype", "fused", "input_dtype", "input_length", "input_shape",
    "lora_alpha", "lora_rank", "name", "quantization_config", "quantization_mode", "ragged",
    "renorm_clipping", "renorm_momentum", "synchronized", "trainable", "use_bias",
    "virtual_batch_size",
}  # fmt: skip
"""Options that do not change results, or whose effect is read elsewhere."""
_TRAINING = ("_initializer", "_regularizer", "_constraint")
_RENAMED = {
    ("Normalization", "mean"): "given_mean",
    ("Normalization", "variance"): "given_variance",
}


@dataclass
class Location:
    """The layer that is being read, for errors."""

    text: str = "the model"

    def enter(self, layer: str) -> None:
        self.text = f'layer "{layer}"'


class LayerScope(NamedTuple):
    """Models and wrappers around a layer."""

    outer: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    path: str = ""
    trained: bool = True

    def within(self, attribute: str) -> LayerScope:
        """Return the scope of a layer that is an attribute of this one."""
        return self._replace(path=f"{self.path}/{attribute}")


@dataclass(eq=False)
class LayerSpec:
    """A layer or a model inside of a model."""

    name: str
    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    row: LayerRow | None = None
    slots: list[int | None] = field(default_factory=list)
    """Numbers of the slots of its weights."""
    inner: list[LayerSpec] = field(default_factory=list)
    """Layers of a model or a wrapper."""
    calls: list[CallArguments] = field(default_factory=list)
    """Arguments of each call in the model around it."""
    inputs: list[Reference] = field(default_factory=list)
    outputs: list[Reference] = field(default_factory=list)
    info: ValueInfo | None = None
    """Declared input of an `InputLayer`."""
    after: LayerSpec | None = None
    """Activation that is a layer."""


class SpecReader:
    """Reads layers, and collects their weights and what is not supported."""

    def __init__(
        self, custom: Mapping[str, Callable[..., Any]], keras3: bool, location: Location
    ) -> None:
        self.slots: list[WeightSlot] = []
        self.rows: dict[str, Operator] = {}
        """Rows of custom layers."""
        self._custom = custom
        self._keras3 = keras3
        self._location = location
        self._missing: dict[str, list[str]] = {}

    def model(self, config: Any) -> LayerSpec:
        """Read a model; raise ModelError for all layers and options that are not supported."""
        model = self._layer_or_model(config, LayerScope())
        if model.kind not in MODELS:
            raise ValueError(f"{model.kind} instead of a model")
        if self._missing:
            used = "; ".join(f"{what} in {some_of(names)}" for what, names in self._missing.items())
            raise ModelError(
                f"load: model needs what is not supported; got {used}; build the model without "
                'them, or load layers of your own with custom={"Name": function}'
            )
        return model

    def _lacks(self, what: str, name: str) -> None:
        self._missing.setdefault(what, []).append(name)

    def _layer_or_model(
        self, spec: Any, around: LayerScope, owners: tuple[str, ...] | None = None
    ) -> LayerSpec:
        """Read a layer; `owners` are the names in those of its weights, by default the layer's."""
        kind, config = spec["class_name"], spec["config"]
        kind = _ALIASES.get(kind, kind)
        if kind == "Sequential" and isinstance(config, list):
            config = {"name": spec.get("name", "sequential"), "layers": config}
        name = config.get("name") or spec.get("name") or kind
        if not isinstance(kind, str) or not isinstance(name, str):
            raise TypeError(f"name {name!r:.40} of {kind!r:.40}")
        self._location.enter(name)
        here = around._replace(
            owners=(*around.owners, *((name,) if owners is None else owners)),
            trained=around.trained and config.get("trainable") is not False,
        )
        if kind in MODELS and "layers" in config:
            return self._network(name, kind, config, here)
        if kind == "InputLayer":
            return LayerSpec(name, kind, info=_declaration(name, config))
        if kind == "TimeDistributed":
            inner = self._layer_or_model(config["layer"], here.within("layer"))
            return LayerSpec(name, kind, inner=[inner])
        if kind == "Bidirectional":
            return self._bidirectional(name, config, here)
        if kind == "RNN":
            return self._cells(name, config, here)
        if kind in RECORDED:
            function = str(config["function"]).removeprefix(PREFIX)
            if function not in OPERATIONS:
                self._lacks(f"function {function:.40} of {kind}", name)
            return LayerSpec(name, kind, {"function": function})
        custom = self._custom.get(name) or self._custom.get(kind)
        if custom is not None:
            return self._custom_layer(name, kind, config, here, custom)
        if kind not in LAYERS:
            self._lacks(f"layer {kind}", name)
            return LayerSpec(name, kind)
        return self._layer(name, kind, config, here)

    def _layer(
        self, name: str, kind: str, config: Mapping[str, Any], here: LayerScope
    ) -> LayerSpec:
        row = LAYERS[kind]
        layer = LayerSpec(name, kind, row=row)
        ignored = _IGNORED.union(row.ignored.split())
        config = {_RENAMED.get((kind, key), key): value for key, value in config.items()}
        for key, value in config.items():
            if value is None or key in ignored or key.endswith(_TRAINING):
                continue
            if key not in accepted(kind):
                if value is not False:
                    self._lacks(f"option {key} of {kind}", name)
                continue
            if key in ("activation", "recurrent_activation"):
                value = self._activation(layer, key, value)
            layer.options[key] = value
        self._add_slots(layer, row.weights(config), here)
        return layer

    def _custom_layer(
        self,
        name: str,
        kind: str,
        config: Mapping[str, Any],
        here: LayerScope,
        custom: Callable[..., Any],
    ) -> LayerSpec:
        """Read a layer of the user's: a function of tensors, or a class of such functions."""
        is_class = isinstance(custom, type)
        # A class takes the options of its constructor.
        parameters = parameters_of(vars(custom).get("__init__", custom) if is_class else custom)
        options = {
            key: value
            for key, value in config.items()
            if parameters is not None and parameters.accepts_keyword(key)
        }
        weights: list[str] = []
        if is_class:
            function = layer = custom(**options)
            if isinstance(layer, Module):
                weights = [*layer.state_dict()]
                function = partial(_call_module, layer)
        else:
            function = partial(custom, **options)
            if parameters is not None:
                required = parameters.required - options.keys()
                weights = [key for key in parameters.keyword_only if key in required]
            if weights:
                function = partial(_call_by_name, function, weights)
        operator = f"{kind} {name}"
        self.rows[operator] = Operator(function, omits=True)
        spec = LayerSpec(name, operator, row=LayerRow(function, inputs=None))
        self._add_slots(spec, [Weight((key.rpartition(".")[2],)) for key in weights], here)
        return spec

    def _add_slots(
        self, layer: LayerSpec, weights: Sequence[Weight | None], here: LayerScope
    ) -> None:
        """Add the weights that a layer needs."""
        counts: Counter[str] = Counter()
        for weight in weights:
            if weight is None:
                layer.slots.append(None)
                continue
            path = f"{here.path}/{weight.attribute}" if weight.attribute else here.path
            self.slots.append(
                WeightSlot(
                    (*here.owners, weight.inner) if weight.inner else here.owners,
                    here.outer,
                    weight.names,
                    f"{path}/vars/{counts[path]}",
                    weight.shape,
                    weight.trained and here.trained,
                )
            )
            layer.slots.append(len(self.slots) - 1)
            counts[path] += 1

    def _activation(self, layer: LayerSpec, key: str, value: Any) -> str:
        """Return the name of an activation; one that is a layer becomes a layer after this one."""
        if isinstance(value, dict):
            config = value.get("config")
            if isinstance(config, dict):
                kind = value["class_name"]
                plain = kind in LAYERS and not LAYERS[kind].weights(config)
                if plain and key == "activation" and layer.kind not in STATES:
                    layer.after = self._layer_or_model(value, LayerScope())
                    return "linear"
                value = kind
            else:
                value = config
        if value == "hard_sigmoid" and not self._keras3:
            return "hard_sigmoid of Keras 2"
        if not isinstance(value, str) or value not in ACTIVATIONS:
            self._lacks(f"activation {value!s:.40}", layer.name)
            return "linear"
        return value

    def _network(
        self, name: str, kind: str, config: Mapping[str, Any], here: LayerScope
    ) -> LayerSpec:
        functional = "input_layers" in config
        model = LayerSpec(name, "Functional" if functional else kind)
        outer = (*here.outer, name) if here.path else here.outer
        prefix = f"{here.path}/" if here.path else ""
        paths = _numbered(f"{prefix}layers", config["layers"])
        for spec, path in zip(config["layers"], paths, strict=True):
            layer = self._layer_or_model(spec, LayerScope(outer, (), path, here.trained))
            model.inner.append(layer)
            if functional:
                layer.name = spec.get("name") or layer.name
                layer.calls = [call_of(node) for node in spec.get("inbound_nodes") or ()]
        if functional:
            model.inputs = list(references(config["input_layers"]))
            model.outputs = list(references(config["output_layers"]))
            calls = (call for spec in config["layers"] for call in spec.get("inbound_nodes") or ())
            _count_from_zero(model, any(isinstance(call, dict) for call in calls))
        elif not model.inner:
            raise ValueError("no layers")
        return model

    def _bidirectional(self, name: str, config: Mapping[str, Any], here: LayerScope) -> LayerSpec:
        ahead = config["layer"]
        own = ahead["config"]
        inner = str(own["name"]).removeprefix("forward_")
        back = config.get("backward_layer") or {
            **ahead,
            "config": {**own, "go_backwards": not own.get("go_backwards", False)},
        }
        sequences = bool(own.get("return_sequences", False))
        directions = []
        for spec, direction in ((ahead, "forward"), (back, "backward")):
            around = here.within(f"{direction}_layer")
            layer = self._layer_or_model(spec, around, (f"{direction}_{inner}",))
            layer.name = direction
            for loop in layer.inner if layer.kind == "RNN" else [layer]:
                if loop.row is not None:
                    loop.options["zero_output_for_mask"] = sequences
            directions.append(layer)
        options = {"merge_mode": config.get("merge_mode"), "return_sequences": sequences}
        return LayerSpec(name, "Bidirectional", options, inner=directions)

    def _cells(self, name: str, config: Mapping[str, Any], here: LayerScope) -> LayerSpec:
        """Read a layer `RNN`: each of its cells runs over the whole sequence."""
        cell = config["cell"]
        stacked = cell["class_name"] == "StackedRNNCells"
        cells = cell["config"]["cells"] if stacked else [cell]
        paths = _numbered(f"{here.path}/cell/cells", cells) if stacked else [here.path]
        loop = {key: bool(config[key]) for key in _OF_LOOPS if key in config}
        layer = LayerSpec(name, "RNN", dict(loop))
        if not cells:
            raise ValueError("no cells")
        for number, (spec, path) in enumerate(zip(cells, paths, strict=True)):
            kind = _CELLS.get(spec["class_name"])
            if kind is None:
                self._lacks(f"cell {spec['class_name']}", name)
                continue
            last = number == len(cells) - 1
            options = {
                **spec["config"],
                **loop,
                "go_backwards": loop.get("go_backwards", False) and number == 0,
                "return_sequences": not last or loop.get("return_sequences", False),
            }
            owner = str(spec["config"]["name"])
            scope = here._replace(
                owners=(*here.owners, owner),
                path=path,
                trained=here.trained and spec["config"].get("trainable") is not False,
            )
            inner = self._layer(owner, kind, options, scope)
            for slot in inner.slots if stacked else ():
                # The cells of a stack have no attribute `cell` of their own.
                if slot is not None:
                    own = self.slots[slot].path.replace(f"{path}/cell/", f"{path}/")
                    self.slots[slot] = self.slots[slot]._replace(path=own)
            layer.inner.append(inner)
        return layer


def _numbered(folder: str, specs: Iterable[Any]) -> list[str]:
    """Return the paths of layers in a `.keras` file: layers of one class are numbered."""
    counts: Counter[str] = Counter()
    paths = []
    for spec in specs:
        kind = snake_case(str(spec["class_name"]))
        paths.append(f"{folder}/{kind}_{counts[kind]}" if counts[kind] else f"{folder}/{kind}")
        counts[kind] += 1
    return paths


def _call_by_name(function: Callable[..., Any], names: Sequence[str], *values: Tensor) -> Any:
    """Call a function with the last values by name."""
    count = len(values) - len(names)
    return function(*values[:count], **dict(zip(names, values[count:], strict=True)))


def _call_module(layer: Module, *values: Tensor) -> Any:
    """Call a module with the last values as its weights."""
    own = [*layer.state_dict().values()]
    count = len(values) - len(own)
    weights = {id(old): new for old, new in zip(own, values[count:], strict=True)}
    leaves, structure = tree_flatten(layer)
    return tree_unflatten(structure, [weights.get(id(leaf), leaf) for leaf in leaves])(
        *values[:count]
    )


@cache
def accepted(kind: str) -> frozenset[str]:
    """Return the names of the options of a layer."""
    parameters = parameters_of(LAYERS[kind].function)
    assert parameters is not None
    names = (*parameters.keyword_only, *LAYERS[kind].ignored.split())
    if parameters.has_varkw:
        of_loops = parameters_of(scan)
        assert of_loops is not None
        names += of_loops.keyword_only
    return frozenset(names)


def _declaration(name: str, config: Mapping[str, Any]) -> ValueInfo:
    shape = next(
        (config[key] for key in ("batch_shape", "batch_input_shape") if key in config), None
    )
    if shape is None and config.get("shape") is not None:
        shape = [None, *config["shape"]]
    dtype = config.get("dtype") or "float32"
    if isinstance(dtype, dict):
        dtype = dtype["config"]["name"]
    narrowed = {"float16": "float32", "bfloat16": "float32", "float64": "float32", "int64": "int32"}
    declared = as_dtype(narrowed.get(dtype, dtype))
    if shape is None:
        return ValueInfo(name, declared, None)
    if any(type(length) not in (int, type(None)) for length in shape):
        raise TypeError(f"shape {shape!r:.40}")
    return ValueInfo(name, declared, tuple(shape))


def declared_inputs(model: LayerSpec) -> list[ValueInfo]:
    """Return the inputs of a model, which one without an `InputLayer` does not declare."""
    if model.kind == "Functional":
        layers = {layer.name: layer for layer in model.inner}
        infos = [(layers[ref.layer].info, ref.layer) for ref in model.inputs]
        return [info or ValueInfo(name, None, None) for info, name in infos]
    first = model.inner[0]
    if first.info is not None:
        return [first.info]
    if first.kind in MODELS:
        return declared_inputs(first)
    return [ValueInfo(f"{first.name}_input", None, None)]


def _count_from_zero(model: LayerSpec, named: bool) -> None:
    """Count the calls of models inside of a model from 0.

    Keras 2 counts from 1. Keras 3, which also names arguments, does so in `output_layers` only.
    """
    models = {layer.name: layer for layer in model.inner if layer.kind in MODELS and layer.calls}
    if named:
        model.outputs = [
            ref._replace(call=ref.call - 1)
            if ref.call and ref.layer in models and models[ref.layer].inputs
            else ref
            for ref in model.outputs
        ]
        return
    last: dict[str, int] = {}
    for ref in (*model.outputs, *references([layer.calls for layer in model.inner])):
        last[ref.layer] = max(last.get(ref.layer, 0), ref.call)
    for name, layer in models.items():
        if last.get(name, 0) >= len(layer.calls):
            layer.calls.insert(0, CallArguments([], {}))
