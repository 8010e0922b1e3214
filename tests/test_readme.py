"""The README and the pages in docs/ are right: their examples print what they say."""

from __future__ import annotations

import io
import re
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLE = re.compile(
    r"^```python\n(?P<code>(?:(?!^```).)*)^```\n+(?:prints\n+)?^```text\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def examples() -> list[object]:
    """Blocks of Python that are followed by what they print."""
    found = []
    for page in PAGES:
        text = page.read_text()
        for match in EXAMPLE.finditer(text):
            line = text.count("\n", 0, match.start()) + 2
            name = f"{page.name}:{line}"
            found.append(pytest.param(name, match["code"], match["text"], id=name))
    return found


@pytest.mark.parametrize(("name", "code", "text"), examples())
def test_example_prints_what_the_page_says(name: str, code: str, text: str) -> None:
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, name, "exec", dont_inherit=True), {"__name__": "example"})
    assert printed.getvalue() == text


def test_examples_are_found() -> None:
    assert len(examples()) >= 5
    assert "prints" in PAGES[0].read_text()


def test_the_wheel_is_named_as_it_is_built() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wheels = set(re.findall(r"py_tensor-[\d.]+[\w.-]*\.whl", PAGES[0].read_text()))
    assert wheels == {f"py_tensor-{project['version']}-py3-none-any.whl"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text())
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []
