"""Save models for TensorFlow.js: as layers if TensorFlow.js has them, otherwise as a graph.

Input: a module or a function, and example inputs. Output: the files of a model. Graphs are those of
the export as ONNX, whose nodes become nodes of TensorFlow by their rows in `graph_rows`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import nn
from ...errors import ArgumentError, ModelError
from ...functions.arguments import choice, function_of
from ...io.element_formats import TRUTH
from ...ir.pytree import tree_leaves
from ...nn.module import Module
from ...tensor import Tensor, as_tensor as tensor_of, realize
from ...transforms.jit.precompile import ShapeDtype
from ..onnx.export import to_onnx
from .graph_rows import GraphWriter
from .layer_export import LayerWriter, NoLayer

WEIGHTS = "weights.bin"
GENERATED_BY = "py_tensor"


def to_tfjs(
    function: Callable[..., Any],
    *examples: Any,
    format: str | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    open_batch: bool = False,
) -> dict[str, bytes]:
    """Export a module or a function of tensors as the files of a model of TensorFlow.js.

    A module that is made of layers that TensorFlow.js has, in `pt.nn.Sequential` or `pt.nn.Model`,
    becomes a layers model, which `tf.loadLayersModel` reads and can train, for batches of any
    length. Everything else becomes a graph model for `tf.loadGraphModel`, as `to_onnx` describes:
    the function is traced for the shapes of the examples.

    Args:
        function: Module of `pt.nn`, function of tensors, or a `Model`.
        examples: Positional arguments: tensors, array-likes, `pt.ShapeDtype`, or, for graphs, trees
            of them.
        format: "layers" or "graph"; None (default) for layers if TensorFlow.js has all of them.
        input_names: Names of the inputs; None (default) for the parameters' names.
        output_names: Names of the outputs of a graph; None (default) as for `to_onnx`.
        open_batch: Let calls decide the length of the first axis of all inputs of a graph. Default
            False; layers models always do.

    Returns:
        Dict of the bytes of "model.json" and "weights.bin", which `load` reads, too.

    Raises:
        ModelError: If the function uses operations that cannot be exported, or, for "layers", if
            TensorFlow.js lacks a layer; the error names them.
        ArgumentError: If the format is unknown, or the numbers of names and values differ.
        TraceError: If the function reads the value of an input.

    >>> import json
    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(3, 4), pt.relu, pt.nn.Dense(4, 2))
    >>> files = pt.models.to_tfjs(model, pt.ShapeDtype((1, 3)))
    >>> sorted(files), json.loads(files["model.json"])["format"]
    (['model.json', 'weights.bin'], 'layers-model')
    >>> files = pt.models.to_tfjs(lambda x: pt.relu(x) + 1.0, pt.ShapeDtype((2, 3)))
    >>> json.loads(files["model.json"])["format"]
    'graph-model'
    """
    function_of("to_tfjs", "function", function)
    if format is not None:
        choice("to_tfjs", "format", format, ("layers", "graph"))
    if format != "graph":
        try:
            return _layers(function, examples, input_names)
        except NoLayer as error:
            if format == "layers":
                raise ModelError(
                    f"to_tfjs: TensorFlow.js has no layer for a part of the model; got {error}; "
                    'pass format="graph"'
                ) from None
    data = to_onnx(
        function,
        *examples,
        input_names=input_names,
        output_names=output_names,
        open_batch=open_batch,
    )
    writer = GraphWriter(data)
    topology = {"node": writer.nodes, "library": {}, "versions": {"producer": 1}}
    head = {"format": "graph-model", "signature": writer.signature, "modelTopology": topology}
    return _files(head, writer.weights)


def _layers(
    function: Any, examples: tuple[Any, ...], input_names: Sequence[str] | None
) -> dict[str, bytes]:
    """Return the files of a layers model; raise NoLayer if the function is none."""
    if type(function) not in (nn.Sequential, nn.Model):
        raise NoLayer(type(function).__name__)
    assert isinstance(function, Module)
    specs = []
    for example in tree_leaves(list(examples)):
        if not isinstance(example, ShapeDtype):
            tensor = tensor_of("to_tfjs", example)
            example = ShapeDtype(tensor.shape, tensor.dtype)
        if not example.shape:
            raise NoLayer("an input without a batch axis")
        specs.append(example)
    names = [f"input_{at + 1}" for at in range(len(specs))]
    if input_names is not None:
        names = [*input_names]
    if len(names) != len(specs) or len(set(names)) < len(names):
        raise ArgumentError(
            f"to_tfjs: input_names must be one text for each; got {names} for {len(specs)} "
            "inputs; pass different names"
        )
    writer = LayerWriter()
    starts = [writer.input(name, spec) for name, spec in zip(names, specs, strict=True)]
    end = writer.call(function, starts)
    topology = writer.topology(type(function).__name__.lower(), starts, [end])
    return _files({"format": "layers-model", "modelTopology": topology}, writer.weights)


def _files(head: Mapping[str, Any], weights: Mapping[str, Tensor]) -> dict[str, bytes]:
    """Return the files of a model."""
    realize(*weights.values())
    specs, parts = [], []
    for name, tensor in weights.items():
        data = bytes(tensor._bytes("to_tfjs"))
        if tensor.dtype.kind == "b":
            data = data.translate(TRUTH)
        specs.append({"name": name, "shape": [*tensor.shape], "dtype": tensor.dtype.name})
        parts.append(data)
    document = {
        **head,
        "generatedBy": GENERATED_BY,
        "convertedBy": None,
        "weightsManifest": [{"paths": [WEIGHTS], "weights": specs}],
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return {"model.json": text.encode(), WEIGHTS: b"".join(parts)}
