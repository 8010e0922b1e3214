"""Make decoder_logits.json: logits and greedy tokens of small language models by transformers.

Run in the root with the packages torch and transformers:
python tests/reference_data/make_decoder_logits.py
"""

import base64
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file, save_file

# A folder of the tests has the name of a package that transformers imports.
sys.path.append(str(Path(__file__).parents[1]))

from decoder_weights import weights_of

SMALL = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 256,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
GPT2 = {
    "vocab_size": 64,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 128,
    "bos_token_id": None,
    "eos_token_id": None,
}
WIDE = {**SMALL, "head_dim": 16}
CASES = {
    "smollm2": ("Llama", SMALL | {"tie_word_embeddings": True}),
    "llama3": ("Llama", SMALL | {"rope_theta": 500.0, "rope_scaling": LLAMA3}),
    "qwen2": ("Qwen2", SMALL | {"tie_word_embeddings": True}),
    "qwen3": ("Qwen3", WIDE | {"rope_theta": 1e6, "tie_word_embeddings": True}),
    "qwen3_moe": (
        "Qwen3Moe",
        WIDE
        | {"num_hidden_layers": 3, "num_experts": 4, "num_experts_per_tok": 2}
        | {"moe_intermediate_size": 32, "mlp_only_layers": [1], "norm_topk_prob": True},
    ),
    "gemma2": ("Gemma2", WIDE | {"sliding_window": 5, "query_pre_attn_scalar": 24}),
    "gemma3": (
        "Gemma3Text",
        WIDE
        | {"num_hidden_layers": 3, "sliding_window": 5, "sliding_window_pattern": 3}
        | {"query_pre_attn_scalar": 16, "rope_theta": 1e6, "rope_local_base_freq": 1e4},
    ),
    "phi3": ("Phi3", SMALL | {"sliding_window": 7, "tie_word_embeddings": False}),
    "gpt2": ("GPT2", GPT2),
}


def main() -> None:
    tokens = torch.tensor([[(7 * i * i + 3) % 64 for i in range(12)]])
    results = {}
    for name, (family, options) in CASES.items():
        config = getattr(transformers, f"{family}Config")(**options)
        config._attn_implementation = "eager"
        head = "LMHeadModel" if family == "GPT2" else "ForCausalLM"
        kind = family.removesuffix("Text") + head
        own = getattr(transformers, kind)
        # Files have one tensor for each expert, and modules one for all experts.
        with TemporaryDirectory() as folder:
            file = Path(folder) / "model.safetensors"
            own(config).save_pretrained(folder)
            shapes = {key: tuple(value.shape) for key, value in load_file(file).items()}
            save_file(weights_of(shapes), file, {"format": "pt"})
            model = own.from_pretrained(folder, attn_implementation="eager").eval()
        with torch.no_grad():
            logits = model(tokens).logits.numpy().astype("float32")
            greedy = tokens
            for _ in range(64):
                following = model(greedy).logits[:, -1].argmax(-1, keepdim=True)
                greedy = torch.cat([greedy, following], 1)
        text = json.loads(config.to_json_string(use_diff=False))
        kept = {key: value for key, value in text.items() if value is not None}
        results[name] = {
            "config": kept | {"architectures": [kind]},
            "shapes": shapes,
            "tokens": tokens[0].tolist(),
            "logits": base64.b64encode(np.ascontiguousarray(logits[0]).tobytes()).decode(),
            "greedy": greedy[0, tokens.shape[1] :].tolist(),
        }
        print(name, logits.std(), results[name]["greedy"][:12])
    file = Path(__file__).with_name("decoder_logits.json")
    file.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
