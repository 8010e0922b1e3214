"""Write the results of TensorFlow.js for networks of random weights, which the tests compare with.

usage: PYTHONPATH=tools python tests/models/data/make_tfjs_networks.py   (after `make install`)
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from make_bench_models import Network, bodypix, deeplab, posenet

OUTPUTS = Path(__file__).parent / "tfjs_networks.json"
NETWORKS: dict[str, tuple[Callable[[Path], None], tuple[int, ...], str]] = {
    "posenet": (lambda path: posenet(Network(1, 65, 49, 3), path), (1, 65, 49, 3), "float32"),
    "bodypix": (lambda path: bodypix(Network(1, 65, 49, 3), path), (1, 65, 49, 3), "float32"),
    "deeplab": (lambda path: deeplab(path, 65), (1, 37, 49, 3), "int32"),
}
"""Function that writes the model, and shape and dtype of the image."""


def image_of(shape: tuple[int, ...], dtype: str) -> Any:
    """Return a random image."""
    image = np.random.default_rng(5).uniform(-1, 1, shape)
    return ((image + 1) * 127.5).astype(dtype) if dtype == "int32" else image.astype(dtype)


def main() -> None:
    outputs = {}
    for name, (write, shape, dtype) in NETWORKS.items():
        with tempfile.TemporaryDirectory() as folder:
            model, inputs, results = (Path(folder, file) for file in ("m.json", "in", "out"))
            write(model)
            [image] = (
                node["name"]
                for node in json.loads(model.read_text())["modelTopology"]["node"]
                if node["op"] == "Placeholder"
            )
            data = image_of(shape, dtype).ravel().tolist()
            inputs.write_text(json.dumps({image: {"data": data, "shape": shape, "dtype": dtype}}))
            tool = Path(__file__).with_name("run_tfjs_model.mjs")
            subprocess.run(["node", tool, model, inputs, results], check=True)
            outputs[name] = json.loads(results.read_text())
    OUTPUTS.write_text(json.dumps(outputs, indent=1) + "\n")


if __name__ == "__main__":
    main()
