"""A text as the input of a model: its tokenizer, and the tensors of its tokens."""

import json
from collections.abc import Mapping
from posixpath import basename
from typing import Any

from input_shapes import is_known
from token_inputs import roles_of

import py_tensor as pt

FILES = ("tokenizer.json", "vocab.txt", "tokenizer_config.json")
"""Files of a model that its tokenizer needs. A GGUF file has its own."""
FIRST = "The quick brown fox jumps over the lazy dog."
LONGEST = 512
"""Number of tokens of a text, after which it is cut if the model leaves the length open."""
SHOWN = 512
_PADDING = ("[PAD]", "<pad>", "<|endoftext|>")
_COLUMNS = {"ids": "ids", "mask": "attention_mask", "types": "type_ids"}


class TextInput:
    """The text for a model, and the tokens that its tokenizer makes of it."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.roles = roles_of(model.inputs)
        self._infos = {info.name: info for info in model.inputs if info.name in self.roles}
        self.tokenizer: Any = None
        self.text, self.pair = FIRST, ""
        self.tokens: list[str] = []
        self.cut = 0
        self._file = ""
        self._columns: dict[str, list[int]] = {}

    @property
    def ids_name(self) -> str:
        """Name of the input that takes the tokens."""
        return next(name for name, role in self.roles.items() if role == "ids")

    # --- the tokenizer ----------------------------------------------------------------------------

    async def find(self, source: Any) -> str:
        """Load the tokenizer next to a model, if there is one; return what is wrong with it."""
        if isinstance(source, str):
            # Only a list of a hub's files says whether there is a tokenizer.
            found: Any = "/".join(source.split("/")[:4]) if source.startswith("hf://") else None
        else:
            found = {name: source[name] for name in source if _is_for_tokens(name)}
        return await self.take(found) if found else ""

    async def take(self, source: Any) -> str:
        """Use another tokenizer; return what is wrong with the files, "" if nothing is."""
        try:
            await self._load(source)
        except (pt.errors.TensorError, OSError) as error:
            return str(error)
        return ""

    async def _load(self, source: Any) -> None:
        names = [source] if isinstance(source, str) else [*source]
        if wrong := [name for name in names if name.endswith(".model")]:
            raise pt.errors.ModelError(
                f"tokenizer: .model files of SentencePiece are not read; got {wrong[0]}; give the "
                "tokenizer.json of the same model"
            )
        tokenizer = await pt.text.Tokenizer.load(source)
        self.tokenizer = tokenizer
        self._file = next((name for name in names if "config" not in name), names[0])
        self.encode(self.text, self.pair)

    # --- the text ---------------------------------------------------------------------------------

    def encode(self, text: str, pair: str) -> None:
        """Split a text, and a second one if it is not empty, into tokens."""
        self.text, self.pair = text, pair
        length = self._length()
        limit = min(length or LONGEST, self.tokenizer.model_max_length or LONGEST)
        full = self._encoded(text, pair, 1 << 20)
        is_short = sum(full.attention_mask) <= limit
        encoding = full if is_short else self._encoded(text, pair, limit)
        self.cut = max(sum(full.attention_mask) - sum(encoding.attention_mask), 0)
        # The file may pad texts to a length that the model does not need.
        kept = [at for at, is_text in enumerate(encoding.attention_mask) if is_text]
        self.tokens = [encoding.tokens[at] for at in kept]
        padding = [0] * max((length or 0) - len(kept), 0)
        fill = next((n for n in map(self.tokenizer.token_to_id, self._padding_tokens()) if n), 0)
        self._columns = {
            role: [vars(encoding)[column][at] for at in kept]
            + ([fill] * len(padding) if role == "ids" else padding)
            for role, column in _COLUMNS.items()
        }
        self._columns["positions"] = [*range(len(self._columns["ids"]))]
        if not kept:
            raise ValueError("text: it has no tokens; got an empty text; write some words")

    def _encoded(self, text: str, pair: str, limit: int) -> Any:
        return self.tokenizer.encode(text, pair or None, max_length=limit)

    def _padding_tokens(self) -> list[str]:
        own = self.tokenizer.special_tokens.get("pad_token")
        return [own, *_PADDING] if own else [*_PADDING]

    def _length(self) -> int | None:
        """Return the number of tokens that the model takes; None if it takes any."""
        lengths = [info.shape[-1] for info in self._infos.values()]
        return next((length for length in lengths if is_known(length)), None)

    @property
    def is_ready(self) -> bool:
        """True if there are tokens for the model."""
        return bool(self.tokens)

    def inputs(self) -> dict[str, pt.Tensor]:
        """Return the tensors of the tokens, by the name of the input."""
        tensors = {}
        for name, role in self.roles.items():
            info = self._infos[name]
            row = pt.asarray(self._columns[role]).astype(info.dtype or pt.int32)
            rows = info.shape[0] if len(info.shape) == 2 and is_known(info.shape[0]) else 1
            shape = [rows, len(self._columns[role])] if len(info.shape) == 2 else [*row.shape]
            tensors[name] = pt.broadcast_to(row, shape)
        return tensors

    # --- for the page -----------------------------------------------------------------------------

    @property
    def ids(self) -> list[int]:
        """Numbers of the tokens."""
        return self._columns.get("ids", [])[: len(self.tokens)]

    def state(self, problem: str = "") -> dict[str, Any]:
        """Return the tokens to show, and where they are from."""
        ids = self.ids
        return {
            "text": self.text,
            "pair": self.pair,
            "tokenizer": basename(self._file),
            "problem": problem,
            "tokens": [[token, ids[at]] for at, token in enumerate(self.tokens[:SHOWN])],
            "count": len(self.tokens),
            "padded": len(self._columns.get("ids", [])) - len(ids),
            "cut": self.cut,
        }

    def code(self, model_address: str) -> str:
        """Return a program that runs the model on the text."""
        file = self._file or "tokenizer.json"
        texts = ", ".join(json.dumps(text) for text in (self.text, self.pair) if text)
        length = self._length()
        limit = f", max_length={length}" if length else ""
        rows = []
        for name, role in self.roles.items():
            values = f"encoding.{_COLUMNS[role]}" if role in _COLUMNS else "range(len(encoding))"
            padded = f"padded({values})" if length else f"[*{values}]"
            dtype = (self._infos[name].dtype or pt.int32).name
            is_row = len(self._infos[name].shape) == 1
            rows.append(
                f"    {json.dumps(name)}: pt.asarray({padded if is_row else f'[{padded}]'})"
                f'.astype("{dtype}"),'
            )
        pad = (
            f"\n\ndef padded(numbers):\n    return [*numbers, *[0] * ({length} - len(numbers))]\n\n"
            if length
            else ""
        )
        inputs = "\n".join(rows)
        return (
            f"import py_tensor as pt\n\nmodel = await pt.models.load({model_address})\n"
            f"tokenizer = await pt.text.Tokenizer.load({json.dumps(file)})\n"
            f"{pad}\nencoding = tokenizer.encode({texts}{limit})\nprint(encoding.tokens)\n"
            f"inputs = {{\n{inputs}\n}}\n"
            "for name, output in model.run(inputs).items():\n    print(name, output.shape)\n"
        )


def _is_for_tokens(name: str) -> bool:
    return basename(name) in FILES or name.endswith(".gguf")


async def labels_of(source: Mapping[str, Any]) -> list[str] | None:
    """Return the names of classes in the config.json of transformers next to a model."""
    file = next((source[name] for name in source if basename(name) == "config.json"), None)
    if file is None:
        return None
    try:
        names = json.loads(await file.text())["id2label"]
        return [str(names[str(at)]) for at in range(len(names))]
    except (ValueError, KeyError, TypeError):
        return None
