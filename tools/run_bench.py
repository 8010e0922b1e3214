"""Run the benchmark of py_tensor and TensorFlow.js in a browser; print and save the results.

usage: python tools/run_bench.py --quick   (after make site; CHROMIUM names the browser)
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Request, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT / "e2e"), str(ROOT / "tests")]

from conftest import FLAGS, SITE  # type: ignore[import-not-found]  # noqa: E402
from server import serve  # type: ignore[import-not-found]  # noqa: E402

HOURS_MILLISECONDS = 2 * 60 * 60 * 1000
SOFTWARE = "swiftshader"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, few and short rounds")
    parser.add_argument("--only", help="substrings of workload names, separated by commas")
    parser.add_argument("--scale", type=float, help="factor applied to the large sizes")
    parser.add_argument("--rounds", type=int, help="number of rounds per side")
    parser.add_argument("--ms", type=float, help="duration of a round in milliseconds")
    parser.add_argument(
        "--growth", action="store_true", help="also measure growing graphs, arrays and loops"
    )
    parser.add_argument("--stages", action="store_true", help="also time the stages of a call")
    parser.add_argument("--tiles", action="store_true", help="also time all tiles of contractions")
    parser.add_argument("--wait", action="store_true", help="reads in Python poll, not block")
    parser.add_argument(
        "--kernels", action="store_true", help="compare kernels with gpu.js and GLSL instead"
    )
    parser.add_argument(
        "--processor", action="store_true", help="compare backends for WebAssembly instead"
    )
    parser.add_argument("--webgpu", action="store_true", help="compare backends for WebGPU instead")
    parser.add_argument("--start", action="store_true", help="measure how pages start instead")
    parser.add_argument(
        "--libraries", help="with --processor or --webgpu: webgpu,webgl,wasm,tensorflow,jax"
    )
    parser.add_argument("--models", help="address of a folder of trained models to run instead")
    parser.add_argument("--ours", help="backends of py_tensor for models: webgl,webgpu,wasm")
    parser.add_argument("--ort", help="address of ONNX Runtime Web's folder, for ONNX files")
    parser.add_argument("--backends", help="of TensorFlow.js for models: webgl,webgpu,wasm")
    parser.add_argument("--providers", help="of ONNX Runtime Web: webgl,wasm,webgpu")
    parser.add_argument("--order", help="libraries in the order of their first calls of a model")
    parser.add_argument("--headed", action="store_true", help="show the browser's window")
    parser.add_argument("--angle", default=SOFTWARE, help="ANGLE's backend: gl, metal, d3d11, ...")
    parser.add_argument("--output", type=Path, default=ROOT / "bench-results.json")
    return parser.parse_args()


def address(url: str, options: argparse.Namespace) -> str:
    """Return the URL of the page with the options as query parameters."""
    names = ("quick", "only", "scale", "rounds", "ms", "growth", "stages", "tiles", "wait")
    of_pages = ("libraries", "models", "ours", "ort", "backends", "providers", "order")
    values = {name: getattr(options, name) for name in (*names, *of_pages)}
    chosen = {name: 1 if value is True else value for name, value in values.items() if value}
    pages = ("models", "kernels", "processor", "webgpu", "start")
    page = next((page for page in pages if getattr(options, page)), "index")
    return f"{url}/bench/{page}.html?{urlencode({'auto': 1} | chosen)}"


def print_progress(request: Request) -> None:
    if request.method == "POST" and request.url.endswith("/log"):
        print(request.post_data, flush=True)


def run(options: argparse.Namespace) -> int:
    software = [flag for flag in FLAGS if SOFTWARE in flag]
    flags = [flag for flag in FLAGS if flag not in software]
    # A headless browser uses no GPU without these flags.
    hardware = [f"--use-angle={options.angle}", "--enable-gpu", "--ignore-gpu-blocklist"]
    flags += software if options.angle == SOFTWARE else hardware
    if options.webgpu or "webgpu" in f"{options.ours} {options.backends} {options.providers}":
        flags.append("--enable-unsafe-webgpu")
        if options.angle == SOFTWARE:
            flags.append("--use-webgpu-adapter=swiftshader")
        elif sys.platform == "linux":
            flags += ["--enable-features=Vulkan", "--disable-vulkan-surface"]
    with sync_playwright() as playwright, serve(SITE) as url:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(
            executable_path=path, headless=not options.headed, args=flags
        )
        page = browser.new_page()
        page.on("request", print_progress)
        page.goto(address(url, options))
        page.wait_for_selector("body[data-state]", timeout=HOURS_MILLISECONDS)
        if page.get_attribute("body", "data-state") == "failed":
            print(f"bench: {page.inner_text('#status')}", file=sys.stderr)
            return 1
        text = page.text_content("#text") or ""
        results = json.loads(page.text_content("#json") or "")
        browser.close()
    options.output.write_text(json.dumps(results, indent=1) + "\n")
    print(f"\n{text}\n\nwritten to {options.output}")
    return 1 if results["summary"]["failed"] else 0


if __name__ == "__main__":
    sys.exit(run(parse_arguments()))
