"""Write a frozen graph of TensorFlow 2.21 and an `.h5` file of Keras 3.15, with their weights.

usage: python tests/models/data/make_tensorflow_weights.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def constants(tf: Any, np: Any) -> dict[str, Any]:
    """Add constants of several dtypes to the default graph; return their values."""
    values = {
        "dense/kernel": np.linspace(-1, 1, 6, dtype="float32").reshape(3, 2),
        "dense/bias": np.float32([0.5, -0.25]),
        "half": np.float16([[1.5, -2.0]]),
        "double": np.array(0.1),
        "steps": np.array([3, -4], dtype="int64"),
        "bytes": np.arange(4, dtype="uint8"),
        "flags": np.array([True, False, True]),
    }
    for name, value in values.items():
        tf.constant(value, name=name)
    # One number in the file stands for all elements.
    tf.constant(1.5, shape=(2, 3), name="filled")
    tf.constant(["a text"], name="labels")
    x = tf.compat.v1.placeholder("float32", (None, 3), name="x")
    tf.identity(x, name="y")
    return values | {"filled": np.full((2, 3), 1.5, "float32")}


def main() -> None:
    import keras
    import numpy as np
    import tensorflow as tf  # type: ignore[import-untyped]

    with tf.Graph().as_default() as graph:
        values = constants(tf, np)
        (FOLDER / "frozen.pb").write_bytes(graph.as_graph_def().SerializeToString())
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, name="dense")])
    model.compile("adam", "mse")
    model.save(FOLDER / "legacy.h5")
    saved = dict(zip(("kernel", "bias"), model.get_weights(), strict=True))
    rows = {
        file: {name: [value.dtype.name, value.tolist()] for name, value in arrays.items()}
        for file, arrays in (("frozen.pb", values), ("legacy.h5", saved))
    }
    (FOLDER / "tensorflow_weights.json").write_text(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
