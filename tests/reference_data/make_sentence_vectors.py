"""Make sentence_vectors.json: vectors of texts by small models of sentence-transformers.

Run in the root with the packages torch, transformers and sentence-transformers:
python tests/reference_data/make_sentence_vectors.py
"""

import base64
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
import transformers
from sentence_transformers import SentenceTransformer

# A folder of the tests has the name of a package that transformers imports.
sys.path.append(str(Path(__file__).parents[1]))

from decoder_weights import weights_of

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 64,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "pad_token_id": 1,
}
ENCODER = SIZES | {"max_position_embeddings": 40}
QWEN3 = SIZES | {
    **{"num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 64},
    **{"tie_word_embeddings": True, "rms_norm_eps": 1e-6},
}
WORDS = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3} | {f"w{n}": n for n in range(4, 64)}
TEXTS = [
    "w9 w33 w5",
    "w7",
    "",
    " ".join(f"w{4 + (7 * i * i) % 60}" for i in range(30)),
    "w40 w41 unknown w42 w43 w44",
    " ".join(f"w{4 + (11 * i) % 60}" for i in range(19)),
]
PROMPTS = {"query": "w20 w21 ", "document": ""}
CASES: dict[str, dict[str, Any]] = {
    "mean": {
        "model": ("BertModel", "BertConfig", ENCODER),
        "pooling": {"pooling_mode_mean_tokens": True},
        "normalize": True,
        "length": 24,
        "around": "<s> $A </s>",
        "prompts": {"prompts": PROMPTS},
    },
    "cls": {
        "model": ("XLMRobertaModel", "XLMRobertaConfig", ENCODER),
        "pooling": {"pooling_mode_cls_token": True},
        "normalize": True,
        "length": 38,
        "around": "<s> $A </s>",
        "prompts": {"prompts": PROMPTS, "default_prompt_name": "query"},
    },
    "max without prompt": {
        "model": ("DistilBertModel", "DistilBertConfig", {
            **{"vocab_size": 64, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48},
            **{"max_position_embeddings": 40, "pad_token_id": 1},
        }),
        "pooling": {"pooling_mode_max_tokens": True, "include_prompt": False},
        "normalize": False,
        "length": 38,
        "around": "<s> $A </s>",
        "prompts": {"prompts": PROMPTS},
    },
    "last": {
        "model": ("Qwen3Model", "Qwen3Config", QWEN3),
        "pooling": {"pooling_mode_lasttoken": True},
        "normalize": True,
        "length": 48,
        "around": "$A </s>",
        "prompts": {"prompts": PROMPTS},
    },
}  # fmt: skip


def files(name: str, case: dict[str, Any]) -> dict[str, Any]:
    """Return the files of a model besides its configuration and weights."""
    special = ("<s>", "<pad>", "</s>", "<unk>")
    flags = ("single_word", "lstrip", "rstrip", "normalized")
    pieces = [
        {"Sequence": {"id": "A", "type_id": 0}}
        if word == "$A"
        else {"SpecialToken": {"id": word, "type_id": 0}}
        for word in case["around"].split()
    ]
    tokenizer = {
        "version": "1.0",
        "added_tokens": [
            {"id": at, "content": token, "special": True, **dict.fromkeys(flags, False)}
            for at, token in enumerate(special)
        ],
        "model": {"type": "WordLevel", "vocab": WORDS, "unk_token": "<unk>"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": pieces,
            "pair": [*pieces, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {
                token: {"id": token, "ids": [at], "tokens": [token]}
                for at, token in enumerate(special)
            },
        },
        # Files of MiniLM have such padding and truncation, which sentence-transformers replaces.
        "padding": {
            "strategy": {"Fixed": 28}, "direction": "Right", "pad_to_multiple_of": None,
            "pad_id": 1, "pad_type_id": 0, "pad_token": "<pad>",
        },
        "truncation": {
            "direction": "Right", "max_length": 28, "strategy": "LongestFirst", "stride": 0,
        },
    }  # fmt: skip
    kinds = ["Transformer", "Pooling", *(["Normalize"] if case["normalize"] else [])]
    modules = [
        {
            "idx": at,
            "name": str(at),
            "path": f"{at}_{kind}" if at else "",
            "type": f"sentence_transformers.models.{kind}",
        }
        for at, kind in enumerate(kinds)
    ]
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>"}
    config |= {"eos_token": "</s>", "unk_token": "<unk>", "model_max_length": 1000}
    return {
        "tokenizer.json": tokenizer,
        "tokenizer_config.json": config | ({"padding_side": "left"} if name == "last" else {}),
        "modules.json": modules,
        "1_Pooling/config.json": {"word_embedding_dimension": 32, **case["pooling"]},
        "sentence_bert_config.json": {"max_seq_length": case["length"], "do_lower_case": False},
        "config_sentence_transformers.json": case["prompts"],
    }


def result(folder: str, name: str, case: dict[str, Any]) -> dict[str, Any]:
    kind, config, options = case["model"]
    model = getattr(transformers, kind)(getattr(transformers, config)(**options))
    model.save_pretrained(folder)
    file = Path(folder, "model.safetensors")
    shapes = {key: value.shape for key, value in safetensors.numpy.load_file(file).items()}
    weights = {key: np.asarray(value) for key, value in weights_of(shapes).items()}
    safetensors.numpy.save_file(weights, file, {"format": "pt"})
    others = files(name, case)
    for path, content in others.items():
        Path(folder, path).parent.mkdir(exist_ok=True)
        Path(folder, path).write_text(json.dumps(content))
    Path(folder, "2_Normalize").mkdir(exist_ok=True)
    sentences = SentenceTransformer(folder, device="cpu")
    texts = TEXTS if name != "max without prompt" else [text or "w8" for text in TEXTS]
    vectors = {
        prompt: sentences.encode(texts, prompt_name=prompt or None, batch_size=4)
        for prompt in ("", "query")
    }
    print(name, {prompt: values[:, :2].tolist() for prompt, values in vectors.items()})
    return {
        "files": others | {"config.json": json.loads(Path(folder, "config.json").read_text())},
        "shapes": shapes,
        "texts": texts,
        "vectors": {
            prompt: base64.b64encode(np.ascontiguousarray(values, "float32").tobytes()).decode()
            for prompt, values in vectors.items()
        },
    }


def main() -> None:
    results = {}
    for name, case in CASES.items():
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            results[name] = result(folder, name, case)
    text = json.dumps(results, separators=(",", ":")).replace('{"files"', '\n{"files"')
    Path(__file__).with_name("sentence_vectors.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
