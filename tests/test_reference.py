"""docs/reference/ is what its tool writes, has every public name, and its links lead somewhere."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from types import ModuleType

from helpers import assert_up_to_date

import py_tensor as pt

ROOT = Path(__file__).parent.parent
PAGES = {path.name: path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md")}
NAMESPACES = {"pt": pt} | {
    f"pt.{name}": getattr(pt, name)
    for name in (*pt.__all__, *vars(pt)["_LAZY"])
    if isinstance(getattr(pt, name), ModuleType)
}
NAMESPACES["pt.nn.initializers"] = pt.nn.initializers


def test_it_is_up_to_date():
    assert_up_to_date("make_reference.py")


def headings(text: str) -> list[str]:
    """Headings outside of code."""
    return re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)


def missing(namespace: str, names: list[str]) -> set[str]:
    """Names that no page of the namespace has an entry for; namespaces are pages themselves."""
    found = set()
    for text in PAGES.values():
        title, *entries = headings(text)
        if title == namespace or (namespace == "pt" and not title.startswith("pt.")):
            found |= {entry.strip("`") for entry in entries}
        found.add(title.removeprefix(f"{namespace}."))
    return set(names) - found


def test_every_public_name_has_an_entry():
    for namespace, module in NAMESPACES.items():
        names = getattr(module, "__all__", None) or [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
        assert names
        assert not missing(namespace, names), namespace


def test_a_name_without_an_entry_is_found():
    assert missing("pt", ["add", "adn"]) == {"adn"}
    assert missing("pt.nn", ["gelu", "add"]) == {"add"}


def anchors(text: str) -> set[str]:
    """Anchors as GitHub makes them of headings; those that repeat are numbered."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in headings(text):
        anchor = "".join(c for c in heading.lower() if c.isalnum() or c in "_- ").replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def test_links_lead_to_headings():
    known = {name: anchors(text) for name, text in PAGES.items()}
    count = 0
    for name, text in PAGES.items():
        for page, anchor in re.findall(r"\]\(([\w.]*)#([\w-]+)\)", text):
            count += 1
            assert anchor in known[page or name], f"{name}: {page}#{anchor}"
    assert count > 500
