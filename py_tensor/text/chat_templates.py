"""Chat templates: they write messages as the text that a model expects.

Templates come from files, so they run in Jinja2's sandbox, and limits on loops and on the text end
templates that would run for ever. Source of the functions and options that templates may use:
https://huggingface.co/docs/transformers/chat_templating_writing.
"""

from __future__ import annotations

from collections.abc import Mapping
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
