"""Make encoder_outputs.json: results of small encoders and of Whisper by transformers.

Run in the root with the packages torch and transformers:
python tests/reference_data/make_encoder_outputs.py
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

# A folder of the tests has the name of a package that transformers imports.
sys.path.append(str(Path(__file__).parents[1]))

from decoder_weights import weights_of

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}
TEXT = SIZES | {
    "vocab_size": 64,
    "max_position_embeddings": 40,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "pad_token_id": 1,
}
IMAGE = SIZES | {"image_size": 32, "patch_size": 8}
DISTILBERT = {
    "vocab_size": 64,
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 48,
    "max_position_embeddings": 40,
}
WHISPER = {
    **{"vocab_size": 64, "d_model": 32, "num_mel_bins": 20, "encoder_layers": 2},
    **{"decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4},
    **{"encoder_ffn_dim": 48, "decoder_ffn_dim": 40, "max_source_positions": 50},
    **{"max_target_positions": 80, "pad_token_id": 0, "bos_token_id": None, "eos_token_id": None},
    "decoder_start_token_id": 1,
}
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "minilm": ("BertModel", "BertConfig", TEXT),
    "bert": ("BertForSequenceClassification", "BertConfig", TEXT | {"num_labels": 3}),
    "roberta": ("RobertaForSequenceClassification", "RobertaConfig", TEXT | {"num_labels": 3}),
    "xlm-roberta": ("XLMRobertaForTokenClassification", "XLMRobertaConfig", TEXT),
    "distilbert": ("DistilBertForSequenceClassification", "DistilBertConfig", DISTILBERT),
    "vit": ("ViTForImageClassification", "ViTConfig", IMAGE | {"num_labels": 5}),
    "clip": (
        "CLIPModel",
        "CLIPConfig",
        {"text_config": TEXT | {"eos_token_id": 63}, "vision_config": IMAGE, "projection_dim": 16},
    ),
    "whisper": ("WhisperForConditionalGeneration", "WhisperConfig", WHISPER),
}
TOKENS = [[3 + (7 * i * i + 5 * row) % 60 for i in range(10)] for row in range(2)]
MASK = [[1] * 10, [1] * 6 + [0] * 4]
PROMPT = [[1, 9, 33, 5]]


def encoded(values: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "float32").tobytes()).decode()


def inputs(name: str) -> dict[str, Any]:
    """Return the inputs of a model; tokens of padding are 1."""
    tokens, mask = torch.tensor(TOKENS), torch.tensor(MASK)
    padded = torch.where(mask == 1, tokens, 1)
    images = torch.from_numpy(weights_of({"images": (2, 32, 32, 3)})["images"])
    pixels = images.permute(0, 3, 1, 2)
    if name == "vit":
        return {"pixel_values": pixels}
    if name == "clip":
        # The end of a text is followed by padding.
        ends = torch.where(torch.arange(10) == mask.sum(1, keepdim=True) - 1, 63, padded)
        return {"input_ids": ends, "attention_mask": mask, "pixel_values": pixels}
    if name == "whisper":
        features = torch.from_numpy(weights_of({"features": (1, 100, 20)})["features"])
        return {"input_features": features.mT, "decoder_input_ids": torch.tensor(PROMPT)}
    own = {"input_ids": padded, "attention_mask": mask}
    return own | ({"token_type_ids": padded % 2} if name in ("bert", "minilm") else {})


def outputs(name: str, model: Any) -> dict[str, Any]:
    own = inputs(name)
    result = model(**own)
    if name == "minilm":
        hidden, mask = result.last_hidden_state, own["attention_mask"][..., None]
        mean = (hidden * mask).sum(1) / mask.sum(1)
        vectors = torch.nn.functional.normalize(mean, dim=1)
        return {"result": encoded(hidden), "vectors": encoded(vectors)}
    if name == "clip":
        return {"result": encoded(result.logits_per_image)}
    if name != "whisper":
        return {"result": encoded(result.logits)}
    tokens = own["decoder_input_ids"]
    for _ in range(64):
        logits = model(input_features=own["input_features"], decoder_input_ids=tokens).logits
        tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], 1)
    return {"result": encoded(result.logits), "greedy": tokens[0, 4:].tolist()}


def sound() -> np.ndarray:
    """Return a second of a rising tone at 16 kHz."""
    time = np.arange(16000) / 16000
    return (np.sin(2 * np.pi * (300 + 900 * time) * time) * np.exp(-3 * time)).astype("float32")


def main() -> None:
    results: dict[str, Any] = {}
    for name, (kind, config, options) in CASES.items():
        model = getattr(transformers, kind)(getattr(transformers, config)(**options))
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder)
            file = Path(folder, "model.safetensors")
            saved = safetensors.numpy.load_file(file)
            shapes = {key: value.shape for key, value in saved.items()}
            weights = {key: np.asarray(value) for key, value in weights_of(shapes).items()}
            safetensors.numpy.save_file(weights, file, {"format": "pt"})
            model = getattr(transformers, kind).from_pretrained(folder, attn_implementation="eager")
            text = json.loads(Path(folder, "config.json").read_text())
        with torch.no_grad():
            results[name] = {"config": text, "shapes": shapes, **outputs(name, model.eval())}
        print(name, len(shapes), results[name].get("greedy"))
    extractor = transformers.WhisperFeatureExtractor(chunk_length=2)
    features = extractor(sound(), sampling_rate=16000, return_tensors="np").input_features
    assert features.shape == (1, 80, 200)
    results["features"] = {"every tenth frame": encoded(features[0].T[::10])}
    file = Path(__file__).with_name("encoder_outputs.json")
    file.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
