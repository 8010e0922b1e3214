"""Load tensors by name from files of safetensors, PyTorch, Keras and others, also in parts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from posixpath import basename
from typing import Any

from ...errors import DTypeError, FormatError, ModelError
from ...io import safetensors
from ...io.element_formats import decoded
from ...nn.split_matrix import SplitMatrix
from ...tensor import Tensor
from ..graph import TEXT
from ..progress import Progress, ProgressMeter
from ..readers import ForwardReader
from ..sources import MOST_FILES, Files, files_of_source, is_neighbour
from . import gguf, torch_files
from .stored import StoredTensor, maker, tensor_of

HDF5 = b"\x89HDF"
"""First bytes of `.h5` files."""
INDEX_LIMIT = 100_000_000
"""Largest index of parts in bytes."""
PATTERNS = (
    *("*.safetensors.index.json", "*.safetensors", "*.bin.index.json", "*.bin"),
    *("*.gguf", "*.pt", "*.pth"),
)
"""Names of files of weights in repositories of hubs, the preferred ones first."""
PART = 1 << 24
"""Bytes of neighbouring tensors that are read at a time; larger tensors are read one by one."""
GAP = 1 << 12
"""Number of bytes between tensors from which on they are left out."""


async def load_weights(
    source: Any,
    *,
    prefix: str = "",
    progress: bool | Progress | None = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Load tensors by name from a file of safetensors, PyTorch, TensorFlow, Keras or GGUF.

    The format is recognized by content: safetensors; files of `torch.save` (`.pt`, `.pth`,
    `.bin`), also those of PyTorch before 1.6; the index of either in parts, for example
    `model.safetensors.index.json`, whose parts are next to it; manifests of TensorFlow.js, a
    `model.json` or `weights_manifest.json`, whose files are next to it; `.keras` and `.h5` files of
    Keras; and the constants of frozen graphs of TensorFlow (`.pb`). Files of PyTorch are pickles.
    They are interpreted without running code: only tensors and plain containers are made.
    Names of tensors in nested dicts and lists are joined by dots; numbers, texts and arrays of
    NumPy are left out.

    Tensors of GGUF files whose elements have a few bits (Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K,
    Q6_K) become `pt.nn.PackedMatrix`, with the rows of the file, and stay packed.

    Files of safetensors and GGUF are read in parts of about 16 MB from paths, files of a page and
    hubs, so that memory holds the tensors and one part. Of a prefix's file, only its tensors are
    read. Sizes and digests of a hub's files are checked; if tensors are left out, only sizes.

    float16 stays float16. bfloat16 becomes float32 exactly, float64 is rounded to float32, and
    64-bit integers become 32-bit ones if they fit.

    Args:
        source: URL, `hf://owner/name`, path, bytes, file object, or function that returns bytes, as
            for `load`.
        prefix: Load only tensors whose names begin with this text, which is removed; "" (default)
            for all. A checkpoint {"model": {...}, "epoch": 3} needs "model.".
        progress: Function (done, total, name) or True, as for `load`; None (default) for none.
        headers: Dict of headers to send to the URL's server, for example
            {"Authorization": "Bearer hf_..."}; None (default) for none.

    Returns:
        Dict of tensors and packed matrices by name, in the file's order. Tensors that share their
        elements in the file are one tensor. A matrix that the GPU cannot store as one tensor
        becomes its blocks, "weight.blocks.0" and so on, as in the state of a `pt.nn.SplitMatrix`.

    Raises:
        ModelError: If the file is malformed, cannot be read, or has objects that are not tensors
            or plain containers; or if integers do not fit.
        BackendError: If there is no file at a URL, or this is not a web page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> file = pt.io.to_bytes({"fc.weight": pt.ones((2, 3)), "fc.bias": pt.zeros(2)})
    >>> weights = asyncio.run(pt.models.load_weights(file, prefix="fc."))
    >>> {name: tensor.shape for name, tensor in weights.items()}
    {'bias': (2,), 'weight': (2, 3)}
    """
    files = files_of_source(source, _rank, PATTERNS, headers)
    meter = ProgressMeter(progress)
    file = ForwardReader(await files.reader("", meter.of("", label_of(files))))
    manifest = await _json(file)
    if manifest is not None and _is_manifest(manifest):
        return await _of_manifest(manifest, files, prefix, meter)
    tensors: dict[str, Any] = {}
    async for name, tensor in weights_in(files, file, meter, lambda name: name.startswith(prefix)):
        own = name.removeprefix(prefix)
        blocks = enumerate(tensor.blocks) if isinstance(tensor, SplitMatrix) else ()
        tensors |= {f"{own}.blocks.{at}": block for at, block in blocks} or {own: tensor}
    meter.end()
    return tensors


def label_of(files: Files) -> str:
    """Return the name of the model's file in reports."""
    return basename(files.address.partition("?")[0]) or "model"


async def weights_in(
    files: Files,
    file: ForwardReader,
    meter: ProgressMeter,
    wanted: Callable[[str], bool],
    *,
    packs: bool = False,
) -> AsyncIterator[tuple[str, Any]]:
    """Iterate over names and tensors of a file, or of the files that it lists if it is an index.

    `wanted` is called once for each name, and chooses the tensors that are read. With `packs`,
    matrices of bfloat16 stay packed.
    """
    index = index_of(await _json(file))
    if index is None:
        async for item in read_tensors(file, await _stored(file, packs), wanted):
            yield item
        return
    names: set[str] = set()
    parts = list(dict.fromkeys(index.values()))
    if meter.is_shown:
        for part in parts:
            meter.expect(part, await files.size(part))
    for part in parts:
        file = ForwardReader(await files.reader(part, meter.of(part, part)))
        stored = await _stored(file, packs)
        own = {tensor.name for tensor in stored}
        for name in names & own:
            raise _malformed("name is in two parts", f"{name!r:.80} in {part!r:.80}")
        names |= own
        async for item in read_tensors(file, stored, wanted):
            yield item
    for name in index.keys() - names:
        raise _malformed("tensor is in no part", f"{name!r:.80}")


async def read_tensors(
    file: ForwardReader, stored: Sequence[StoredTensor], wanted: Callable[[str], bool]
) -> AsyncIterator[tuple[str, Any]]:
    """Iterate over names and tensors of a file, in the order of their bytes."""
    chosen = [tensor for tensor in stored if wanted(tensor.name)]
    for group in _groups(sorted(chosen, key=lambda tensor: tensor.start)):
        start = group[0].start
        # Bytes between neighbours are read, too, so that the digest of the file can be checked.
        first = file.end if 0 < start - file.end < GAP else start
        data = await file.read(first, group[-1].stop)
        for tensor in group:
            part = data[tensor.start - first : tensor.stop - first]
            try:
                yield tensor.name, tensor.make(part)
            except DTypeError as error:
                raise ModelError(
                    f"load_weights: tensor does not fit its dtype; got {error}; WebGL has no "
                    "64-bit integers: use smaller numbers"
                ) from None
    if 0 < file.file.size - file.end < GAP:
        await file.read(file.end, file.file.size)
    await file.file.finish()


def _groups(stored: Sequence[StoredTensor]) -> Iterator[list[StoredTensor]]:
    """Yield neighbouring tensors of at most `PART` bytes together."""
    group: list[StoredTensor] = []
    for tensor in stored:
        far = group and tensor.start - group[-1].stop >= GAP
        if far or (group and tensor.stop - group[0].start > PART):
            yield group
            group = []
        group.append(tensor)
    if group:
        yield group


async def _json(file: ForwardReader) -> Any:
    """Return the bytes of a file that is JSON; None for others."""
    start = bytes(await file.read(0, 9))
    if start.startswith(b"\n") and is_frozen_graph(start):
        return None
    if not start.removeprefix(b"\xef\xbb\xbf").startswith((b"{", b"[", b" ", b"\n", b"\r", b"\t")):
        return None
    # The eight bytes of a length begin with any byte; a text in their place is a huge number.
    if int.from_bytes(start[:8], "little") <= safetensors.HEADER_LIMIT and start[8:] == b"{":
        return None
    size = file.file.size
    if size > INDEX_LIMIT:
        raise _malformed("index is too long", f"{size} bytes")
    return await file.read(0, size)


async def _of_manifest(
    data: Any, files: Files, prefix: str, meter: ProgressMeter
) -> dict[str, Tensor]:
    """Return the weights of TensorFlow.js, without texts."""
    from ..tfjs import weights as tfjs_weights

    try:
        manifest = tfjs_weights.manifest_of(data)
        names = sorted(tfjs_weights.files_of(manifest))
        contents = {name: await files.read(name, meter.of(name, name)) for name in names}
        constants = tfjs_weights.read_weights(manifest, contents)
    except ModelError as error:
        raise ModelError(str(error).replace("load:", "load_weights:", 1)) from None
    return {
        name.removeprefix(prefix): constant.tensor()
        for name, constant in constants.items()
        if name.startswith(prefix) and constant.dtype is not TEXT
    }


def _rank(data: Any) -> int | None:
    """Return 0 for an index of parts and 1 for other files of weights, to choose among several."""
    start = bytes(memoryview(data).cast("B")[:17])
    own = (torch_files.ZIP, torch_files.LEGACY, gguf.MAGIC, HDF5)
    if start.startswith(own) or start[8:9] == b"{" or is_frozen_graph(start):
        return 1
    is_index = b'"weight_map"' in bytes(memoryview(data).cast("B")) or _is_manifest(data)
    return 0 if is_index else None


def _is_manifest(data: Any) -> bool:
    """Return True for a manifest of TensorFlow.js, whose modules other files do not need."""
    from ..tfjs.weights import is_manifest

    return is_manifest(data)


async def _stored(file: ForwardReader, packs: bool) -> list[StoredTensor]:
    """Return the tensors in a file."""
    size = file.file.size
    start = bytes(await file.read(0, 17))
    if start.startswith((torch_files.ZIP, HDF5)) or is_frozen_graph(start):
        from . import tensorflow_files

        if tensorflow_files.matches(data := await file.read(0, size)):
            entries = tensorflow_files.read(data)
            return [
                StoredTensor(name, 0, 0, partial(_of_entry, name, entry))
                for name, entry in entries.items()
            ]
    if start.startswith((torch_files.ZIP, torch_files.LEGACY)):
        content = torch_files.read(await file.read(0, size))
        content.splits = True
        return [
            StoredTensor(name, 0, 0, partial(_of_torch, content, name)) for name in content.tensors
        ]
    if start.startswith(gguf.MAGIC):
        return gguf.stored(await gguf.header(file), packs)
    try:
        end = safetensors.header_end(memoryview(start), size)
        places, _ = safetensors.places_in(await file.read(0, end), size)
    except FormatError as error:
        raise ModelError(str(error).replace("from_bytes", "load_weights", 1)) from None
    return [
        StoredTensor(name, start, stop, maker(partial(tensor_of, name, dtype), shape, packs))
        for name, (dtype, shape, start, stop) in places.items()
    ]


def is_frozen_graph(start: bytes) -> bool:
    """Return True for a frozen graph, whose modules other files do not need."""
    if not start.startswith(b"\n"):
        return False
    from . import tensorflow_files

    return tensorflow_files.is_frozen_graph(start)


def _of_entry(name: str, entry: safetensors.Entry, data: memoryview) -> Tensor:
    return decoded(name, entry)


def _of_torch(file: torch_files.TorchFile, name: str, data: memoryview) -> Any:
    return file.tensor(name)


def index_of(data: Any) -> dict[str, str] | None:
    """Return the names of tensors and of their files in an index; None without one."""
    if data is None:
        return None
    try:
        index: dict[str, str] = json.loads(bytes(data))["weight_map"]
        names = set(index.values())
        if len(names) > MOST_FILES:
            raise ValueError(f"{len(names)} files")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _malformed("index has no weight_map", f"{type(error).__name__}: {error}") from None
    for name in names:
        if type(name) is not str or not is_neighbour(name):
            raise _malformed("part must be a file in the index's folder", f"{name!r:.80}")
    return index


def _malformed(wrong: str, got: str) -> ModelError:
    return ModelError(
        f"load_weights: not a valid file: {wrong}; got {got}; download or save the file again"
    )
