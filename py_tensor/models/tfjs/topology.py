"""Make the graph of a layers model from the configuration of its layers.

Input: `modelTopology` of a `model.json`, as Keras 2, Keras 3 and TensorFlow.js write it, and the
constants. Output: a graph with a node per call of a layer. Models inside of models, wrappers and
cells become nodes of their own, and masks become values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...dtypes import as_dtype
from ...errors import ModelError
from ..execution import Operator
from ..graph import ModelConstant, ModelGraph, ModelNode, ValueInfo
from .layer_calls import Reference, is_constant, items, references, resolved
from .layer_specs import (
    MODELS,
    RECORDED,
    STATES,
    LayerSpec,
    Location,
    SpecReader,
    accepted,
    declared_inputs,
)
from .layers import MaskRule
from .layers.recorded import OPERATIONS
from .weight_names import match

MAX_CALLS = 20_000
"""Maximum number of nodes of a model."""


class MaskedValue(NamedTuple):
    """A value of the graph, and its mask."""

    name: str
    mask: str = ""


def read(
    document: Mapping[str, Any],
    constants: Mapping[str, ModelConstant],
    custom: Mapping[str, Callable[..., Any]],
) -> tuple[ModelGraph, dict[str, Operator]]:
    """Make the graph of a layers model, and the rows of its custom layers.

    Raises ModelError, which names the layer, if the configuration is malformed, and for all
    layers and options that are not supported.
    """
    location = Location()
    try:
        config = document.get("model_config", document)
        config = json.loads(config) if isinstance(config, str) else config
        keras3 = _is_keras3(str(document.get("keras_version", "")), json.dumps(config))
        specs = SpecReader(custom, keras3, location)
        model = specs.model(config)
        return _GraphMaker(specs, constants, keras3, location).graph(model), specs.rows
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            "load: not a valid model of Keras: configuration is malformed; got "
            f"{type(error).__name__}: {error!s:.80} in {location.text}; save the model again"
        ) from None


def _is_keras3(version: str, config: str) -> bool:
    return version.startswith("3") or (
        not version.startswith(("1", "2", "tfjs"))
        and ('"batch_shape"' in config or '"__keras_tensor__"' in config)
    )


class _Nodes:
    """Nodes of a graph, and the names of its values."""

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._nodes: list[ModelNode] = []

    def fresh(self, wanted: str) -> str:
        """Return a name that no other value has."""
        name, count = wanted, 0
        while name in self._names:
            count += 1
            name = f"{wanted}_{count}"
        self._names.add(name)
        return name

    def add(
        self,
        name: str,
        operator: str,
        inputs: Sequence[str],
        options: Mapping[str, Any] | None = None,
        results: int = 1,
    ) -> list[str]:
        """Add a node, and return the names of its results."""
        if len(self._nodes) >= MAX_CALLS:
            raise ModelError(
                f"load: model is too large; got more than {MAX_CALLS:,} calls of layers; build it "
                "of fewer layers"
            )
        first = self.fresh(name)
        outputs = [first, *(self.fresh(f"{first}:{at}") for at in range(1, results))]
        self._nodes.append(
            ModelNode(first, operator, tuple(inputs), tuple(outputs), dict(options or {}), 0)
        )
        return outputs

    def add_one(
        self,
        name: str,
        operator: str,
        inputs: Sequence[str],
        options: Mapping[str, Any] | None = None,
    ) -> str:
        """Add a node with one result, and return its name."""
        return self.add(name, operator, inputs, options)[0]

    def needed(self, outputs: Sequence[str]) -> tuple[ModelNode, ...]:
        """Return the nodes that the outputs need: the masks of some layers are not used."""
        wanted, needed = set(outputs), []
        for node in reversed(self._nodes):
            if not wanted.isdisjoint(node.outputs):
                needed.append(node)
                wanted.update(node.inputs)
        return tuple(reversed(needed))


class _BoundCall(NamedTuple):
    """Arguments of a call of a layer, in the order of its row."""

    tensors: list[MaskedValue | None]
    masks: list[str]
    options: dict[str, Any]


def _bound(
    layer: LayerSpec, name: str, inputs: list[MaskedValue], named: Mapping[str, Any]
) -> _BoundCall:
    """Assign the arguments of a call; raise ModelError for one that the layer does not have."""
    row, options = layer.row, dict(layer.options)
    assert row is not None
    tensors: list[MaskedValue | None] = [*inputs]
    masks = [value.mask for value in inputs]
    for key, item in named.items():
        values = _values(item)
        if key in row.arguments:
            first = row.arguments[key]
            tensors += [None] * (first + len(values) - len(tensors))
            tensors[first : first + len(values)] = values
        elif key == "mask":
            masks[: len(values)] = [value.name for value in values]
        elif values:
            raise ValueError(f"argument {key!r:.40}")
        elif item and key != "training":
            if key not in accepted(layer.kind):
                raise ModelError(
                    f'load: model needs what is not supported; got argument {key} of layer "'
                    f'{name}"; build the model without it'
                )
            if key not in row.ignored.split():
                options[key] = item
    if row.inputs is not None:
        if not len(inputs) <= len(tensors) <= row.inputs:
            raise ValueError(f"{len(tensors)} inputs of {layer.kind}")
        tensors += [None] * (row.inputs - len(tensors))
        known = len(masks) if named else 0
        masks = masks[:known] + [value.mask if value else "" for value in tensors[known:]]
    return _BoundCall(tensors, masks, options)


def _values(item: Any) -> list[MaskedValue]:
    """Return the values in a named argument."""
    values = item if isinstance(item, list) else [item]
    return [value for value in values if isinstance(value, MaskedValue)]


class _GraphMaker:
    """Adds the nodes of the calls of layers."""

    def __init__(
        self,
        specs: SpecReader,
        constants: Mapping[str, ModelConstant],
        keras3: bool,
        location: Location,
    ) -> None:
        self._slots = specs.slots
        self._of_file = constants
        self._weights = match(specs.slots, constants)
        """Name of the constant of each slot."""
        self._keras3 = keras3
        self._location = location
        self._nodes = _Nodes({*constants, ""})
        self._constants: dict[str, ModelConstant] = {}
        self._frozen: set[str] = set()
        self._states: dict[str, str] = {}

    def graph(self, model: LayerSpec) -> ModelGraph:
        """Return the graph of a model."""
        infos = [
            info._replace(name=self._nodes.fresh(info.name)) for info in declared_inputs(model)
        ]
        outputs: list[str] = []
        for value in self._model(model, [MaskedValue(info.name) for info in infos], ""):
            name = value.name
            if name in outputs:
                name = self._nodes.add_one(name, "Identity", [name])
            outputs.append(name)
        return ModelGraph(
            model.name,
            tuple(infos),
            tuple(ValueInfo(name, None, None) for name in outputs),
            self._nodes.needed(outputs),
            self._constants,
            frozen=frozenset(self._frozen),
            converts_inputs=True,
            states=self._states,
        )

    def _model(self, model: LayerSpec, inputs: list[MaskedValue], prefix: str) -> list[MaskedValue]:
        """Add the nodes of a model, and return its outputs."""
        if model.kind != "Functional":
            values = inputs
            for layer in model.inner:
                values = self._call(layer, values, {}, prefix)
            return values
        layers = {layer.name: layer for layer in model.inner}
        done: dict[tuple[str, int], list[MaskedValue]] = {}
        if len(inputs) != len(model.inputs):
            raise ValueError(f"{len(inputs)} inputs of {model.name!r:.40} with {len(model.inputs)}")
        for ref, value in zip(model.inputs, inputs, strict=True):
            done[ref[:2]] = [value]

        def value_of(ref: Reference) -> MaskedValue:
            return done[ref[:2]][ref.result]

        begun: set[tuple[str, int]] = set()
        stack = [(ref.layer, ref.call, False) for ref in reversed(model.outputs)]
        while stack:
            name, number, ready = stack.pop()
            if (name, number) in done:
                continue
            layer = layers[name]
            self._location.enter(f"{prefix}{name}")
            if not 0 <= number < len(layer.calls):
                raise ValueError(f"call number {number} of {len(layer.calls)}")
            call = layer.calls[number]
            if not ready:
                if (name, number) in begun:
                    raise ValueError("layers that need each other's results")
                begun.add((name, number))
                stack.append((name, number, True))
                needed = [*references(call.positional), *references(call.named)]
                stack += [(*ref[:2], False) for ref in reversed(needed) if ref[:2] not in done]
                continue
            values = [
                value_of(item) if isinstance(item, Reference) else self._number(item)
                for item in items(call.positional)
            ]
            suffix = f"_{number}" if number else ""
            named = resolved(call.named, value_of)
            done[name, number] = self._call(layer, values, named, prefix, suffix)
        return [value_of(ref) for ref in model.outputs]

    def _number(self, number: float) -> MaskedValue:
        name = self._nodes.fresh(f"number {number}")
        dtype = as_dtype("float32" if isinstance(number, float) else "int32")
        self._constants[name] = ModelConstant(name, dtype, (), [number])
        self._frozen.add(name)
        return MaskedValue(name)

    def _call(
        self,
        layer: LayerSpec,
        inputs: list[MaskedValue],
        named: Mapping[str, Any],
        prefix: str,
        suffix: str = "",
    ) -> list[MaskedValue]:
        """Add the nodes of a call of a layer, and return its results."""
        name = f"{prefix}{layer.name}{suffix}"
        self._location.enter(name)
        if layer.kind == "InputLayer":
            return inputs
        if layer.kind in MODELS:
            return self._model(layer, inputs, f"{name}/")
        if layer.kind == "TimeDistributed":
            return self._time_distributed(layer, name, inputs)
        if layer.kind in ("Bidirectional", "RNN"):
            inputs = [*inputs, *_values(named.get("initial_state"))]
            if isinstance(named.get("mask"), MaskedValue):
                inputs[0] = inputs[0]._replace(mask=named["mask"].name)
            run = self._both_directions if layer.kind == "Bidirectional" else self._stack_of_cells
            return run(layer, name, inputs)
        if layer.kind in RECORDED:
            return self._recorded(layer, name, inputs, named)
        return self._simple(layer, name, inputs, named)

    def _recorded(
        self, layer: LayerSpec, name: str, inputs: list[MaskedValue], named: Mapping[str, Any]
    ) -> list[MaskedValue]:
        """Add an operation of TensorFlow, whose arguments are those of a function in Python."""
        function = layer.options["function"]
        first = OPERATIONS[function].parameters[0]
        names = [f"{first}*" if first == "values" else first] * len(inputs)
        values, options = [*inputs], {}
        for key, item in named.items():
            if is_constant(item):
                options[key] = item[2]
            elif isinstance(item, MaskedValue):
                names.append(key)
                values.append(item)
            elif item is not None and key != "name":
                options[key] = item
        attributes = {"function": function, "names": names, "options": options}
        tensors = [value.name for value in values]
        return [MaskedValue(self._nodes.add_one(name, "recorded operation", tensors, attributes))]

    def _simple(
        self, layer: LayerSpec, name: str, inputs: list[MaskedValue], named: Mapping[str, Any]
    ) -> list[MaskedValue]:
        """Add the node of a call of a layer that has a row, and nodes for its mask."""
        assert layer.row is not None
        tensors, masks, options = _bound(layer, name, inputs, named)
        names = [value.name if value else "" for value in tensors]
        weights = [self._weight(slot) for slot in layer.slots]
        results = 1
        stateful = bool(options.get("stateful")) and not any(tensors[len(inputs) :])
        if stateful:
            names[1:] = [self._nodes.fresh(f"{name}/state") for _ in names[1:]]
        if stateful or options.get("return_state"):
            results += STATES[layer.kind]
            options["return_state"] = True
        results += bool(options.get("return_attention_scores"))
        operator, count = layer.kind, layer.row.masks
        if operator == "Multiply" and self._keras3 and any(masks):
            operator, count = "product of masked", len(masks)
        read = [*names, *weights, *masks[:count]]
        outputs = self._nodes.add(name, operator, read, options, results)
        mask = self._mask(layer, name, names, masks)
        if stateful:
            self._states.update(zip(names[1:], outputs[1:], strict=True))
            outputs = outputs if layer.options.get("return_state") else outputs[:1]
        values = [MaskedValue(outputs[0], mask), *map(MaskedValue, outputs[1:])]
        if layer.after is not None:
            return self._simple(layer.after, f"{name}/activation", values, {})
        return values

    def _weight(self, slot: int | None) -> str:
        if slot is None:
            return ""
        name = self._weights[slot]
        self._constants[name] = self._of_file[name]
        if not self._slots[slot].trained:
            self._frozen.add(name)
        return name

    def _mask(self, layer: LayerSpec, name: str, inputs: list[str], masks: list[str]) -> str:
        """Return the name of the mask of a layer's result, "" for none."""
        assert layer.row is not None
        rule, options = layer.row.mask, layer.options
        present = [mask for mask in masks if mask]
        name = f"{name}/mask"
        match rule:
            case MaskRule.SAME:
                return masks[0] if masks else ""
            case MaskRule.SEQUENCES:
                return masks[0] if masks and options.get("return_sequences") else ""
            case MaskRule.MERGE:
                if not present or (self._keras3 and len(present) < len(masks)):
                    return ""
                if len(set(present)) == 1:
                    return present[0]
                operator = "any mask" if self._keras3 else "every mask"
                return self._nodes.add_one(name, operator, present)
            case MaskRule.CONCATENATE if present:
                joined = {"axis": options.get("axis", -1), "every": not self._keras3}
                return self._nodes.add_one(name, rule.value, [*inputs, *masks], joined)
            case MaskRule.EMBEDDING if options.get("mask_zero"):
                return self._nodes.add_one(name, rule.value, inputs[:1])
            case MaskRule.MASKING:
                kept = {key: options[key] for key in ("mask_value",) if key in options}
                return self._nodes.add_one(name, rule.value, inputs[:1], kept)
        return ""

    def _time_distributed(
        self, layer: LayerSpec, name: str, inputs: list[MaskedValue]
    ) -> list[MaskedValue]:
        [sequence] = inputs
        folded = self._nodes.add_one(f"{name}/steps", "time steps to batch", [sequence.name])
        results = self._call(layer.inner[0], [MaskedValue(folded)], {}, f"{name}/")
        names = [name, *(f"{name}:{at}" for at in range(1, len(results)))]
        unfolded = [
            self._nodes.add_one(wanted, "batch to time steps", [value.name, sequence.name])
            for wanted, value in zip(names, results, strict=True)
        ]
        return [MaskedValue(result, sequence.mask) for result in unfolded]

    def _both_directions(
        self, layer: LayerSpec, name: str, inputs: list[MaskedValue]
    ) -> list[MaskedValue]:
        half = (len(inputs) - 1) // 2
        starts = (inputs[1 : 1 + half], inputs[1 + half :])
        ahead, back = (
            self._call(inner, [inputs[0], *start], {}, f"{name}/")
            for inner, start in zip(layer.inner, starts, strict=True)
        )
        options = {"return_sequences": layer.options["return_sequences"]}
        mask = inputs[0].mask if options["return_sequences"] else ""
        mode = layer.options["merge_mode"]
        pair = [ahead[0].name, back[0].name]
        if mode is None:
            names = [pair[0], self._nodes.add_one(f"{name}:1", "order of time", pair[1:], options)]
        else:
            options["merge_mode"] = mode
            names = [self._nodes.add_one(name, "merge of directions", pair, options)]
        return [*(MaskedValue(output, mask) for output in names), *ahead[1:], *back[1:]]

    def _stack_of_cells(
        self, layer: LayerSpec, name: str, inputs: list[MaskedValue]
    ) -> list[MaskedValue]:
        value, starts = inputs[0], inputs[1:]
        states: list[MaskedValue] = []
        for cell in layer.inner:
            count = STATES[cell.kind]
            start, starts = starts[:count], starts[count:]
            own = name if cell is layer.inner[-1] else f"{name}/{cell.name}"
            value, *new = self._simple(cell, own, [value, *start], {})
            value = value._replace(mask=inputs[0].mask)
            states += new
        mask = inputs[0].mask if layer.options.get("return_sequences") else ""
        return [value._replace(mask=mask), *states]
