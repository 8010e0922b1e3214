"""Jinja2's sandbox with limits on loops and on the size of values.

Input: the text of a template. Output: an environment that compiles it. This module imports Jinja2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sized
from datetime import datetime
from typing import Any, NoReturn, cast

from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from ..errors import ArgumentError

STEPS = 200_000
"""Largest number of repetitions of loops, and of calls, in a template."""
LONGEST = 20_000_000
"""Largest size of a text or list."""
WIDEST = 10_000
"""Largest width of padded texts."""
_NUMBER = re.compile(r"\d{5}")
_WIDTHS = ("batch", "center", "format", "indent", "slice", "tojson", "truncate", "wordwrap")
"""Filters with widths."""
_METHODS = ("center", "expandtabs", "join", "ljust", "replace", "rjust",
            "translate", "zfill")  # fmt: skip
"""Methods of texts whose results may be much longer than the text."""


class Limit(Exception):
    """A template takes too many steps, or makes too large a value."""


class _Generation(Extension):
    """Parts between {% generation %} and {% endgeneration %} are written as they are."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


class _Counting(NodeTransformer):
    """Lets loops and joined texts pass through functions that count."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.iter = _filtered(cast(nodes.Expr, node.iter), "_counted")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "_joined")


def _filtered(node: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


class Sandbox(ImmutableSandboxedEnvironment):
    """Environment of chat templates, with the options and functions of transformers."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation]
        )
        self.steps = 0
        for name in _WIDTHS:
            if name in self.filters:
                self.filters[name] = _narrow(self.filters[name])
        self.filters |= {
            "_counted": self.counted,
            "_joined": lambda values: checked("".join(map(str, values))),
            "tojson": _narrow(_to_json),
            "replace": lambda text, *args: _grown(str(text), "replace", args),
            "join": lambda values, *args: _joined(values, *args),
        }
        del self.globals["lipsum"]
        self.globals |= {
            "raise_exception": _raise,
            "strftime_now": lambda form: datetime.now().strftime(form),
            "range": _range,
        }

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Counting().visit(super()._parse(source, name, filename))
        return tree

    def count(self) -> None:
        """Count a step."""
        self.steps += 1
        if self.steps > STEPS:
            raise Limit(f"more than {STEPS:,} repetitions")

    def counted(self, values: Iterable[Any]) -> Iterator[Any]:
        """Iterate and count."""
        for value in values:
            self.count()
            yield value

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute an operator whose result is not too large."""
        if isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * (right if operator == "**" else 1) + right.bit_length()
            if bits > WIDEST:
                raise Limit("a large number")
        elif operator == "*" and not isinstance(left, float) and not isinstance(right, float):
            sizes = [len(side) if isinstance(side, Sized) else int(side) for side in (left, right)]
            if sizes[0] * sizes[1] > LONGEST:
                raise Limit("a long repetition")
        elif operator == "%" and isinstance(left, str):
            _check_format(left, [right])
        return checked(super().call_binop(context, operator, left, right))

    def call(self, context: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function whose result is not too large."""
        self.count()
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        if isinstance(owner, str) and name in ("format", "format_map"):
            _check_format(owner, (*args, *kwargs.values()))
        elif isinstance(owner, str) and name in _METHODS:
            return _grown(owner, name, args)
        return checked(super().call(context, function, *args, **kwargs))


def checked(value: Any) -> Any:
    """Return a value; raise Limit if it is too large."""
    if isinstance(value, (str, list, tuple)) and len(value) > LONGEST:
        raise Limit(f"a value of {len(value):,} parts")
    return value


def _check_format(text: str, values: Iterable[Any]) -> None:
    flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    if _NUMBER.search(text) or any(isinstance(v, int) and abs(v) > 1 << 40 for v in flat):
        raise Limit("a wide format")
    if "{" in text.replace("{}", "") and any(isinstance(v, int) and v > WIDEST for v in flat):
        raise Limit("a wide format")


def _grown(text: str, name: str, args: tuple[Any, ...]) -> Any:
    """Call a method of a text whose result is not too long."""
    if name == "join":
        return _joined(args[0], text)
    size = len(text)
    if name == "replace":
        old, new = str(args[0]), str(args[1])
        size += text.count(old) * len(new)
        args = (old, new, *args[2:])
    else:
        size += sum(abs(arg) for arg in args if isinstance(arg, int)) * (
            text.count("\t") + 1 if name == "expandtabs" else 1
        )
    if size > LONGEST:
        raise Limit("a long text")
    return checked(getattr(text, name)(*args))


def _joined(values: Iterable[Any], mark: Any = "", attribute: str | None = None) -> str:
    items = list(values)
    if attribute is not None:
        items = [item[attribute] for item in items]
    texts = list(map(str, items))
    if sum(map(len, texts)) + len(str(mark)) * len(texts) > LONGEST:
        raise Limit("a long text")
    return str(mark).join(texts)


def _narrow(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter that refuses wide widths."""

    def apply(*args: Any, **kwargs: Any) -> Any:
        numbers = [arg for arg in (*args[1:], *kwargs.values()) if isinstance(arg, int)]
        if any(number > WIDEST for number in numbers):
            raise Limit("a wide text")
        if isinstance(args[0], str) and _NUMBER.search(args[0]) and "%" in args[0]:
            raise Limit("a wide format")
        return checked(function(*args, **kwargs))

    # Jinja2 marks filters that take the environment by an attribute.
    vars(apply).update(vars(function))
    return apply


def _range(*args: int) -> range:
    values = range(*args)
    if values and abs(values[-1] - values[0]) // abs(values.step) > STEPS:
        raise Limit("a long range")
    return values


def _raise(message: Any) -> NoReturn:
    raise ArgumentError(
        f"apply_chat_template: template refuses the messages; got {message!s:.300}; change the "
        "messages"
    )


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    """Return JSON without the escapes of HTML that Jinja2's own filter writes."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators and tuple(separators),
        sort_keys=sort_keys,
    )
