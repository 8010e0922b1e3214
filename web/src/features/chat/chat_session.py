"""The language model of the page, and its conversation."""

import asyncio
import json
import math
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from attention_weights import attention_weights
from context_loss import is_loss
from model_needs import needs_of
from plain_conversation import PlainTokenizer

import py_tensor as pt

Message = Mapping[str, str]

ARCHIVE = Path("/tmp/jinja2.zip")
"""Python imports Jinja2 from it."""
MOST_TOKENS = 96
"""Largest number of tokens of a picture of attention."""
ERRORS = (pt.errors.TensorError, MemoryError, OSError)


class ChatSession:
    """Holds the loaded model and answers messages.

    The page holds the conversation and sends all of it for each answer, so that nothing is lost
    with the GPU. The keys and values of its tokens stay on the device for the next answer.
    """

    def __init__(self, page: Any) -> None:
        self._page = page
        self._loading: asyncio.Task[Any] | None = None
        self._generation: Any = None
        self._source: Any = None
        self._model: pt.text.LanguageModel | None = None
        self._chat: Any = None
        self._most_bytes = math.inf
        self._is_too_large = False
        self._transcript: list[int] = []
        self._last_turn = 0
        """Position of the first token of the last turn."""

    # --- the model --------------------------------------------------------------------------------

    async def describe(self, source: Any) -> dict[str, Any]:
        """Return what a model needs, from the headers of its files; or why it cannot be read."""
        try:
            return await needs_of(source)
        except ERRORS as error:
            return {"problem": _reason(error)}

    async def load(self, source: Any, most_bytes: float) -> dict[str, Any]:
        """Load a model and return facts about it.

        `most_bytes` limits what is downloaded. If the model cannot be loaded, the one before stays,
        and the result says why: {"problem": ...}, or {"cancelled": True}.
        """
        self._most_bytes, self._is_too_large = most_bytes, False
        try:
            return await self._load(source)
        except asyncio.CancelledError:
            if not self._is_too_large:
                return {"cancelled": True}
            return {
                "problem": "load: model is larger than the limit of downloads; got more than "
                f"{most_bytes / 1e6:.0f} MB; raise the limit, or choose a smaller model"
            }
        except ERRORS as error:
            if is_loss(error):
                raise
            return {"problem": _reason(error)}

    async def _load(self, source: Any) -> dict[str, Any]:
        def progress(done: int, total: int | None, name: str) -> None:
            self._send("modelProgress", {"done": done, "total": total, "name": name})
            if done > self._most_bytes:
                self._is_too_large = True
                self.cancel()

        self._loading = asyncio.ensure_future(pt.text.load(source, progress=progress))
        try:
            model = await self._loading
        finally:
            self._loading = None
        note = await self._prepare_template(model)
        self._source, self._model, self._chat = source, model, model.chat()
        self._transcript, self._last_turn = [], 0
        options, sampling = model.model.options, model.sampling
        return {
            "layers": options.layers,
            "heads": options.heads,
            "note": note,
            "sampling": {"temperature": sampling.temperature, "topP": sampling.top_p},
            "memory": memory(),
        }

    async def _prepare_template(self, model: pt.text.LanguageModel) -> str:
        """Let the model continue plain texts if it has no template, or Jinja2 is missing."""
        template = model.tokenizer.chat_template
        if template is not None:
            if find_spec("jinja2") is None and (data := (await self._page.jinja()).to_bytes()):
                ARCHIVE.write_bytes(data)
                sys.path.append(str(ARCHIVE))
            if find_spec("jinja2") is not None:
                return "It has a chat template."
        model.tokenizer = PlainTokenizer(model.tokenizer)
        if template is None:
            return "It has no chat template, so it continues the text of the conversation."
        return (
            "Its chat template needs Jinja2, which did not load, so it continues the text of the "
            "conversation. Check the connection and load the model again."
        )

    def cancel(self) -> None:
        """Stop loading."""
        if self._loading is not None:
            self._loading.cancel()

    async def recover(self) -> None:
        """Load the model again after the GPU was lost."""
        if self._source is None:
            return
        self._most_bytes = math.inf
        self._model = self._chat = None
        await self._load(self._source)
        self._send("recovered", {"section": "chat", "epoch": 0})

    # --- the conversation -------------------------------------------------------------------------

    async def answer(
        self, messages: Sequence[Message], length: int, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Answer the last message in at most `length` tokens of conversation and answer.

        `options` are those of `LanguageModel.generate`. Pieces of the answer are sent to the page;
        the result says how it ended.
        """
        if self._chat is None:
            raise RuntimeError("answer: no model is loaded; load one first")
        self._chat.end_turn()
        room = length - options["max_tokens"]
        kept, prompt = self._fitting(messages, room)
        self._chat.messages[:] = kept[:-1]
        generation = self._chat.send(kept[-1]["content"], **options)
        self._generation = generation
        self._send_piece("", generation, prompt)
        try:
            async for piece in generation:
                self._send_piece(piece, generation, prompt)
                # Messages of the page, for example to stop, arrive between two tasks.
                await asyncio.sleep(0)
        finally:
            self._generation = None
        answered = self._model.tokenizer.encode(generation.text, add_special_tokens=False).ids
        self._last_turn = self._start_of_turn(kept, prompt)
        self._transcript = [*prompt, *answered]
        return {
            "text": generation.text,
            "reason": generation.reason,
            "tokens": generation.count,
            "firstSeconds": generation.first_seconds,
            "tokensPerSecond": generation.tokens_per_second,
            "cacheTokens": len(prompt) + generation.count,
            "forgotten": len(messages) - len(kept),
            "memory": memory(),
        }

    def _send_piece(self, piece: str, generation: Any, prompt: Sequence[int]) -> None:
        self._send(
            "answer",
            {
                "piece": piece,
                "tokens": generation.count,
                "tokensPerSecond": generation.tokens_per_second,
                "cacheTokens": len(prompt) + generation.count,
            },
        )

    def _fitting(self, messages: Sequence[Message], room: int) -> tuple[list[Message], list[int]]:
        """Return the newest messages whose tokens have room, after the system's, and the tokens."""
        first = 1 if messages[0]["role"] == "system" else 0
        kept = [*messages]
        while True:
            prompt = self._tokens(kept, True)
            if len(prompt) <= room:
                return kept, prompt
            if len(kept) <= first + 1:
                raise pt.errors.ArgumentError(
                    f"answer: message is too long; got {len(prompt)} tokens and room for {room}; "
                    "shorten it, or raise the context or lower the tokens of an answer"
                )
            # A message of the visitor, and its answer.
            del kept[first : first + 2]

    def _tokens(self, messages: Sequence[Message], is_prompt: bool) -> list[int]:
        tokenizer = self._model.tokenizer
        return tokenizer.apply_chat_template(
            list(messages), add_generation_prompt=is_prompt, tokenize=True
        )

    def _start_of_turn(self, messages: Sequence[Message], prompt: Sequence[int]) -> int:
        """Return the number of tokens that the prompt shares with the messages before the last."""
        try:
            before = self._tokens(messages[:-1], False) if len(messages) > 1 else []
        except pt.errors.TensorError:  # a template may need a message of the visitor
            return 0
        pairs = zip(before, prompt, strict=False)
        return next((at for at, (a, b) in enumerate(pairs) if a != b), len(before))

    def stop(self) -> None:
        """End the answer after the token that is being computed."""
        if self._generation is not None:
            self._generation.stop()

    # --- attention --------------------------------------------------------------------------------

    async def attention(self, layer: int, head: int) -> dict[str, Any]:
        """Return the tokens of the last turn, and the weights by which each attends to others."""
        tokens = self._transcript
        if self._model is None or not tokens:
            raise RuntimeError("attention: there is no answer; send a message first")
        start = max(self._last_turn, len(tokens) - MOST_TOKENS)
        weights = attention_weights(self._model.model, tokens, layer, head)[start:, start:]
        values = (await weights.data()).tolist()
        decode = self._model.tokenizer.decode
        return {
            "tokens": [decode([token], skip_special_tokens=False) for token in tokens[start:]],
            "weights": [[round(value, 4) for value in row] for row in values],
            "before": start,
        }

    def _send(self, event: str, value: Any) -> None:
        self._page.send(event, json.dumps(value))


def memory() -> dict[str, int]:
    """Return counts of the memory in use."""
    now = pt.memory()
    return {
        "tensors": now.num_tensors,
        "bytes": now.num_bytes,
        "deviceBytes": now.num_bytes_in_gpu,
    }


def _reason(error: BaseException) -> str:
    return str(error) or f"{type(error).__name__}: the page has not enough memory; close others"
