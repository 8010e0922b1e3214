"""Make the graph of a layers model from the configuration of its layers.

Input: `modelTopology` of a `model.json`, as Keras 2, Keras 3 and TensorFlow.js write it, and the
constants. Output: a graph with a node per call of a layer. Models inside of models, wrappers and
cells become nodes of their own, and masks become values.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

from ...dtypes import as_dtype
from ...errors import ModelError
from ...ir.pytree import tree_flatten, tree_unflatten
from ...nn.module import Module
from ...signatures import parameters_of
from ...tensor import Tensor
from ..execution import Operator
from ..graph import ModelConstant, ModelGraph, ModelNode, ValueInfo
from .layers import ACTIVATIONS, LAYERS, LayerRow, Weight
from .layers.recorded import OPERATIONS, PREFIX
from .layers.recurrent import scan
from .weight_names import WeightSlot, match, snake_case

MAX_CALLS = 20_000
"""Maximum number of nodes of a model."""

_MODELS = ("Sequential", "Functional", "Model")
_ALIASES = {
    "AvgPool1D": "AveragePooling1D",
    "AvgPool2D": "AveragePooling2D",
    "AvgPool3D": "AveragePooling3D",
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
    "GRUV1": "GRU",
    "GRUV2": "GRU",
    "LSTMV1": "LSTM",
    "LSTMV2": "LSTM",
    "MaxPool1D": "MaxPooling1D",
    "MaxPool2D": "MaxPooling2D",
    "MaxPool3D": "MaxPooling3D",
    "SyncBatchNormalization": "BatchNormalization",
    "UnifiedGRU": "GRU",
    "UnifiedLSTM": "LSTM",
}
_RECORDED = ("TFOpLambda", "SlicingOpLambda")
_CELLS = {
    "GRUCell": "GRU",
    "GRUCellV2": "GRU",
    "LSTMCell": "LSTM",
    "LSTMCellV2": "LSTM",
    "SimpleRNNCell": "SimpleRNN",
}
_STATES = {"GRU": 1, "LSTM": 2, "SimpleRNN": 1, "ConvLSTM1D": 2, "ConvLSTM2D": 2, "ConvLSTM3D": 2}
"""Number of states of each recurrent layer."""
_OF_LOOPS = (
    *("go_backwards", "return_sequences", "return_state", "stateful"),
    "zero_output_for_mask",
)
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

type Reference = tuple[str, int, int]
"""Name of a layer, number of its call, and number of the result."""


class MaskedValue(NamedTuple):
    """A value of the graph, and its mask."""

    name: str
    mask: str = ""


class LayerScope(NamedTuple):
    """Models and wrappers around a layer."""

    outer: tuple[str, ...]
    owners: tuple[str, ...]
    path: str
    trained: bool


@dataclass(eq=False)
class LayerSpec:
    """A layer or a model inside of a model."""

    name: str
    kind: str
    options: dict[str, Any]
    row: LayerRow | None = None
    slots: list[int | None] = field(default_factory=list)
    """Numbers of the slots of its weights."""
    inner: list[LayerSpec] = field(default_factory=list)
    """Layers of a model or a wrapper."""
    calls: list[Any] = field(default_factory=list)
    """Arguments of each call in the model around it, as (positional, named)."""
    inputs: list[Reference] = field(default_factory=list)
    outputs: list[Reference] = field(default_factory=list)
    info: ValueInfo | None = None
    """Declared input of an `InputLayer`."""
    after: LayerSpec | None = None
    """Activation that is a layer."""


def read(
    document: Mapping[str, Any],
    constants: Mapping[str, ModelConstant],
    custom: Mapping[str, Callable[..., Any]],
) -> tuple[ModelGraph, dict[str, Operator]]:
    """Make the graph of a layers model, and the rows of its custom layers.

    Raises ModelError, which names the layer, if the configuration is malformed, and for all
    layers and options that are not supported.
    """
    reader = _Reader(constants, custom)
    try:
        return reader.graph(document), reader.rows
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            "load: not a valid TensorFlow.js model: configuration is malformed; got "
            f"{type(error).__name__}: {error!s:.80} in {reader.place}; convert the model again"
        ) from None


class _Reader:
    def __init__(
        self, constants: Mapping[str, ModelConstant], custom: Mapping[str, Callable[..., Any]]
    ) -> None:
        self.place = "the model"
        self.rows: dict[str, Operator] = {}
        self._custom = custom
        self._given = constants
        self._missing: dict[str, list[str]] = {}
        self._slots: list[WeightSlot] = []
        self._keras3 = False
        self._weights: list[str] = []
        self._constants: dict[str, ModelConstant] = {}
        self._nodes: list[ModelNode] = []
        self._names = {*constants, ""}
        self._frozen: set[str] = set()
        self._states: dict[str, str] = {}

    def graph(self, topology: Mapping[str, Any]) -> ModelGraph:
        config = topology.get("model_config", topology)
        config = json.loads(config) if isinstance(config, str) else config
        version = str(topology.get("keras_version", ""))
        text = json.dumps(config)
        self._keras3 = version.startswith("3") or (
            not version.startswith(("1", "2", "tfjs"))
            and ('"batch_shape"' in text or '"__keras_tensor__"' in text)
        )
        model = self._part(config, LayerScope((), (), "", True))
        if model.kind not in _MODELS:
            raise ValueError(f"{model.kind} instead of a model")
        if self._missing:
            used = "; ".join(f"{what} in {_some(names)}" for what, names in self._missing.items())
            raise ModelError(
                f"load: model needs what is not supported; got {used}; build the model without "
                'them, or load layers of your own with custom={"Name": function}'
            )
        self._weights = match(self._slots, self._given)
        inputs = [MaskedValue(self._fresh(info.name)) for info in _declared(model)]
        infos = tuple(
            info._replace(name=value.name)
            for info, value in zip(_declared(model), inputs, strict=True)
        )
        outputs = []
        for value in self._model(model, inputs, ""):
            name = value.name
            if name in outputs:
                name = self._node(name, "Identity", [name])[0]
            outputs.append(name)
        return ModelGraph(
            model.name,
            infos,
            tuple(ValueInfo(name, None, None) for name in outputs),
            self._needed(outputs),
            self._constants,
            frozen=frozenset(self._frozen),
            converts_inputs=True,
            states=self._states,
        )

    def _needed(self, outputs: list[str]) -> tuple[ModelNode, ...]:
        """Return the nodes that the outputs need: the masks of some layers are not used."""
        wanted, needed = set(outputs), []
        for node in reversed(self._nodes):
            if not wanted.isdisjoint(node.outputs):
                needed.append(node)
                wanted.update(node.inputs)
        return tuple(reversed(needed))

    # --- configuration --------------------------------------------------------------------------

    def _part(
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
        self.place = f'layer "{name}"'
        own = (*around.owners, *((name,) if owners is None else owners))
        trained = around.trained and config.get("trainable") is not False
        here = around._replace(owners=own, trained=trained)
        if kind in _MODELS and "layers" in config:
            return self._network(name, kind, config, here)
        if kind == "InputLayer":
            return LayerSpec(name, kind, {}, info=_declaration(name, config))
        if kind == "TimeDistributed":
            inner = self._part(config["layer"], _within(here, "layer"))
            return LayerSpec(name, kind, {}, inner=[inner])
        if kind == "Bidirectional":
            return self._bidirectional(name, config, here)
        if kind == "RNN":
            return self._cells(name, config, here)
        if kind in _RECORDED:
            function = str(config["function"]).removeprefix(PREFIX)
            if function not in OPERATIONS:
                self._missing.setdefault(f"function {function:.40} of {kind}", []).append(name)
            return LayerSpec(name, kind, {"function": function})
        custom = self._custom.get(name) or self._custom.get(kind)
        if custom is not None:
            return self._custom_layer(name, kind, config, here, custom)
        if kind not in LAYERS:
            self._missing.setdefault(f"layer {kind}", []).append(name)
            return LayerSpec(name, kind, {})
        return self._layer(name, kind, config, here)

    def _layer(
        self, name: str, kind: str, config: Mapping[str, Any], here: LayerScope
    ) -> LayerSpec:
        row = LAYERS[kind]
        part = LayerSpec(name, kind, {}, row)
        config = {_RENAMED.get((kind, key), key): value for key, value in config.items()}
        for key, value in config.items():
            if value is None or key in _IGNORED or key.endswith(_TRAINING):
                continue
            if key not in _accepted(kind):
                if value is not False:
                    self._missing.setdefault(f"option {key} of {kind}", []).append(name)
                continue
            if key in ("activation", "recurrent_activation"):
                value = self._activation(part, key, value)
            part.options[key] = value
        self._add_slots(part, row.weights(config), here)
        return part

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
        if is_class:
            layer = custom(**options)
            is_module = isinstance(layer, Module)
            names = [*layer.state_dict()] if is_module else []
            function = partial(_call_module, layer) if is_module else layer
        else:
            names = []
            if parameters is not None:
                required = parameters.required - options.keys()
                names = [key for key in parameters.keyword_only if key in required]
            function = partial(custom, **options)
            if names:
                function = partial(_call_by_name, function, names)
        operator = f"{kind} {name}"
        self.rows[operator] = Operator(function, omits=True)
        part = LayerSpec(name, operator, {}, LayerRow(function, inputs=None))
        self._add_slots(part, [Weight((key.rpartition(".")[2],)) for key in names], here)
        return part

    def _add_slots(
        self, part: LayerSpec, weights: Sequence[Weight | None], here: LayerScope
    ) -> None:
        """Add the weights that a layer needs."""
        counts: Counter[str] = Counter()
        for weight in weights:
            if weight is None:
                part.slots.append(None)
                continue
            path = f"{here.path}/{weight.attribute}" if weight.attribute else here.path
            self._slots.append(
                WeightSlot(
                    (*here.owners, weight.inner) if weight.inner else here.owners,
                    here.outer,
                    weight.names,
                    f"{path}/vars/{counts[path]}",
                    weight.shape,
                    weight.trained and here.trained,
                )
            )
            part.slots.append(len(self._slots) - 1)
            counts[path] += 1

    def _activation(self, part: LayerSpec, key: str, value: Any) -> str:
        """Return the name of an activation; one that is a layer becomes a layer after this one."""
        if isinstance(value, dict):
            config = value.get("config")
            if isinstance(config, dict):
                kind = value["class_name"]
                plain = kind in LAYERS and not LAYERS[kind].weights(config)
                if plain and key == "activation" and part.kind not in _STATES:
                    part.after = self._part(value, LayerScope((), (), "", True))
                    return "linear"
                value = kind
            else:
                value = config
        if value == "hard_sigmoid" and not self._keras3:
            return "hard_sigmoid of Keras 2"
        if not isinstance(value, str) or value not in ACTIVATIONS:
            self._missing.setdefault(f"activation {value!s:.40}", []).append(part.name)
            return "linear"
        return value

    def _network(
        self, name: str, kind: str, config: Mapping[str, Any], here: LayerScope
    ) -> LayerSpec:
        model = LayerSpec(name, kind, {})
        counts: Counter[str] = Counter()
        outer = (*here.outer, name) if here.path else here.outer
        functional = "input_layers" in config
        if functional:
            model.kind = "Functional"
        for spec in config["layers"]:
            unique = snake_case(str(spec["class_name"]))
            counts[unique] += 1
            number = f"_{counts[unique] - 1}" if counts[unique] > 1 else ""
            prefix = f"{here.path}/" if here.path else ""
            path = f"{prefix}layers/{unique}{number}"
            part = self._part(spec, LayerScope(outer, (), path, here.trained))
            model.inner.append(part)
            if functional:
                part.name = spec.get("name") or part.name
                part.calls = [_arguments(call) for call in spec.get("inbound_nodes") or ()]
        if functional:
            model.inputs = list(_references(config["input_layers"]))
            model.outputs = list(_references(config["output_layers"]))
            calls = (call for spec in config["layers"] for call in spec.get("inbound_nodes") or ())
            _shift(model, any(isinstance(call, dict) for call in calls))
        elif not model.inner:
            raise ValueError("no layers")
        return model

    def _bidirectional(self, name: str, config: Mapping[str, Any], here: LayerScope) -> LayerSpec:
        ahead = config["layer"]
        inner = str(ahead["config"]["name"]).removeprefix("forward_")
        back = config.get("backward_layer") or {
            **ahead,
            "config": {
                **ahead["config"],
                "go_backwards": not ahead["config"].get("go_backwards", False),
            },
        }
        sequences = bool(ahead["config"].get("return_sequences", False))
        parts = []
        for spec, direction in ((ahead, "forward"), (back, "backward")):
            around = _within(here, f"{direction}_layer")
            part = self._part(spec, around, (f"{direction}_{inner}",))
            part.name = direction
            if part.inner and part.kind == "RNN":
                for cell in part.inner:
                    cell.options["zero_output_for_mask"] = sequences
            elif part.row is not None:
                part.options["zero_output_for_mask"] = sequences
            parts.append(part)
        options = {
            "merge_mode": config.get("merge_mode"),
            "return_sequences": sequences,
        }
        return LayerSpec(name, "Bidirectional", options, inner=parts)

    def _cells(self, name: str, config: Mapping[str, Any], here: LayerScope) -> LayerSpec:
        """Read a layer `RNN`: each of its cells runs over the whole sequence."""
        cell = config["cell"]
        cells = [cell]
        paths = [f"{here.path}"]
        stacked = cell["class_name"] == "StackedRNNCells"
        if stacked:
            cells = cell["config"]["cells"]
            counts: Counter[str] = Counter()
            paths = []
            for each in cells:
                unique = snake_case(str(each["class_name"]))
                counts[unique] += 1
                number = f"_{counts[unique] - 1}" if counts[unique] > 1 else ""
                paths.append(f"{here.path}/cell/cells/{unique}{number}")
        loop = {key: bool(config[key]) for key in _OF_LOOPS if key in config}
        part = LayerSpec(name, "RNN", dict(loop))
        if not cells:
            raise ValueError("no cells")
        for at, (each, path) in enumerate(zip(cells, paths, strict=True)):
            kind = _CELLS.get(each["class_name"])
            if kind is None:
                self._missing.setdefault(f"cell {each['class_name']}", []).append(name)
                continue
            last = at == len(cells) - 1
            options = {
                **each["config"],
                **loop,
                "go_backwards": loop.get("go_backwards", False) and at == 0,
                "return_sequences": not last or loop.get("return_sequences", False),
            }
            owner = str(each["config"]["name"])
            place = here._replace(
                owners=(*here.owners, owner),
                path=path,
                trained=here.trained and each["config"].get("trainable") is not False,
            )
            inner = self._layer(owner, kind, options, place)
            if stacked:
                # The cells of a stack have no attribute `cell` of their own.
                for slot in inner.slots:
                    if slot is not None:
                        old = self._slots[slot]
                        self._slots[slot] = old._replace(
                            path=old.path.replace(f"{path}/cell/", f"{path}/")
                        )
            part.inner.append(inner)
        return part

    # --- graph ----------------------------------------------------------------------------------

    def _fresh(self, wanted: str) -> str:
        """Return a name that no other value has."""
        name, count = wanted, 0
        while name in self._names:
            count += 1
            name = f"{wanted}_{count}"
        self._names.add(name)
        return name

    def _node(
        self,
        name: str,
        operator: str,
        inputs: Sequence[str],
        options: Mapping[str, Any] | None = None,
        results: int = 1,
    ) -> list[str]:
        if len(self._nodes) >= MAX_CALLS:
            raise ModelError(
                f"load: model is too large; got more than {MAX_CALLS:,} calls of layers; build it "
                "of fewer layers"
            )
        first = self._fresh(name)
        outputs = [first, *(self._fresh(f"{first}:{at}") for at in range(1, results))]
        self._nodes.append(
            ModelNode(first, operator, tuple(inputs), tuple(outputs), dict(options or {}), 0)
        )
        return outputs

    def _model(self, model: LayerSpec, inputs: list[MaskedValue], prefix: str) -> list[MaskedValue]:
        """Add the nodes of a model, and return its outputs."""
        if model.kind != "Functional":
            values = inputs
            for part in model.inner:
                values = self._call(part, values, {}, prefix)
            return values
        layers = {part.name: part for part in model.inner}
        done: dict[tuple[str, int], list[MaskedValue]] = {}
        if len(inputs) != len(model.inputs):
            raise ValueError(f"{len(inputs)} inputs of {model.name!r:.40} with {len(model.inputs)}")
        for (name, at, _), value in zip(model.inputs, inputs, strict=True):
            done[name, at] = [value]
        begun: set[tuple[str, int]] = set()
        stack = [(name, at, False) for name, at, _ in reversed(model.outputs)]
        while stack:
            name, at, ready = stack.pop()
            if (name, at) in done:
                continue
            part = layers[name]
            self.place = f'layer "{prefix}{name}"'
            if not 0 <= at < len(part.calls):
                raise ValueError(f"call number {at} of {len(part.calls)}")
            given, named = part.calls[at]
            if not ready:
                if (name, at) in begun:
                    raise ValueError("layers that need each other's results")
                begun.add((name, at))
                stack.append((name, at, True))
                needed = [*_references(given), *_references(named)]
                stack += [(*ref[:2], False) for ref in reversed(needed) if ref[:2] not in done]
                continue

            def value_of(ref: Reference) -> MaskedValue:
                return done[ref[:2]][ref[2]]

            number = f"_{at}" if at else ""
            values = [
                value_of(item) if isinstance(item, tuple) else self._number(item)
                for item in _items(given)
            ]
            named = {key: _resolved(item, value_of) for key, item in named.items()}
            done[name, at] = self._call(part, values, named, prefix, number)
        return [done[name, at][index] for name, at, index in model.outputs]

    def _number(self, number: float) -> MaskedValue:
        name = self._fresh(f"number {number}")
        dtype = as_dtype("float32" if isinstance(number, float) else "int32")
        self._constants[name] = ModelConstant(name, dtype, (), [number])
        self._frozen.add(name)
        return MaskedValue(name)

    def _call(
        self,
        part: LayerSpec,
        inputs: list[MaskedValue],
        named: Mapping[str, Any],
        prefix: str,
        number: str = "",
    ) -> list[MaskedValue]:
        """Add the nodes of a call of a layer, and return its results."""
        name = f"{prefix}{part.name}{number}"
        self.place = f'layer "{name}"'
        if part.kind == "InputLayer":
            return inputs
        if part.kind in _MODELS:
            return self._model(part, inputs, f"{name}/")
        if part.kind == "TimeDistributed":
            return self._time_distributed(part, name, inputs, prefix)
        if part.kind in ("Bidirectional", "RNN"):
            inputs = [*inputs, *_flat(named.get("initial_state"))]
            if isinstance(named.get("mask"), MaskedValue):
                inputs[0] = inputs[0]._replace(mask=named["mask"].name)
            run = self._both_directions if part.kind == "Bidirectional" else self._stack_of_cells
            return run(part, name, inputs)
        if part.kind in _RECORDED:
            return self._recorded(part, name, inputs, named)
        return self._simple(part, name, inputs, named)

    def _recorded(
        self, part: LayerSpec, name: str, inputs: list[MaskedValue], named: Mapping[str, Any]
    ) -> list[MaskedValue]:
        """Add an operation of TensorFlow, whose arguments are those of a function in Python."""
        function = part.options["function"]
        first = OPERATIONS[function].parameters[0]
        names = [f"{first}*" if first == "values" else first] * len(inputs)
        values, options = [*inputs], {}
        for key, item in named.items():
            if _is_constant(item):
                options[key] = item[2]
            elif isinstance(item, MaskedValue):
                names.append(key)
                values.append(item)
            elif item is not None and key != "name":
                options[key] = item
        given = {"function": function, "names": names, "options": options}
        tensors = [value.name for value in values]
        return [MaskedValue(self._node(name, "recorded operation", tensors, given)[0])]

    def _simple(
        self, part: LayerSpec, name: str, inputs: list[MaskedValue], named: Mapping[str, Any]
    ) -> list[MaskedValue]:
        row, options = part.row, dict(part.options)
        assert row is not None
        tensors: list[MaskedValue | None] = [*inputs]
        masks = [value.mask for value in inputs]
        for key, item in named.items():
            values = _flat(item)
            if key in row.arguments:
                at = row.arguments[key]
                tensors += [None] * (at + len(values) - len(tensors))
                tensors[at : at + len(values)] = values
            elif key == "mask":
                masks[: len(values)] = [value.name for value in values]
            elif values:
                raise ValueError(f"argument {key!r:.40}")
            elif item and key != "training":
                if key not in _accepted(part.kind):
                    raise ModelError(
                        f'load: model needs what is not supported; got argument {key} of layer "'
                        f'{name}"; build the model without it'
                    )
                options[key] = item
        if row.inputs is not None:
            if not len(inputs) <= len(tensors) <= row.inputs:
                raise ValueError(f"{len(tensors)} inputs of {part.kind}")
            tensors += [None] * (row.inputs - len(tensors))
            masks = [each.mask if each else "" for each in tensors] if not named else masks
            masks += [each.mask if each else "" for each in tensors[len(masks) :]]
        names = [each.name if each else "" for each in tensors]
        weights = [self._weight(slot) for slot in part.slots]
        results = 1
        stateful = bool(options.get("stateful")) and not any(tensors[len(inputs) :])
        if stateful:
            names[1:] = [self._fresh(f"{name}/state") for _ in names[1:]]
        if stateful or options.get("return_state"):
            results += _STATES[part.kind]
            options["return_state"] = True
        results += bool(options.get("return_attention_scores"))
        operator, count = part.kind, row.masks
        if operator == "Multiply" and self._keras3 and any(masks):
            operator, count = "product of masked", len(masks)
        outputs = self._node(name, operator, [*names, *weights, *masks[:count]], options, results)
        mask = self._mask(part, name, names, masks)
        if stateful:
            self._states.update(zip(names[1:], outputs[1:], strict=True))
            outputs = outputs if part.options.get("return_state") else outputs[:1]
        found = [MaskedValue(outputs[0], mask), *map(MaskedValue, outputs[1:])]
        if part.after is not None:
            found = self._simple(part.after, f"{name}/activation", found, {})
        return found

    def _weight(self, slot: int | None) -> str:
        if slot is None:
            return ""
        name = self._weights[slot]
        self._constants[name] = self._given[name]
        if not self._slots[slot].trained:
            self._frozen.add(name)
        return name

    def _mask(self, part: LayerSpec, name: str, inputs: list[str], masks: list[str]) -> str:
        """Return the name of the mask of a layer's result, "" for none."""
        assert part.row is not None
        rule, options = part.row.mask, part.options
        if rule == "same" or (rule == "sequences" and options.get("return_sequences")):
            return masks[0] if masks else ""
        if rule == "merge":
            present = [mask for mask in masks if mask]
            if not present or (self._keras3 and len(present) < len(masks)):
                return ""
            operator = "any mask" if self._keras3 else "every mask"
            same = len(set(present)) == 1
            return present[0] if same else self._node(f"{name}/mask", operator, present)[0]
        if rule == "mask of Concatenate" and any(masks):
            given = {"axis": options.get("axis", -1), "every": not self._keras3}
            return self._node(f"{name}/mask", rule, [*inputs, *masks], given)[0]
        if rule == "mask of Masking" or (rule == "mask of Embedding" and options.get("mask_zero")):
            given = {key: options[key] for key in ("mask_value",) if key in options}
            return self._node(f"{name}/mask", rule, inputs[:1], given)[0]
        return ""

    def _time_distributed(
        self, part: LayerSpec, name: str, inputs: list[MaskedValue], prefix: str
    ) -> list[MaskedValue]:
        [sequence] = inputs
        folded = self._node(f"{name}/steps", "time steps to batch", [sequence.name])[0]
        inner = part.inner[0]
        results = self._call(inner, [MaskedValue(folded)], {}, f"{name}/")
        names = [name, *(f"{name}:{at}" for at in range(1, len(results)))]
        return [
            MaskedValue(
                self._node(wanted, "batch to time steps", [value.name, sequence.name])[0],
                sequence.mask,
            )
            for wanted, value in zip(names, results, strict=True)
        ]

    def _both_directions(
        self, part: LayerSpec, name: str, inputs: list[MaskedValue]
    ) -> list[MaskedValue]:
        half = (len(inputs) - 1) // 2
        starts = (inputs[1 : 1 + half], inputs[1 + half :])
        ahead, back = (
            self._call(inner, [inputs[0], *start], {}, f"{name}/")
            for inner, start in zip(part.inner, starts, strict=True)
        )
        options = {"return_sequences": part.options["return_sequences"]}
        mask = inputs[0].mask if options["return_sequences"] else ""
        mode = part.options["merge_mode"]
        pair = [ahead[0].name, back[0].name]
        if mode is None:
            ordered = self._node(f"{name}:1", "order of time", pair[1:], options)[0]
            outputs = [MaskedValue(pair[0], mask), MaskedValue(ordered, mask)]
        else:
            options["merge_mode"] = mode
            outputs = [MaskedValue(self._node(name, "merge of directions", pair, options)[0], mask)]
        return [*outputs, *ahead[1:], *back[1:]]

    def _stack_of_cells(
        self, part: LayerSpec, name: str, inputs: list[MaskedValue]
    ) -> list[MaskedValue]:
        value, starts = inputs[0], inputs[1:]
        states: list[MaskedValue] = []
        for cell in part.inner:
            count = _STATES[cell.kind]
            given, starts = starts[:count], starts[count:]
            own = name if cell is part.inner[-1] else f"{name}/{cell.name}"
            value, *new = self._simple(cell, own, [value, *given], {})
            value = value._replace(mask=inputs[0].mask)
            states += new
        mask = inputs[0].mask if part.options.get("return_sequences") else ""
        return [value._replace(mask=mask), *states]


def _call_by_name(function: Callable[..., Any], names: Sequence[str], *values: Tensor) -> Any:
    """Call a function with the last values by name."""
    count = len(values) - len(names)
    return function(*values[:count], **dict(zip(names, values[count:], strict=True)))


def _call_module(layer: Module, *values: Tensor) -> Any:
    """Call a module with the last values as its weights."""
    own = [*layer.state_dict().values()]
    count = len(values) - len(own)
    given = {id(old): new for old, new in zip(own, values[count:], strict=True)}
    leaves, structure = tree_flatten(layer)
    return tree_unflatten(structure, [given.get(id(leaf), leaf) for leaf in leaves])(
        *values[:count]
    )


@cache
def _accepted(kind: str) -> frozenset[str]:
    """Return the names of the options of a layer."""
    parameters = parameters_of(LAYERS[kind].function)
    assert parameters is not None
    names = parameters.keyword_only
    if parameters.has_varkw:
        of_loops = parameters_of(scan)
        assert of_loops is not None
        names += of_loops.keyword_only
    return frozenset(names)


def _within(place: LayerScope, attribute: str) -> LayerScope:
    return place._replace(path=f"{place.path}/{attribute}")


def _declaration(name: str, config: Mapping[str, Any]) -> ValueInfo:
    shape = next(
        (config[key] for key in ("batch_shape", "batch_input_shape") if key in config), None
    )
    if shape is None and config.get("shape") is not None:
        shape = [None, *config["shape"]]
    dtype = config.get("dtype") or "float32"
    if isinstance(dtype, dict):
        dtype = dtype["config"]["name"]
    known = {"float16": "float32", "bfloat16": "float32", "float64": "float32", "int64": "int32"}
    found = as_dtype(known.get(dtype, dtype))
    if shape is None:
        return ValueInfo(name, found, None)
    if any(type(length) not in (int, type(None)) for length in shape):
        raise TypeError(f"shape {shape!r:.40}")
    return ValueInfo(name, found, tuple(shape))


def _declared(model: LayerSpec) -> list[ValueInfo]:
    """Return the inputs of a model, which one without an `InputLayer` does not declare."""
    if model.kind == "Functional":
        layers = {part.name: part for part in model.inner}
        infos = [(layers[name].info, name) for name, _, _ in model.inputs]
        return [info or ValueInfo(name, None, None) for info, name in infos]
    first = model.inner[0]
    if first.info is not None:
        return [first.info]
    if first.kind in _MODELS:
        return _declared(first)
    return [ValueInfo(f"{first.name}_input", None, None)]


def _items(tree: Any) -> Iterator[Reference | float]:
    """Iterate over the references and numbers in the arguments of a call."""
    if isinstance(tree, dict):
        if tree.get("class_name") == "__keras_tensor__":
            name, at, index = tree["config"]["keras_history"]
            yield str(name), int(at), int(index)
            return
        for key in sorted(tree):
            yield from _items(tree[key])
    elif isinstance(tree, (list, tuple)):
        if tree and tree[0] == "_CONSTANT_VALUE":
            tree = tree[2:3]
        elif _is_reference(tree):
            yield tree[0], tree[1], tree[2]
            return
        for item in tree:
            yield from _items(item)
    elif type(tree) in (int, float):
        yield tree


def _is_constant(tree: Any) -> bool:
    return isinstance(tree, list) and tree[:1] == ["_CONSTANT_VALUE"] and len(tree) > 2


def _is_reference(tree: Sequence[Any]) -> bool:
    return (
        len(tree) in (3, 4)
        and isinstance(tree[0], str)
        and type(tree[1]) is int
        and type(tree[2]) is int
    )


def _references(tree: Any) -> Iterator[Reference]:
    return (item for item in _items(tree) if isinstance(item, tuple))


def _arguments(call: Any) -> tuple[Any, dict[str, Any]]:
    """Return the positional and named arguments of one call of a layer."""
    if isinstance(call, dict) and "args" in call:
        named = dict(call.get("kwargs") or {})
        given = call["args"]
        # A layer may be called with names only.
        if not given and "inputs" in named:
            given = [named.pop("inputs")]
        return given, named
    if isinstance(call, (list, tuple)) and call and (_is_reference(call) or _is_constant(call)):
        call = [call]
    named = {}
    for item in call:
        if isinstance(item, (list, tuple)) and len(item) == 4 and isinstance(item[3], dict):
            named |= item[3]
    return [list(item[:3]) if isinstance(item, list) else item for item in call], named


def _resolved(item: Any, value_of: Any) -> Any:
    """Replace the references in a named argument by values."""
    found = [value_of(ref) for ref in _references(item)]
    if not found:
        return item
    return found[0] if len(found) == 1 else found


def _flat(item: Any) -> list[MaskedValue]:
    if isinstance(item, MaskedValue):
        return [item]
    return (
        [each for each in item if isinstance(each, MaskedValue)] if isinstance(item, list) else []
    )


def _shift(model: LayerSpec, named: bool) -> None:
    """Count the calls of models inside of a model from 0.

    Keras 2 counts from 1. Keras 3, which also names arguments, does so in `output_layers` only.
    """
    used: dict[str, int] = {}
    every = [*model.outputs]
    for part in model.inner:
        for call in part.calls:
            every += _references(call)
    for name, at, _ in every:
        used[name] = max(used.get(name, 0), at)
    models = {part.name: part for part in model.inner if part.kind in _MODELS and part.calls}
    if named:
        model.outputs = [
            (name, at - 1 if at and name in models and models[name].inputs else at, index)
            for name, at, index in model.outputs
        ]
        return
    for name, part in models.items():
        if used.get(name, 0) >= len(part.calls):
            part.calls.insert(0, ([], {}))


def _some(names: list[str]) -> str:
    """List up to eight names of layers."""
    listed = ", ".join(f'"{name}"' for name in names[:8])
    return listed + (f" and {len(names) - 8} more" if len(names) > 8 else "")
