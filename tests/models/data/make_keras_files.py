"""Write small models of Keras 3.15 as `.keras` files, and one as `.h5`, with inputs and results.

usage: KERAS_BACKEND=torch python tests/models/data/make_keras_files.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def models(keras: Any) -> dict[str, Any]:
    layers = keras.layers
    image = keras.Sequential(
        [
            keras.Input((6, 6, 1)),
            layers.Conv2D(3, 3, activation="relu", padding="same"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(4, activation="tanh"),
            layers.Dropout(0.5),
            layers.Dense(3, activation="softmax"),
        ]
    )
    words = keras.Input((5,))
    embedded = layers.Embedding(7, 4)(words)
    joined = layers.Concatenate()(
        [layers.LSTM(3)(embedded), layers.GlobalAveragePooling1D()(embedded)]
    )
    return {"image": image, "words": keras.Model(words, layers.Dense(2)(joined))}


def main() -> None:
    import keras
    import numpy as np

    keras.utils.set_random_seed(1)
    inputs: dict[str, Any] = {
        "image": np.sin(np.arange(72, dtype="float32")).reshape(2, 6, 6, 1),
        "words": np.arange(15).reshape(3, 5) % 7,
    }
    rows = {}
    for name, model in models(keras).items():
        if name == "image":
            model.compile("adam", "categorical_crossentropy")
            model.fit(inputs[name], np.eye(3)[[0, 2]], verbose=0)
        model.save(FOLDER / f"{name}.keras")
        if name == "words":
            model.save(FOLDER / f"{name}.h5")
        results = model.predict(inputs[name], verbose=0)
        rows[name] = {"inputs": inputs[name].tolist(), "results": results.tolist()}
    (FOLDER / "keras_values.json").write_text(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
