"""Visible characters for the 256 bytes, with which byte-level vocabularies are written.

Source: `bytes_to_unicode` of GPT-2, https://github.com/openai/gpt-2/blob/master/src/encoder.py.
"""

from __future__ import annotations

_SHOWN = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = [byte for byte in range(256) if byte not in _SHOWN]

BYTE_CHARS = [chr(byte if byte in _SHOWN else 256 + _OTHERS.index(byte)) for byte in range(256)]
"""Character of each byte."""
CHAR_BYTES = {char: byte for byte, char in enumerate(BYTE_CHARS)}
"""Byte of each character."""
LATIN_TO_CHARS = dict(enumerate(BYTE_CHARS))
"""Table of `str.translate` from the characters of Latin-1, which are bytes, to those shown."""


def shown(text: str) -> str:
    """Return the characters for the bytes of a text in UTF-8.

    >>> shown("é a")
    'Ã©Ġa'
    """
    return text.encode("utf-8", "surrogatepass").decode("latin-1").translate(LATIN_TO_CHARS)


def bytes_of(token: str) -> bytes:
    """Return the bytes of a token; those in UTF-8 if it has other characters.

    >>> bytes_of("Ã©Ġa").decode()
    'é a'
    """
    try:
        return bytes([CHAR_BYTES[char] for char in token])
    except KeyError:
        return token.encode("utf-8", "surrogatepass")
