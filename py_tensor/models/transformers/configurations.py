"""Options of decoders from the configurations of transformers' models.

Input: the content of `config.json`. Output: `DecoderOptions`. Source: `configuration_*.py` and
`modeling_*.py` of https://github.com/huggingface/transformers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...errors import ModelError
from ...functions.arguments import integer
from ...nn.activations import gelu, relu, silu
from ...nn.layers.decoder import DecoderOptions
from ...nn.rotary import RotaryScaling


def quick_gelu(x: Any) -> Any:
    """Return x * sigmoid(1.702 * x), the approximation of gelu in CLIP."""
    return x * (1.702 * x).sigmoid()


GELU_BY_TANH = partial(gelu, approximate=True)
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "gelu": gelu,
    "gelu_new": GELU_BY_TANH,
    "gelu_pytorch_tanh": GELU_BY_TANH,
    "quick_gelu": quick_gelu,
    "relu": relu,
    "silu": silu,
}
KINDS = {
    **{"default": "", "linear": "linear", "yarn": "yarn", "llama3": "llama3"},
    **{"longrope": "longrope", "su": "longrope"},
}
"""Kinds of `RotaryScaling` by transformers' names; "" for none."""

type Config = Mapping[str, Any]


MOST_LAYERS, MOST_EXPERTS = 1000, 1024
"""Maximum numbers of blocks and of experts, above which a configuration is not valid."""


def layers_of(count: Any) -> int:
    """Return a number of blocks; raise ArgumentError if it is out of range."""
    return integer("load_transformer", "number of layers", count, 0, MOST_LAYERS)


def experts_of(count: Any) -> int:
    """Return a number of experts; raise ArgumentError if it is out of range."""
    return integer("load_transformer", "number of experts", count, 1, MOST_EXPERTS)


def _common(config: Config) -> dict[str, Any]:
    """Return the options that most families have."""
    rotary = _rotary(config)
    return {
        "vocabulary": config["vocab_size"],
        "features": config["hidden_size"],
        "layers": layers_of(config["num_hidden_layers"]),
        "heads": config["num_attention_heads"],
        "hidden": config["intermediate_size"],
        "key_heads": config.get("num_key_value_heads"),
        "head_features": config.get("head_dim"),
        "epsilon": config.get("rms_norm_eps", 1e-6),
        "activation": activation_of(config.get("hidden_act") or config.get("hidden_activation")),
        "rotary_base": rotary["rope_theta"],
        "rotary_share": rotary.get(
            "partial_rotary_factor", config.get("partial_rotary_factor", 1.0)
        ),
        "scaling": _scaling(rotary, config),
        "windows": windows_of(config),
        "tied": config.get("tie_word_embeddings", False),
    }


def activation_of(name: Any) -> Callable[[Any], Any]:
    """Return an activation by transformers' name; raise ModelError if it is not supported."""
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise ModelError(
            f"load_transformer: activation is not supported; got {name!r:.40}; use a model with "
            f"one of {', '.join(ACTIVATIONS)}"
        )
    return ACTIVATIONS[name]


def _rotary(config: Config, kind: str = "full_attention") -> dict[str, Any]:
    """Return the parameters of the rotary embedding, which older files have in several fields."""
    found = config.get("rope_parameters")
    if found is None:
        base = config.get("rope_theta", 10000.0)
        return {"rope_theta": base, **(config.get("rope_scaling") or {})}
    return {"rope_theta": 10000.0, **found.get(kind, found)}


def _scaling(rotary: Mapping[str, Any], config: Config) -> RotaryScaling | None:
    name = rotary.get("rope_type", rotary.get("type", "default"))
    kind = KINDS.get(name)
    if kind is None:
        raise ModelError(
            f"load_transformer: scaling of rotary embeddings is not supported; got {name!r:.40}; "
            f"use a model with one of {', '.join(KINDS)}"
        )
    if not kind:
        return None
    longest = config.get("max_position_embeddings", 8192)
    original = rotary.get(
        "original_max_position_embeddings",
        config.get("original_max_position_embeddings", longest),
    )
    return RotaryScaling(
        kind,
        factor=rotary.get("factor", longest / original),
        original_length=original,
        low_frequency=rotary.get("low_freq_factor", 1.0),
        high_frequency=rotary.get("high_freq_factor", 4.0),
        beta_fast=rotary.get("beta_fast", 32.0),
        beta_slow=rotary.get("beta_slow", 1.0),
        attention_factor=rotary.get("attention_factor"),
        divisors=tuple(rotary.get("short_factor", ())) if kind == "longrope" else (),
    )


def windows_of(config: Config) -> int | tuple[int | None, ...] | None:
    """Return the number of keys that a query attends to in each block."""
    window, layers = config.get("sliding_window"), config["num_hidden_layers"]
    if window is None or not config.get("use_sliding_window", True):
        return None
    family, kinds = config["model_type"], config.get("layer_types")
    if kinds is not None:
        local = [kind == "sliding_attention" for kind in kinds]
    elif family == "gemma2":
        local = [block % 2 == 0 for block in range(layers)]
    elif family == "gemma3_text":
        pattern = config.get("sliding_window_pattern", 6)
        local = [(block + 1) % pattern != 0 for block in range(layers)]
    elif family == "qwen2":
        local = [block >= config.get("max_window_layers", layers) for block in range(layers)]
    else:
        return int(window)
    return tuple(window if own else None for own in local)


def _llama(config: Config) -> DecoderOptions:
    has_bias = config.get("attention_bias", False)
    return DecoderOptions(
        **_common(config),
        attention_bias=has_bias,
        output_bias=has_bias,
        network_bias=config.get("mlp_bias", False),
    )


def _qwen2(config: Config) -> DecoderOptions:
    return DecoderOptions(**_common(config), attention_bias=True)


def _qwen3(config: Config) -> DecoderOptions:
    has_bias = config.get("attention_bias", False)
    return DecoderOptions(
        **_common(config), head_norm=True, attention_bias=has_bias, output_bias=has_bias
    )


def _qwen3_moe(config: Config) -> DecoderOptions:
    experts = config.get("num_experts", config.get("num_local_experts"))
    step = config.get("decoder_sparse_step", 1)
    layers = range(layers_of(config["num_hidden_layers"]))
    only = config.get("mlp_only_layers") or ()
    return replace(
        _qwen3(config),
        experts=experts_of(experts),
        expert_hidden=config["moe_intermediate_size"],
        dense_blocks=tuple(at for at in layers if at in only or (at + 1) % step),
        chosen_experts=config["num_experts_per_tok"],
        normalize_experts=config.get("norm_topk_prob", False),
    )


def _gemma(config: Config) -> dict[str, Any]:
    own = _common(config)
    return own | {
        "unit_offset": True,
        "norm_places": "both",
        "embedding_factor": math.sqrt(config["hidden_size"]),
        "scale": config["query_pre_attn_scalar"] ** -0.5,
        "head_features": config.get("head_dim", 256),
        "logit_softcap": config.get("final_logit_softcapping"),
        "softcap": config.get("attn_logit_softcapping"),
        "tied": config.get("tie_word_embeddings", True),
    }


def _gemma3(config: Config) -> DecoderOptions:
    local = config.get("rope_local_base_freq", 10000.0)
    if "rope_parameters" in config:
        local = _rotary(config, "sliding_attention")["rope_theta"]
    own = _gemma(config) | {"head_norm": True, "local_base": local}
    if "rope_parameters" not in config:
        own["rotary_base"] = config.get("rope_theta", 1e6)
    return DecoderOptions(**own)


def _gpt2(config: Config) -> DecoderOptions:
    return DecoderOptions(
        vocabulary=config["vocab_size"],
        features=config["n_embd"],
        layers=layers_of(config["n_layer"]),
        heads=config["n_head"],
        hidden=config.get("n_inner") or 4 * config["n_embd"],
        epsilon=config.get("layer_norm_epsilon", 1e-5),
        activation=activation_of(config.get("activation_function", "gelu_new")),
        positions=config["n_positions"],
        tied=config.get("tie_word_embeddings", True),
        **GPT2,
    )


GPT2: dict[str, Any] = {
    "norm": "layer",
    "rotary_base": None,
    "gated": False,
    **{"attention_bias": True, "output_bias": True, "network_bias": True},
}
"""Options that all models of GPT-2 have."""

FAMILIES: dict[str, Callable[[Config], DecoderOptions]] = {
    "llama": _llama,
    "mistral": _llama,
    "qwen2": _qwen2,
    "qwen3": _qwen3,
    "qwen3_moe": _qwen3_moe,
    "gemma2": lambda config: DecoderOptions(**_gemma(config)),
    "gemma3_text": _gemma3,
    "phi3": lambda config: DecoderOptions(**_common(config)),
    "gpt2": _gpt2,
}
"""Functions that return the options of a model, by transformers' names of families."""
