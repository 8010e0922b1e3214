"""Load models that make vectors of texts, with their tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, ArgumentTypeError, ModelError
from ...nn.layers.decoder import CausalDecoder
from ...nn.layers.encoders import TextEncoder
from ..tokenizer import Tokenizer
from .embedder import Embedder

if TYPE_CHECKING:
    from ...models.progress import Progress

PROMPTS = "config_sentence_transformers.json"
LENGTH = "sentence_bert_config.json"


async def load_embedder(
    source: Any,
    *,
    progress: bool | Progress | None = None,
    headers: Mapping[str, str] | None = None,
) -> Embedder:
    """Load a model that makes vectors of texts, and its tokenizer.

    The source is a repository of a hub, a folder or files with `config.json`, weights and
    `tokenizer.json`, see `pt.models.load_transformer` and `Tokenizer.load`. Encoders and language
    models are read. The files of sentence-transformers say how vectors are made, if they are there:
    `modules.json` with the pooling and the normalization, `sentence_bert_config.json` with the
    largest number of tokens, and `config_sentence_transformers.json` with the prompts. Without them
    the vector is the mean over the tokens of an encoder, and that of the last token of a language
    model.

    Args:
        source: URL, `hf://owner/name`, path, bytes, file object, dict of files by name, or function
            that returns bytes, as for `pt.models.load`.
        progress: Function (done, total, name) or True, as for `pt.models.load`; None (default) for
            none.
        headers: Dict of headers to send to the URL's server; None (default) for none.

    Returns:
        `Embedder`.

    Raises:
        ModelError: If a file is missing or malformed, or the model is of another kind.
        BackendError: If there is no file at a URL, or this is not a web page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> try:
    ...     asyncio.run(pt.text.load_embedder({"config.json": b'{"model_type": "t5"}'}))
    ... except pt.errors.ModelError as error:
    ...     print(str(error)[:27])
    load: not a valid tokenizer
    """
    # The readers of models are many modules, which tokenizers alone do not need.
    from ...models.transformers.loading import files_of, load_transformer
    from ...models.transformers.pooling import Pooling, pooling_of
    from ..loading import fields_of

    tokenizer = await Tokenizer.load(source, headers=headers)
    model = await load_transformer(source, progress=progress, headers=headers)
    if not isinstance(model, TextEncoder | CausalDecoder):
        raise ModelError(
            f"load_embedder: model does not make vectors of texts; got {type(model).__name__}; "
            "use pt.models.load_transformer"
        )
    files = files_of(source, headers)
    pooling = await pooling_of(files) or Pooling()
    lengths, prompts = await fields_of(files, LENGTH), await fields_of(files, PROMPTS)
    try:
        return Embedder(
            model,
            tokenizer,
            pooling=pooling.kind or None,
            normalize=pooling.normalize,
            max_length=lengths.get("max_seq_length"),
            prompts=_texts(prompts.get("prompts")),
            default_prompt=prompts.get("default_prompt_name"),
            with_prompt=pooling.with_prompt,
        )
    except (ArgumentError, ArgumentTypeError) as error:
        raise ModelError(
            f"load_embedder: files of sentence-transformers are not valid; got {error!s:.160}; "
            "download them again"
        ) from None


def _texts(prompts: Any) -> dict[str, str]:
    own = prompts if isinstance(prompts, dict) else {}
    return {name: text for name, text in own.items() if isinstance(text, str)}
