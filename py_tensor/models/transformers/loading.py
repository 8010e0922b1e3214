"""Load transformers from files of transformers and of llama.cpp."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from typing import Any

from ... import functions as F
from ...errors import BackendError, ModelError
from ...nn.initializers import replaced_values
from ...nn.layers.convolution import Conv1D, Conv2D
from ...nn.layers.decoder import CausalDecoder, DecoderOptions
from ...nn.layers.encoders import TextEncoder
from ...nn.layers.feed_forward import MixtureOfExperts
from ...nn.layers.linear import Dense, Embedding
from ...nn.layers.normalization import LayerNorm, RMSNorm
from ...nn.module import Module
from ...nn.quantization import PackedMatrix
from ...nn.split_matrix import SplitMatrix, joined_rows
from ...settings import settings
from ...tensor import Tensor
from ..progress import Progress, ProgressMeter
from ..readers import ForwardReader
from ..sources import Files, files_of_source
from ..weights import gguf
from ..weights.loading import label_of, read_tensors, weights_in
from . import configurations, encoders, headers as gguf_options
from .names import AFTER_ATTENTION, FUSED_UP, IGNORED, TRANSPOSED, Place, place_in, place_of
from .pooling import Pooling, pooling_of

WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
"""Files with the weights of a model next to its config.json; the first one that exists is read."""
PATTERNS = ("config.json", "*.gguf")
"""Names of models in repositories of hubs, the preferred ones first."""
FAMILIES: dict[str, Any] = {**configurations.FAMILIES, **encoders.FAMILIES}
"""Functions that return `DecoderOptions`, and families of other models, by transformers' names."""
SPARE = {"readout", "pooler"}
"""Modules that files may have without need."""
NORM = {"weight": "scale", "bias": "offset", "gamma": "scale", "beta": "offset"}
"""Fields of normalizations by names in files, old ones too."""


async def load_transformer(
    source: Any,
    *,
    progress: bool | Progress | None = None,
    headers: Mapping[str, str] | None = None,
) -> Any:
    """Load a transformer from files of transformers or llama.cpp.

    The source is a GGUF file, or a `config.json` of transformers with `model.safetensors` or
    `model.safetensors.index.json` and its parts next to it: a folder, its files, the address of
    `config.json`, or a repository of a hub, `hf://owner/name`. Weights of GGUF files and
    matrices of bfloat16 stay packed, as `pt.nn.PackedMatrix`. Files are read in parts, as by
    `load_weights`. The result depends on the family:

    - `pt.nn.CausalDecoder` for Llama (also SmolLM2 and Mistral), Qwen2, Qwen3 (also
      mixtures of experts), Gemma 2 and 3 (text), Phi-3 and GPT-2, and for GGUF files;
    - `pt.nn.TextEncoder` for BERT, RoBERTa, XLM-RoBERTa and DistilBERT, with a classifier if the
      architecture is for classification of texts or tokens; heads for other tasks are left out.
      `modules.json` of sentence-transformers says how `embed` makes vectors;
    - `pt.nn.VisionEncoder` for ViT, with a classifier if it has one;
    - `pt.nn.DualEncoder` for CLIP;
    - `pt.nn.SpeechToText` for Whisper.

    Args:
        source: URL, `hf://owner/name`, path, bytes, file object, dict of files by name, or function
            that returns bytes, as for `load`.
        progress: Function (done, total, name) or True, as for `load`; None (default) for none.
        headers: Dict of headers to send to the URL's server, for example
            {"Authorization": "Bearer hf_..."}; None (default) for none.

    Returns:
        Module with the weights of the files.

    Raises:
        ModelError: If a file is missing or malformed, or the model is not of these families.
        BackendError: If there is no file at a URL, or this is not a web page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> try:
    ...     asyncio.run(pt.models.load_transformer({"config.json": b'{"model_type": "t5"}'}))
    ... except pt.errors.ModelError as error:
    ...     print(str(error)[:64])
    load_transformer: model is of an unknown family; got 't5'; use o
    """
    files = files_of(source, headers)
    meter = ProgressMeter(progress)
    file = ForwardReader(await files.reader("", meter.of("", label_of(files))))
    if bytes(await file.read(0, 4)) == gguf.MAGIC:
        model = await _of_gguf(file)
    else:
        model = await _of_config(await file.read(0, file.file.size), files, meter)
    meter.end()
    return model


def files_of(source: Any, headers: Mapping[str, str] | None) -> Files:
    """Return the files of a model; the one without a name describes it."""
    return files_of_source(source, _rank, PATTERNS, headers)


async def _of_gguf(reader: ForwardReader) -> Any:
    """Return the decoder of a GGUF file."""
    file = await gguf.header(reader)
    divisors: list[float] = []
    info = file.tensors.get(gguf_options.FREQUENCIES)
    if info is not None:
        tensor = gguf.tensor_of(info, False, await reader.file.read(info.start, info.stop))
        divisors = (tensor.unpacked() if isinstance(tensor, PackedMatrix) else tensor).tolist()
    with _valid("metadata are"):
        options = gguf_options.options_of(file, divisors)
        gates = (".ffn_gate.weight", ".ffn_gate_exps.weight")
        fused = not any(name.endswith(gates) for name in file.tensors)
        fill = _decoder(options, FUSED_UP if fused and options.gated else {})
    async for name, value in read_tensors(reader, gguf.stored(file, True), fill.wants):
        fill.take(name, value)
    return fill.finished()


async def _of_config(data: Any, files: Files, meter: ProgressMeter) -> Any:
    """Return the model of a configuration, with the weights next to it."""
    config, family = _family(_config(data))
    with _valid("configuration is"):
        if isinstance(family, encoders.EncoderFamily):
            place = partial(place_in, names=family.names, prefix=family.prefix)
            fill = _Filling(family.make(config), place, family.ignored)
        else:
            options = family(config)
            both = options.norm_places == "both"
            fill = _decoder(options, AFTER_ATTENTION if both else {})
    weights = weights_in(files, await _weights(files, meter), meter, fill.wants, packs=True)
    async for name, value in weights:
        fill.take(name, value)
    model = fill.finished()
    if isinstance(model, TextEncoder):
        pooling = await pooling_of(files) or Pooling()
        model.pooling, model.normalize = pooling.kind or model.pooling, pooling.normalize
    return model


def _family(config: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return the configuration of a part that can be loaded, and its family."""
    for part in (config, config.get("text_config")):
        if isinstance(part, dict):
            family = FAMILIES.get(str(part.get("model_type")))
            if family is not None:
                return part, family
    raise ModelError(
        f"load_transformer: model is of an unknown family; got {config.get('model_type')!r:.60}; "
        f"use one of {', '.join(FAMILIES)}"
    )


@contextmanager
def _valid(what: str) -> Iterator[None]:
    """Raise ModelError for the errors of wrong numbers; keep initial values pending."""
    before = settings.flush_threshold
    settings.flush_threshold = 1 << 30
    try:
        with replaced_values():
            yield
    except ModelError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError(
            f"load_transformer: {what} not valid; got {type(error).__name__}: {error!s:.160}; "
            "download the file again"
        ) from None
    finally:
        settings.flush_threshold = before


async def _weights(files: Files, meter: ProgressMeter) -> ForwardReader:
    errors = []
    for name in WEIGHTS:
        try:
            return ForwardReader(await files.reader(name, meter.of(name, name)))
        except (BackendError, ModelError, OSError) as error:
            errors.append(f"{error!s:.120}")
    raise ModelError(
        f"load_transformer: weights are missing; got {' | '.join(errors)}; give {WEIGHTS[0]}, or "
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
        "load_transformer: file is neither a GGUF file nor a config.json of transformers; got "
        f"{got}; give one of these"
    )


def _decoder(options: DecoderOptions, changes: Mapping[str, str | tuple[str, ...]]) -> _Filling:
    for field in fields(options):
        value = getattr(options, field.name)
        is_flag = isinstance(field.default, bool)
        is_bound = field.name in ("softcap", "logit_softcap") and value is not None
        if (is_flag and type(value) is not bool) or (is_bound and not value > 0):
            raise ValueError(f"{field.name} {value!r:.60}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{field.name} {value}")
    return _Filling(CausalDecoder(options), partial(place_of, changes=changes), IGNORED)


class _Filling:
    """A module whose parameters are replaced by tensors of files."""

    def __init__(
        self, model: Module, place: Callable[[str], Place | None], ignored: re.Pattern[str]
    ) -> None:
        self.model = model
        self.place = place
        self.ignored = ignored
        self.shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
        self.missing = set(self.shapes)
        self.unknown: list[str] = []
        self.experts: dict[str, dict[int, Any]] = {}
        """Weights of single experts by number, until those of all are known."""
        # Initial values are random numbers, which are not computed if nothing refers to them.
        empty = F.zeros(())
        for name in self.shapes:
            path, _, field = name.rpartition(".")
            setattr(self._module(path), field, empty)

    def wants(self, name: str) -> bool:
        """Return True if a tensor of a file belongs to fields."""
        if self.place(name) is not None:
            return True
        if not self.ignored.search(name):
            self.unknown.append(name)
        return False

    def take(self, name: str, value: Tensor | PackedMatrix | SplitMatrix) -> None:
        """Set the fields that a tensor belongs to."""
        place = self.place(name)
        if place is not None:
            with _valid("shapes of weights are"):
                self._set(name, place, value)

    def _set(self, name: str, place: Place, value: Tensor | PackedMatrix | SplitMatrix) -> None:
        if place.expert is not None:
            value = self._of_all(name, place, value)
            if value is None:
                return
        first = 0
        for path in place.paths:
            module = self._module(path)
            if module is None:
                # A tied model may store its embedding twice.
                if path not in SPARE:
                    self.unknown.append(name)
                return
            if not isinstance(value, Tensor) and not _may_be_packed(name, module):
                value = value.unpacked()
            part, field = _converted(name, module, place.field, value)
            if isinstance(module, Dense):
                if len(place.paths) > 1:
                    last = first + module.outputs
                    part, first = _rows(part, first, last), last
                if field == "weight":
                    part = part.T
            own = f"{path}.{field}".lstrip(".")
            if isinstance(module, MixtureOfExperts) and not isinstance(part, Tensor):
                experts, inputs, outputs = self.shapes.get(own, (0, 0, 0))
                self._replace(name, module, own, part, (experts * outputs, inputs))
            else:
                self._replace(name, module, own, part)

    def _of_all(self, name: str, place: Place, value: Any) -> Any:
        """Keep the weights of an expert; return those of all experts once none is missing."""
        path = f"{place.paths[0]}.{place.field}"
        count, inputs, outputs = self.shapes.get(path, (0, 0, 0))
        parts = self.experts.setdefault(path, {})
        parts[place.expert or 0] = value
        if place.expert not in range(count):
            self.unknown.append(name)
        if parts.keys() != {*range(count)}:
            return None
        whole = joined_rows([parts.pop(at) for at in range(count)])
        return whole.reshape((count, outputs, inputs)) if isinstance(whole, Tensor) else whole

    def _module(self, path: str) -> Any:
        owner: Any = self.model
        for step in path.split(".") if path else ():
            if not step.isdigit():
                owner = getattr(owner, step, None)
            elif owner is not None:
                owner = owner[int(step)] if int(step) < len(owner) else None
        return owner

    def _replace(
        self,
        name: str,
        module: Module,
        path: str,
        value: Any,
        stored: tuple[int, ...] | None = None,
    ) -> None:
        """Set a field of a module; `stored` is the shape if it is not that of the field."""
        own = stored or self.shapes.get(path)
        if path not in self.shapes or own is None:
            self.unknown.append(name)
            return
        if isinstance(value, Tensor) and value.dtype.kind != "f":
            raise ModelError(
                f"load_transformer: weights must be floating; got {value.dtype} for {name!r:.80}; "
                "use the original weights"
            )
        if value.shape != own and _without_ones(value.shape) == own:
            value = value.reshape(own)
        if tuple(value.shape) != own:
            raise ModelError(
                f"load_transformer: shapes differ; got {tuple(value.shape)} for {name!r:.80} "
                f"instead of {own}; use the configuration of these weights"
            )
        setattr(module, path.rpartition(".")[2], value)
        self.missing.discard(path)

    def finished(self) -> Any:
        """Return the model; raise ModelError if tensors are missing or unknown."""
        if self.missing or self.unknown:
            raise ModelError(
                f"load_transformer: names of tensors differ; got {_few(self.unknown)} unknown and "
                f"{_few(sorted(self.missing))} missing; use the configuration of these weights"
            )
        return self.model


def _converted(name: str, module: Module, field: str, value: Any) -> tuple[Any, str]:
    """Return a value in the layout of a module, by outputs for `Dense`, and the field's name."""
    if isinstance(module, LayerNorm | RMSNorm):
        return value, NORM.get(field, field)
    if isinstance(module, MixtureOfExperts) and isinstance(value, Tensor) and value.ndim > 1:
        return value.mT, field
    if isinstance(module, Dense) and TRANSPOSED.search(name):
        return value.T, field
    if isinstance(module, Conv1D | Conv2D) and value.ndim > 1:
        return F.permute_dims(value, (*range(2, value.ndim), 1, 0)), field
    return value, field


def _may_be_packed(name: str, module: Module) -> bool:
    """Return True if the weight of a module may be a packed or split matrix, by outputs."""
    return isinstance(module, Embedding | Dense | MixtureOfExperts) and not TRANSPOSED.search(name)


def _rows(value: Any, first: int, last: int) -> Any:
    return value[first:last] if isinstance(value, Tensor) else value.rows(first, last)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Remove axes of size 1 at the start of a shape."""
    first = next((axis for axis, size in enumerate(shape) if size != 1), len(shape))
    return shape[first:]


def _few(names: list[str]) -> str:
    return ", ".join([*names[:4], *(["..."] if len(names) > 4 else [])]) or "none"
