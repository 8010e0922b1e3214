"""The reference has one entry for every public name; `make docs` checks that each is found."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import docs_docstrings
import docs_reference
import griffe
import pytest

import py_tensor as pt
from py_tensor.functions import elementwise

PAGES = [page for pages in docs_reference.sections().values() for page in pages.items()]
LISTED = [name for _, (_, names) in PAGES for name in names]


def public_modules(module: ModuleType, prefix: str = "") -> dict[str, ModuleType]:
    """Modules that a user reaches through attributes, by their names without `pt.`."""
    found = {prefix: module}
    for name in dir(module):
        value = getattr(module, name)
        exported = name in getattr(module, "__all__", ()) or name in vars(module).get(
            "_SUBPACKAGES", ()
        )
        if isinstance(value, ModuleType) and exported and name not in docs_reference.IN_GUIDES:
            found |= public_modules(value, f"{prefix}{name}.")
    return found


def test_every_public_module_has_a_page():
    found = {name.rstrip(".") for name in public_modules(pt)} - {""}
    assert found == set(docs_reference.NAMESPACES)


@pytest.mark.parametrize("prefix", public_modules(pt))
def test_every_public_name_has_one_entry(prefix):
    module = public_modules(pt)[prefix]
    names = [f"{prefix}{name}" for name in docs_reference.public_names(module)]
    assert names or any(name.startswith(prefix) for name in LISTED)
    assert [name for name in names if LISTED.count(name) != 1] == []


def test_there_are_no_other_entries():
    count = sum(map(len, map(docs_reference.public_names, public_modules(pt).values())))
    assert len(LISTED) == count


def test_a_function_that_is_exported_twice_is_documented_once():
    assert docs_reference.original("nn.relu") == "relu"
    assert docs_reference.original("nn.gelu") == "nn.gelu"
    text = docs_reference.page_text("pt.nn", "", ["nn.gelu", "nn.relu"])
    assert text.count(":::") == 1
    assert "Also exported here: [`relu`][py_tensor.relu]." in text


def test_reference_shows_the_contracts_that_decorators_add():
    file = Path(elementwise.__file__)
    module = griffe.visit(elementwise.__name__, filepath=file, code=file.read_text())
    assert "Raises:" not in module["exp"].docstring.value
    assert docs_docstrings.complete_docstring(module["exp"]) == pt.exp.__doc__
    assert "Raises:" in pt.exp.__doc__
