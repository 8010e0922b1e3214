"""Drive the demo page and return its visible content as text and arrays."""

import base64
import io

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page
from work_limit import HANG_SECONDS

WEBGL = "?py_tensor.backend=webgl"
"""Query of a page's address that chooses WebGL2, although no GPU draws."""
STARTED = "[data-state=ready], [data-state=failed]"

# A canvas controlled by a worker, or one with a bitmaprenderer, is read through a copy.
READ_CANVAS = """canvas => {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy.toDataURL("image/png");
}"""


class Demo:
    """Demo page in a browser, loaded and ready."""

    def __init__(self, page: Page, site_url: str, offline: bool = False, query: str = "") -> None:
        self.page = page
        if not offline:
            # Requests of a service worker pass the routes of Playwright.
            page.add_init_script("delete Navigator.prototype.serviceWorker")
        page.goto(f"{site_url}/index.html{query}")
        page.wait_for_selector(STARTED)
        assert page.is_hidden("#notice"), page.inner_text("#notice")

    def choose(self, example: str) -> None:
        """Load an example into the editor."""
        self.page.click(f"[data-example={example}]")

    def choose_program(self, name: str) -> None:
        """Choose a program of the list; it can be started when the editor has loaded it."""
        self.page.click("#open-programs")
        self.page.click(f"[data-program={name}] button")

    def own_titles(self) -> list[str]:
        """Return the titles of the visitor's programs, the latest first."""
        return self.page.locator("#programs section:first-child li b").all_text_contents()

    def open_own(self, title: str) -> None:
        """Open a program of the visitor in the list."""
        self.page.click("#open-programs")
        self.page.click(f"#programs section:first-child button:has-text('{title}')")

    def write(self, source: str) -> None:
        """Replace the program in the editor."""
        self.page.click("#editor .cm-content")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)

    def start(self) -> None:
        """Press Run."""
        self.page.click("#run:enabled")

    def start_by_keyboard(self) -> None:
        """Press Enter on Run, and assert that Stop gets the focus."""
        self.page.focus("#run")
        self.page.keyboard.press("Enter")
        assert self.page.evaluate("document.activeElement.id") == "stop"

    def finish(self) -> str:
        """Wait for the end of the program and return the status that the page shows."""
        self.page.wait_for_selector("#run:enabled")
        return self.page.inner_text("#run-status")

    def run(self, example: str) -> None:
        """Run an example and assert that it succeeds."""
        self.choose(example)
        self.start()
        status = self.finish()
        assert status.startswith("ran in"), f"{status}\n{self.text()}"

    def text(self) -> str:
        """Return the text of the output."""
        return self.page.inner_text("#output")

    def printed(self) -> list[str]:
        """Return the lines that the program printed."""
        return "".join(self.page.locator("#output pre").all_text_contents()).splitlines()

    def caption(self) -> str:
        return self.page.inner_text("#output .html > div")

    def table(self) -> list[list[str]]:
        """Return the cells of the table in the output."""
        rows = self.page.locator("#output tbody tr").all()
        return [row.locator("td").all_text_contents() for row in rows]

    def values(self) -> np.ndarray:
        """Return the numbers of a table that shows its whole tensor."""
        return np.array(self.table(), dtype=float)

    def picture(self, title: str) -> np.ndarray:
        """Return the pixels (height, width, 3) of an image in the output."""
        return pixels(self.page.locator(f'#output canvas[aria-label^="{title},"]'))

    def photo(self) -> np.ndarray:
        """Return the pixels of the photo lab's canvas."""
        return pixels(self.page.locator("#stage canvas"))

    def numbers(self, *names: str) -> list[int]:
        """Return live memory counts of one report."""
        return self.page.evaluate(
            "names => names.map(name => "
            "Number(document.querySelector(`[data-number=${name}]`).dataset.value ?? -1))",
            names,
        )

    def memory(self) -> list[int]:
        """Return the library's counts of tensors and of GPU bytes in all of the page's workers."""
        return self.numbers("tensors", "gpuBytes")

    def settled_memory(self) -> list[int]:
        """Return the counts of `memory` as soon as they are constant for half a second."""
        seen = [self.memory()]
        while len(seen) < 2 or seen[-1] != seen[-2]:
            assert len(seen) < 2 * HANG_SECONDS, f"memory does not settle: {seen}"
            self.page.wait_for_timeout(500)
            seen.append(self.memory())
        return seen[-1]

    def metric(self, section: str, name: str) -> str:
        """Return a metric of a section with a training run."""
        return self.page.inner_text(f"#{section}-metrics [data-metric={name}]")

    def wait_for_step(self, section: str, step: int) -> None:
        """Wait until a section's training has reached a step."""
        self.page.wait_for_function(
            "([section, step]) => Number(document.querySelector("
            "`#${section}-metrics [data-metric=step]`).textContent.replace(',', '')) >= step",
            arg=[section, step],
        )

    def wait_for_state(self, section: str, state: str) -> None:
        """Wait until a section's training is "new", "training", "paused" or "done"."""
        self.page.wait_for_selector(f"#{section}[data-state={state}]")


def pixels(canvas: Locator) -> np.ndarray:
    """Return the pixels (height, width, 3) of a canvas, which must be opaque."""
    address = canvas.evaluate(READ_CANVAS)
    image = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
    rgba = np.asarray(image.convert("RGBA"))
    assert (rgba[..., 3] == 255).all(), "the canvas is not opaque"
    return rgba[..., :3]
