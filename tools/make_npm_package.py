"""Make the npm packages: the loader with its types and what a page starts from, and the bridges.

usage: python tools/make_npm_package.py FOLDER
"""

import shutil
import subprocess
import sys
from pathlib import Path

from copy_template import ROOT, RUNTIME, WHEEL_FILES

LOADER = ROOT / "page_loader"
BRIDGE = ROOT / "webgl_js_bridge"
GPU_BRIDGE = ROOT / "webgpu_js_bridge"
COMPILER = ROOT / "node_modules" / ".bin" / "tsc"


def make_npm_package(folder: Path) -> None:
    """Write the package to a folder, whose old contents are removed."""
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns(*WHEEL_FILES)
    shutil.copytree(RUNTIME, folder / "runtime", ignore=ignored)
    for file in (LOADER / "package.json", LOADER / "README.md", ROOT / "LICENSE"):
        shutil.copy(file, folder)
    declare(LOADER, folder)


def make_gpu_bridge(folder: Path) -> None:
    """Write the package of the WebGPU bridge, with the modules of the other bridge it imports.

    Their folders stay next to each other, so that pages without a bundler can import them.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for bridge in (BRIDGE, GPU_BRIDGE):
        (folder / bridge.name).mkdir(parents=True)
        for file in bridge.glob("*.js"):
            shutil.copy(file, folder / bridge.name)
    for file in (GPU_BRIDGE / "package.json", GPU_BRIDGE / "README.md", ROOT / "LICENSE"):
        shutil.copy(file, folder)
    declare(GPU_BRIDGE, folder)
    for bridge in (BRIDGE, GPU_BRIDGE):
        shutil.copy(bridge / "types.d.ts", folder / "types" / bridge.name)


def declare(project: Path, folder: Path) -> None:
    """Write the type declarations of a project's modules to the folder types/."""
    command = [str(COMPILER), "--project", str(project), "--outDir", str(folder / "types")]
    subprocess.run(command, check=True)


def pack(folder: Path) -> None:
    """Write all packages, and the archives that are published."""
    make_npm_package(folder / "py_tensor")
    make_gpu_bridge(folder / "webgpu_js_bridge")
    for archive in folder.glob("*.tgz"):
        archive.unlink()
    for package in (folder / "py_tensor", BRIDGE, folder / "webgpu_js_bridge"):
        command = ["npm", "pack", "--silent", "--pack-destination", str(folder)]
        subprocess.run(command, cwd=package, check=True)


if __name__ == "__main__":
    pack(Path(sys.argv[1]).resolve())
