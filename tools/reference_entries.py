"""Which public names there are, on which page of the reference, and what each class holds."""

from __future__ import annotations

import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from public_api import PACKAGE, imports_of

import py_tensor
from py_tensor import functions

PAGES = {
    "tensor": ["tensor"],
    "constants": [""],
    "data_types": ["dtypes", "functions.data_types", "functions.inspection"],
    "creation": ["functions.creation", "functions.grids"],
    "elementwise": ["functions.elementwise", "functions.complexes"],
    "statistics": [
        "functions.statistical",
        "functions.cumulative",
        "functions.nan_statistics",
        "functions.order_statistics",
        "functions.counting",
        "functions.utility",
        "functions.curves",
    ],
    "manipulation": ["functions.manipulation", "functions.joining", "functions.repetition"],
    "indexing": ["functions.indexing"],
    "searching": ["functions.searching"],
    "sorting": ["functions.sorting"],
    "sets": ["functions.sets"],
    "linear_algebra": ["functions.linear_algebra", "functions.einsum"],
    "neural": [
        "functions.neural",
        "functions.convolution",
        "functions.convolution_transpose",
        "functions.pooling",
    ],
    "gradients": ["autodiff"],
    "jit": ["jitting", "warming"],
    "trees": ["pytree"],
    "memory": ["accounting"],
    "pixels": ["pixels"],
    "runtime": ["runtime", "debugging", "explaining"],
}
"""Pages of the top level, by the modules that their names come from; every other namespace has a
page of its own."""


@dataclass
class Entry:
    """A public name, what it stands for, and the module that it comes from."""

    namespace: str
    name: str
    value: Any
    home: str
    page: str
    anchor: str = ""
    original: Entry | None = None
    """The entry of the same function in a namespace before."""

    @property
    def link(self) -> str:
        """A link from another page, or from the same."""
        return f"[`{self.name}`]({self.page}.md#{self.anchor})"


@dataclass
class Page:
    """A file of entries, in sections by the modules that they come from."""

    name: str
    title: str
    module: ModuleType | None = None
    """The namespace that the page is about."""
    sections: dict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))

    @property
    def entries(self) -> list[Entry]:
        return [entry for entries in self.sections.values() for entry in entries]

    def section_title(self, home: str) -> str:
        """A module's path below the page's namespace, or below the chapters, in words."""
        if not home:
            return ELSEWHERE
        above = self.module.__name__ if self.module else PACKAGE
        path = home.removeprefix(above).removeprefix(".functions").strip(".")
        return words(path.replace(".", ": "))


ELSEWHERE = "Also in pt"
"""The section of functions that other namespaces have too."""


def words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def namespaces() -> Iterator[tuple[str, ModuleType]]:
    """The package and every namespace inside, each with the name that programs have for it."""
    pending = [("pt", py_tensor)]
    while pending:
        name, module = pending.pop(0)
        yield name, module
        for inside in sorted({*public_names(module), *vars(module).get("_LAZY", ())}):
            value = getattr(module, inside)
            if isinstance(value, ModuleType):
                pending.append((f"{name}.{inside}", value))


def public_names(module: ModuleType) -> list[str]:
    """What a module says is public, or else what it defines without an underscore."""
    named = vars(module).get("__all__")
    if named is None:
        named = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
    return sorted(named, key=lambda name: (name.casefold(), name))


def home_of(module: ModuleType, name: str) -> str:
    """The module that a public name comes from; the chapter, for functions of the top level."""
    value = getattr(module, name)
    if isinstance(value, (type, FunctionType)):
        for chapter in functions.CHAPTERS:
            if chapter.PUBLIC.get(name) is value:
                return chapter.__name__
        return value.__module__
    statement = imports_of(module).get(name)
    return statement.split()[1] if statement else module.__name__


def page_of(home: str) -> str:
    """The page of the top level that has a module's names."""
    path = home.removeprefix(PACKAGE).strip(".")
    for page, modules in PAGES.items():
        if any(path == module or (module and path.startswith(f"{module}.")) for module in modules):
            return page
    raise SystemExit(f"reference: no page; got names of {home}; give it one in PAGES")


def pages() -> list[Page]:
    """Every page with its entries, in the order of the index."""
    found = {name: Page(name, words(name)) for name in PAGES}
    for name, homes in PAGES.items():
        for home in homes:
            # Sections stand in the order in which they are named.
            found[name].sections[f"{PACKAGE}.{home}".rstrip(".")] = []
    originals: dict[Any, Entry] = {}
    for namespace, module in namespaces():
        own = namespace.removeprefix("pt.")
        if module is not py_tensor:
            found[own] = Page(own, namespace, module)
        for name in public_names(module):
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                continue
            home = home_of(module, name)
            page = page_of(home) if module is py_tensor else own
            entry = Entry(namespace, name, value, home, page)
            if isinstance(value, FunctionType):
                original = originals.setdefault(value, entry)
                entry.original = None if original is entry else original
            found[page].sections["" if entry.original else home].append(entry)
    for each in found.values():
        if each.module:
            order = sorted(each.sections, key=lambda home: (not home, home))
            each.sections = {home: each.sections[home] for home in order}
        else:
            each.sections = {home: some for home, some in each.sections.items() if some}
        set_anchors(each)
    return list(found.values())


def set_anchors(page: Page) -> None:
    """The anchors that GitHub gives to the headings of entries."""
    taken: Counter[str] = Counter()

    def anchor(heading: str) -> str:
        kept = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        taken[kept] += 1
        return f"{kept}-{taken[kept] - 1}" if taken[kept] > 1 else kept

    anchor(page.title)
    for home, entries in page.sections.items():
        if len(page.sections) > 1:
            anchor(page.section_title(home))
        for entry in entries:
            entry.anchor = anchor(entry.name)
            if isinstance(entry.value, type):
                for name, _ in members_of(entry.value):
                    anchor(f"{entry.name}.{name}")


def members_of(kind: type) -> list[tuple[str, Any]]:
    """Methods and properties with a docstring of their own, and without an entry of their own.

    A public base tells what it gives its classes; what others give is told here.
    """
    bases = [base for base in kind.__mro__[1:] if is_ours(base)]
    if any(id(base) in PUBLIC for base in bases):
        bases = []
    found: dict[str, Any] = {}
    for base in (kind, *bases):
        for name, value in vars(base).items():
            function = function_of(value)
            special = name.startswith("__") and name.endswith("__")
            if (
                isinstance(function, FunctionType)
                and id(function) not in PUBLIC
                and is_ours(function)
                and document_of(function)
                and (special or not name.startswith("_"))
            ):
                found.setdefault(name, value)
    return sorted(found.items(), key=lambda item: (item[0].startswith("__"), item[0]))


def function_of(value: Any) -> Any:
    """The function in a property, static method or class method."""
    return getattr(value, "fget", None) or getattr(value, "__func__", value)


def is_ours(value: Any) -> bool:
    return f"{value.__module__}.".startswith(f"{PACKAGE}.")


def document_of(value: Any) -> str:
    """A docstring; none for a class that has only what Python writes, or its base's."""
    document = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    document = inspect.cleandoc(document or "")
    return "" if document.startswith(f"{value.__name__}(") else document


PUBLIC = {
    id(value)
    for _, module in namespaces()
    for value in (getattr(module, name) for name in public_names(module))
    if isinstance(value, (type, FunctionType))
}
"""Classes and functions that have an entry of their own."""
