"""Conversations as plain text, for models without a chat template."""

from collections.abc import Mapping, Sequence
from typing import Any


class PlainTokenizer:
    """A tokenizer whose conversations are the texts of their messages.

    An answer continues the message before it; other messages are paragraphs.
    """

    chat_template = None

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tokenizer, name)

    def apply_chat_template(self, messages: Sequence[Mapping[str, str]], **_: Any) -> list[int]:
        """Return the tokens of a conversation."""
        return self._tokenizer.encode(plain_text(messages)).ids


def plain_text(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the text of a conversation.

    >>> plain_text([{"role": "user", "content": "A tensor"}])
    'A tensor'
    """
    parts = []
    for message in messages:
        if parts and message["role"] != "assistant":
            parts.append("\n\n")
        parts.append(message["content"])
    return "".join(parts)
