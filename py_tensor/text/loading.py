"""Load the files of a tokenizer from where a user has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import BackendError, ModelError
from ..models.readers import ForwardReader
from ..models.sources import Files, files_of_source
from ..models.weights import gguf
from . import bert_vocabulary
from .files import settings_of
from .gguf_vocabulary import described
from .parts import malformed

PATTERNS = ("tokenizer.json", "vocab.txt", "*.gguf")
"""Names of tokenizers in repositories of hubs, the preferred one first."""
_SIZE_LIMIT = 1 << 28
"""Largest number of bytes of a tokenizer.json."""


async def load_files(source: Any, headers: Mapping[str, str] | None) -> tuple[Any, dict[str, Any]]:
    """Return the content of a tokenizer's file, and that of its configuration."""
    if isinstance(source, dict) and isinstance(source.get("model"), dict):
        return source, {}
    files = files_of_source(source, _rank, PATTERNS, headers)
    file = ForwardReader(await files.reader("", None))
    if bytes(await file.read(0, 4)) == gguf.MAGIC:
        return described((await gguf.header(file)).metadata)
    if file.file.size > _SIZE_LIMIT:
        raise malformed("tokenizer.json is too long", f"{file.file.size} bytes")
    data = bytes(await file.read(0, file.file.size))
    config = await optional(files, "tokenizer_config.json")
    settings = settings_of(config)
    template = await optional(files, "chat_template.jinja")
    if template is not None:
        settings["chat_template"] = template.decode("utf-8", "replace")
    if bert_vocabulary.matches(data):
        return bert_vocabulary.described(data, settings), settings
    return data, settings


async def optional(files: Files, name: str) -> bytes | None:
    """Return a file next to the one that was chosen; None if there is none."""
    try:
        return bytes(await files.read(name, None))
    except (BackendError, ModelError, OSError):
        return None


async def fields_of(files: Files, name: str) -> dict[str, Any]:
    """Return the content of a JSON file next to the one that was chosen; {} if there is none."""
    try:
        fields = json.loads(await optional(files, name) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _rank(data: Any) -> int | None:
    """Return the rank of a tokenizer, GGUF file or vocabulary, to choose among several files."""
    head = bytes(memoryview(data).cast("B"))
    if head[:4] == gguf.MAGIC:
        return 1
    if bert_vocabulary.matches(head):
        return 2
    is_tokenizer = (head[:1] == b"{" and b'"added_tokens"' in head) or b'"pre_tokenizer"' in head
    return 0 if is_tokenizer or (head[:1] == b"{" and b'"vocab"' in head) else None
