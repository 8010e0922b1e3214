"""Make gguf_blocks.json: blocks of random bytes, and their values by llama.cpp's package.

Run with the packages gguf and numpy: python tests/reference_data/make_gguf_blocks.py
"""

import base64
import json
from pathlib import Path

import gguf
import numpy as np

TYPES = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K")
HALVES = {
    **{"Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,)},
    **{"Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,)},
}
"""Offsets of the numbers in float16, which random bytes could make infinite."""
ROWS, BLOCKS = 3, 2


def main() -> None:
    numbers = np.random.default_rng(0)
    results = {}
    for name in TYPES:
        kind = gguf.GGMLQuantizationType[name]
        elements, nbytes = gguf.GGML_QUANT_SIZES[kind]
        data = numbers.integers(0, 256, (ROWS, BLOCKS, nbytes), dtype="uint8")
        for offset in HALVES[name]:
            halves = numbers.standard_normal((ROWS, BLOCKS, 1)).astype("float16")
            data[:, :, offset : offset + 2] = halves.view("uint8")
        data = data.reshape(ROWS, BLOCKS * nbytes)
        values = gguf.dequantize(data, kind).astype("float32")
        assert values.shape == (ROWS, BLOCKS * elements)
        results[name] = {
            "type": int(kind),
            "columns": BLOCKS * elements,
            "data": base64.b64encode(data.tobytes()).decode(),
            "values": base64.b64encode(values.tobytes()).decode(),
        }
    file = Path(__file__).with_name("gguf_blocks.json")
    file.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
