"""Write the reference, docs/reference/, out of the op table, signatures and docstrings.

usage: python tools/make_reference.py [--check]
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, UnionType
from typing import Any

from public_api import ROOT, attributes_of, literal, parameters_of, write
from reference_entries import Entry, Page, document_of, function_of, is_ours, members_of, pages
from reference_facts import facts_of

import py_tensor
from py_tensor import functions
from py_tensor.dtypes import CATEGORIES, DTYPES, DType

FOLDER = "docs/reference"
HEAD = "<!-- Written by tools/make_reference.py; `make reference` writes it anew. -->"
WIDTH = 100


# --- words --------------------------------------------------------------------------------------


def escaped(text: str) -> str:
    """Text in which Markdown sees no marks but backticks."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"[*<|\\]|\](?=\()|(?<!\w)_", r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)


def markdown(document: str) -> str:
    """A docstring, with its examples as code."""
    lines: list[str] = []
    inside = False
    for line in document.split("\n"):
        if line.startswith(">>> ") and not inside:
            lines.append("```pycon")
            inside = True
        elif inside and not line:
            lines.append("```")
            inside = False
        lines.append(line if inside or line.startswith("    ") else escaped(line))
    return "\n".join([*lines, "```"] if inside else lines)


def paragraphs(document: str) -> list[str]:
    """A module's docstring without the list of its files and its examples."""
    parts = inspect.cleandoc(document).split("\n\n")
    return [escaped(part) for part in parts if not part.startswith(("    ", ">>> "))]


def text_of(entry: Entry) -> str:
    """What is said of a name: its docstring, or the text behind its assignment."""
    if isinstance(entry.value, DType):
        return dtype_text(entry.value)
    if isinstance(entry.value, (type, FunctionType)):
        return document_of(entry.value)
    home = ast.parse(inspect.getsource(sys.modules[entry.home]))
    return attributes_of(home.body).get(entry.name, ("", ""))[1]


def dtype_text(dtype: DType) -> str:
    """How many bits it has, and which values."""
    if dtype.kind == "f":
        limits = py_tensor.finfo(dtype)
        held = f"up to {limits.max:g} in size; the next number after 1 is 1 + {limits.eps:g}"
    else:
        held = {"b": "False and True", "c": "real and imaginary parts of float32"}.get(
            dtype.kind, f"{dtype.lowest} to {dtype.highest}"
        )
    return f"{dtype.bits} bits: {held}."


def first_line(entry: Entry) -> str:
    return escaped(text_of(entry).partition("\n")[0])


# --- signatures -----------------------------------------------------------------------------------


def annotation_of(annotation: Any) -> str:
    """What an annotation tells; Any tells nothing."""
    text = getattr(annotation, "__forward_arg__", annotation)
    text = text if isinstance(text, str) else inspect.formatannotation(text)
    return "" if text == "Any" else text


def default_of(value: Any) -> str | None:
    """A default that is a name or has one."""
    if isinstance(value, (FunctionType, type)):
        return value.__name__
    return repr(value) if isinstance(value, (DType, tuple)) else None


def call(name: str, value: Callable[..., Any], bound: bool = False) -> str:
    """How something is called; a method without its first parameter."""
    signature = inspect.signature(value)
    parameters = list(signature.parameters.values())[bound:]
    shown = parameters_of(signature.replace(parameters=parameters), annotation_of, default_of)
    returns = ""
    if not isinstance(value, type):
        returns = f" -> {annotation_of(signature.return_annotation) or 'Any'}"
    start = f"{'await ' if inspect.iscoroutinefunction(value) else ''}{name}"
    line = f"{start}({', '.join(shown)}){returns}"
    if len(line) > WIDTH:
        inside = "".join(f"    {each},\n" for each in shown)
        line = f"{start}(\n{inside}){returns}"
    return line


def code(text: str) -> str:
    return f"```python\n{text}\n```"


# --- entries --------------------------------------------------------------------------------------


def function_text(entry: Entry) -> Iterator[str]:
    yield code(call(f"{entry.namespace}.{entry.name}", entry.value))
    yield markdown(text_of(entry))
    facts = facts_of(entry.value)
    yield " · ".join(f"**{label}** {text}" for label, text in facts)


def class_text(entry: Entry, methods: list[str]) -> Iterator[str]:
    """A class: how it is made, its attributes that have a text, its methods and properties."""
    names = (base.__name__ for base in entry.value.__bases__ if base is not object)
    bases = [name for name in names if not name.startswith("_")]
    lines = []
    if bases:
        lines.append(f"class {entry.name}({', '.join(bases)})")
    # What other functions make, they say.
    if is_constructed(entry.value) and "made by `" not in text_of(entry).lower():
        lines.append(call(f"{entry.namespace}.{entry.name}", entry.value))
    yield code("\n".join(lines)) if lines else ""
    yield markdown(text_of(entry))
    definition = ast.parse(inspect.getsource(entry.value)).body[0]
    assert isinstance(definition, ast.ClassDef)
    yield "\n".join(
        f"- `{': '.join(filter(None, (name, annotation)))}`: {escaped(' '.join(text.split()))}"
        for name, (annotation, text) in attributes_of(definition.body).items()
    )
    if entry.value is py_tensor.Tensor:
        yield f"Functions that are methods, too: {', '.join(methods)}."
    for name, value in members_of(entry.value):
        full = f"{entry.name}.{name}"
        function = function_of(value)
        yield f"#### `{full}`"
        if isinstance(value, property):
            returns = annotation_of(inspect.signature(function).return_annotation)
            yield code(": ".join(filter(None, (full, returns))))
        else:
            yield code(call(full, function, bound=not isinstance(value, staticmethod)))
        yield markdown(document_of(function))


def is_constructed(kind: type) -> bool:
    """Whether calls make it: it has an `__init__` of this package, or is a named tuple."""
    init = inspect.getattr_static(kind, "__init__")
    return hasattr(kind, "_fields") or (isinstance(init, FunctionType) and is_ours(init))


def value_text(entry: Entry) -> Iterator[str]:
    """A constant, a dtype, a table by names, or an object."""
    full = f"{entry.namespace}.{entry.name}"
    if isinstance(entry.value, dict):
        yield code(f"{full}: {', '.join(entry.value)}")
    elif isinstance(entry.value, DType):
        yield code(full)
    elif value := literal(entry.value) or str(entry.value) * isinstance(entry.value, UnionType):
        yield code(f"{full} = {value}")
    else:
        yield code(f"{full}: {type(entry.value).__name__}")
    yield markdown(text_of(entry))


def entry_text(entry: Entry, methods: list[str]) -> Iterator[str]:
    yield f"### `{entry.name}`"
    if entry.original:
        yield f"The same as {entry.original.link} in `{entry.original.namespace}`."
    elif isinstance(entry.value, type):
        yield from class_text(entry, methods)
    elif isinstance(entry.value, FunctionType):
        yield from function_text(entry)
    else:
        yield from value_text(entry)


# --- pages ----------------------------------------------------------------------------------------


def intro(page: Page) -> list[str]:
    """What the namespace, or the only module of a page, says of itself."""
    if page.module:
        return paragraphs(page.module.__doc__ or "")
    (home, *others) = page.sections
    return [] if others or home == py_tensor.__name__ else about(home)


def about(home: str) -> list[str]:
    """The first paragraph of a module of this package."""
    return paragraphs(sys.modules[home].__doc__ or "")[:1] if home else []


def table(entries: list[Entry]) -> str:
    """Names with the first line of their texts."""
    lines = ((entry, first_line(entry.original or entry)) for entry in entries)
    rows = [
        # A bar ends a cell in code, too.
        f"| [`{entry.name}`](#{entry.anchor}) | {re.sub(r'(?<!\\)\|', r'\|', line)} |"
        for entry, line in lines
    ]
    return "\n".join(["| name | |", "|---|---|", *rows])


def page_text(page: Page, methods: list[str]) -> str:
    parts = [HEAD, f"# {page.title}", *intro(page), table(page.entries)]
    for home, entries in page.sections.items():
        # What a namespace's own module defines stands below the page's title.
        if len(page.sections) > 1 and (title := page.section_title(home)):
            parts += [f"## {title}", *about(home)]
        for entry in entries:
            parts += entry_text(entry, methods)
    return "\n\n".join(filter(None, parts)) + "\n"


HOW_TO_READ = """\
Every public name of `import py_tensor as pt`. At the end of entries stands what the op table says,
and what calls with each dtype gave:

- **Dtypes**: what operands may be, and what the result is then. Operands of different dtypes are
  promoted to one first. {kinds}.
- **Gradient**: whether there is one, for which operands, or why there is none; *zero* is one, too.
  Where nothing is said, the function is made of several operations, and its gradient of theirs.
- **Error**: of float32 results, relative, that tests allow.
- **Method**, **Operator**: the same in other words."""


def index_text(found: list[Page]) -> str:
    kinds = "; ".join(
        f"*{name}* is {', '.join(str(dtype) for dtype in DTYPES if dtype.kind in kinds)}"
        for name, kinds in CATEGORIES.items()
        if name != "all"
    )
    parts = [HEAD, "# Reference", HOW_TO_READ.format(kinds=kinds)]
    for page in found:
        parts += [f"## [{page.title}]({page.name}.md)", *intro(page)[:1]]
        parts.append(" · ".join(entry.link for entry in page.entries))
    return "\n\n".join(filter(None, parts)) + "\n"


def main(check: bool) -> int:
    found = pages()
    methods = [
        entry.link
        for page in found
        for entry in page.entries
        if not entry.original and entry.value in functions.METHODS.values()
    ]
    texts = {page.name: page_text(page, methods) for page in found} | {"README": index_text(found)}
    files: dict[str, str | None] = dict.fromkeys(
        f"{FOLDER}/{path.name}" for path in (ROOT / FOLDER).glob("*.md")
    )
    files |= {f"{FOLDER}/{name}.md": text for name, text in texts.items()}
    return write(files, check, "reference")


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
