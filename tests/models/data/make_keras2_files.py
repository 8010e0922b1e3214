"""Write small models of Keras 2.21 as `.h5` files, with inputs and results.

usage: python tests/models/data/make_keras2_files.py, after pip install tensorflow==2.21 tf_keras
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
            layers.Conv2D(4, 3, activation="relu", padding="same", input_shape=(8, 8, 3)),
            layers.BatchNormalization(),
            layers.DepthwiseConv2D(3, strides=2, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(6, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(3, activation="softmax"),
        ]
    )
    x = keras.Input((8, 8, 3))
    left = layers.Conv2D(3, 3, padding="same", use_bias=False)(x)
    left = layers.ReLU(6.0)(layers.BatchNormalization()(left))
    right = layers.LeakyReLU()(layers.SeparableConv2D(3, 3, padding="same")(x))
    joined = layers.Concatenate()([layers.Add()([left, right]), layers.AveragePooling2D(1)(x)])
    pooled = layers.GlobalAveragePooling2D()(joined)
    results = [layers.Dense(2)(pooled), layers.Dense(1, activation="sigmoid", name="side")(pooled)]
    # Rename the layers after they made their weights: layer b has the weights a/kernel and a/bias.
    chain = keras.Sequential([layers.Dense(4, name=name) for name in "abc"])
    chain.build((None, 4))
    for layer, name in zip(chain.layers, "bca", strict=True):
        layer._name = name
    return {"image": image, "branches": keras.Model(x, results), "renamed": chain}


def main() -> None:
    import numpy as np
    import tf_keras  # type: ignore[import-not-found]

    tf_keras.utils.set_random_seed(1)
    picture = np.sin(np.arange(384, dtype="float32")).reshape(2, 8, 8, 3)
    rows = {}
    for name, model in models(tf_keras).items():
        x = picture if name != "renamed" else picture.reshape(-1, 4)[:2]
        outputs = len(model.outputs)
        model.compile("sgd", "mse")
        model.fit(x, [np.ones((2, *y.shape[1:])) for y in model.outputs], verbose=0)
        model.save(FOLDER / f"keras2_{name}.h5")
        results = model.predict(x, verbose=0)
        results = results if outputs > 1 else [results]
        rows[name] = {"inputs": x.tolist(), "results": [result.tolist() for result in results]}
    (FOLDER / "keras2_values.json").write_text(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
