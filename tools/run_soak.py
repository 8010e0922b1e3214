"""Compute in a page for long, and print the memory of Python, JavaScript and the GPU.

usage: python tools/run_soak.py --millions 10 --backend webgpu
(after make site; CHROMIUM names the browser)

The operations have mixed shapes. Some programs raise errors, others are cancelled while they wait.
After the first line, no column but the first two may grow.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT / "e2e"), str(ROOT / "tests")]

from conftest import FLAGS  # type: ignore[import-not-found]  # noqa: E402
from page_python import PagePython, link_pages  # type: ignore[import-not-found]  # noqa: E402
from server import serve  # type: ignore[import-not-found]  # noqa: E402

COLUMNS = (
    "operations",
    "seconds",
    "tensors",
    "Python objects",
    "Python heap MiB",
    "JS KiB",
    "GPU KiB",
    "pool KiB",
    "plans",
    "programs",
    "proxies",
)


async def soak(first: int, programs: int) -> dict[str, int]:
    """Run small programs, numbered from `first`; return the numbers of objects that remain."""
    import asyncio
    import contextlib
    import gc
    import random

    import page_counts  # type: ignore[import-not-found]
    import pyodide_js

    import py_tensor as pt

    shapes = [(), (7,), (300,), (16, 16), (64, 64), (33, 17), (3, 5, 4), (1, 1000), (2, 3, 4, 5)]
    steps: list[Any] = [
        lambda x: x * 1.01,
        lambda x: x + 0.5,
        lambda x: pt.sin(x),
        lambda x: x - pt.mean(x),
        lambda x: pt.where(x > 0, x, -x),
        lambda x: pt.flip(x),
        lambda x: x.astype("int32").astype("float32"),
        lambda x: pt.concat([x.reshape((-1,))] * 2)[: x.size].reshape(x.shape),
    ]
    made = 0

    def chain(x: Any, rng: Any) -> Any:
        nonlocal made
        block = rng.choices(steps, k=5)  # short, as a shader that is compiled once
        for _ in range(rng.randrange(4, 30)):
            for function in block:
                x = function(x)
            pt.realize(x)
            made += len(block)
        return x

    @pt.jit
    def step(x: Any) -> Any:
        return pt.tanh(x) * 0.5

    for number in range(first, first + programs):
        # The same 60 programs again and again, so that no plan is new in the second round.
        rng = random.Random(number % 60)
        x = pt.ones(rng.choice(shapes))
        match number % 6:
            case 0:
                chain(x, rng).sum().item()
            case 1:
                with contextlib.suppress(pt.errors.ShapeError):
                    chain(x, rng) + pt.ones((2, 3, 99, 4))
            case 2:
                task = asyncio.ensure_future(chain(x, rng).data())
                await asyncio.sleep(0)
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            case 3:
                with contextlib.suppress(ZeroDivisionError), pt.tidy():
                    pt.realize(chain(x, rng))
                    made += 1 // 0
            case 4:
                pt.grad(lambda x: pt.sum(x * pt.sin(x)))(x).tolist()
                made += 3
            case _:
                for _ in range(50):
                    x = step(x)
                    made += 2
                (await x.data()).tolist()
    del x, step
    gc.collect()
    now = pt.memory()
    return {
        "operations": made,
        "tensors": now.num_tensors,
        "Python objects": len(gc.get_objects()),
        "Python heap MiB": pyodide_js._module.HEAPU8.length >> 20,
        "GPU KiB": now.num_bytes_in_gpu >> 10,
        "pool KiB": now.num_bytes_in_gpu_free >> 10,
        "plans": now.num_plans,
        "programs": now.num_programs,
        "proxies": page_counts.pyProxies(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--millions", type=float, default=1, help="operations, in millions")
    parser.add_argument("--backend", choices=("webgl", "webgpu", "wasm"), default="webgl")
    parser.add_argument("--lines", type=int, default=10, help="lines to print")
    options = parser.parse_args()
    print(" | ".join(COLUMNS), flush=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        link_pages(Path(folder))
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(0)
        python = PagePython(page, url, "page", backend=options.backend)
        devtools = page.context.new_cdp_session(page)
        start, operations, done, programs = time.monotonic(), 0, 0, 6
        for line in range(1, options.lines + 1):
            while operations < line * options.millions * 1e6 / options.lines:
                before = time.monotonic()
                counts = python.call(soak, done, programs)
                done += programs
                operations += counts["operations"]
                # A call must end before the page's time limit; the first ones compile shaders.
                if time.monotonic() - before < 5 and done >= 60:
                    programs = min(2 * programs, 240)
            devtools.send("HeapProfiler.collectGarbage")
            heap = devtools.send("Runtime.getHeapUsage")["usedSize"]
            counts |= {"operations": operations, "JS KiB": int(heap) >> 10}
            counts["seconds"] = round(time.monotonic() - start)
            print(" | ".join(f"{counts[name]:,}" for name in COLUMNS), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
