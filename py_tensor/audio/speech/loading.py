"""Load speech models with their tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from ...models.transformers.loading import load_transformer
from ...nn.layers.speech import SpeechToText
from ...text.generation.loading import generation_options
from ...text.tokenizer import Tokenizer
from .model import SpeechModel

if TYPE_CHECKING:
    from ...models.progress import Progress


async def load_speech(
    source: Any,
    *,
    progress: bool | Progress | None = None,
    headers: Mapping[str, str] | None = None,
) -> SpeechModel:
    """Load a model of Whisper and its tokenizer.

    The source is a repository of a hub, a folder or files with `config.json`, weights and
    `tokenizer.json`: see `pt.models.load_transformer` and `pt.text.Tokenizer.load`. Special tokens,
    and those that are never chosen, are read from `generation_config.json` if it is there.

    Args:
        source: URL, `hf://owner/name`, path, bytes, file object, dict of files by name, or function
            that returns bytes, as for `pt.models.load`.
        progress: Function (done, total, name) or True, as for `pt.models.load`; None (default) for
            none.
        headers: Dict of headers to send to the URL's server; None (default) for none.

    Returns:
        `SpeechModel`.

    Raises:
        ModelError: If a file is missing or malformed, or the model is not a Whisper model.
        BackendError: If there is no file at a URL, or this is not a web page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> try:
    ...     asyncio.run(pt.audio.load_speech({"config.json": b'{"model_type": "t5"}'}))
    ... except pt.errors.ModelError as error:
    ...     print(str(error)[:27])
    load: not a valid tokenizer
    """
    tokenizer = await Tokenizer.load(source, headers=headers)
    model = await load_transformer(source, progress=progress, headers=headers)
    if not isinstance(model, SpeechToText):
        raise ModelError(
            f"load_speech: model does not hear; got {type(model).__name__}; use the files of a "
            "Whisper model, or pt.models.load_transformer"
        )
    return SpeechModel(model, tokenizer, await generation_options(source, headers))
