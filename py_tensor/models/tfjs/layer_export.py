"""Describe modules of `pt.nn` as layers of TensorFlow.js.

Input: a module and the specs of its inputs. Output: the topology of a layers model, and its weights
by name. Each module has a row that names TensorFlow.js's layer, its options and its weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ... import functions as F, nn
from ...errors import TensorError
from ...ir.pytree import tree_leaves
from ...nn.module import Module
from ...tensor import Tensor
from ...transforms.jacobians import eval_shape
from ...transforms.jit.precompile import ShapeDtype
from ..execution import EMPTY


class NoLayer(Exception):
    """A module is not a layer that TensorFlow.js has; the text names it."""


class SavedLayer(NamedTuple):
    """A layer of TensorFlow.js: its class, options, and weights by the name that it gives them."""

    kind: str
    options: dict[str, Any]
    weights: Mapping[str, Tensor | None] = EMPTY


class LayerValue(NamedTuple):
    """A result of a layer: the layer's name, the number of the call, and the shape."""

    layer: str
    call: int
    spec: ShapeDtype


_ACTIVATIONS = {
    id(getattr(nn, name, None) or getattr(F, name)): other
    for name, other in {
        **{name: name for name in ("elu", "relu", "relu6", "selu", "sigmoid", "softmax")},
        **{name: name for name in ("softplus", "softsign", "tanh")},
        "log_softmax": "logSoftmax",
        "silu": "swish",
    }.items()
}
"""TensorFlow.js's names of activations by the identity of the function."""


def _activation(module: nn.Activation, spec: ShapeDtype) -> list[SavedLayer]:
    function = module.function
    name = _ACTIVATIONS.get(id(function))
    if name is None:
        raise NoLayer(f"Activation of {getattr(function, '__name__', function)!s:.40}")
    return [SavedLayer("Activation", {"activation": name})]


def _dense(module: nn.Dense, spec: ShapeDtype) -> list[SavedLayer]:
    options = {"units": module.outputs, "use_bias": module.bias is not None}
    return [SavedLayer("Dense", options, {"kernel": module.weight, "bias": module.bias})]


def _embedding(module: nn.Embedding, spec: ShapeDtype) -> list[SavedLayer]:
    options = {"input_dim": module.rows, "output_dim": module.features}
    return [SavedLayer("Embedding", options, {"embeddings": module.weight})]


def _windows(module: Any, size: str) -> tuple[list[SavedLayer], dict[str, Any]]:
    """Return the layers before a layer of windows, and its options."""
    before: list[SavedLayer] = []
    padding, count = module.padding, module.count
    if not isinstance(padding, str):
        if any(map(any, padding)):
            if count > 2 or size == "pool_size":
                raise NoLayer(f"{type(module).__name__} with padding {padding}")
            before.append(_padding(padding))
        padding = "valid"
    options = {size: [*module.size], "strides": [*module.stride], "padding": padding}
    if size == "kernel_size":
        options["dilation_rate"] = [*module.dilation]
    elif max(module.dilation) > 1:
        raise NoLayer(f"{type(module).__name__} with dilation {module.dilation}")
    return before, options


def _padding(widths: Sequence[Sequence[int]]) -> SavedLayer:
    if len(widths) == 1:
        # TensorFlow.js has no layer for one axis.
        raise NoLayer(f"padding {tuple(widths)} of one axis")
    return SavedLayer("ZeroPadding2D", {"padding": [[*pair] for pair in widths]})


def _convolution(module: Any, spec: ShapeDtype) -> list[SavedLayer]:
    if module.groups > 1:
        raise NoLayer(f"{type(module).__name__} with {module.groups} groups")
    before, options = _windows(module, "kernel_size")
    options |= {"filters": module.outputs, "use_bias": module.bias is not None}
    weights = {"kernel": module.weight, "bias": module.bias}
    return [*before, SavedLayer(type(module).__name__, options, weights)]


def _depthwise(module: nn.DepthwiseConv2D, spec: ShapeDtype) -> list[SavedLayer]:
    before, options = _windows(module, "kernel_size")
    options |= {"depth_multiplier": module.weight.shape[-1], "use_bias": module.bias is not None}
    weights = {"depthwise_kernel": module.weight, "bias": module.bias}
    return [*before, SavedLayer("DepthwiseConv2D", options, weights)]


def _pool(module: Any, spec: ShapeDtype) -> list[SavedLayer]:
    name = type(module).__name__.replace("MaxPool", "MaxPooling").replace("AvgPool", "AveragePool")
    before, options = _windows(module, "pool_size")
    if "Average" in name and options["padding"] == "same":
        raise NoLayer(f"{type(module).__name__} with padding 'same'")
    return [*before, SavedLayer(name.replace("AveragePool", "AveragePooling"), options)]


def _global_pool(module: Any, spec: ShapeDtype) -> list[SavedLayer]:
    count = len(spec.shape) - 2
    if count not in (1, 2):
        raise NoLayer(f"{type(module).__name__} of {count} axes")
    name = "GlobalMaxPooling" if "Max" in type(module).__name__ else "GlobalAveragePooling"
    return [SavedLayer(f"{name}{count}D", {})]


def _batch_norm(module: nn.BatchNorm, spec: ShapeDtype) -> list[SavedLayer]:
    weights = {
        "gamma": module.scale,
        "beta": module.offset,
        "moving_mean": module.mean,
        "moving_variance": module.variance,
    }
    options = {
        "axis": len(spec.shape) - 1,
        "epsilon": module.epsilon,
        "momentum": module.momentum,
        "scale": module.scale is not None,
        "center": module.offset is not None,
    }
    return [SavedLayer("BatchNormalization", options, weights)]


def _layer_norm(module: nn.LayerNorm, spec: ShapeDtype) -> list[SavedLayer]:
    if module.scale is None or module.offset is None:
        raise NoLayer("LayerNorm without scale and offset")
    rank = len(spec.shape)
    axes = [*range(rank - len(module.shape), rank)]
    weights = {"gamma": module.scale, "beta": module.offset}
    return [SavedLayer("LayerNormalization", {"axis": axes, "epsilon": module.epsilon}, weights)]


def _prelu(module: nn.PReLU, spec: ShapeDtype) -> list[SavedLayer]:
    shared = [*range(1, len(spec.shape) - 1)]
    alpha = module.alpha.reshape((*(1 for _ in shared), module.channels))
    return [SavedLayer("PReLU", {"shared_axes": shared or None}, {"alpha": alpha})]


def _lstm(module: nn.LSTM, spec: ShapeDtype) -> list[SavedLayer]:
    if module.upper or module.last_state is not None or module.go_backwards:
        raise NoLayer("LSTM of several layers, with kept states or backwards")
    options = {
        "units": module.units,
        "activation": "tanh",
        "recurrent_activation": "sigmoid",
        "return_sequences": module.return_sequences,
    }
    weights: dict[str, Tensor | None] = {
        "kernel": module.weight,
        "recurrent_kernel": module.recurrent_weight,
        "bias": module.bias,
    }
    return [SavedLayer("LSTM", options, weights)]


def _upsample(module: nn.Upsample, spec: ShapeDtype) -> list[SavedLayer]:
    if module.method != "nearest":
        raise NoLayer(f"Upsample by {module.method}")
    return [SavedLayer("UpSampling2D", {"size": [*module.factor], "interpolation": "nearest"})]


def _cropping(module: nn.Cropping2D, spec: ShapeDtype) -> list[SavedLayer]:
    return [SavedLayer("Cropping2D", {"cropping": [[*pair] for pair in module.widths]})]


def _merge(kind: str) -> Callable[[Any, ShapeDtype], list[SavedLayer]]:
    return lambda module, spec: [SavedLayer(kind, {})]


_ROWS: dict[type[Any], Callable[[Any, ShapeDtype], list[SavedLayer]]] = {
    nn.Activation: _activation,
    nn.Add: _merge("Add"),
    nn.Average: _merge("Average"),
    nn.AvgPool1D: _pool,
    nn.AvgPool2D: _pool,
    nn.AvgPool3D: _pool,
    nn.BatchNorm: _batch_norm,
    nn.Concatenate: lambda module, spec: [SavedLayer("Concatenate", {"axis": module.axis})],
    nn.Conv1D: _convolution,
    nn.Conv2D: _convolution,
    nn.Conv3D: _convolution,
    nn.Cropping2D: _cropping,
    nn.Dense: _dense,
    nn.DepthwiseConv2D: _depthwise,
    nn.Dropout: lambda module, spec: [SavedLayer("Dropout", {"rate": module.rate})],
    nn.Embedding: _embedding,
    nn.Flatten: _merge("Flatten"),
    nn.GlobalAvgPool: _global_pool,
    nn.GlobalMaxPool: _global_pool,
    nn.LSTM: _lstm,
    nn.LayerNorm: _layer_norm,
    nn.MaxPool1D: _pool,
    nn.MaxPool2D: _pool,
    nn.MaxPool3D: _pool,
    nn.Maximum: _merge("Maximum"),
    nn.Minimum: _merge("Minimum"),
    nn.Multiply: _merge("Multiply"),
    nn.PReLU: _prelu,
    nn.Reshape: lambda module, spec: [SavedLayer("Reshape", {"target_shape": [*module.shape]})],
    nn.Upsample: _upsample,
    nn.ZeroPadding2D: lambda module, spec: [_padding(module.widths)],
}
"""Function of a module and of the spec of its input that returns its layers, by class."""


class LayerWriter:
    """Collects the layers of a functional model of TensorFlow.js."""

    def __init__(self) -> None:
        self._layers: list[dict[str, Any]] = []
        self._made: dict[int, list[dict[str, Any]]] = {}
        self._modules: list[Module] = []
        self.weights: dict[str, Tensor] = {}

    def input(self, name: str, spec: ShapeDtype) -> LayerValue:
        """Declare an input, whose first axis is open."""
        dtype = "int32" if spec.dtype.kind in "iu" else "float32"
        config = {
            "batch_input_shape": [None, *spec.shape[1:]],
            "dtype": dtype,
            "sparse": False,
            "name": name,
        }
        layer = {"class_name": "InputLayer", "config": config, "name": name, "inbound_nodes": []}
        self._layers.append(layer)
        return LayerValue(name, 0, spec)

    def call(self, module: Module, values: list[LayerValue]) -> LayerValue:
        """Add the call of a module; raise NoLayer if it has no row."""
        if type(module) is nn.Sequential:
            for inner in module.layers:
                values = [self.call(inner, values)]
            return values[0]
        if type(module) is nn.Model:
            return self._functional(module, values)
        row = _ROWS.get(type(module))
        if row is None:
            raise NoLayer(type(module).__name__)
        specs = [value.spec for value in values]
        spec = _result(module, specs)
        if id(module) not in self._made:
            # A module of the list lives, so that no other one gets its identity.
            self._modules.append(module)
            # TensorFlow.js trains all weights of a layer or none.
            trained = not module.frozen or bool(list(module.parameters()))
            layers = row(module, specs[0])
            self._made[id(module)] = [self._layer(layer, trained) for layer in layers]
        for layer in self._made[id(module)]:
            calls = layer["inbound_nodes"]
            calls.append([[value.layer, value.call, 0, {}] for value in values])
            values = [LayerValue(layer["name"], len(calls) - 1, spec)]
        return values[0]

    def _functional(self, model: nn.Model, values: list[LayerValue]) -> LayerValue:
        values = [*values]
        for step in model.steps:
            if step.kwargs or not all(known for known, _ in step.sources):
                raise NoLayer(f"call of {type(model.layers[step.layer]).__name__} with options")
            inputs = [values[at] for _, at in step.sources]
            values.append(self.call(model.layers[step.layer], inputs))
        _, places = model.outputs
        if len(places) != 1:
            raise NoLayer("Model with several outputs inside of another one")
        return values[places[0]]

    def _layer(self, layer: SavedLayer, trained: bool) -> dict[str, Any]:
        name = f"{layer.kind.lower()}_{len(self._layers)}"
        for key, tensor in layer.weights.items():
            if tensor is not None:
                self.weights[f"{name}/{key}"] = tensor.astype("float32")
        made: dict[str, Any] = {
            "class_name": layer.kind,
            "config": {"name": name, "trainable": trained, **layer.options},
            "name": name,
            "inbound_nodes": [],
        }
        self._layers.append(made)
        return made

    def topology(
        self, name: str, inputs: list[LayerValue], outputs: list[LayerValue]
    ) -> dict[str, Any]:
        """Return the description of the model."""
        ends = ([[value.layer, value.call, 0] for value in values] for values in (inputs, outputs))
        starts, results = ends
        config = {
            "name": name,
            "layers": self._layers,
            "input_layers": starts,
            "output_layers": results,
        }
        return {
            "class_name": "Model",
            "config": config,
            "keras_version": "tfjs-layers 4.22.0",
            "backend": "tensor_flow.js",
        }


def _result(module: Module, specs: list[ShapeDtype]) -> ShapeDtype:
    """Return the spec of a module's result, without the states of a recurrent layer."""
    try:
        result = eval_shape(module, specs[0] if len(specs) == 1 else specs)
    except TensorError as error:
        raise NoLayer(f"{type(module).__name__}: {error}") from None
    leaves = tree_leaves(result)
    if len(leaves) > 1 and not getattr(module, "return_state", False):
        raise NoLayer(f"{type(module).__name__} with several results")
    spec: ShapeDtype = leaves[0]
    return spec
