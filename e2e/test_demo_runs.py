"""Test that runs of the playground leave nothing behind, and how their text is shown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from urllib.parse import quote

import pytest
from demo_driver import Demo
from playwright.sync_api import Browser, Page, Route
from waiting import eventually
from watched_page import PageErrors, watched_page

pytest_plugins = ["demo_fixtures"]


def run(demo: Demo, program: str) -> list[str]:
    """Run a program that succeeds and return the lines that it prints."""
    demo.write(program)
    demo.start()
    status = demo.finish()
    assert status.startswith("ran in"), f"{status}\n{demo.text()}"
    return demo.printed()


def test_exit_ends_a_program_and_leaves_the_input_open(demo: Demo) -> None:
    assert run(demo, "print('before')\nexit()\nprint('after')") == ["before"]
    assert run(demo, "import sys\nprint(sys.stdin.closed)\nhelp(abs)")[:2] == [
        "False",
        "Help on built-in function abs in module builtins:",
    ]
    demo.write("import sys\nsys.exit('no data')")
    demo.start()
    assert demo.finish().startswith("failed after")
    assert "no data" in demo.page.inner_text(".failure")


CHANGED = """
import py_tensor as pt

pt.set_backend("python")
pt.env.debug = True
pt.env.plan_limit = 3
pt.env.flush_threshold = 5
"""
PRINTED = """
import py_tensor as pt

print(pt.get_backend(), pt.env.debug, pt.env.plan_limit, pt.env.flush_threshold)
"""


def test_settings_of_a_program_end_with_it(demo: Demo) -> None:
    before = run(demo, PRINTED)
    assert run(demo, CHANGED + PRINTED) == ["python True 3 5"]
    assert run(demo, PRINTED) == before
    demo.write(CHANGED + "1 / 0")
    demo.start()
    assert demo.finish().startswith("failed after")
    assert run(demo, PRINTED) == before


def test_one_large_write_is_cut(demo: Demo) -> None:
    demo.write("print('x' * 20_000_000)")
    demo.start()
    assert demo.finish().startswith("ran in")
    assert demo.page.inner_text("#output .note") == "Further text is not shown."
    assert 150_000 < len(demo.page.locator("#output pre").text_content() or "") < 250_000


def test_lines_are_rewritten_and_coloured(demo: Demo) -> None:
    program = (
        "import sys\nfor n in range(3):\n    sys.stdout.write(f'\\rstep {n}')\n"
        "print()\nprint('\\x1b[1;31mred', end='')\nprint('\\x1b[0m plain')\n"
        "sys.stdout.write('\\x1b[3')\nprint('2mgreen\\x1b[39m')\n"
        "print('longer\\rx\\x1b[K', '\\x1b[38;5;1mall', sep='\\n')"
    )
    assert run(demo, program) == ["step 2", "red plain", "green", "x", "all"]
    spans = demo.page.locator("#output pre span[class]")
    shown = [(each.get_attribute("class"), each.text_content()) for each in spans.all()]
    assert shown == [("bold colour-1", "red"), ("colour-2", "green")]


def test_run_has_the_focus_after_a_restart(demo: Demo) -> None:
    page = demo.page
    demo.write("while True: pass")
    demo.start_by_keyboard()
    page.keyboard.press("Enter")
    page.wait_for_selector("#run-status:text-is('stopped; Python was restarted')")
    demo.finish()
    assert page.evaluate("document.activeElement.id") == "run"


RECORD_STATUSES = """() => {
  const status = document.getElementById("run-status");
  globalThis.statuses = [];
  new MutationObserver(() => statuses.push(status.textContent)).observe(status, {
    childList: true,
  });
}"""


HINT = "getComputedStyle(document.getElementById('output'), '::before').content"


def release(held: list[Route]) -> None:
    """Continue a request, which arrives later than what the page shows of it."""
    assert held
    held.pop().continue_()


def test_status_says_what_an_import_waits_for(page: Page, site_url: str) -> None:
    held: list[Route] = []
    page.route("**/plot-*.zip", lambda route: held.append(route))
    demo = Demo(page, site_url)
    page.evaluate(RECORD_STATUSES)
    demo.write("import py_tensor as pt\npt.show(pt.plot.line([1, 2]))")
    assert "Press Run" in page.evaluate(HINT)
    demo.start()
    loading = "loading 0.1 MB more of Python…"
    page.wait_for_selector(f"#run-status:text-is('{loading}')")
    assert "Press Run" not in page.evaluate(HINT)
    eventually(page, lambda: release(held))
    assert demo.finish().startswith("ran in")
    statuses = page.evaluate("statuses")
    assert statuses[0] == "running…"
    assert statuses[statuses.index(loading) + 1] == "running…"
    assert statuses[-2] == "running…"


def expect_in_sight(page: Page, *selectors: str) -> None:
    """Wait until whole elements are in the part of the page that is shown."""

    def check() -> None:
        for selector in selectors:
            box, shown = page.locator(selector).bounding_box(), page.viewport_size
            assert box and shown
            assert 0 <= box["y"] <= shown["height"] - box["height"], (selector, box)

    eventually(page, check)


@pytest.fixture
def phone(chromium: Browser, page_errors: PageErrors) -> Iterator[Page]:
    """Empty page of a phone with a touch screen."""
    screen = {"width": 390, "height": 720}
    with watched_page(
        chromium, page_errors, viewport=screen, has_touch=True, is_mobile=True
    ) as page:
        yield page


def test_phone_shows_what_is_edited_and_computed(phone: Page, site_url: str) -> None:
    demo = Demo(phone, site_url)
    phone.tap("[data-example=arithmetic]")
    expect_in_sight(phone, "#run", "#editor")
    phone.tap("#run")
    demo.finish()
    expect_in_sight(phone, "#output table")
    assert phone.locator("#playground kbd:visible").count() == 0
    # The keyboard takes half of the screen, and the program is longer than the rest.
    phone.set_viewport_size({"width": 390, "height": 420})
    lines = [f"print({n})" for n in range(40)]
    demo.write("\n".join(lines))
    last = phone.locator(".cm-line").last
    last.scroll_into_view_if_needed()
    last.tap()
    phone.keyboard.press("End")
    phone.keyboard.type(" # more")
    assert last.inner_text() == "print(39) # more"
    for button, text in (("undo", "print(39)"), ("redo", "print(39) # more")):
        expect_in_sight(phone, f"#{button}")
        phone.tap(f"#{button}")
        assert last.inner_text() == text
        # The keyboard of the phone stays.
        assert phone.evaluate("document.activeElement.closest('#editor') !== null")


def test_a_link_of_others_does_not_run_its_program(page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/index.html#run&program={quote('print(1)')}")
    page.wait_for_selector("#run:enabled")
    page.wait_for_timeout(500)
    assert page.inner_text("#run-status") == ""


PLOTS = """
import py_tensor as pt

x = pt.linspace(0.0, 900.0, 200)
plot = pt.plot.line(x, 2 ** (x / 40), log="y", label="powers", x_label="x", y_label="y")
pt.show(plot.line(x, x + 1, label="a longer label"))
pt.show(pt.plot.image(pt.outer(x, x), title="Products of the numbers up to nine hundred"))
pt.show(pt.plot.scatter(x, x, title="Points", width=400, height=400))
"""
MEASURED = """() => [...document.querySelectorAll("#output svg")].map((svg) => ({
  scale: svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
  texts: [...svg.querySelectorAll("text")].map((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    return [text.textContent, left, right, top, bottom];
  }),
}))"""


def test_texts_of_plots_are_readable_on_a_phone(phone: Page, site_url: str) -> None:
    demo = Demo(phone, site_url)
    assert run(demo, PLOTS) == []
    plots = phone.evaluate(MEASURED)
    assert len(plots) == 3
    for plot in plots:
        # Letters of 12 pixels.
        assert plot["scale"] == pytest.approx(1.0)
        for a, b in combinations(plot["texts"], 2):
            apart = a[2] <= b[1] or b[2] <= a[1] or a[4] <= b[3] or b[4] <= a[3]
            assert apart, (a, b)
    edge = phone.evaluate("document.getElementById('output').getBoundingClientRect().right")
    assert all(text[2] <= edge for plot in plots for text in plot["texts"])
