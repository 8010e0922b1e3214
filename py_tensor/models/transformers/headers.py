"""Options of decoders from the metadata of GGUF files.

Input: a `GgufFile`. Output: `DecoderOptions`. Sources: `gguf.md` of
https://github.com/ggml-org/ggml for the keys, and `llama-model.cpp` of
https://github.com/ggml-org/llama.cpp for what depends on the architecture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...errors import ModelError
from ...nn.layers.decoder import DecoderOptions
from ...nn.rotary import RotaryScaling
from ..weights.gguf import GgufFile
from .configurations import GELU_BY_TANH, GPT2, experts_of, layers_of

FREQUENCIES = "rope_freqs.weight"
"""Name of the tensor with divisors of the frequencies of the rotary embedding."""
ARCHITECTURES: dict[str, dict[str, Any]] = {
    # Rows of queries and keys are stored in the order of neighbouring pairs.
    "llama": {"interleaved": True},
    "qwen2": {"attention_bias": True},
    "qwen3": {"head_norm": True},
    "qwen3moe": {"head_norm": True},
    # Scales of norms are stored with 1 added.
    "gemma2": {"norm_places": "both", "activation": GELU_BY_TANH},
    "gemma3": {
        **{"norm_places": "both", "activation": GELU_BY_TANH},
        **{"head_norm": True, "local_base": 10000.0},
    },
    "phi3": {},
    "gpt2": {**GPT2, "activation": GELU_BY_TANH},
}
"""Options of each architecture."""
PATTERNS = {"gemma2": 2, "gemma3": 6}
"""Every so many blocks attend to all keys, the others in a window."""
LARGE = {("gemma2", 46), ("gemma3", 62)}
"""Architectures and numbers of blocks in which scores are scaled by features / heads."""


def options_of(file: GgufFile, divisors: Sequence[float] = ()) -> DecoderOptions:
    """Return the options of a decoder; raise ModelError if they are missing or not supported.

    `divisors` are the elements of the tensor `FREQUENCIES`, if the file has it.
    """
    architecture = file.metadata.get("general.architecture")
    if not isinstance(architecture, str) or architecture not in ARCHITECTURES:
        raise ModelError(
            f"load_transformer: architecture is unknown; got {architecture!r:.60}; use one of "
            f"{', '.join(ARCHITECTURES)}"
        )
    return _options(file, architecture, divisors)


def _options(file: GgufFile, architecture: str, divisors: Sequence[float]) -> DecoderOptions:
    def value(key: str, default: Any = None) -> Any:
        return file.metadata.get(f"{architecture}.{key}", default)

    def required(key: str) -> Any:
        return file.metadata[f"{architecture}.{key}"]

    features, layers = required("embedding_length"), layers_of(required("block_count"))
    heads = required("attention.head_count")
    head_features = value("attention.key_length", features // heads)
    own: dict[str, Any] = {
        "vocabulary": file.tensors["token_embd.weight"].shape[0],
        "features": features,
        "layers": layers,
        "heads": heads,
        "hidden": required("feed_forward_length"),
        "key_heads": value("attention.head_count_kv"),
        "head_features": head_features,
        "epsilon": value(
            "attention.layer_norm_rms_epsilon", value("attention.layer_norm_epsilon", 1e-5)
        ),
        "rotary_base": value("rope.freq_base", 10000.0),
        "rotary_share": value("rope.dimension_count", head_features) / head_features,
        "scaling": _scaling(value, divisors),
        "softcap": value("attn_logit_softcapping"),
        "logit_softcap": value("final_logit_softcapping"),
        "windows": _windows(architecture, value("attention.sliding_window"), layers),
        "tied": "output.weight" not in file.tensors,
    }
    own |= _experts(value)
    if architecture.startswith("gemma"):
        own["embedding_factor"] = math.sqrt(features)
        per_head = features // heads if (architecture, layers) in LARGE else head_features
        own["scale"] = 1 / math.sqrt(per_head)
    if architecture == "gpt2":
        own["positions"] = file.tensors["position_embd.weight"].shape[0]
    return DecoderOptions(**(own | ARCHITECTURES[architecture]))


EXPERT_DEFAULTS = {
    "expert_gating_func": (0, 1),
    "expert_group_count": (0, 1),
    "expert_shared_count": (0,),
    "expert_weights_scale": (0, 1),
    "leading_dense_block_count": (0,),
}
"""Values that mixtures of experts may have: softmax, and nothing besides the chosen experts."""


def _experts(value: Any) -> dict[str, Any]:
    """Return the options of mixtures of experts."""
    count = value("expert_count", 0)
    if not count:
        return {}
    for key, known in EXPERT_DEFAULTS.items():
        if value(key, known[0]) not in known:
            raise ModelError(
                f"load_transformer: kind of mixture of experts is not supported; got {key} "
                f"{value(key)!r:.40}; use a model like Qwen3-MoE or Mixtral"
            )
    own = {"experts": experts_of(count), "chosen_experts": value("expert_used_count", 2)}
    return own | {"expert_hidden": value("expert_feed_forward_length")}


def _windows(architecture: str, window: Any, layers: int) -> int | tuple[int | None, ...] | None:
    pattern = PATTERNS.get(architecture)
    if not window or pattern is None:
        return window or None
    return tuple(window if (block + 1) % pattern else None for block in range(layers))


def _scaling(value: Any, divisors: Sequence[float]) -> RotaryScaling | None:
    if divisors:
        return RotaryScaling("longrope", divisors=tuple(divisors), attention_factor=1.0)
    kind = value("rope.scaling.type", "none")
    if kind == "none":
        return None
    if kind not in ("linear", "yarn"):
        raise ModelError(
            f"load_transformer: scaling of rotary embeddings is not supported; got {kind!r:.40}; "
            "use a file with linear or yarn"
        )
    return RotaryScaling(
        kind,
        factor=value("rope.scaling.factor", 1.0),
        original_length=value("rope.scaling.original_context_length", 8192),
        attention_factor=value("rope.scaling.attn_factor"),
    )
