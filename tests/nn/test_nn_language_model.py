"""A small language model learns the text of a guide; every way to generate from it agrees."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.runtime import executor

GUIDE = Path(__file__).parent.parent.parent / "docs" / "nn.md"
STEPS, BATCH, LENGTH = 600, 8, 16
"""The loss of guessing by the frequencies of letters is about 3.3."""
LOSS = 2.5
PROMPT, COUNT = "A decoder ", 40


def letters() -> tuple[bytes, np.ndarray]:
    """Return the distinct bytes of the guide, and the guide as their numbers."""
    text = GUIDE.read_bytes()
    known = bytes(sorted(set(text)))
    return known, np.searchsorted(np.frombuffer(known, "uint8"), np.frombuffer(text, "uint8"))


def options(vocabulary: int) -> pt.nn.DecoderOptions:
    return pt.nn.DecoderOptions(vocabulary, 32, 2, 4, 64, key_heads=2)


@pytest.fixture(scope="module")
def trained() -> Iterator[tuple[dict[str, np.ndarray], float]]:
    """Train on NumPy; return the weights and the mean loss of the last 50 steps."""
    before = executor.backend()
    pt.set_backend("numpy")
    try:
        yield train()
    finally:
        executor.use(before)


def train() -> tuple[dict[str, np.ndarray], float]:
    known, text = letters()
    chance = np.random.default_rng(0)
    pt.random.seed(0)
    optimizer = pt.optim.adamw(0.01)
    state = optimizer.init(pt.nn.CausalDecoder(options(len(known))))

    @pt.jit(donate_argnums=0)
    def step(state: Any, tokens: pt.Tensor) -> Any:
        def loss(model: Any) -> pt.Tensor:
            return pt.nn.sparse_softmax_cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])

        value, gradients = pt.value_and_grad(loss)(state.params)
        return optimizer.update(state, gradients), value

    losses = []
    for _ in range(STEPS):
        starts = chance.integers(0, len(text) - LENGTH - 1, BATCH)
        tokens = np.stack([text[at : at + LENGTH + 1] for at in starts]).astype("int32")
        state, value = step(state, pt.asarray(tokens))
        losses.append(value.item())
    weights = {name: weight.numpy() for name, weight in state.params.state_dict().items()}
    return weights, sum(losses[-50:]) / 50


def decoder(weights: dict[str, np.ndarray]) -> pt.nn.CausalDecoder:
    known, _ = letters()
    model = pt.nn.CausalDecoder(options(len(known)))
    model.load_state_dict({name: pt.asarray(value) for name, value in weights.items()})
    return model


def prompt() -> list[int]:
    known, _ = letters()
    return [known.index(letter) for letter in PROMPT.encode()]


def uncached(logits: Callable[[pt.Tensor], pt.Tensor]) -> list[int]:
    """Generate by computing all positions again for each token, in a sequence of one length."""
    tokens = prompt()
    for _ in range(COUNT):
        padded = tokens + [0] * (len(PROMPT) + COUNT - len(tokens))
        row = logits(pt.asarray([padded], dtype="int32"))[0, len(tokens) - 1]
        tokens.append(int(pt.argmax(row)))
    return tokens


def cached(model: pt.nn.CausalDecoder) -> list[int]:
    """Generate with a cache: the prompt at once, then one token at a time."""
    tokens, new = prompt(), prompt()
    cache = model.empty_cache(1, len(PROMPT) + COUNT)
    step = pt.jit(lambda model, new, cache: model(new, cache=cache, last=True), donate_argnums=2)
    for _ in range(COUNT):
        logits, cache = step(model, pt.asarray([new], dtype="int32"), cache)
        new = [int(pt.argmax(logits[0, -1]))]
        tokens += new
    return tokens


def test_a_language_model_learns_a_guide(trained):
    assert trained[1] < LOSS


def test_every_way_to_generate_agrees(trained, engine):
    model = decoder(trained[0])
    tokens = cached(model)
    assert uncached(pt.jit(model)) == tokens
    saved = pt.models.loads(pt.models.save(model))
    assert saved.options == model.options
    assert cached(saved) == tokens
    restored = pt.io.from_bytes(pt.io.to_bytes(model), like=model)
    assert cached(restored) == tokens
    # The text has words of the guide.
    known, _ = letters()
    text = bytes(known[token] for token in tokens).decode()
    assert sum(word in GUIDE.read_text() for word in text.split()) > len(text.split()) / 2


def test_exported_models_give_the_same_tokens(trained, engine):
    model = decoder(trained[0])
    shape = pt.ShapeDtype((1, len(PROMPT) + COUNT), "int32")
    exported = pt.models.loads(pt.models.to_onnx(model, shape))
    assert uncached(exported) == cached(model)


@pytest.mark.parametrize(
    ("bits", "block", "share", "difference"), [(8, 32, 0.96, 0.01), (4, 16, 0.85, 0.1)]
)
def test_quantized_models_predict_nearly_the_same(bits, block, share, difference, trained, engine):
    model = decoder(trained[0])
    _, text = letters()
    tokens = pt.asarray(text[: 32 * LENGTH].reshape(32, LENGTH).astype("int32"))
    wanted = model(tokens)
    packed = pt.quantize(copy.deepcopy(model), bits=bits, block=block)
    found = packed(tokens)
    same = pt.mean((pt.argmax(found, axis=-1) == pt.argmax(wanted, axis=-1)).astype("float32"))
    assert same.item() >= share
    losses = [
        pt.nn.sparse_softmax_cross_entropy(logits[:, :-1], tokens[:, 1:]).item()
        for logits in (wanted, found)
    ]
    assert abs(losses[1] - losses[0]) < difference
    # With a cache, products of one row read the packed weights, and the tokens are the same.
    generated = cached(packed)
    assert generated == uncached(pt.jit(packed))
    assert cached(pt.models.loads(pt.models.save(packed))) == generated
