"""Read the content of files of tokenizers."""

from __future__ import annotations

import json
from typing import Any

from . import bert_vocabulary
from .gguf_vocabulary import MAGIC, of_gguf
from .parts import malformed


def read(file: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the description of a tokenizer and of its configuration.

    The file is the content of a tokenizer.json as a dict, text or bytes, or bytes of a `vocab.txt`
    or GGUF file.
    """
    if isinstance(file, dict):
        return _checked(file), {}
    try:
        data = file if isinstance(file, str) else bytes(memoryview(file).cast("B"))
        if isinstance(data, bytes) and data[:4] == MAGIC:
            return of_gguf(data)
        if isinstance(data, bytes) and bert_vocabulary.matches(data):
            return bert_vocabulary.described(data, {}), {}
        return _checked(json.loads(data)), {}
    except (TypeError, ValueError, RecursionError) as error:
        raise malformed(
            "tokenizer.json is not JSON", f"{type(error).__name__}: {error!s:.80}"
        ) from None


def _checked(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict) or not isinstance(data.get("model"), dict):
        raise malformed("tokenizer.json has no model", f"{data!r:.60}")
    version = data.get("version", "1.0")
    if version != "1.0":
        raise malformed("version is unknown", f"{version!r:.40}")
    return data


def settings_of(config: Any) -> dict[str, Any]:
    """Return the fields of a tokenizer_config.json."""
    if config is None:
        return {}
    try:
        data = config if isinstance(config, dict) else json.loads(config)
    except (TypeError, ValueError, RecursionError) as error:
        raise malformed("tokenizer_config.json is not JSON", f"{error!s:.80}") from None
    if not isinstance(data, dict):
        raise malformed("tokenizer_config.json must be an object", f"{data!r:.60}")
    return data
