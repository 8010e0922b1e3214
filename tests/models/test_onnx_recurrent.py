"""Recurrent layers of ONNX with all options, next to ONNX Runtime."""

from __future__ import annotations

from typing import Any

import half_storage
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import py_tensor as pt

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
BATCH, STEPS, INPUTS, UNITS = 3, 4, 5, 6
CASES: list[tuple[str, dict[str, Any]]] = [
    *(
        (kind, case)
        for kind in GATES
        for case in (
            {},
            {"states": True, "lengths": [4, 2, 3]},
            {"lengths": [1, 4, 2]},
            {"lengths": [4, 4, 4]},
            {"clip": 0.4},
        )
    ),
    *(
        ("RNN", {"activations": [name]})
        for name in ("Relu", "LeakyRelu", "HardSigmoid", "Elu", "Softsign", "Softplus")
    ),
    *(
        ("RNN", {"activations": [name], "activation_alpha": [0.3], **more})
        for name, more in (
            ("Affine", {"activation_beta": [0.4]}),
            ("ScaledTanh", {"activation_beta": [0.4]}),
            ("ThresholdedRelu", {}),
        )
    ),
    ("GRU", {"linear_before_reset": 1, "lengths": [2, 4, 1]}),
    (
        "GRU",
        {
            "activations": ["HardSigmoid", "LeakyRelu"],
            # The second function has one parameter.
            "activation_alpha": [0.3, 0.2],
            "activation_beta": [0.4],
        },
    ),
    ("LSTM", {"activations": ["HardSigmoid", "Softsign", "Relu"]}),
    ("LSTM", {"input_forget": 1}),
    ("LSTM", {"peepholes": True}),
    ("LSTM", {"peepholes": True, "clip": 0.5, "states": True, "lengths": [2, 2, 4]}),
]


def form_of(kind: str, case: dict[str, Any], direction: str) -> Any:
    """Return the options of a layer; each direction is one, and so are other activations."""
    return kind, *(case or [direction])


@pytest.mark.once_per_form(form=form_of)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(("kind", "case"), CASES, ids=str)
def test_recurrent_layers_as_in_onnx_runtime(kind, case, direction, engine):
    options = dict(case)
    lengths, peepholes, states = (
        options.pop(name, None) for name in ("lengths", "peepholes", "states")
    )
    count = 2 if direction == "bidirectional" else 1
    for name in ("activations", "activation_alpha", "activation_beta"):
        if name in options:
            options[name] = options[name] * count
    rng = np.random.default_rng(0)

    def some(*shape: int) -> Any:
        return (rng.standard_normal(shape) * 0.7).astype(np.float32)

    gates = GATES[kind]
    feeds = {"x": some(STEPS, BATCH, INPUTS)}
    weights = {
        "w": some(count, gates * UNITS, INPUTS),
        "r": some(count, gates * UNITS, UNITS),
        "b": some(count, 2 * gates * UNITS),
    }
    names = ["x", "w", "r", "b", "", "", "", ""]
    if lengths:
        weights["lengths"], names[4] = np.asarray(lengths, np.int32), "lengths"
    for at, name in enumerate(("h", "c") if kind == "LSTM" else ("h",)):
        if states:
            feeds[name], names[5 + at] = some(count, BATCH, UNITS), name
    if peepholes:
        weights["p"], names[7] = some(count, 3 * UNITS), "p"
    results = ["y", "last", "cell"] if kind == "LSTM" else ["y", "last"]
    while not names[-1]:
        names.pop()
    node = helper.make_node(kind, names, results, hidden_size=UNITS, direction=direction, **options)
    graph = helper.make_graph(
        [node],
        "recurrent",
        [helper.make_tensor_value_info(n, 1, v.shape) for n, v in feeds.items()],
        [helper.make_empty_tensor_value_info(name) for name in results],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=onnx.IR_VERSION_2023_5_5
    )
    data = model.SerializeToString()
    expected = onnxruntime.InferenceSession(data).run(results, feeds)
    found = pt.models.loads(data).run(feeds, outputs=results)
    for name, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(
            found[name].numpy(), want, rtol=0, atol=half_storage.derivative(1e-5)
        )


def test_unknown_activation_is_named():
    node = helper.make_node("RNN", ["x", "w", "r"], ["y"], hidden_size=1, activations=["Swish"])
    shapes = {"x": (1, 1, 1), "w": (1, 1, 1), "r": (1, 1, 1)}
    graph = helper.make_graph(
        [node],
        "recurrent",
        [helper.make_tensor_value_info(name, 1, shape) for name, shape in shapes.items()],
        [helper.make_empty_tensor_value_info("y")],
    )
    model = pt.models.loads(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)]).SerializeToString()
    )
    with pytest.raises(pt.errors.ModelError, match="activation Swish"):
        model.run({name: np.ones(shape, np.float32) for name, shape in shapes.items()})
