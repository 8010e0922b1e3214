"""Load models: choose the format, and read the file and the files next to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from posixpath import basename
from typing import Any, NamedTuple

from ..errors import ArgumentError, ModelError
from ..io.network import Report, in_parallel
from . import saving
from .model import Model
from .onnx import operators as onnx_operators, reader as onnx_reader
from .progress import Progress, ProgressMeter
from .sources import Files, Folder, archive, check_kind, files_of_source, part_of_bytes
from .tfjs import keras_archive, keras_hdf5, reader as tfjs_reader, weights as tfjs_weights
from .tflite import operators as tflite_operators, reader as tflite_reader
from .weights import torch_files
from .weights.loading import is_frozen_graph


class Format(NamedTuple):
    """A file format: how to recognize and to read it."""

    matches: Callable[[Any], bool]
    """Return True if bytes have this format. They are the whole file, or its first `HEAD` bytes if
    the model's file is looked for among several; they may be anything."""
    parse: Callable[[Any], Any]
    """Decode the bytes of the model's file."""
    files: Callable[[Any], set[str]]
    """Names of further files that a decoded file needs, relative to it; `check_neighbour` has
    checked them."""
    read: Callable[..., Any]
    """Make the model, given the bytes of the further files by name."""
    takes_custom: bool = False
    """True if `read` also takes layers of the user's."""
    producer: Callable[[Any], str] = lambda parsed: ""
    """Return the name of the program that wrote a decoded file."""


def _keras_version(parsed: Mapping[str, Any]) -> str:
    return f"Keras {parsed['model'].get('keras_version', '')}".strip()


FORMATS = {
    "py_tensor": Format(saving.matches, saving.parse, saving.files_of, saving.read),
    "tfjs": Format(
        tfjs_reader.matches,
        tfjs_reader.parse,
        tfjs_reader.files_of,
        tfjs_reader.read,
        True,
        lambda parsed: _joined(parsed, "generatedBy", "convertedBy"),
    ),
    "keras": Format(
        keras_archive.matches,
        keras_archive.parse,
        lambda parsed: set(),
        keras_archive.read,
        True,
        _keras_version,
    ),
    "tflite": Format(
        tflite_reader.matches,
        tflite_reader.parse,
        tflite_reader.files_of,
        lambda parsed, files: Model(tflite_reader.read(parsed, files), tflite_operators.OPERATORS),
        producer=lambda parsed: _joined(parsed, "description"),
    ),
    "onnx": Format(
        onnx_reader.matches,
        onnx_reader.parse,
        onnx_reader.files_of,
        lambda parsed, files: Model(onnx_reader.read(parsed, files), onnx_operators.OPERATORS),
        producer=lambda parsed: _joined(parsed, "producer_name", "producer_version"),
    ),
    # The last, since folders of other models may have weights in such files.
    "h5": Format(
        keras_hdf5.matches,
        keras_hdf5.parse,
        lambda parsed: set(),
        keras_archive.read,
        True,
        _keras_version,
    ),
}
"""Supported formats by name. The first whose `matches` is true reads a file."""
FALLBACK = "onnx"
"""Format of bytes that no format recognizes, whose reader names what is wrong."""

EXAMPLE = bytes.fromhex(
    "08083a3b0a0c0a0178120179220452656c7512076578616d706c655a100a0178120b0a09080112050a031201"
    "6e62100a0179120b0a09080112050a0312016e42040a00100d"
)
"""A small ONNX file for examples: y = relu(x)."""


PATTERNS = ("model.json", "*.onnx", "*.keras", "*.tflite")
"""Names of models in repositories of hubs, the preferred ones first."""

CREDENTIALS = ("omit", "same-origin", "include")


async def load(
    source: Any,
    *,
    format: str | None = None,
    progress: bool | Progress | None = None,
    headers: Mapping[str, str] | None = None,
    credentials: str | None = None,
    cache: bool = True,
    custom: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    """Load a model.

    Further files that the model names are read from the same place. If several files are given,
    the model's file is the one with the content of a format. Cancelling the task that awaits the
    result ends its requests.

    Args:
        source: URL, with `://` or, in a page, relative to it; `hf://owner/name`, a repository of
            https://huggingface.co, also with `@revision` and `/file`; path of a file or folder;
            bytes; dict of bytes or files by name; file object of Python or of a page, or a list of
            them: an `<input type="file">`, its `files`, or the `dataTransfer` of a drop; or a
            function that returns the bytes of a file, a response of fetch, or an awaitable of them,
            by its name relative to the model's, which is "" for the model itself. A zip archive is
            like a folder.
        format: "py_tensor" for a file of `save`, "tfjs" for `model.json` of TensorFlow.js, "keras"
            for a `.keras` file, "h5" for a model of Keras in HDF5, "tflite" or "onnx"; None
            (default) chooses by the file's content.
        progress: Function (done, total, name) called as bytes arrive: bytes of all files that were
            read, bytes of all files or None if they are not known, and the name of the file. True
            shows a bar as `pt.progress` does. None (default) for no reports.
        headers: Dict of headers to send to the URL's server; None (default) for none.
        credentials: "omit", "same-origin" or "include", as in fetch: whether cookies are sent to
            the URL's server; None (default) for the browser's choice, "same-origin".
        cache: If True (default), keep files of URLs in the browser's storage, `pt.models.cache`,
            and read them from there if the server still has the same. Other Pythons than a page's
            have no such storage.
        custom: Layers of a layers model of TensorFlow.js or Keras that are not Keras's, for example
            "Lambda", by the name of their class or by their own name: functions, which are called
            with the inputs, and by keyword with the options and weights that they have parameters
            for; or subclasses of `pt.nn.Module`, which are made with the options. None (default)
            for none.

    Returns:
        `Model`, to be called with tensors; or the module of `pt.nn` that was saved.

    Raises:
        ModelError: If the file is malformed, cannot be read, or uses operators that are not
            supported; the error names all of them with their nodes.
        BackendError: If there is no file at a URL, or its server does not answer.
        ArgumentError: If an argument has an unknown value or type.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> model = asyncio.run(pt.models.load(pt.models.EXAMPLE))
    >>> model([-1.0, 2.0]).tolist()
    [0.0, 2.0]
    """
    if credentials not in (None, *CREDENTIALS):
        raise ArgumentError(
            f"load: credentials are unknown; got {credentials!r}; use one of "
            f"{', '.join(CREDENTIALS)}"
        )
    meter = ProgressMeter(progress)
    return await _loaded(
        files_of_source(source, _rank, PATTERNS, headers, credentials, cache),
        format,
        meter,
        custom,
    )


async def _loaded(
    files: Files,
    format: str | None,
    meter: ProgressMeter,
    custom: Mapping[str, Callable[..., Any]] | None,
) -> Any:
    """Load the model of files, or of the zip archive that they are."""
    label = basename(files.address.partition("?")[0]) or "model"
    data = await _read(files, "", meter.of("", label))
    counted = meter
    if _rank(data) is None:
        check_kind(data, files.address)
    if format is None and _rank(data) is None:
        _check_weights(data, files.address)
        packed = archive(data, _rank, files.address)
        if packed is not None:
            files, data = packed, await packed.read("", None)
            counted = ProgressMeter(None)  # all bytes of the archive have been counted
    name = _format(format, data)
    chosen = FORMATS[name]
    options = {"custom": custom} if custom else {}
    if custom and not chosen.takes_custom:
        raise ArgumentError(
            f"load: format has no custom layers; got {', '.join(custom)}; leave out custom, which "
            "is for layers models of TensorFlow.js"
        )
    try:
        parsed = chosen.parse(data)
        names = sorted(chosen.files(parsed))
    except ModelError as error:
        raise _with_address(error, files) from None
    del data
    contents = await _read_all(files, names, counted)
    meter.end()
    try:
        model = chosen.read(parsed, contents, **options)
    except ModelError as error:
        raise _with_address(error, files) from None
    if isinstance(model, Model):
        model._runner.format, model._runner.producer = name, chosen.producer(parsed)
    return model


def _joined(parsed: Mapping[str, Any], *names: str) -> str:
    """Return texts of a decoded file, without those that are missing."""
    return ", ".join(str(parsed[name]) for name in names if parsed.get(name))


async def _read(files: Files, name: str, report: Report | None) -> Any:
    """Read a file, and report all of its bytes at the end."""
    data = await files.read(name, report)
    if report is not None:
        size = memoryview(data).nbytes
        report(size, size)
    return data


async def _read_all(files: Files, names: Sequence[str], meter: ProgressMeter) -> dict[str, Any]:
    """Read further files, some of them at a time; an error or a cancelled task ends all."""
    contents: dict[str, Any] = {}

    async def expect(name: str) -> None:
        meter.expect(name, await files.size(name))

    async def read(name: str) -> None:
        contents[name] = await _read(files, name, meter.of(name, name))

    if meter.is_shown and len(names) > 1:
        await in_parallel(expect, names, files.parallel)
    await in_parallel(read, names, files.parallel)
    return contents


def _check_weights(data: Any, address: str) -> None:
    """Raise ModelError if the file has weights, but no model that can be read."""
    where = f" at {address}" if address else ""
    if tfjs_weights.is_manifest(data):
        raise ModelError(
            f"load: file has weights without a model; got a manifest of TensorFlow.js{where}; read "
            "the weights with pt.models.load_weights"
        )
    if is_frozen_graph(bytes(memoryview(data).cast("B")[:8])):
        raise ModelError(
            f"load: frozen graphs are not read as models; got one of TensorFlow{where}; convert it "
            "with tensorflowjs_converter --input_format=tf_frozen_model, or read the weights with "
            "pt.models.load_weights"
        )
    if torch_files.matches(data):
        raise ModelError(
            f"load: file has weights without a model; got a file of PyTorch{where}; make the model "
            "with pt.nn, read the weights with pt.models.load_weights, and pass both to "
            "pt.models.load_torch_state_dict; or export the model as ONNX"
        )


def _with_address(error: ModelError, files: Files) -> ModelError:
    return ModelError(f"{error} ({files.address})") if files.address else error


def loads(
    data: Any,
    *,
    format: str | None = None,
    custom: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    """Load a model from the bytes of a single file.

    Args:
        data: Bytes, or another buffer of bytes, of a model's file, or of a zip archive with the
            files of a model.
        format: As for `load`; None (default) chooses by the content.
        custom: Layers of a layers model of TensorFlow.js or Keras that are not Keras's, as for
            `load`; None (default) for none.

    Returns:
        `Model`, to be called with tensors; or the module of `pt.nn` that was saved.

    Raises:
        ModelError: If the file is malformed, needs another file, or uses operators that are not
            supported; the error names all of them with their nodes.
        ArgumentError: If the format is unknown, or has no custom layers.

    >>> import py_tensor as pt
    >>> pt.models.loads(pt.models.EXAMPLE)
    Model('example': x -> y)
    """
    files = Folder({"": part_of_bytes(data)}, _rank)
    try:
        _loaded(files, format, ProgressMeter(None), custom).send(None)
    except StopIteration as done:  # reading bytes never waits
        return done.value
    raise AssertionError


def _rank(data: Any) -> int | None:
    """Return the place of the first format that recognizes bytes."""
    ranks = (rank for rank, kind in enumerate(FORMATS.values()) if kind.matches(data))
    return next(ranks, None)


def _format(format: str | None, data: Any) -> str:
    if format is None:
        rank = _rank(data)
        return FALLBACK if rank is None else [*FORMATS][rank]
    if format not in FORMATS:
        raise ArgumentError(
            f"load: format is unknown; got {format!r}; use one of {', '.join(FORMATS)}"
        )
    return format
