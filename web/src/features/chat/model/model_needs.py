"""Read from the headers of a language model's files how much memory it needs."""

import json
import math
from collections import Counter
from typing import Any

import py_tensor as pt
from py_tensor.models.readers import ForwardReader
from py_tensor.models.transformers import headers
from py_tensor.models.transformers.loading import FAMILIES, WEIGHTS, files_of
from py_tensor.models.web_files import HubFiles, WebFiles
from py_tensor.models.weights import gguf
from py_tensor.nn.layers.decoder import DecoderOptions
from py_tensor.runtime.executor import backend

CACHE_BYTES = 4
"""Bytes of an element of a cache: weights are packed or float32, and keys and values float32."""


async def needs_of(source: Any) -> dict[str, Any]:
    """Return what a model needs: numbers that are None if they are not known before loading.

    - `name`; `bytes`: of the files; `isDownload`: True if they are not on this device;
    - `weights`: bytes of the weights in memory, and `largest`: of the largest one;
    - `parameters`: their number;
    - `cache`: of the keys and values of a token: [bytes, window or None for all tokens] of blocks;
    - `length`: of the sequences that the model was trained for;
    - `limits`: `memory`, beyond which tensors are refused, and `buffer`, the largest tensor.
    """
    files = files_of(source, None)
    needs: dict[str, Any] = {
        **dict.fromkeys(("bytes", "weights", "largest", "parameters", "cache", "length")),
        "isDownload": isinstance(files, WebFiles),
        "limits": limits(),
    }
    is_web = isinstance(files, WebFiles) and not files.address.endswith(".json")
    if is_web and not (isinstance(files, HubFiles) and await files.is_listed()):
        # Most servers cannot send a part of a file that stays the same, so all of it would arrive.
        return needs | {"name": _name(files), "bytes": await files.size("")}
    reader = ForwardReader(await files.reader("", None))
    if bytes(await reader.read(0, 4)) == gguf.MAGIC:
        return needs | _of_gguf(await gguf.header(reader), reader.file.size, _name(files))
    return needs | await _of_config(await reader.read(0, reader.file.size), files)


def limits() -> dict[str, Any]:
    """Return limits of the device in bytes; None for those that are not known."""
    engine = backend()
    largest = getattr(engine, "largest", None)
    texture = pt.env.max_texture_size if engine.name == "webgl" else None
    return {
        "memory": getattr(pt.env, "memory_limit", None),
        # A texel has four elements of float32.
        "buffer": 16 * texture * texture if texture else largest,
    }


def _name(files: Any) -> str:
    return str(files.address).rstrip("/").rpartition("/")[2]


def _of_gguf(file: Any, size: int, name: str) -> dict[str, Any]:
    options = headers.options_of(file)
    architecture = file.metadata["general.architecture"]
    sizes = [info.stop - info.start for info in file.tensors.values()]
    return {
        "name": str(file.metadata.get("general.name", name)),
        "bytes": size,
        "weights": sum(sizes),
        "largest": max(sizes, default=0),
        "parameters": sum(math.prod(info.shape) for info in file.tensors.values()),
        "cache": cache_of(options),
        "length": _whole(file.metadata.get(f"{architecture}.context_length")),
    }


async def _of_config(data: Any, files: Any) -> dict[str, Any]:
    try:
        config = json.loads(bytes(data))
        part = config.get("text_config", config)
        family = FAMILIES[part["model_type"]]
        options = family(part)
    except pt.errors.ModelError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        # Loading says what is wrong.
        options = None
    if not isinstance(options, DecoderOptions):
        raise pt.errors.ModelError(
            f"load: model does not continue texts, or is not known; got {bytes(data[:80])!r}; use "
            "a GGUF file or a language model of transformers; docs/models.md lists the families"
        )
    weights = await _weight_bytes(files)
    tokenizer = await _size(files, "tokenizer.json") or 0
    return {
        "name": _repository(files) or str(config.get("_name_or_path") or part["model_type"]),
        "bytes": None if weights is None else weights + len(data) + tokenizer,
        "weights": weights,
        "cache": cache_of(options),
        "length": _whole(part.get("max_position_embeddings", part.get("n_positions"))),
    }


def _repository(files: Any) -> str:
    is_hub = isinstance(files, HubFiles)
    return files.address.partition("/resolve/")[0].rpartition("/")[2] if is_hub else ""


async def _weight_bytes(files: Any) -> int | None:
    """Return the bytes of the files with weights."""
    single, index = WEIGHTS
    size = await _size(files, single)
    if size is not None:
        return size
    try:
        listed = json.loads(bytes(await files.read(index, None)))["weight_map"]
    except (pt.errors.TensorError, OSError, ValueError, LookupError, TypeError):
        return None
    sizes = [await _size(files, name) for name in sorted(set(listed.values()))]
    return None if None in sizes else sum(size or 0 for size in sizes)


async def _size(files: Any, name: str) -> int | None:
    try:
        return await files.size(name)
    except (pt.errors.TensorError, OSError):
        return None


def cache_of(options: DecoderOptions) -> list[list[int | None]]:
    """Return the bytes of a token in the caches of blocks, by the window of the blocks."""
    features = options.head_features or options.features // options.heads
    own = 2 * (options.key_heads or options.heads) * features * CACHE_BYTES
    windows = Counter(options.window(block) for block in range(options.layers))
    return [[own * count, window] for window, count in windows.items()]


def _whole(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None
