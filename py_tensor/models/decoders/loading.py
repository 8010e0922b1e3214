"""Load language models from files of transformers and of llama.cpp."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import BackendError, ModelError
from ...nn.layers.decoder import CausalDecoder, DecoderOptions
from ...nn.layers.linear import Dense, Embedding
from ...nn.module import Module
from ...nn.quantization import PackedMatrix
from ...settings import settings
from ...tensor import Tensor
from ..sources import Files, files_of_source
from ..weights import gguf
from ..weights.loading import opened, parts_of
from . import configurations, headers
from .names import AFTER_ATTENTION, FUSED_UP, IGNORED, TRANSPOSED, Place, place_of

WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
"""Files with the weights of a model next to its config.json; the first one that exists is read."""


async def load_decoder(source: Any) -> CausalDecoder:
    """Load a language model as a decoder.

    The source is a GGUF file, or a `config.json` of transformers with `model.safetensors` or
    `model.safetensors.index.json` and its parts next to it: a folder, its files, or the address of
    `config.json`. The families are Llama (also SmolLM2 and Mistral), Qwen2, Qwen3, Gemma 2 and 3
    (text), Phi-3 and GPT-2. Weights of GGUF files stay packed.

    Args:
        source: URL, path, bytes, file object, dict of files by name, or function that returns
            bytes, as for `load`.

    Returns:
        `pt.nn.CausalDecoder`, whose call takes tokens and returns logits.

    Raises:
        ModelError: If a file is missing or malformed, or the model is not of these families.
        BackendError: If there is no file at a URL, or this is not a web page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> try:
    ...     asyncio.run(pt.models.load_decoder({"config.json": b'{"model_type": "bert"}'}))
    ... except pt.errors.ModelError as error:
    ...     print(str(error)[:62])
    load_decoder: model is of an unknown family; got 'bert'; use o
    """
    files = files_of_source(source, _rank, {}, None, True)
    data = await files.read("", None)
    if bytes(memoryview(data).cast("B")[:4]) == gguf.MAGIC:
        file = gguf.read(data)
        fill = _Filling(headers.options_of(file), {})
        fused = not any(name.endswith(".ffn_gate.weight") for name in file.tensors)
        if fused and fill.options.gated:
            fill.changes = FUSED_UP
        fill.take(list(file.tensors), file.tensor)
        return fill.finished()
    config = _config(data)
    config = config.get("text_config", config)
    fill = _Filling(configurations.options_of(config), {})
    if fill.options.norm_places == "both":
        fill.changes = AFTER_ATTENTION
    async for names, tensor in _parts(files):
        fill.take(names, tensor)
    return fill.finished()


async def _parts(files: Files) -> Any:
    """Iterate over the files of weights: the names in each, and a function that makes a tensor."""
    first = await _weights(files)
    names = parts_of(first)
    if names is None:
        yield opened(first)
        return
    del first
    for name in names:
        yield opened(await files.read(name, None))


async def _weights(files: Files) -> Any:
    errors = []
    for name in WEIGHTS:
        try:
            return await files.read(name, None)
        except (BackendError, ModelError, OSError) as error:
            errors.append(f"{error!s:.120}")
    raise ModelError(
        f"load_decoder: weights are missing; got {' | '.join(errors)}; give {WEIGHTS[0]}, or "
        f"{WEIGHTS[1]} and its parts, together with config.json"
    )


def _rank(data: Any) -> int | None:
    """Return 0 for a file that describes a model, to choose among several."""
    view = memoryview(data).cast("B")
    if bytes(view[:4]) == gguf.MAGIC:
        return 0
    is_config = bytes(view[:1]) == b"{" and b'"model_type"' in bytes(view[: 1 << 16])
    return 0 if is_config else None


def _config(data: Any) -> dict[str, Any]:
    try:
        config = json.loads(bytes(data))
    except (ValueError, RecursionError) as error:
        raise _wrong(f"{error!s:.80}") from None
    if not isinstance(config, dict):
        raise _wrong(type(config).__name__)
    return config


def _wrong(got: str) -> ModelError:
    return ModelError(
        "load_decoder: file is neither a GGUF file nor a config.json of transformers; got "
        f"{got}; give one of these"
    )


@contextmanager
def _nothing_computed() -> Iterator[None]:
    """Keep the initial values of parameters pending, which are replaced before they are used."""
    before = settings.flush_threshold
    settings.flush_threshold = 1 << 30
    try:
        yield
    finally:
        settings.flush_threshold = before


class _Filling:
    """A decoder whose parameters are replaced by tensors of files."""

    def __init__(
        self, options: DecoderOptions, changes: Mapping[str, str | tuple[str, ...]]
    ) -> None:
        self.options = options
        self.changes = changes
        with _nothing_computed():
            self.model = CausalDecoder(options)
        self.missing = set(self.model.state_dict())
        self.unknown: list[str] = []

    def take(self, names: list[str], tensor: Callable[[str], Any]) -> None:
        """Set the fields that tensors of a file belong to."""
        for name in names:
            place = place_of(name, self.changes)
            if place is not None:
                self._set(name, place, tensor(name))
            elif not IGNORED.search(name):
                self.unknown.append(name)

    def _set(self, name: str, place: Place, value: Tensor | PackedMatrix) -> None:
        first = 0
        for path in place.paths:
            module = self._module(path)
            if module is None:
                # A tied model may store its embedding twice.
                if path != "readout":
                    self.unknown.append(name)
                return
            field = place.field
            part: Any = value
            if isinstance(module, Dense):
                if TRANSPOSED.search(name):
                    part = value.T if isinstance(value, PackedMatrix) else value.mT
                if len(place.paths) > 1:
                    last = first + module.outputs
                    part, first = part[first:last], last
                if field == "weight":
                    part = part.T if isinstance(part, PackedMatrix) else part.mT
            elif not isinstance(module, Embedding):
                field = {"weight": "scale", "bias": "offset"}.get(field, field)
            self._replace(name, module, path, field, part)

    def _module(self, path: str) -> Any:
        owner: Any = self.model
        for step in path.split("."):
            owner = owner[int(step)] if step.isdigit() else getattr(owner, step, None)
        return owner

    def _replace(self, name: str, module: Module, path: str, field: str, value: Any) -> None:
        own = getattr(module, field, None)
        if own is None:
            self.unknown.append(name)
            return
        if tuple(own.shape) != tuple(value.shape):
            raise ModelError(
                f"load_decoder: shapes differ; got {tuple(value.shape)} for {name!r:.80} instead "
                f"of {tuple(own.shape)}; use the configuration of these weights"
            )
        setattr(module, field, value)
        self.missing.discard(f"{path}.{field}")

    def finished(self) -> CausalDecoder:
        """Return the model; raise ModelError if tensors are missing or unknown."""
        if self.missing or self.unknown:
            raise ModelError(
                f"load_decoder: names of tensors differ; got {_few(self.unknown)} unknown and "
                f"{_few(sorted(self.missing))} missing; use the configuration of these weights"
            )
        return self.model


def _few(names: list[str]) -> str:
    return ", ".join([*names[:4], *(["..."] if len(names) > 4 else [])]) or "none"
