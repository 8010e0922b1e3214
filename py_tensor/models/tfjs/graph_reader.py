"""Read TensorFlow.js graph models: a GraphDef of TensorFlow as JSON.

Input: a decoded `model.json` and its weights. Output: a `ModelGraph`. Values have TensorFlow's
names ("node", and "node:1" for further results), except that the outputs have the names of the
signature.
Source: https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/framework, files
graph.proto, node_def.proto and function.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...errors import ModelError
from ..execution import Operator, operator_parameters
from ..graph import ModelConstant, ModelGraph, ModelNode, ValueInfo
from . import attributes
from .attributes import (
    DTYPES,
    FunctionName,
    Type,
    decoded,
    integer,
    malformed,
    shape_of,
    type_of,
)
from .control_flow import Definition, Region, node_of, ordered, producers_of, resolved, rewrite

DEPTH = 30
NESTED_NODES = 200_000
"""Maximum depth of calls of the file's functions, and maximum number of nodes in all of them."""
_RESULTS = {
    "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3": "y batch_mean batch_variance",
    "ListDiff": "out idx",
    "MaxPoolWithArgmax": "output argmax",
    "Merge": "output value_index",
    "NonMaxSuppressionV4": "selected_indices valid_outputs",
    "NonMaxSuppressionV5": "selected_indices selected_scores valid_outputs",
    "RaggedRange": "rt_nested_splits rt_dense_values",
    "SparseFillEmptyRows": "output_indices output_values empty_row_indicator reverse_index_map",
    "SparseReshape": "output_indices output_shape",
    "StringNGrams": "ngrams ngrams_splits",
    "StringSplit": "indices values shape",
    "Switch": "output_false output_true",
    "TensorArrayConcatV3": "value lengths",
    "TensorArrayV3": "handle flow",
    "TensorListConcat TensorListConcatV2": "tensor lengths",
    "TensorListPopBack": "output_handle tensor",
    "TopKV2": "values indices",
    "Unique UniqueV2": "y idx",
}
RESULTS = {
    name: tuple(results.split()) for names, results in _RESULTS.items() for name in names.split()
}
"""Names of the results of operators with several different ones; functions refer to them."""
IGNORED = frozenset({
    "N", "PARAMS_RAGGED_RANK", "Truncate", "allowed_shapes", "bad_indices_policy",
    "clear_after_read", "config", "config_proto", "container", "debug_name", "dynamic_size",
    "executor_type", "exponential_avg_factor", "grad_a", "grad_b", "grad_x", "grad_y",
    "host_memory", "identical_element_shapes", "incompatible_shape_error", "is_stateless",
    "message", "num", "num_args", "num_host_args", "num_original_outputs",
    "num_row_partition_tensors", "output_shapes", "parallel_iterations",
    "resize_if_index_out_of_bounds", "seed", "seed2", "shared_name", "sorted", "sparse_gradient",
    "stable", "summarize", "tensor_array_name", "use_cudnn_on_gpu", "use_node_name_sharing",
    "validate_indices",
})  # fmt: skip
"""Attributes that do not change results. Those with "_" in front and most types do not, either."""
_WITHOUT_RESULTS = ("NoOp", "Assert", "Const", "PrintV2")
_TABLES = ("HashTable", "HashTableV2")
_IMPORTS = (*("InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2"),)
"""Operators that make a table, and operators on a table, its keys and its values."""


def read(
    document: Mapping[str, Any], constants: dict[str, ModelConstant], table: Mapping[str, Operator]
) -> ModelGraph:
    """Return the graph of a decoded file, given its weights by name."""
    topology = document["modelTopology"]
    functions = {}
    for function in _list(_dict(topology, "library"), "function"):
        functions[str(_dict(function, "signature").get("name"))] = function
    reader = _GraphReader(functions, constants, table)
    definitions = reader.definitions(_list(topology, "node"))
    signature = _dict(document, "signature") or _dict(
        _dict(document, "userDefinedMetadata"), "signature"
    )
    initializer = reader.definitions(_list(_dict(document, "modelInitializer"), "node"))
    tables = _tables(initializer, _dict(document, "initializerSignature"))
    _add_tables(definitions, signature, initializer, tables)
    inputs = _inputs(_dict(signature, "inputs"), definitions)
    outputs = _outputs(_dict(signature, "outputs"), definitions)
    try:
        return reader.graph("", definitions, inputs, outputs)
    except RecursionError:
        raise malformed("conditions are nested too deeply", "more than Python's stack") from None


class _Scope(NamedTuple):
    """State of the graph whose nodes are converted."""

    substitutes: dict[str, str]
    constants: dict[str, ModelConstant]
    """Constants that the nodes read, which are collected here."""
    depth: int
    """Number of calls and regions around the graph."""


class _GraphReader:
    """Converts lists of nodes to graphs."""

    def __init__(
        self,
        functions: dict[str, Any],
        constants: dict[str, ModelConstant],
        table: Mapping[str, Operator],
    ) -> None:
        self._functions, self._weights, self._table = functions, constants, table
        self._nested = self._deepest = 0
        self._graphs: dict[str, tuple[ModelGraph, int, int]] = {}
        """Graphs of functions, with their numbers of nodes and depths of calls."""

    def definitions(self, nodes: list[Any]) -> dict[str, Definition]:
        """Decode the nodes of a graph or of a function."""
        definitions: dict[str, Definition] = {}
        for node in nodes:
            if not isinstance(node, dict) or not all(
                isinstance(node.get(key), str) for key in ("name", "op")
            ):
                raise malformed("node lacks its name or operator", f"{node!r:.80}")
            name, operator = node["name"], node["op"]
            if name in definitions:
                raise malformed("node occurs twice", repr(name))
            inputs = _list(node, "input")
            if not all(isinstance(text, str) for text in inputs):
                raise malformed("inputs of a node must be texts", f'node "{name}" ({operator})')
            attributes = {}
            for key, value in _dict(node, "attr").items():
                # The values of constants are decoded if the graph needs them.
                owner = f'attribute "{key}" of node "{name}"'
                kept = operator == "Const" and key == "value"
                attributes[key] = value if kept else decoded(value, owner)
            definitions[name] = Definition(
                name,
                operator,
                [text for text in inputs if not text.startswith("^")],
                controls=[text[1:] for text in inputs if text.startswith("^")],
                attributes=attributes,
            )
        for definition in definitions.values():
            definition.inputs = [_plain(name, definitions) for name in definition.inputs]
        return definitions

    def graph(
        self,
        name: str,
        definitions: dict[str, Definition],
        inputs: dict[str, ValueInfo],
        outputs: list[tuple[ValueInfo, str]],
        depth: int = 0,
    ) -> ModelGraph:
        """Make a graph with inputs by the names of their nodes, and outputs with their values."""
        substitutes: dict[str, str] = {}
        rewrite(definitions, substitutes)
        for node_name in inputs:
            definitions.pop(node_name, None)
        wanted = [resolved(value, substitutes) for _, value in outputs]
        order = ordered(producers_of(definitions), wanted, substitutes, inputs)
        # Inputs that a signature does not declare count if they are needed.
        more = {
            placeholder.name: placeholder
            for placeholder in order
            if placeholder.operator == "Placeholder"
        }
        inputs = inputs | {name: _info(name, {}, node) for name, node in more.items()}
        order = [placeholder for placeholder in order if placeholder.name not in more]
        constants: dict[str, ModelConstant] = {}
        nodes = self._nodes(order, wanted, _Scope(substitutes, constants, depth))
        nodes, infos, aliases = _named(nodes, outputs, wanted, {*inputs, *constants})
        for node in nodes:
            if node.outputs[:1] == (node.name,):
                aliases[f"{node.name}:0"] = node.name
        for own, info in inputs.items():
            for alias in (own, f"{own}:0"):
                if alias != info.name:
                    aliases[alias] = info.name
        renamed = {own: info.name for own, info in inputs.items() if own != info.name}
        if renamed:
            nodes = tuple(_with_inputs(node, renamed) for node in nodes)
        return ModelGraph(name, tuple(inputs.values()), infos, nodes, constants, aliases)

    def _nodes(
        self, order: list[Definition], wanted: list[str], scope: _Scope
    ) -> tuple[ModelNode, ...]:
        """Convert definitions in the order in which they run; those of constants are collected."""
        substitutes = scope.substitutes
        self._count(len(order) if scope.depth else 0, scope.depth)
        used: dict[str, int] = {}
        needs = [definition.needs(substitutes) for definition in order]
        for value in [*wanted, *(value for values in needs for value in values)]:
            name, _, at = value.partition(":")
            used[name] = max(used.get(name, 0), int(at or 0))
        nodes = []
        for definition in order:
            name, operator = definition.name, definition.operator
            if operator == "Const":
                constant = self._constant(definition)
                if constant is not None:
                    scope.constants[name] = constant
                    continue
                operator = f"Const of {_type(definition.attributes.get('dtype'))}"
            row = self._table.get(operator)
            if row is not None and not row.texts and _has_texts(definition.attributes.values()):
                operator = f"{operator} of DT_STRING"
            inputs = tuple(resolved(value, substitutes) for value in definition.inputs)
            results = definition.outputs
            if results is None:
                count = used.get(name, 0)
                results = (name, *(f"{name}:{at}" for at in range(1, count + 1)))
            options = self._attributes(definition, scope)
            nodes.append(ModelNode(name, operator, inputs, results, options, 0))
        return tuple(nodes)

    def _count(self, nodes: int, depth: int) -> None:
        """Count nodes of functions and regions at a depth of calls and regions."""
        self._nested += nodes
        self._deepest = max(self._deepest, depth)
        if depth > DEPTH or self._nested > NESTED_NODES:
            raise ModelError(
                "load: graphs are nested too deeply, or functions call each other too often; got "
                f"depth {depth} of at most {DEPTH} and {self._nested:,} nodes of at most "
                f"{NESTED_NODES:,}; save the model without functions"
            )

    def _attributes(self, definition: Definition, scope: _Scope) -> dict[str, Any]:
        row = self._table.get(definition.operator)
        parameters = None if row is None else operator_parameters(row)
        options: dict[str, Any] = {}
        for key, value in definition.attributes.items():
            accepted = parameters is not None and parameters.accepts_keyword(key)
            if isinstance(value, Region):
                options[key] = self._region(value, scope)
            elif isinstance(value, FunctionName):
                if accepted:
                    options[key] = self._function(value.name, scope.depth + 1)
            elif accepted or not _ignorable(key, value):
                options[key] = value
        return options

    def _region(self, region: Region, around: _Scope) -> ModelGraph:
        """Return the graph of nodes that may read the values of the graph around them."""
        outputs = [resolved(name, around.substitutes) for name in region.outputs]
        order = ordered(region.producers, outputs, around.substitutes, region.inputs)
        scope = _Scope(around.substitutes, {}, around.depth + 1)
        nodes = self._nodes(order, outputs, scope)
        starts, ends = (
            tuple(ValueInfo(name, None, None) for name in names)
            for names in (region.inputs, outputs)
        )
        return ModelGraph("", starts, ends, nodes, scope.constants)

    def _function(self, name: str, depth: int) -> ModelGraph:
        """Return the graph of a function for one call."""
        if name not in self._functions:
            raise malformed("function is missing", f"{name!r:.80}")
        if name in self._graphs:
            graph, nodes, height = self._graphs[name]
            self._count(nodes, depth + height)
            return graph
        self._count(0, depth)
        nodes, deepest, self._deepest = self._nested, self._deepest, depth
        graph = self._function_graph(name, depth)
        self._graphs[name] = graph, self._nested - nodes, self._deepest - depth
        self._deepest = max(deepest, self._deepest)
        return graph

    def _function_graph(self, name: str, depth: int) -> ModelGraph:
        function = self._functions[name]
        signature, returned = _dict(function, "signature"), _dict(function, "ret")
        definitions = self.definitions(_list(function, "nodeDef") or _list(function, "node_def"))
        inputs = {}
        for argument in _list(signature, "inputArg") or _list(signature, "input_arg"):
            own = str(argument.get("name") if isinstance(argument, dict) else "")
            inputs[own] = ValueInfo(own, None, None)
        outputs = []
        for argument in _list(signature, "outputArg") or _list(signature, "output_arg"):
            own = str(argument.get("name") if isinstance(argument, dict) else "")
            value = _plain(str(returned.get(own)), definitions)
            # Names of results may be those of nodes.
            outputs.append((ValueInfo(f"{own}:result", None, None), value))
        return self.graph(name, definitions, inputs, outputs, depth)

    def _constant(self, definition: Definition) -> ModelConstant | None:
        """Return the value of a Const; None for dtypes that are not supported."""
        name = definition.name
        value = definition.attributes.get("value")
        tensor = value.get("tensor") if isinstance(value, dict) else None
        owner = f'node "{name}" (Const)'
        constant = attributes.constant(name, tensor, owner) if isinstance(tensor, dict) else None
        constant = constant or self._weights.get(name)
        if constant is None and _type(definition.attributes.get("dtype")) in (*DTYPES, "DT_STRING"):
            raise malformed("weight is missing in the manifest", owner)
        return constant


def _tables(
    initializer: dict[str, Definition], signature: dict[str, Any]
) -> dict[Any, tuple[str, str]]:
    """Return the keys and the values of tables by the name and number of each table.

    The number is that of the resource, in the signatures of the newer converters.
    """

    def made(value: str) -> str:
        name = node_of(value)
        for _ in initializer:
            definition = initializer.get(name)
            if definition is None or definition.operator != "Identity" or not definition.inputs:
                break
            name = node_of(definition.inputs[0])
        return name

    tables: dict[Any, tuple[str, str]] = {}
    for definition in initializer.values():
        if definition.operator in _IMPORTS:
            if len(definition.inputs) != 3:
                raise malformed(
                    "node lacks inputs", f'node "{definition.name}" ({definition.operator})'
                )
            table, keys, values = definition.inputs
            tables[made(table)] = keys, values
    for entry in _dict(signature, "outputs").values():
        name, number = made(str(_part(entry, "name", ""))), _resource(entry)
        if name in tables and number is not None:
            tables[number] = tables[name]
    return tables


def _resource(entry: Any) -> int | None:
    """Return the number of the table that an input or output of a signature is."""
    number = _part(entry, "resourceId", None)
    try:
        return None if number is None else integer(number)
    except ValueError:
        raise malformed("number of a table is not valid", f"{number!r:.80}") from None


def _add_tables(
    definitions: dict[str, Definition],
    signature: dict[str, Any],
    initializer: dict[str, Definition],
    tables: dict[Any, tuple[str, str]],
) -> None:
    """Make tables operators on their keys and values, whose nodes become part of the graph."""
    renamed = {}
    for name, definition in initializer.items():
        if name in definitions and definition.operator != "Const":
            renamed[name] = f"initializer/{name}"

    def plain(value: str) -> str:
        name, _, at = value.partition(":")
        return ":".join(filter(None, (renamed.get(name, name), at)))

    numbers = {
        node_of(str(_part(entry, "name", key))): _resource(entry)
        for key, entry in _dict(signature, "inputs").items()
    }
    made = {}
    for name, definition in definitions.items():
        contents = (
            tables.get(name) if definition.operator in _TABLES else tables.get(numbers.get(name))
        )
        if contents is not None:
            made[name] = Definition(name, _TABLES[0], map(plain, contents))
        elif definition.operator in _TABLES:
            definition.operator += " without its keys and values"
    for name, definition in initializer.items():
        definition.inputs = list(map(plain, definition.inputs))
        definition.name = renamed.get(name, name)
        if definition.operator not in (*_TABLES, *_IMPORTS):
            definitions.setdefault(definition.name, definition)
    definitions |= made


def _named(
    nodes: tuple[ModelNode, ...],
    outputs: list[tuple[ValueInfo, str]],
    wanted: list[str],
    fixed: set[str],
) -> tuple[tuple[ModelNode, ...], tuple[ValueInfo, ...], dict[str, str]]:
    """Give the outputs the names of the signature.

    Returns the nodes, the outputs, and further names of the outputs.
    """
    computed = {name for node in nodes for name in node.outputs}
    taken = computed | fixed
    renamed: dict[str, str] = {}
    kept: set[str] = set()
    copies: list[ModelNode] = []
    infos = []
    for (info, _), value in zip(outputs, wanted, strict=True):
        if info.name == value or info.name in taken:
            info = info._replace(name=renamed.get(value, value))
            kept.add(value)
        elif value in computed and value not in kept and value not in renamed:
            renamed[value] = info.name
        else:
            copies.append(ModelNode(info.name, "Identity", (value,), (info.name,), {}, 0))
        infos.append(info)
        taken.add(info.name)
    nodes = tuple(
        _with_inputs(node, renamed)._replace(
            outputs=tuple(renamed.get(name, name) for name in node.outputs)
        )
        for node in (*nodes, *copies)
    )
    aliases = {**renamed, **{f"{name}:0": key for name, key in renamed.items() if ":" not in name}}
    names = {info.name for info in infos}
    return nodes, tuple(infos), {name: key for name, key in aliases.items() if name not in names}


def _with_inputs(node: ModelNode, renamed: dict[str, str]) -> ModelNode:
    """Return a node with other names of the values that it and its regions read."""
    attributes = {
        key: _body(value, renamed) if isinstance(value, ModelGraph) else value
        for key, value in node.attributes.items()
    }
    inputs = tuple(renamed.get(name, name) for name in node.inputs)
    return node._replace(inputs=inputs, attributes=attributes)


def _body(graph: ModelGraph, renamed: dict[str, str]) -> ModelGraph:
    if graph.name:
        # Functions do not read values around them.
        return graph
    return graph._replace(
        nodes=tuple(_with_inputs(node, renamed) for node in graph.nodes),
        outputs=tuple(
            info._replace(name=renamed.get(info.name, info.name)) for info in graph.outputs
        ),
    )


def _plain(value: str, definitions: dict[str, Definition]) -> str:
    """Return the name of a value: "a" for "a", "a:0" and "a:z:0", and "a:1" for a second result."""
    name, *rest = value.split(":")
    try:
        at = int(rest[-1]) if rest else 0
    except ValueError:
        at = -1
    if len(rest) == 2 and name in definitions:
        results = RESULTS.get(definitions[name].operator, ())
        at += results.index(rest[0]) if rest[0] in results else 0
    if not 0 <= at < 1 << 16 or len(rest) > 2:
        raise malformed("name of a value is not valid", f"{value!r:.80}")
    return f"{name}:{at}" if at else name


def _ignorable(key: str, value: Any) -> bool:
    types = isinstance(value, Type) or (
        isinstance(value, list) and all(isinstance(kind, Type) for kind in value)
    )
    return types or value is None or key.startswith("_") or key in IGNORED


def _has_texts(values: Iterable[Any]) -> bool:
    """Return True if one of the dtypes among attributes is that of texts."""
    types = (kind for value in values for kind in (value if isinstance(value, list) else [value]))
    return any(isinstance(kind, Type) and kind.is_text for kind in types)


def _type(value: Any) -> str:
    return value.name if isinstance(value, Type) else "an unknown dtype"


def _inputs(signature: dict[str, Any], definitions: dict[str, Definition]) -> dict[str, ValueInfo]:
    """Return the inputs by the names of their nodes."""
    declared = {}
    for key, entry in signature.items():
        node = _plain(str(_part(entry, "name", key)), definitions)
        known = node in definitions and definitions[node].operator not in _TABLES
        if known and node not in declared:
            # The signatures of old converters repeat the names of values.
            name = node if key in definitions or key == f"{node}:0" else key
            declared[node] = _info(name, entry, definitions[node])
    return declared or {
        name: _info(name, {}, definition)
        for name, definition in definitions.items()
        if definition.operator == "Placeholder"
    }


def _outputs(
    signature: dict[str, Any], definitions: dict[str, Definition]
) -> list[tuple[ValueInfo, str]]:
    """Return the outputs with the values that they have; absent nodes are left out."""
    outputs = []
    for key, entry in signature.items():
        value = _plain(str(_part(entry, "name", key)), definitions)
        if value.split(":")[0] in definitions:
            outputs.append((_info(value if key == f"{value}:0" else key, entry, None), value))
    if outputs:
        return outputs
    if signature:
        raise malformed("nodes of all outputs are missing", f"{', '.join(signature):.80}")
    used = {name.split(":")[0] for definition in definitions.values() for name in definition.inputs}
    return [
        (ValueInfo(name, None, None), name)
        for name, definition in definitions.items()
        if name not in used and definition.operator not in _WITHOUT_RESULTS
    ]


def _info(name: str, entry: Any, node: Definition | None) -> ValueInfo:
    """Return the declaration of an input or output, whose node may say what the entry does not."""
    attributes = {} if node is None else node.attributes
    dtype, shape = attributes.get("dtype"), attributes.get("shape")
    declared, lengths = _part(entry, "dtype", None), _part(entry, "tensorShape", None)
    try:
        if declared is not None:
            dtype = type_of(declared)
        if isinstance(lengths, dict):
            shape = shape_of(lengths)
    except (AttributeError, TypeError, ValueError):
        raise malformed("declaration is not valid", f"{entry!r:.80} of {name!r:.80}") from None
    known = None
    if isinstance(dtype, Type) and (dtype.name in DTYPES or dtype.is_text):
        known = dtype.dtype
    return ValueInfo(name, known, shape if isinstance(shape, tuple) else None)


def _part(entry: Any, key: str, default: Any) -> Any:
    return entry.get(key, default) if isinstance(entry, dict) else default


def _dict(value: Any, key: str) -> dict[str, Any]:
    content = value.get(key) if isinstance(value, dict) else None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise malformed(f"{key} must be an object", f"{content!r:.80}")
    return content


def _list(value: Any, key: str) -> list[Any]:
    content = value.get(key) if isinstance(value, dict) else None
    if content is None:
        return []
    if not isinstance(content, list):
        raise malformed(f"{key} must be a list", f"{content!r:.80}")
    return content
