"""Load language models with their tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, ModelError
from ...nn.layers.decoder import CausalDecoder
from ..tokenizer import Tokenizer
from .language_model import LanguageModel
from .sampling import Sampling

if TYPE_CHECKING:
    from ...models.progress import Progress

OPTIONS = "generation_config.json"
ENDS = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "<|endoftext|>")
"""Texts of tokens that end an answer in the formats of many models. Files do not always say so."""


async def load(
    source: Any,
    *,
    progress: bool | Progress | None = None,
    headers: Mapping[str, str] | None = None,
) -> LanguageModel:
    """Load a language model and its tokenizer.

    The source is a repository of a hub, a folder or files with `config.json`, weights and
    `tokenizer.json`, or a GGUF file: see `pt.models.load_transformer` and `Tokenizer.load`. How
    tokens are chosen, and which ones end a text, is read from `generation_config.json` if it is
    there.

    Args:
        source: URL, `hf://owner/name`, path, bytes, file object, dict of files by name, or function
            that returns bytes, as for `pt.models.load`.
        progress: Function (done, total, name) or True, as for `pt.models.load`; None (default) for
            none.
        headers: Dict of headers to send to the URL's server; None (default) for none.

    Returns:
        `LanguageModel`.

    Raises:
        ModelError: If a file is missing or malformed, or the model does not continue texts.
        BackendError: If there is no file at a URL, or this is not a web page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> try:
    ...     asyncio.run(pt.text.load({"config.json": b'{"model_type": "t5"}'}))
    ... except pt.errors.ModelError as error:
    ...     print(str(error)[:27])
    load: not a valid tokenizer
    """
    # The readers of models are many modules, which tokenizers alone do not need.
    from ...models.transformers.loading import load_transformer

    tokenizer = await Tokenizer.load(source, headers=headers)
    model = await load_transformer(source, progress=progress, headers=headers)
    if not isinstance(model, CausalDecoder):
        raise ModelError(
            f"load: model does not continue texts; got {type(model).__name__}; use "
            "pt.models.load_transformer and pt.text.Tokenizer.load"
        )
    options = await generation_options(source, headers)
    return LanguageModel(
        model,
        tokenizer,
        ends=_ends(tokenizer, options, model.options.vocabulary),
        sampling=_sampling(options),
    )


async def generation_options(source: Any, headers: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the content of generation_config.json; {} if there is none."""
    from ...models.transformers.loading import files_of
    from ..loading import fields_of

    return await fields_of(files_of(source, headers), OPTIONS)


def _ends(tokenizer: Tokenizer, options: Mapping[str, Any], vocabulary: int) -> list[int]:
    """Return the tokens that end a text."""
    listed = options.get("eos_token_id")
    numbers = [listed] if isinstance(listed, int) else listed or []
    texts = [*ENDS, tokenizer.special_tokens.get("eos_token")]
    numbers += [tokenizer.token_to_id(text) for text in texts if text is not None]
    return sorted({n for n in numbers if isinstance(n, int) and 0 <= n < vocabulary})


def _sampling(options: Mapping[str, Any]) -> Sampling:
    """Return how tokens are chosen, as transformers reads it from the file."""
    names = [*Sampling.__dataclass_fields__]
    known = {name: options[name] for name in names if options.get(name) is not None}
    if not options.get("do_sample", False):
        known = {name: value for name, value in known.items() if name == "repetition_penalty"}
    else:
        known = {"temperature": 1.0, "top_k": 50, **known}
    try:
        return Sampling(**known)
    except (ArgumentError, TypeError) as error:
        raise ModelError(
            f"load: {OPTIONS} is not valid; got {error!s:.160}; download it again"
        ) from None
