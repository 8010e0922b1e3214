"""Chat templates: they write messages as the text that a model expects.

Templates come from files, so they run in Jinja2's sandbox, and limits on loops and on the text end
templates that would run for ever. Source of the functions and options that templates may use:
https://huggingface.co/docs/transformers/chat_templating_writing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..errors import ArgumentError, BackendError, ModelError

LONGEST_TEMPLATE = 1_000_000
"""Largest number of characters of a template."""


@cache
def _sandbox() -> Any:
    """Return the environment of templates; raise BackendError without Jinja2."""
    try:
        from .sandbox import Sandbox
    except ImportError:
        raise BackendError(
            "apply_chat_template: Jinja2 is not installed; got a chat template; run "
            '"pip install jinja2", or in a page await micropip.install("jinja2")'
        ) from None
    return Sandbox()


@cache
def _compiled(template: str) -> Any:
    if len(template) > LONGEST_TEMPLATE:
        raise _wrong("is too long", f"{len(template):,} characters")
    return _sandbox().from_string(template)


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """Return the text of a template; raise ModelError if it is wrong or takes too long."""
    environment = _sandbox()
    from .sandbox import LONGEST, Limit

    environment.steps = 0
    try:
        parts, size = [], 0
        for part in _compiled(template).generate(**values):
            parts.append(part)
            size += len(part)
            if size > LONGEST:
                raise Limit(f"more than {LONGEST:,} characters")
        return "".join(parts)
    except Limit as error:
        raise _wrong("takes too many steps", str(error)) from None
    except (ArgumentError, ModelError):
        raise
    except Exception as error:  # a template may raise anything
        raise _wrong("failed", f"{type(error).__name__}: {error!s:.200}") from None


def _wrong(what: str, got: str) -> ModelError:
    return ModelError(
        f"apply_chat_template: template {what}; got {got}; check the messages, or use another "
        "template"
    )


class Chats:
    """Part of `Tokenizer` that writes conversations."""

    chat_template: str | None
    special_tokens: dict[str, str]
    _templates: dict[str, str]

    def _ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without added ones."""
        raise NotImplementedError

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        add_generation_prompt: bool = True,
        tokenize: bool = True,
        *,
        tools: Sequence[Any] | None = None,
        chat_template: str | None = None,
        **variables: Any,
    ) -> Any:
        """Return the tokens, or the text, of a conversation.

        The template is one of Jinja2, which must be installed: `pip install py_tensor[chat]`, or in
        a page `await micropip.install("jinja2")`. It runs in a sandbox, and ends with an error
        after too many steps.

        Args:
            messages: List of dicts with "role" and "content".
            add_generation_prompt: True (default) to end with the start of an answer.
            tokenize: True (default) for tokens; False for the text.
            tools: List of descriptions of functions, as JSON schemas in dicts; None (default) for
                none.
            chat_template: Template, or the name of one of several; None (default) for that of the
                files.
            **variables: Further variables of the template.

        Returns:
            List of the numbers of tokens; the text if `tokenize` is False.

        Raises:
            ArgumentError: If there is no template, or it refuses the messages.
            ModelError: If the template is wrong or takes too many steps.
            BackendError: If Jinja2 is not installed.

        >>> import py_tensor as pt
        >>> file = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
        >>> template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}\\n{% endfor %}<bot>"
        >>> tokenizer = pt.text.Tokenizer(file, {"chat_template": template})
        >>> tokenizer.apply_chat_template([{"role": "user", "content": "Hi"}], tokenize=False)
        '<user>Hi\\n<bot>'
        """
        template = self._templates.get(chat_template or "", chat_template) or (
            self._templates.get("tool_use") if tools else None
        )
        template = template or self.chat_template
        if template is None:
            raise ArgumentError(
                "apply_chat_template: tokenizer has no chat template; got None; pass chat_template"
            )
        text = rendered(
            template,
            {
                **self.special_tokens,
                "messages": messages,
                "tools": tools,
                "documents": None,
                "add_generation_prompt": add_generation_prompt,
                **variables,
            },
        )
        if not tokenize:
            return text
        return self._ids(text)


def templates_of(value: Any) -> dict[str, str]:
    """Return templates by name; a file has one, or a list of several."""
    if isinstance(value, str):
        return {"default": value}
    if isinstance(value, list):
        try:
            return {str(item["name"]): str(item["template"]) for item in value}
        except (KeyError, TypeError) as error:
            raise ModelError(
                f"load: chat_template is not valid; got {type(error).__name__}: {error!s:.60}; "
                "use a text"
            ) from None
    return {}
