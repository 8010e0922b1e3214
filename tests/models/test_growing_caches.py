"""Test loops over tokens with language models whose keys and values grow."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import py_tensor as pt

VOCABULARY, LAYERS, HEADS, SIZE = 30, 2, 2, 16
FEATURES = HEADS * SIZE
INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT


class Decoder:
    """Nodes of a small decoder with random weights, in the form in which exporters write them."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.key_heads = 1 if kind == "grouped" else HEADS
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.rng = np.random.default_rng(3)

    def constant(self, value: Any) -> str:
        name = f"w{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, *shape: int) -> str:
        return self.constant(self.rng.normal(size=shape).astype("float32") * 0.4)

    def add(self, operator: str, *inputs: str, outputs: Any = None, **attributes: Any) -> str:
        outputs = [f"v{len(self.nodes)}"] if outputs is None else outputs
        domain = (
            "com.microsoft" if operator.endswith("QueryAttention") or "Head" in operator else ""
        )
        node = helper.make_node(operator, inputs, outputs, domain=domain, **attributes)
        self.nodes.append(node)
        return outputs[0]

    def numbers(self, *values: int) -> str:
        return self.constant(np.asarray(values, "int64"))

    def split(self, x: str) -> str:
        shaped = self.add("Reshape", x, self.numbers(0, 0, HEADS, SIZE))
        return self.add("Transpose", shaped, perm=[0, 2, 1, 3])

    def shared(self) -> tuple[str, ...]:
        """Add what all layers read, which depends on the mask."""
        if self.kind == "grouped":
            summed = self.add("ReduceSum", "attention_mask", self.numbers(1), keepdims=0)
            last = self.add("Cast", self.add("Sub", summed, self.numbers(1)), to=TensorProto.INT32)
            length = self.add("Shape", "attention_mask")
            total = self.add("Gather", length, self.constant(np.int64(1)))
            total = self.add("Cast", total, to=TensorProto.INT32)
            angles = np.arange(256)[:, None] * 0.3 ** np.arange(SIZE // 2)
            tables = [self.constant(f(angles).astype("float32")) for f in (np.cos, np.sin)]
            return (last, total, *tables)
        # A query attends to the keys up to its own position, and to no padding.
        scalars, one = self.lengths(), self.constant(np.int64(1))
        rows = self.add("Range", *scalars, one)
        columns = self.add("Range", self.constant(np.int64(0)), scalars[1], one)
        causal = self.add("LessOrEqual", columns, self.add("Unsqueeze", rows, self.numbers(1)))
        mask = self.add("Cast", "attention_mask", to=TensorProto.BOOL)
        seen = self.add("And", causal, self.add("Unsqueeze", mask, self.numbers(1, 2)))
        low = self.constant(np.float32(-3e38))
        return (self.add("Where", seen, self.constant(np.float32(0)), low),)

    def lengths(self) -> list[str]:
        """Add the numbers of positions before and after the call."""
        past = self.add("Gather", self.add("Shape", "past_key_values.0.key"), self.numbers(2))
        new = self.add("Gather", self.add("Shape", "input_ids"), self.numbers(1))
        return [self.add("Squeeze", x) for x in (past, self.add("Add", past, new))]

    def attention(self, x: str, layer: int, shared: tuple[str, ...]) -> str:
        q, k, v = (
            self.add("MatMul", x, self.weight(FEATURES, SIZE * count))
            for count in (HEADS, self.key_heads, self.key_heads)
        )
        past = [f"past_key_values.{layer}.{part}" for part in ("key", "value")]
        present = [f"present.{layer}.{part}" for part in ("key", "value")]
        result = f"attended{layer}"
        if self.kind == "grouped":
            heads = {"num_heads": HEADS, "kv_num_heads": 1, "do_rotary": 1}
            inputs = (q, k, v, *past, *shared)
            return self.add("GroupQueryAttention", *inputs, outputs=[result, *present], **heads)
        if self.kind == "fused":
            inputs = (q, k, v, "", "", *shared, *past)
            return self.add(
                "MultiHeadAttention", *inputs, outputs=[result, *present], num_heads=HEADS
            )
        q, k, v = map(self.split, (q, k, v))
        k = self.add("Concat", past[0], k, outputs=[present[0]], axis=2)
        v = self.add("Concat", past[1], v, outputs=[present[1]], axis=2)
        scores = self.add("MatMul", q, self.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.add("Mul", scores, self.constant(np.float32(SIZE**-0.5)))
        shares = self.add("Softmax", self.add("Add", scores, shared[0]), axis=-1)
        y = self.add("Transpose", self.add("MatMul", shares, v), perm=[0, 2, 1, 3])
        return self.add("Reshape", y, self.numbers(0, 0, FEATURES))

    def file(self) -> bytes:
        x = self.add("Gather", self.weight(VOCABULARY, FEATURES), "input_ids")
        if self.kind != "grouped":
            places = "position_ids"
            if self.kind == "fused":
                counts = self.add("CumSum", "attention_mask", self.numbers(1))
                sizes = self.add("Shape", "input_ids")
                new = self.add("Gather", sizes, self.numbers(1))
                ends = self.numbers(2**31 - 1)
                part = (self.add("Neg", new), ends, self.numbers(1))
                places = self.add("Sub", self.add("Slice", counts, *part), self.numbers(1))
            if self.kind == "counted":
                places = self.add("Range", *self.lengths(), self.constant(np.int64(1)))
            x = self.add("Add", x, self.add("Gather", self.weight(200, FEATURES), places))
        shared = self.shared()
        for layer in range(LAYERS):
            x = self.add("Add", x, self.attention(x, layer, shared))
            hidden = self.add("Tanh", self.add("MatMul", x, self.weight(FEATURES, FEATURES)))
            x = self.add("Add", x, hidden)
        self.add("MatMul", x, self.weight(FEATURES, VOCABULARY), outputs=["logits"])
        inputs = [("input_ids", INT64, ["batch", "new"])]
        inputs.append(("attention_mask", INT64, ["batch", "total"]))
        if self.kind == "plain":
            inputs.append(("position_ids", INT64, ["batch", "new"]))
        outputs = [("logits", FLOAT, ["batch", "new", VOCABULARY])]
        for layer in range(LAYERS):
            for part in ("key", "value"):
                for start, infos in (("past_key_values", inputs), ("present", outputs)):
                    length = "past" if infos is inputs else "total"
                    shape = ["batch", self.key_heads, length, SIZE]
                    infos.append((f"{start}.{layer}.{part}", FLOAT, shape))
        graph = helper.make_graph(
            self.nodes,
            self.kind,
            [helper.make_tensor_value_info(*info) for info in inputs],
            [helper.make_tensor_value_info(*info) for info in outputs],
            self.constants,
        )
        imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()


def generated(decoder: Decoder, run: Any, prompt: Any, steps: int, each: Any = None) -> Any:
    """Return the logits and tokens of greedy steps; `run` maps inputs to outputs by name."""
    names = [f"{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value")]
    batch = prompt.shape[0]
    empty = np.zeros((batch, decoder.key_heads, 0, SIZE), "float32")
    caches = dict.fromkeys(names, empty)
    tokens, logits = prompt, []
    for step in range(steps):
        inputs = {"input_ids": tokens[:, -1:] if step else tokens}
        total = tokens.shape[1]
        inputs["attention_mask"] = np.ones((batch, total), "int64")
        if decoder.kind == "plain":
            inputs["position_ids"] = np.arange(total)[None, -inputs["input_ids"].shape[1] :]
            inputs["position_ids"] = np.repeat(inputs["position_ids"], batch, 0)
        inputs |= {f"past_key_values.{name}": cache for name, cache in caches.items()}
        outputs = run(inputs)
        caches = {name: outputs[f"present.{name}"] for name in names}
        assert all(cache.shape[2] == total for cache in caches.values())
        last = np.asarray(outputs["logits"])[:, -1]
        logits.append(last)
        tokens = np.concatenate([tokens, last.argmax(-1)[:, None]], 1)
        if each is not None:
            each(step, caches)
    return np.stack(logits), tokens


@pytest.mark.parametrize("kind", ["plain", "fused", "grouped"])
def test_tokens_share_plans_and_equal_those_of_onnx_runtime(kind, engine):
    decoder = Decoder(kind)
    data = decoder.file()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    prompt = np.random.default_rng(0).integers(0, VOCABULARY, (2, 5))

    def expected(inputs: Any) -> Any:
        return dict(zip(names, session.run(None, inputs), strict=True))

    want, tokens = generated(decoder, expected, prompt, 65)
    assert len(set(tokens[0].tolist())) > 5
    model = pt.models.loads(data)
    counts = []

    def note(step: int, caches: Any) -> None:
        info = pt.cache_info()
        counts.append((info.plan_misses, info.programs))

    found, own = generated(decoder, model.run, prompt, 65, note)
    np.testing.assert_array_equal(own, tokens)
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-5 * np.abs(want).max())
    # The second call makes buffers of 64 positions, and that of position 65 those of 128.
    grown = 65 - prompt.shape[1]
    changes = [at for at in range(1, 65) if counts[at] != counts[at - 1]]
    assert set(changes) <= {1, grown}
    assert counts[-1][0] - counts[0][0] <= 4


def sessions(kind: str) -> tuple[Decoder, pt.models.Model, Any]:
    """Return a decoder, its model, and a function that runs it in ONNX Runtime."""
    decoder = Decoder(kind)
    data = decoder.file()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]

    def run(inputs: Any) -> Any:
        given = {name: np.asarray(x) for name, x in inputs.items()}
        return dict(zip(names, session.run(None, given), strict=True))

    return decoder, pt.models.loads(data), run


def prefilled(decoder: Decoder, run: Any, prompt: Any, mask: Any) -> Any:
    """Return the inputs for further tokens: those of a call after a prompt."""
    inputs = {"input_ids": prompt, "attention_mask": mask}
    if decoder.kind == "plain":
        inputs["position_ids"] = np.maximum(mask.cumsum(1) - 1, 0)
    for layer in range(LAYERS):
        for part in ("key", "value"):
            shape = (len(prompt), decoder.key_heads, 0, SIZE)
            inputs[f"past_key_values.{layer}.{part}"] = np.zeros(shape, "float32")
    return run(inputs)


def following(decoder: Decoder, outputs: Any, tokens: Any, mask: Any) -> Any:
    inputs = {"input_ids": tokens, "attention_mask": mask}
    if decoder.kind == "plain":
        inputs["position_ids"] = (mask.cumsum(1) - 1)[:, -tokens.shape[1] :]
    caches = {name: x for name, x in outputs.items() if name.startswith("present")}
    return inputs | {name.replace("present", "past_key_values"): x for name, x in caches.items()}


@pytest.mark.parametrize("kind", ["plain", "fused", "grouped"])
@pytest.mark.parametrize("new", [1, 3])
def test_calls_of_several_tokens_after_a_prompt(kind, new, engine):
    decoder, model, expected = sessions(kind)
    tokens = np.random.default_rng(1).integers(0, VOCABULARY, (1, 6 + 3 * new))
    found, want = (
        prefilled(decoder, run, tokens[:, :6], np.ones((1, 6), "int64"))
        for run in (model.run, expected)
    )
    for end in range(6 + new, tokens.shape[1] + 1, new):
        mask = np.ones((1, end), "int64")
        part = tokens[:, end - new : end]
        found = model.run(following(decoder, found, part, mask))
        want = expected(following(decoder, want, part, mask))
        for name, array in want.items():
            assert found[name].shape == array.shape
            scale = 1e-5 * np.abs(array).max()
            np.testing.assert_allclose(found[name].numpy(), array, rtol=0, atol=scale)


@pytest.mark.parametrize("kind", ["plain", "fused"])
def test_prompts_with_padding_before_them(kind, engine):
    decoder, model, expected = sessions(kind)
    tokens = np.random.default_rng(1).integers(0, VOCABULARY, (2, 5))
    mask = np.int64([[0, 0, 1, 1], [1, 1, 1, 1]])
    longer = np.concatenate([mask, np.ones((2, 1), "int64")], 1)
    results = []
    for run in (model.run, expected):
        outputs = prefilled(decoder, run, tokens[:, :4], mask)
        results.append(run(following(decoder, outputs, tokens[:, 4:], longer))["logits"])
    np.testing.assert_allclose(results[0].numpy(), results[1], rtol=0, atol=1e-4)


@pytest.mark.parametrize("kind", ["plain", "grouped"])
def test_changed_and_reordered_caches_are_used_as_they_are(kind, engine):
    decoder, model, expected = sessions(kind)
    tokens = np.random.default_rng(1).integers(0, VOCABULARY, (2, 7))
    outputs = prefilled(decoder, model.run, tokens[:, :5], np.ones((2, 5), "int64"))
    mask = np.ones((2, 6), "int64")
    outputs = model.run(following(decoder, outputs, tokens[:, 5:6], mask))
    outputs["present.0.key"][0, 0, 2] = 7.0
    outputs["present.1.value"] = outputs["present.1.value"][pt.asarray([1, 0])]
    inputs = following(decoder, outputs, tokens[:, 6:], np.ones((2, 7), "int64"))
    want = expected({name: np.asarray(x) for name, x in inputs.items()})
    found = model.run(inputs)
    for name, array in want.items():
        np.testing.assert_allclose(found[name].numpy(), array, rtol=0, atol=1e-4)


def test_buffers_end_with_their_tensors(engine):
    decoder, model, _ = sessions("plain")
    prompt = np.random.default_rng(1).integers(0, VOCABULARY, (1, 5))
    _, tokens = generated(decoder, model.run, prompt, 4)
    assert tokens.shape == (1, 9)
    assert not model._runner.caches._buffers


def test_tidied_calls_keep_their_caches(engine):
    decoder, model, _ = sessions("grouped")
    prompt = np.random.default_rng(1).integers(0, VOCABULARY, (1, 5))
    want, tokens = generated(decoder, model.run, prompt, 5)
    found, own = generated(decoder, pt.tidy(model.run), prompt, 5)
    np.testing.assert_array_equal(own, tokens)
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-5)


def test_traced_calls_run_as_they_are(engine):
    decoder, model, expected = sessions("grouped")
    tokens = np.random.default_rng(1).integers(0, VOCABULARY, (1, 6))
    outputs = prefilled(decoder, model.run, tokens[:, :5], np.ones((1, 5), "int64"))
    inputs = following(decoder, outputs, tokens[:, 5:], np.ones((1, 6), "int64"))
    want = expected(inputs)["logits"]
    found = pt.jit(lambda given: model.run(given)["logits"])(inputs)
    np.testing.assert_allclose(found.numpy(), want, rtol=0, atol=1e-4)


def test_a_past_that_the_mask_leaves_out_is_not_padded(engine):
    decoder, model, _ = sessions("plain")
    tokens = np.random.default_rng(1).integers(0, VOCABULARY, (1, 5))
    outputs = prefilled(decoder, model.run, tokens[:, :4], np.ones((1, 4), "int64"))
    inputs = following(decoder, outputs, tokens[:, 4:], np.ones((1, 5), "int64"))
    tensors = {name: pt.asarray(x) for name, x in inputs.items()}
    caches = model._runner.caches
    assert caches.padded(tensors, ("logits",)).positions == 5
    # Exporters join two graphs, of which the first one ignores the past.
    tensors["input_ids"] = pt.asarray(tokens)
    assert caches.padded(tensors, ("logits",)) is None


@pytest.mark.host
def test_positions_that_depend_on_the_length_of_the_past_prevent_padding():
    assert pt.models.loads(Decoder("counted").file())._runner.caches is None
