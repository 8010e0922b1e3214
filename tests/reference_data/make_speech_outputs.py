"""Make speech_outputs.json: texts of sounds by transformers, from a small Whisper.

Run in the root with the packages torch and transformers:
python tests/reference_data/make_speech_outputs.py
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
sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("", "audio"))

from decoder_weights import weights_of
from speech_sounds import sound

FIRST_TIME = 265
CONFIG = {
    **{"vocab_size": FIRST_TIME + 1501, "d_model": 16, "num_mel_bins": 80, "encoder_layers": 1},
    **{"decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2},
    **{"encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_target_positions": 64},
    **{"pad_token_id": 256, "bos_token_id": 256, "eos_token_id": 256},
    "decoder_start_token_id": 257,
}
OPTIONS = {
    **{"pad_token_id": 256, "bos_token_id": 256, "eos_token_id": 256},
    **{"decoder_start_token_id": 257, "no_timestamps_token_id": 264, "prev_sot_token_id": 262},
    **{"is_multilingual": True, "lang_to_id": {"<|en|>": 258, "<|de|>": 259}},
    "task_to_id": {"translate": 260, "transcribe": 261},
    "suppress_tokens": [7, *range(257, 265)],
    "begin_suppress_tokens": [32, 256],
    **{"max_initial_timestamp_index": 50, "max_length": 64},
}
SHORT, LONG = 30, 70
CASES: dict[str, tuple[int, dict[str, Any]]] = {
    # Random weights choose timestamps wherever they may; transformers then goes on at the last one.
    "text": (SHORT, {"suppress_tokens": [7, *range(257, CONFIG["vocab_size"])]}),
    "timestamps": (SHORT, {"return_timestamps": True, "language": "en", "task": "transcribe"}),
    "translated": (LONG, {"return_timestamps": True, "language": "de", "task": "translate"}),
    "continued": (
        LONG,
        {"return_timestamps": True, "language": "en", "condition_on_prev_tokens": True},
    ),
}


def encoded(values: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "float32").tobytes()).decode()


def gap(scores: Any) -> float:
    """Return the smallest difference between the two largest scores of a step."""
    pairs = torch.stack([own.topk(2).values for own in scores])
    return float((pairs[..., 0] - pairs[..., 1]).min())


def generated(model: Any, seconds: int, options: dict[str, Any]) -> dict[str, Any]:
    extractor = transformers.WhisperFeatureExtractor()
    own = {"truncation": False, "padding": "longest"} if seconds > 30 else {}
    features = extractor(sound(seconds), sampling_rate=16000, return_tensors="pt", **own)
    result = model.generate(
        features.input_features,
        return_segments=True,
        return_dict_in_generate=True,
        output_scores=True,
        **({"task": "transcribe"} | options),
    )
    if "segments" not in result:
        print(seconds, "least difference of scores", gap(result.scores))
        assert gap(result.scores) > 1e-3
        return {"tokens": result.sequences[0].tolist()}
    segments = result["segments"][0]
    least = min(gap(segment["result"]["scores"]) for segment in segments)
    print(seconds, options, len(segments), "segments; least difference of scores", least)
    assert least > 1e-3
    return {
        "start": [float(segment["start"]) for segment in segments],
        "end": [float(segment["end"]) for segment in segments],
        "tokens": [segment["tokens"].tolist() for segment in segments],
    }


def main() -> None:
    torch.manual_seed(0)
    model = transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(**CONFIG))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        file = Path(folder, "model.safetensors")
        saved = safetensors.numpy.load_file(file)
        shapes = {key: value.shape for key, value in saved.items()}
        weights = {key: np.asarray(value) for key, value in weights_of(shapes).items()}
        safetensors.numpy.save_file(weights, file, {"format": "pt"})
        model = transformers.WhisperForConditionalGeneration.from_pretrained(
            folder, attn_implementation="eager"
        ).eval()
        config = json.loads(Path(folder, "config.json").read_text())
    results: dict[str, Any] = {"config": config, "options": OPTIONS, "shapes": shapes}
    model.generation_config = transformers.GenerationConfig(**OPTIONS)
    with torch.no_grad():
        for name, (seconds, options) in CASES.items():
            results[name] = generated(model, seconds, options)
        english = {k: v for k, v in OPTIONS.items() if k not in ("lang_to_id", "task_to_id")}
        english["is_multilingual"] = False
        model.generation_config = transformers.GenerationConfig(**english)
        results["english"] = generated(model, SHORT, CASES["text"][1] | {"task": None})
    for bands in (80, 128):
        extractor = transformers.WhisperFeatureExtractor(feature_size=bands)
        features = extractor(sound(9), sampling_rate=16000, return_tensors="np").input_features
        results[f"features {bands}"] = encoded(features[0].T[::60])
    file = Path(__file__).with_name("speech_outputs.json")
    file.write_text(json.dumps(results) + "\n")
    print(file.stat().st_size)


if __name__ == "__main__":
    main()
