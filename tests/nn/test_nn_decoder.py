"""Decoders of language models against formulas of transformers in float64, and their parts."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample
from scipy import special

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
RTOL = 1e-4
"""Two blocks, each of seven products of up to 48 terms, and the logits."""

gelu = partial(nn.gelu, approximate=True)
base = nn.DecoderOptions(50, 16, 2, 4, 24, key_heads=2, activation=nn.silu)
FAMILIES = {
    "llama": base,
    "llama untied": replace(base, tied=False, epsilon=1e-5, rotary_base=500000.0),
    "qwen2": replace(base, attention_bias=True),
    "qwen3": replace(base, head_norm=True, head_features=8),
    "qwen3 of experts": replace(base, head_norm=True, experts=6, chosen_experts=2, hidden=12),
    "mistral": replace(base, windows=4),
    "gemma2": replace(
        base,
        unit_offset=True,
        norm_places="both",
        activation=gelu,
        windows=(4, None),
        softcap=5.0,
        logit_softcap=3.0,
        scale=0.3,
        embedding_factor=4.0,
    ),
    "gemma3": replace(
        base,
        unit_offset=True,
        norm_places="both",
        activation=gelu,
        head_norm=True,
        head_features=8,
        windows=(4, None),
        local_base=100.0,
        scaling=nn.RotaryScaling("linear", factor=8.0),
        embedding_factor=4.0,
    ),
    "phi3": replace(base, key_heads=None, rotary_share=0.5, windows=6, tied=False),
    "norms after": replace(base, norm_places="after", interleaved=True),
    "gpt2": replace(
        base,
        key_heads=None,
        norm="layer",
        epsilon=1e-5,
        attention_bias=True,
        output_bias=True,
        network_bias=True,
        activation=gelu,
        gated=False,
        rotary_base=None,
        positions=32,
    ),
}


def silu(x):
    return x * special.expit(x)


def gelu_new(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class Reference:
    """Decoder in NumPy that reads parameters by name."""

    def __init__(self, options, state):
        self.options = options
        self.state = {name: tensor.numpy().astype("float64") for name, tensor in state.items()}
        self.activation = silu if options.activation is nn.silu else gelu_new

    def dense(self, name, x):
        return x @ self.state[f"{name}.weight"] + self.state.get(f"{name}.bias", 0.0)

    def norm(self, name, x):
        scale = self.state.get(f"{name}.scale")
        if scale is None:
            return x
        if f"{name}.offset" in self.state:
            x = x - x.mean(-1, keepdims=True)
        own = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.options.epsilon)
        return own * (scale + self.options.unit_offset) + self.state.get(f"{name}.offset", 0.0)

    def rotated(self, x, window):
        own = self.options
        if own.rotary_base is None:
            return x
        count = int(x.shape[-1] * own.rotary_share)
        local = window is not None and own.local_base is not None
        angles = (own.local_base if local else own.rotary_base) ** -(np.arange(0, count, 2) / count)
        angles = angles / (own.scaling.factor if own.scaling is not None and not local else 1.0)
        turns = np.exp(1j * np.multiply.outer(np.arange(x.shape[-2]), angles))
        first, second = slice(0, count // 2), slice(count // 2, count)
        if own.interleaved:
            first, second = slice(0, count, 2), slice(1, count, 2)
        numbers = (x[..., first] + 1j * x[..., second]) * turns
        x = x.copy()
        x[..., first], x[..., second] = numbers.real, numbers.imag
        return x

    def attention(self, name, x, window):
        own = self.options
        size = own.head_features or own.features // own.heads

        def heads(part, count):
            y = self.dense(f"{name}.{part}", x).reshape(*x.shape[:2], count, size)
            return y.transpose(0, 2, 1, 3)

        shared = own.key_heads or own.heads
        q, k = (
            self.rotated(self.norm(f"{name}.{part}_norm", heads(part, count)), window)
            for part, count in (("query", own.heads), ("key", shared))
        )
        k, v = (np.repeat(y, own.heads // shared, axis=1) for y in (k, heads("value", shared)))
        scores = q @ k.swapaxes(-1, -2) * (own.scale or size**-0.5)
        if own.softcap:
            scores = own.softcap * np.tanh(scores / own.softcap)
        distance = np.arange(x.shape[1])[:, None] - np.arange(x.shape[1])
        seen = (distance >= 0) & (distance < (window or math.inf))
        weights = special.softmax(np.where(seen, scores, -np.inf), axis=-1)
        joined = (weights @ v).transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1)
        return self.dense(f"{name}.output", joined)

    def network(self, name, x):
        if self.options.experts:
            return self.experts(name, x)
        up = self.dense(f"{name}.up", x)
        if self.options.gated:
            hidden = self.activation(self.dense(f"{name}.gate", x)) * up
        else:
            hidden = self.activation(up)
        return self.dense(f"{name}.down", hidden)

    def experts(self, name, x):
        return mixed(
            x.reshape(-1, x.shape[-1]),
            *(self.state[f"{name}.{part}"] for part in ("router.weight", "gate", "up", "down")),
            self.options.chosen_experts,
        ).reshape(x.shape)

    def logits(self, tokens):
        own = self.options
        x = self.state["embedding.weight"][tokens] * own.embedding_factor
        if own.positions:
            x = x + self.state["positions.weight"][: tokens.shape[1]]
        for at in range(own.layers):
            name = f"blocks.{at}"
            y = self.norm(f"{name}.attention_before", x)
            y = self.attention(f"{name}.attention", y, own.window(at))
            x = x + self.norm(f"{name}.attention_after", y)
            y = self.network(f"{name}.network", self.norm(f"{name}.network_before", x))
            x = x + self.norm(f"{name}.network_after", y)
        x = self.norm("norm", x)
        table = self.state["embedding.weight"].T if own.tied else self.state["readout.weight"]
        logits = x @ table
        if own.logit_softcap:
            logits = own.logit_softcap * np.tanh(logits / own.logit_softcap)
        return logits


def mixed(rows, router, gate, up, down, chosen, normalize=True):
    """Compute a mixture of experts row by row."""
    results = []
    for row in rows:
        weights = special.softmax(row @ router)
        best = np.argsort(-weights, kind="stable")[:chosen]
        total = weights[best].sum() if normalize else 1.0
        results.append(
            sum(
                weights[at] / total * ((silu(row @ gate[at]) * (row @ up[at])) @ down[at])
                for at in best
            )
        )
    return np.asarray(results)


def randomized(model):
    """Replace parameters by larger random values, so that each of them counts."""
    for _, tensor in model.named_parameters():
        tensor[...] = tensor + 0.2 * pt.random.normal(tensor.shape)
    return model


@pytest.mark.parametrize("family", FAMILIES)
def test_families(family, rng):
    options = FAMILIES[family]
    model = randomized(nn.CausalDecoder(options))
    tokens = rng.integers(0, options.vocabulary, (2, 9)).astype("int32")
    want = Reference(options, model.state_dict()).logits(tokens)
    assert_values(model(pt.asarray(tokens)), want.astype("float32"), rtol=RTOL, atol=RTOL)


@pytest.mark.parametrize("family", ["llama", "qwen3 of experts", "gemma3", "gpt2"])
def test_chunks_of_a_prompt_with_padding_and_tokens(family, rng):
    """Two plans give the logits of the whole sequence; a ring of 4 positions has one window."""
    options = FAMILIES[family]
    model = randomized(nn.CausalDecoder(options))
    tokens = rng.integers(0, options.vocabulary, (1, 12)).astype("int32")
    whole = model(pt.asarray(tokens)).numpy()

    def step(model, part, cache, count):
        return model(part, cache=cache, count=count, last=True)

    step = pt.jit(step, donate_argnums=2)
    cache = model.empty_cache(1, 16)
    padded = np.concatenate([tokens[:, :7], np.full((1, 3), 49, "int32")], axis=1)
    for start, count in ((0, 5), (5, 2)):
        part = pt.asarray(padded[:, start : start + 5])
        logits, cache = step(model, part, cache, pt.asarray(count))
        assert_values(logits[:, 0], whole[:, start + count - 1], rtol=RTOL, atol=RTOL)
    misses = 0
    for at in range(7, 12):
        part = pt.asarray(tokens[:, at : at + 1])
        logits, cache = step(model, part, cache, pt.asarray(1))
        assert_values(logits[:, 0], whole[:, at], rtol=RTOL, atol=RTOL)
        misses = misses or pt.cache_info().plan_misses
    assert pt.cache_info().plan_misses == misses


def test_a_mask_hides_padding_before_a_sequence(rng):
    """Positions of rotary embeddings are relative, so padding in front changes nothing."""
    model = randomized(nn.CausalDecoder(base))
    tokens = pt.asarray(rng.integers(0, 50, (1, 6)).astype("int32"))
    want = model(tokens[:, 2:]).numpy()
    got = model(tokens, mask=pt.arange(6) >= 2)
    assert_values(got[:, 2:], want, rtol=RTOL, atol=RTOL)


def test_gradients_train_a_decoder(rng):
    options = replace(base, experts=3, hidden=8)
    model = nn.CausalDecoder(options)
    tokens = pt.asarray(np.arange(18).reshape(2, 9).astype("int32") % 7)
    optimizer = pt.optim.adam(0.02)

    def loss(model):
        logits = model(tokens[:, :-1])
        return nn.sparse_softmax_cross_entropy(logits, tokens[:, 1:])

    @pt.jit
    def train(state):
        value, gradients = pt.value_and_grad(loss)(state.params)
        return optimizer.update(state, gradients), value

    state, values = optimizer.init(model), []
    for _ in range(30):
        state, value = train(state)
        values.append(value.item())
    assert values[0] > 3
    assert values[-1] < 0.3


# --- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 5, 40])
@pytest.mark.parametrize("normalize", [True, False])
def test_experts_of_few_and_many_rows(rows, normalize, rng):
    """One row is a block, and 40 rows are sorted into blocks of their experts."""
    layer = randomized(nn.MixtureOfExperts(6, 10, 5, chosen=3, normalize=normalize))
    x = sample(rng, (rows, 6), "float32")
    parts = [layer.router.weight, layer.gate, layer.up, layer.down]
    want = mixed(x, *(part.numpy().astype("float64") for part in parts), 3, normalize)
    assert_values(layer(pt.asarray(x)), want.astype("float32"), rtol=RTOL, atol=RTOL)


def test_experts_that_no_row_chooses(rng):
    """All rows choose the last expert, whose blocks start after those of no rows."""
    layer = randomized(nn.MixtureOfExperts(4, 6, 4, chosen=1))
    layer.router.weight[...] = pt.asarray([[0.0, 0.0, 0.0, 9.0]] * 4)
    x = np.abs(sample(rng, (21, 4), "float32"))
    parts = [layer.router.weight, layer.gate, layer.up, layer.down]
    want = mixed(x, *(part.numpy().astype("float64") for part in parts), 1)
    assert_values(layer(pt.asarray(x)), want.astype("float32"), rtol=RTOL, atol=RTOL)
    assert layer(pt.zeros((0, 4))).shape == (0, 4)


def test_gradients_of_experts_are_those_of_all_experts_weighted(rng):
    layer = randomized(nn.MixtureOfExperts(4, 6, 3, chosen=2))
    x = pt.asarray(sample(rng, (8, 4), "float32"))

    def dense(layer):
        """Compute every expert for every row."""
        weights = pt.softmax(layer.router(x))
        least = pt.topk(weights, 2)[0][:, 1:]
        weights = pt.where(weights >= least, weights, 0.0)
        weights = weights / weights.sum(axis=-1, keepdims=True)
        hidden = nn.silu(x @ layer.gate) * (x @ layer.up)
        return ((hidden @ layer.down) * weights.mT[:, :, None]).sum(axis=0)

    got = pt.grad(lambda layer: (layer(x) ** 2).sum())(layer)
    want = pt.grad(lambda layer: (dense(layer) ** 2).sum())(layer)
    for name, gradient in want.state_dict().items():
        expected = gradient.numpy()
        tolerance = 1e-5 * np.abs(expected).max()
        assert_values(got.state_dict()[name], expected, rtol=RTOL, atol=tolerance, what=name)


def test_packed_weights_serve_a_decoder(rng):
    model = pt.quantize(randomized(nn.CausalDecoder(base)), bits=8, block=16)
    tokens = rng.integers(0, 50, (1, 6)).astype("int32")
    logits, cache = model(tokens, cache=model.empty_cache(1, 8))
    assert cache.keys[0].dtype == pt.float32
    want = pt.dequantize(model)(tokens).numpy()
    assert_values(logits, want, rtol=RTOL, atol=RTOL)


def test_lora_trains_its_matrices_only(rng):
    model = randomized(nn.CausalDecoder(base))
    tokens = pt.asarray(rng.integers(0, 50, (2, 6)).astype("int32"))
    before = model(tokens).numpy()
    frozen = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    model = nn.lora(model, 3, 6.0, names=["query", "blocks.1.network"])
    assert_values(model(tokens), before)
    names = {name for name, tensor in model.named_parameters()}
    layers = [*(f"blocks.{at}.attention.query" for at in range(2))]
    layers += [f"blocks.1.network.{part}" for part in ("gate", "up", "down")]
    assert names == {f"{layer}.{part}" for layer in layers for part in ("down", "up")}
    optimizer = pt.optim.sgd(0.5)
    gradients = pt.grad(lambda model: (model(tokens) ** 2).mean())(model)
    model = optimizer.update(optimizer.init(model), gradients).params
    after = model(tokens).numpy()
    assert np.abs(after - before).max() > 1e-3
    state = model.state_dict()
    for name, value in frozen.items():
        layer, _, part = name.rpartition(".")
        now = state[f"{layer}.base.{part}" if layer in layers else name]
        assert_values(now, value, what=name)
    own = model.blocks[0].attention.query
    product = own.down.numpy() @ own.up.numpy() * 2.0
    weight = frozen["blocks.0.attention.query.weight"]
    merged = nn.merge_lora(model)
    assert merged.state_dict().keys() == frozen.keys()
    assert_values(merged.blocks[0].attention.query.weight, weight + product, rtol=1e-5, atol=1e-5)
    assert_values(merged(tokens), after, rtol=RTOL, atol=RTOL)
    assert not list(merged.parameters())


def test_lora_of_a_layer_that_occurs_twice():
    dense = nn.Dense(4, 4)
    model = nn.lora(nn.Sequential(dense, pt.relu, dense), 2)
    assert model.layers[0] is model.layers[2]
    assert nn.merge_lora(model).layers[2] is dense


def test_lora_names_must_occur():
    model = nn.Sequential(nn.Dense(4, 4), pt.relu)
    assert_raises(
        errors.ArgumentError,
        "lora: no dense layer has a name; got ['query']; use parts of layers.0",
        lambda: nn.lora(model, 2, names=["query", "layers"]),
    )
    assert type(model.layers[0]) is nn.Dense
    adapted = nn.lora(nn.Sequential(nn.Dense(4, 4)), 2)
    assert_raises(
        errors.ArgumentError,
        "lora: model has trained matrices of low rank; got a result of lora; call "
        "pt.nn.merge_lora(model) first",
        lambda: nn.lora(adapted, 2),
    )
    packed = nn.lora(pt.quantize(nn.Dense(32, 4)), 2)
    assert packed(pt.ones((1, 32))).shape == (1, 4)
    assert_raises(
        errors.ArgumentError,
        "merge_lora: weight is packed; got PackedMatrix(32 x 4, 4 bits); call pt.dequantize(model) "
        "first",
        lambda: nn.merge_lora(packed),
    )


def test_wrong_sizes():
    for text, call in (
        (
            "DecoderOptions: windows need one number for each block; got 1 for 2; pass None for "
            "blocks without a window",
            lambda: replace(base, windows=(4,)),
        ),
        (
            'DecoderOptions: norm is unknown; got \'batch\'; use "rms" or "layer"',
            lambda: replace(base, norm="batch"),
        ),
        (
            "MixtureOfExperts: more experts are chosen than there are; got 3 of 2; choose fewer",
            lambda: nn.MixtureOfExperts(4, 4, 2, chosen=3),
        ),
    ):
        assert_raises(errors.ArgumentError, text, call)
    assert_raises(
        errors.ShapeError,
        "GroupedQueryAttention: heads of keys must divide the heads, and these the features; got "
        "3, 4 and 8; use divisors",
        lambda: nn.GroupedQueryAttention(8, 4, key_heads=3),
    )
