"""Fields of modules by the names that tensors have in files.

Input: the name of a tensor. Output: the paths of the modules that it belongs to, and the name of
their field. A tensor of several modules has the rows of one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

PREFIXES = ("language_model.model.", "model.language_model.", "transformer.", "model.")
"""Starts of names in transformers' files, of which one is removed."""
_ATTENTION = ("attention.query", "attention.key", "attention.value")
_NETWORK = ("network.gate", "network.up")
TOP = {
    **{"embed_tokens": "embedding", "wte": "embedding", "token_embd": "embedding"},
    **{"wpe": "positions", "position_embd": "positions"},
    **{"norm": "norm", "ln_f": "norm", "output_norm": "norm"},
    **{"lm_head": "readout", "language_model.lm_head": "readout", "output": "readout"},
}
"""Paths of modules outside of blocks, by names in files of transformers, GPT-2 and GGUF."""
BLOCK: dict[str, str | tuple[str, ...]] = {
    # Transformers.
    "self_attn.q_proj": "attention.query",
    "self_attn.k_proj": "attention.key",
    "self_attn.v_proj": "attention.value",
    "self_attn.o_proj": "attention.output",
    "self_attn.qkv_proj": _ATTENTION,
    "self_attn.q_norm": "attention.query_norm",
    "self_attn.k_norm": "attention.key_norm",
    "mlp.gate_proj": "network.gate",
    "mlp.up_proj": "network.up",
    "mlp.down_proj": "network.down",
    "mlp.gate_up_proj": _NETWORK,
    "mlp.gate": "network.router",
    "input_layernorm": "attention_before",
    "post_attention_layernorm": "network_before",
    "pre_feedforward_layernorm": "network_before",
    "post_feedforward_layernorm": "network_after",
    # GPT-2.
    "attn.c_attn": _ATTENTION,
    "attn.c_proj": "attention.output",
    "mlp.c_fc": "network.up",
    "mlp.c_proj": "network.down",
    "ln_1": "attention_before",
    "ln_2": "network_before",
    # GGUF.
    "attn_q": "attention.query",
    "attn_k": "attention.key",
    "attn_v": "attention.value",
    "attn_qkv": _ATTENTION,
    "attn_output": "attention.output",
    "attn_q_norm": "attention.query_norm",
    "attn_k_norm": "attention.key_norm",
    "attn_norm": "attention_before",
    "post_attention_norm": "attention_after",
    "ffn_norm": "network_before",
    "post_ffw_norm": "network_after",
    "ffn_gate": "network.gate",
    "ffn_up": "network.up",
    "ffn_down": "network.down",
    "ffn_gate_inp": "network.router",
}
"""Paths of modules in a block."""
EXPERTS = {"ffn_gate_exps": "gate", "ffn_up_exps": "up", "ffn_down_exps": "down"}
"""Fields of `MixtureOfExperts` by the names of the weights of all experts in GGUF files."""
_EXPERT = re.compile(r"mlp\.experts\.(\d{1,5})\.(gate|up|down)_proj")
"""Name of a weight of one expert in transformers' files."""
AFTER_ATTENTION = {"post_attention_layernorm": "attention_after"}
"""Other paths in models that normalize before and after attention."""
FUSED_UP = {"ffn_up": _NETWORK}
"""Other paths in GGUF files without gates of their own."""
IGNORED = re.compile(
    r"rotary_emb\.inv_freq|rope_freqs\.|\.attn\.(masked_)?bias$|vision|multi_modal"
)
"""Names of tensors that a decoder does not need."""
_IN_BLOCK = re.compile(r"(?:layers|h|blk)\.(\d{1,5})\.(.+)")
TRANSPOSED = re.compile(r"c_(attn|proj|fc)\.weight$")
"""Names of weights that GPT-2 stores by inputs."""


class Place(NamedTuple):
    """Modules that a tensor belongs to, by their paths in the decoder, and its field in each."""

    paths: tuple[str, ...]
    field: str
    expert: int | None = None
    """Number of an expert, whose matrix is a part of the field."""


def place_of(name: str, changes: Mapping[str, str | tuple[str, ...]]) -> Place | None:
    """Return the place of a tensor; None if the name is unknown."""
    for prefix in PREFIXES:
        if name.startswith(prefix):
            name = name.removeprefix(prefix)
            break
    path, _, field = name.rpartition(".")
    found = _IN_BLOCK.fullmatch(path)
    if found is None:
        top = TOP.get(path)
        return None if top is None else Place((top,), field)
    if found[2] in EXPERTS and field == "weight":
        return Place((f"blocks.{found[1]}.network",), EXPERTS[found[2]])
    expert = _EXPERT.fullmatch(found[2])
    if expert is not None and field == "weight":
        return Place((f"blocks.{found[1]}.network",), expert[2], int(expert[1]))
    inner = {**BLOCK, **changes}.get(found[2])
    if inner is None:
        return None
    paths = (inner,) if isinstance(inner, str) else inner
    return Place(tuple(f"blocks.{found[1]}.{path}" for path in paths), field)


_NUMBER = re.compile(r"\.(\d{1,5})\.")


def place_in(name: str, names: Mapping[str, str], prefix: str) -> Place | None:
    """Return the place of a tensor by a table of names, in which * is the number of a block.

    The table has paths of modules, or those of single tensors, by the names without the prefix.
    """
    name = name.removeprefix(prefix)
    number = _NUMBER.search(name)
    key = name if number is None else name.replace(number[0], ".*.", 1)
    module, _, field = key.rpartition(".")
    path = names.get(module)
    if key in names:
        path, _, field = names[key].rpartition(".")
    if path is None:
        return None
    return Place((path if number is None else path.replace("*", number[1]),), field)
