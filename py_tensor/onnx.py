"""ONNX Runtime's interface to models, for programs and libraries that import `onnxruntime`.

Input: an ONNX file, and arrays by name. Output: a list of NumPy arrays, as from ONNX Runtime. The
model runs on the backend in use. `sys.modules["onnxruntime"] = py_tensor.onnx` gives it to
libraries; `pt.models` has the same models as functions of tensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from .errors import ArgumentTypeError, ModelError
from .models.file_errors import unsupported
from .models.model import Model
from .models.onnx import operators, reader
from .models.sources import check_kind
from .models.web_files import check_content
from .tensor import Tensor

__all__ = [
    "ExecutionMode",
    "GraphOptimizationLevel",
    "InferenceSession",
    "ModelMetadata",
    "NodeArg",
    "RunOptions",
    "SessionOptions",
    "get_all_providers",
    "get_available_providers",
    "get_device",
    "set_default_logger_severity",
]

_TYPES = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
    8: "string", 9: "bool", 10: "float16", 11: "double", 12: "uint32", 13: "uint64",
    14: "complex64", 15: "complex128", 16: "bfloat16",
}  # fmt: skip
"""ONNX Runtime's names of ONNX's dtypes."""
_WIDE = {7: "int64", 11: "float64", 13: "uint64"}
"""NumPy's names of dtypes that results have and tensors do not."""
_PROVIDERS = ["CPUExecutionProvider"]


class NodeArg(NamedTuple):
    """Name, type and shape of an input or output.

    >>> import py_tensor as pt
    >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).get_inputs()
    [NodeArg(name='x', type='tensor(float)', shape=['n'])]
    """

    name: str
    type: str
    """Type in ONNX Runtime's words, for example "tensor(float)"."""
    shape: list[int | str | None]
    """Lengths of axes; a str is the name of a length that calls decide, and None has no name."""


class ModelMetadata(NamedTuple):
    """Texts of a file that say what the model is and which program wrote it."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


class GraphOptimizationLevel(IntEnum):
    """Levels of optimization, all of which do the same here."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Orders of execution, which do the same here."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class SessionOptions:
    """Options of ONNX Runtime, which may be set and change nothing here.

    >>> import py_tensor as pt
    >>> options = pt.onnx.SessionOptions()
    >>> options.intra_op_num_threads = 1
    """

    def __init__(self) -> None:
        self.enable_cpu_mem_arena = self.enable_mem_pattern = self.enable_mem_reuse = True
        self.enable_profiling = self.use_deterministic_compute = False
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.inter_op_num_threads = self.intra_op_num_threads = 0
        self.log_severity_level, self.log_verbosity_level, self.logid = -1, 0, ""
        self.optimized_model_filepath = ""
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Store a setting, which changes nothing.

        Args:
            key: Name of the setting.
            value: Its value.

        >>> import py_tensor as pt
        >>> pt.onnx.SessionOptions().add_session_config_entry("session.intra_op", "1")
        """
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """Return the value of a setting that was stored before.

        Args:
            key: Name of the setting.

        Returns:
            Value of the setting.

        Raises:
            KeyError: If there is no such setting.

        >>> import py_tensor as pt
        >>> options = pt.onnx.SessionOptions()
        >>> options.add_session_config_entry("a", "1")
        >>> options.get_session_config_entry("a")
        '1'
        """
        return self._entries[key]


class RunOptions:
    """Options of a call, which may be set and change nothing here."""

    def __init__(self) -> None:
        self.log_severity_level, self.log_verbosity_level, self.logid = -1, 0, ""
        self.only_execute_path_to_fetches = self.terminate = False


class InferenceSession:
    """A loaded ONNX model with the interface of `onnxruntime.InferenceSession`.

    Inputs are NumPy arrays or tensors by name, and results a list of NumPy arrays with the dtypes
    of the file, or of tensors if NumPy is not installed. A result is read when it is returned,
    which needs a backend that can block: in a page on WebGPU, use `pt.models.load`.

    Args:
        path_or_bytes: Path of an ONNX file, next to its external data, or its bytes.
        sess_options: Accepted as in ONNX Runtime; changes nothing.
        providers: Accepted as in ONNX Runtime; changes nothing, the backend in use runs the model.
        provider_options: Accepted as in ONNX Runtime; changes nothing.

    Raises:
        ModelError: If the file is malformed, cannot be read, or uses operators that are not
            supported; the error names all of them with their nodes.

    >>> import py_tensor as pt
    >>> session = pt.onnx.InferenceSession(pt.models.EXAMPLE)
    >>> [y] = session.run(None, {session.get_inputs()[0].name: pt.asarray([-1.0, 2.0])})
    >>> y.tolist()
    [0.0, 2.0]
    """

    def __init__(
        self,
        path_or_bytes: str | PathLike[str] | bytes,
        sess_options: Any = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Any] | None = None,
        **options: Any,
    ) -> None:
        folder: Path | None = None
        data: Any = path_or_bytes
        if isinstance(path_or_bytes, (str, PathLike)):
            path = Path(fspath(path_or_bytes))
            folder, data = path.parent, _content(path)
        try:
            memoryview(data)
        except TypeError:
            raise ArgumentTypeError(
                f"InferenceSession: model is neither a path nor bytes; got {type(data).__name__}; "
                "pass the path of an ONNX file or its bytes"
            ) from None
        address = "" if folder is None else str(path_or_bytes)
        check_content(data, address or "the bytes")
        check_kind(data, address)
        parsed = reader.parse(data)
        names = reader.files_of(parsed)
        if names and folder is None:
            raise ModelError(
                f"load: model has data in another file; got {', '.join(sorted(names))} for bytes; "
                "pass the path of the model"
            )
        files = {name: _content(Path(folder or "", name)) for name in names}
        self._model = Model(reader.read(parsed, files), operators.OPERATORS)
        self._options = SessionOptions() if sess_options is None else sess_options
        graph = parsed["graph"]
        self._numbers = {info["name"]: _number(info) for info in graph.get("output", ())}
        declared = {info["name"]: info for info in graph.get("input", ())}
        self._inputs = [_argument(declared[info.name], info) for info in self._model.inputs]
        self._outputs = [
            _argument(info, known)
            for info, known in zip(graph.get("output", ()), self._model.outputs, strict=True)
        ]
        self._metadata = ModelMetadata(
            parsed.get("producer_name", ""),
            graph.get("name", ""),
            parsed.get("domain", ""),
            parsed.get("doc_string", ""),
            graph.get("doc_string", ""),
            parsed.get("model_version", 0),
            {
                entry.get("key", ""): entry.get("value", "")
                for entry in parsed.get("metadata_props", ())
            },
        )

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: Any = None,
    ) -> list[Any]:
        """Return values for inputs by name.

        Args:
            output_names: Names of outputs; None for all.
            input_feed: NumPy arrays or tensors by the names of the inputs.
            run_options: Accepted as in ONNX Runtime; changes nothing.

        Returns:
            List of NumPy arrays; of tensors if NumPy is not installed.

        Raises:
            ArgumentError: If inputs are missing, or a name is unknown.
            ShapeError, DTypeError: If an input differs from its declared shape or dtype.
            ModelError: If a node does not support its inputs; the error names the node.

        >>> import py_tensor as pt
        >>> session = pt.onnx.InferenceSession(pt.models.EXAMPLE)
        >>> [y] = session.run(["y"], {"x": pt.asarray([-3.0, 4.0])})
        >>> y.tolist()
        [0.0, 4.0]
        """
        results = self._model.run(input_feed, output_names or None)
        return [_array(value, self._numbers.get(name, 0)) for name, value in results.items()]

    def get_inputs(self) -> list[NodeArg]:
        """Return the names, types and shapes of the inputs.

        Returns:
            List of `NodeArg`.

        >>> import py_tensor as pt
        >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).get_inputs()[0].type
        'tensor(float)'
        """
        return self._inputs

    def get_outputs(self) -> list[NodeArg]:
        """Return the names, types and shapes of the outputs.

        Returns:
            List of `NodeArg`.

        >>> import py_tensor as pt
        >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).get_outputs()[0].name
        'y'
        """
        return self._outputs

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Return the constants that calls may replace: none.

        Returns:
            Empty list.

        >>> import py_tensor as pt
        >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).get_overridable_initializers()
        []
        """
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """Return what the file says of the model.

        Returns:
            `ModelMetadata`.

        >>> import py_tensor as pt
        >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).get_modelmeta().graph_name
        'example'
        """
        return self._metadata

    def get_providers(self) -> list[str]:
        """Return the name that ONNX Runtime has for a processor, which all programs know.

        Returns:
            `["CPUExecutionProvider"]`, on every backend.

        >>> import py_tensor as pt
        >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).get_providers()
        ['CPUExecutionProvider']
        """
        return [*_PROVIDERS]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return the options of each provider: none.

        Returns:
            Dict of dicts.

        >>> import py_tensor as pt
        >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).get_provider_options()
        {'CPUExecutionProvider': {}}
        """
        return {name: {} for name in _PROVIDERS}

    def set_providers(
        self, providers: Sequence[Any] | None = None, provider_options: Any = None
    ) -> None:
        """Accept providers, which change nothing: `pt.set_backend` chooses what runs the model.

        Args:
            providers: Names of providers; None (default).
            provider_options: Their options; None (default).

        >>> import py_tensor as pt
        >>> pt.onnx.InferenceSession(pt.models.EXAMPLE).set_providers(["CPUExecutionProvider"])
        """

    def get_session_options(self) -> Any:
        """Return the options that the session was given.

        Returns:
            `sess_options`, or new `SessionOptions`.

        >>> import py_tensor as pt
        >>> options = pt.onnx.SessionOptions()
        >>> session = pt.onnx.InferenceSession(pt.models.EXAMPLE, options)
        >>> session.get_session_options() is options
        True
        """
        return self._options


def get_available_providers() -> list[str]:
    """Return the name that ONNX Runtime has for a processor, which all programs know.

    Returns:
        `["CPUExecutionProvider"]`, on every backend.

    >>> import py_tensor as pt
    >>> pt.onnx.get_available_providers()
    ['CPUExecutionProvider']
    """
    return [*_PROVIDERS]


get_all_providers = get_available_providers


def get_device() -> str:
    """Return the kind of device in ONNX Runtime's words.

    Returns:
        "CPU", on every backend.

    >>> import py_tensor as pt
    >>> pt.onnx.get_device()
    'CPU'
    """
    return "CPU"


def set_default_logger_severity(severity: int) -> None:
    """Accept the level of logs, of which there are none.

    Args:
        severity: Level of logs.

    >>> import py_tensor as pt
    >>> pt.onnx.set_default_logger_severity(3)
    """


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"load: file cannot be read; got {error.strerror or error} for {str(path)!r}; check "
            "the path"
        ) from None


def _number(info: Mapping[str, Any]) -> int:
    """Return ONNX's number of the dtype of a value; 0 if it is not a tensor."""
    number: int = info.get("type", {}).get("tensor_type", {}).get("elem_type", 0)
    return number


def _argument(info: Mapping[str, Any], known: Any) -> NodeArg:
    """Return the declaration of a value, given that of the model."""
    shape = [] if known.shape is None or known.is_list else [*known.shape]
    return NodeArg(known.name, _type(info.get("type", {}), known.name), shape)


def _type(kind: Mapping[str, Any], name: str) -> str:
    for key, word in (("sequence_type", "seq"), ("optional_type", "optional")):
        if key in kind:
            return f"{word}({_type(kind[key].get('elem_type', {}), name)})"
    number = kind.get("tensor_type", {}).get("elem_type", 0)
    if number not in _TYPES:
        raise unsupported(f"values of ONNX's dtype {number}", f'value "{name}"')
    return f"tensor({_TYPES[number]})"


def _array(value: Any, number: int) -> Any:
    """Return a tensor as an array of NumPy, and lists of tensors as lists of arrays."""
    if isinstance(value, list):
        return [_array(item, number) for item in value]
    if not isinstance(value, Tensor):
        return value
    try:
        array: Any = value.numpy()
    except ImportError:
        return value
    return array.astype(_WIDE[number]) if number in _WIDE else array
