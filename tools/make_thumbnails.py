"""Make the pictures of the gallery: run its programs in the built site, and keep a frame of each.

usage: python tools/make_thumbnails.py [NAME ...]   (after make site; CHROMIUM names the browser)

The pictures are part of the repository: making them takes a browser, and minutes without a GPU. The
programs run at the size of the pictures, with fewer bodies.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT / "e2e"), str(ROOT / "tests")]

from conftest import FLAGS, SITE  # type: ignore[import-not-found]  # noqa: E402
from demo_driver import Demo, pixels  # type: ignore[import-not-found]  # noqa: E402
from gallery_programs import (  # type: ignore[import-not-found]  # noqa: E402
    NAMES,
    PLAYGROUND,
    small,
)
from server import serve  # type: ignore[import-not-found]  # noqa: E402

FOLDER = PLAYGROUND / "thumbnails"
SIDE = 160
FRAMES = {
    **{"fluid": 250, "gray_scott": 200, "path_tracer": 200, "n_body": 60, "life": 60},
    "material_points": 100,
}
"""Frames to draw; others draw ten."""
BODIES = {"material_points": 8192}
"""Numbers of bodies; other programs have 1024."""


def picture_of(page: Page, demo: Demo, name: str) -> Image.Image:
    """Run an example for some frames and return the middle of its last picture."""
    demo.write(small(name, SIDE, FRAMES.get(name, 10), BODIES.get(name, 1024)))
    demo.start()
    assert demo.finish().startswith("ran in"), demo.text()
    picture = Image.fromarray(pixels(page.locator("#output canvas")))
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    middle = picture.crop((left, top, left + side, top + side))
    return middle.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright, serve(SITE) as url:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page()
        demo = Demo(page, url)
        for name in names or NAMES:
            picture_of(page, demo, name).save(FOLDER / f"{name}.webp", quality=80)
            print(name, page.inner_text("#run-status"), flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
