"""Train the small language model of the site's page "Chat" on the guides of docs/.

usage: python tools/make_chat_model.py FILE

The result is the GGUF file web/src/features/chat/model/guides.gguf. Random numbers are seeded, but
processors round differently, so another machine may write other bytes. It takes half
a minute on a GPU. More steps would only learn the guides by heart.
"""

import math
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import py_tensor as pt

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT / "tests")]

from gguf_files import file_of  # type: ignore[import-not-found]  # noqa: E402

NAME = "py_tensor guides"
END = "<|endoftext|>"
VOCABULARY = 512
OPTIONS = pt.nn.DecoderOptions(VOCABULARY, 64, 3, 4, 160, key_heads=2, interleaved=True)
STEPS, BATCH, LENGTH, RATE = 1_500, 32, 128, 5e-3
WARMUP = 150
"""Number of the step at which the rate of learning is highest."""
MODULES = {
    "attention_before": "attn_norm",
    "network_before": "ffn_norm",
    "attention.query": "attn_q",
    "attention.key": "attn_k",
    "attention.value": "attn_v",
    "attention.output": "attn_output",
    "network.gate": "ffn_gate",
    "network.up": "ffn_up",
    "network.down": "ffn_down",
}
"""Names of GGUF for the modules of a block."""
U32, I32, F32, TEXT, ARRAY = 4, 5, 6, 8, 9
"""Types of metadata."""
PLAIN, Q8 = 0, 8
"""Types of tensors: float32, and blocks of 32 elements of 8 bits."""


# --- texts and tokens -----------------------------------------------------------------------------


def guides() -> list[str]:
    """Return the prose of the guides: no code, tables, pictures and comments."""
    texts = []
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = re.sub(r"^```.*?^```$|<!--.*?-->", "", path.read_text(), flags=re.DOTALL | re.M)
        text = re.sub(r"^(\||!\[|    ).*\n", "", text, flags=re.M)
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
        texts.append(re.sub(r"\n{3,}", "\n\n", text).strip())
    return texts


def tokenizer_of(tokens: list[str], merges: list[str]) -> pt.text.Tokenizer:
    """Return a byte-level tokenizer."""
    return pt.text.Tokenizer(
        {
            "model": {
                "type": "BPE",
                "vocab": {token: number for number, token in enumerate(tokens)},
                "merges": merges,
            },
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
            "decoder": {"type": "ByteLevel"},
            "added_tokens": [{"content": END, "id": tokens.index(END), "special": True}],
        }
    )


def vocabulary(texts: list[str]) -> tuple[list[str], list[str]]:
    """Return tokens and merges: the most frequent pair becomes a token, again and again."""
    # The characters that stand for bytes; source: bytes_to_unicode of GPT-2.
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [256 + at for at in range(256 - len(printed))]
    tokens = [END, *map(chr, printed + others)]
    alone = tokenizer_of(tokens, [])
    words: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        encoding = alone.encode(text)
        word: list[str] = []
        before: Any = None
        for token, number in zip(encoding.tokens, encoding.word_ids, strict=True):
            if number != before and word:
                words[tuple(word)] += 1
                word = []
            word.append(token)
            before = number
        words[tuple(word)] += 1
    merges = []
    while len(tokens) < VOCABULARY:
        pairs: Counter[tuple[str, str]] = Counter()
        for parts, count in words.items():
            for pair in pairwise(parts):
                pairs[pair] += count
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        words = Counter({_merged(parts, best): count for parts, count in words.items()})
        merges.append(" ".join(best))
        tokens.append("".join(best))
    return tokens, merges


def _merged(parts: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    result: list[str] = []
    at = 0
    while at < len(parts):
        is_pair = parts[at : at + 2] == pair
        result.append("".join(pair) if is_pair else parts[at])
        at += 2 if is_pair else 1
    return tuple(result)


# --- training -------------------------------------------------------------------------------------


def trained(text: np.ndarray) -> tuple[dict[str, np.ndarray], float]:
    """Return the weights, and the mean loss of the last steps."""
    chance = np.random.default_rng(0)
    pt.random.seed(0)
    rate = pt.optim.warmup_cosine_decay(RATE, WARMUP, STEPS, end=RATE / 20)
    optimizer = pt.optim.adamw(rate, weight_decay=0.1)
    state = optimizer.init(pt.nn.CausalDecoder(OPTIONS))

    @pt.jit(donate_argnums=0)
    def step(state: Any, tokens: pt.Tensor) -> Any:
        def loss(model: Any) -> pt.Tensor:
            return pt.nn.sparse_softmax_cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])

        value, gradients = pt.value_and_grad(loss)(state.params)
        return optimizer.update(state, gradients), value

    losses: list[float] = []
    for number in range(STEPS):
        starts = chance.integers(0, len(text) - LENGTH - 1, BATCH)
        tokens = np.stack([text[at : at + LENGTH + 1] for at in starts]).astype("int32")
        state, value = step(state, pt.asarray(tokens))
        losses.append(float(value.item()))
        if number % 100 == 0:
            print(f"step {number}: loss {np.mean(losses[-100:]):.3f}", flush=True)
    weights = {name: np.asarray(weight) for name, weight in state.params.state_dict().items()}
    return weights, float(np.mean(losses[-100:]))


# --- the file -------------------------------------------------------------------------------------


def metadata(tokens: list[str], merges: list[str]) -> dict[str, tuple[int, Any]]:
    own = OPTIONS
    sizes = {
        "context_length": LENGTH,
        "embedding_length": own.features,
        "block_count": own.layers,
        "feed_forward_length": own.hidden,
        "attention.head_count": own.heads,
        "attention.head_count_kv": own.key_heads,
    }
    vocabulary = {
        "model": (TEXT, "gpt2"),
        "pre": (TEXT, "default"),
        "tokens": (ARRAY, (TEXT, tokens)),
        "token_type": (ARRAY, (I32, [3 if token == END else 1 for token in tokens])),
        "merges": (ARRAY, (TEXT, merges)),
        "eos_token_id": (U32, tokens.index(END)),
    }
    return {
        "general.architecture": (TEXT, "llama"),
        "general.name": (TEXT, NAME),
        **{f"llama.{name}": (U32, value) for name, value in sizes.items()},
        "llama.attention.layer_norm_rms_epsilon": (F32, own.epsilon),
        **{f"tokenizer.ggml.{name}": value for name, value in vocabulary.items()},
    }


def quantized(weight: np.ndarray) -> bytes:
    """Return blocks of a float16 scale and 32 integers of 8 bits (Q8_0)."""
    blocks = weight.astype("float32").reshape(-1, 32)
    scales = (np.abs(blocks).max(1, keepdims=True) / 127).astype("float16")
    divisors = np.where(scales > 0, scales, 1).astype("float32")
    numbers = np.round(blocks / divisors).clip(-127, 127).astype("int8")
    return np.concatenate([scales.view("int8"), numbers], 1).tobytes()


def name_of(path: str) -> str:
    """Return GGUF's name of a parameter."""
    module, _, _ = path.rpartition(".")
    if module.startswith("blocks."):
        _, block, part = module.split(".", 2)
        return f"blk.{block}.{MODULES[part]}.weight"
    return {"embedding": "token_embd", "norm": "output_norm"}[module] + ".weight"


def gguf_file(weights: dict[str, np.ndarray], entries: dict[str, tuple[int, Any]]) -> bytes:
    tensors = {}
    for path, weight in weights.items():
        # A dense layer has a row for each input, GGUF one for each output.
        matrix = weight if path.startswith("embedding") or weight.ndim < 2 else weight.T
        kind = PLAIN if weight.ndim < 2 else Q8
        part = matrix.astype("float32").tobytes() if kind == PLAIN else quantized(matrix)
        tensors[name_of(path)] = matrix.shape, kind, part
    data: bytes = file_of(tensors, entries)
    return data


def main(file: Path) -> None:
    # One program for each step takes a tenth of the time of NumPy.
    pt.set_backend("jax")
    texts = guides()
    tokens, merges = vocabulary(texts)
    tokenizer = tokenizer_of(tokens, merges)
    end = tokens.index(END)
    text = np.concatenate([[end, *tokenizer.encode(part).ids] for part in texts])
    print(f"{sum(map(len, texts)):,} characters, {len(text):,} tokens")
    weights, loss = trained(text)
    data = gguf_file(weights, metadata(tokens, merges))
    file.write_bytes(data)
    count = sum(weight.size for weight in weights.values())
    print(
        f"{count:,} parameters, {len(data):,} bytes, loss {loss:.3f} of {math.log(VOCABULARY):.3f}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
