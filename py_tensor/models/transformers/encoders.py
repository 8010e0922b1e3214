"""Encoders, and speech to text, from the configurations of transformers' models.

Input: the content of `config.json`. Output: a module without weights, and the names of its fields
in files. Source: `configuration_*.py` and `modeling_*.py` of
https://github.com/huggingface/transformers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ...errors import ModelError
from ...functions.elementwise import tanh
from ...nn.activations import relu
from ...nn.layers.encoders import DualEncoder, EncoderOptions, TextEncoder, VisionEncoder
from ...nn.layers.speech import SpeechToText
from ...nn.module import Module
from .configurations import Config, activation_of, layers_of

CLIP_SIZES: dict[str, Any] = {
    "hidden_act": "quick_gelu",
    "layer_norm_eps": 1e-5,
    "num_hidden_layers": 12,
}
"""Values of keys that files of CLIP leave out; those of texts and of images follow."""
CLIP_TEXT = CLIP_SIZES | {
    "vocab_size": 49408,
    "hidden_size": 512,
    "intermediate_size": 2048,
    "num_attention_heads": 8,
    "max_position_embeddings": 77,
    "eos_token_id": 49407,
}
CLIP_IMAGE = CLIP_SIZES | {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_attention_heads": 12,
    "image_size": 224,
    "patch_size": 32,
}


def _options(config: Config, **own: Any) -> EncoderOptions:
    return EncoderOptions(
        config["hidden_size"],
        layers_of(config["num_hidden_layers"]),
        config["num_attention_heads"],
        config["intermediate_size"],
        activation=activation_of(config["hidden_act"]),
        **({"epsilon": config.get("layer_norm_eps", 1e-12)} | own),
    )


def _head(config: Config, pooler: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the options of the classifier, if the model has one."""
    kind = str((config.get("architectures") or [""])[0])
    each = kind.endswith("ForTokenClassification")
    if not each and not kind.endswith(("ForSequenceClassification", "ForImageClassification")):
        return {}
    classes = len(config.get("id2label") or ()) or config.get("num_labels", 2)
    return {"classes": classes, "each": each, "pooler": None if each else pooler}


def _refuse(config: Config, key: str, supported: Any) -> None:
    value = config.get(key, supported)
    if value != supported:
        raise ModelError(
            f"load_transformer: option is not supported; got {key} = {value!r:.40}; use a model "
            f"with {supported!r}"
        )


def _bert(config: Config) -> TextEncoder:
    _refuse(config, "position_embedding_type", "absolute")
    _refuse(config, "is_decoder", False)
    roberta = config["model_type"] != "bert"
    padding = config.get("pad_token_id", 1) if roberta else None
    return TextEncoder(
        _options(config),
        config["vocab_size"],
        config["max_position_embeddings"] - (0 if padding is None else padding + 1),
        types=config.get("type_vocab_size", 2),
        padding=padding,
        **_head(config, tanh),
    )


def _distilbert(config: Config) -> TextEncoder:
    options = EncoderOptions(
        config["dim"],
        layers_of(config["n_layers"]),
        config["n_heads"],
        config["hidden_dim"],
        activation=activation_of(config.get("activation", "gelu")),
    )
    positions = config.get("max_position_embeddings", 512)
    return TextEncoder(options, config["vocab_size"], positions, **_head(config, relu))


def _images(config: Config, **own: Any) -> VisionEncoder:
    return VisionEncoder(
        _options(config, norm_first=True),
        config["image_size"],
        config["patch_size"],
        channels=config.get("num_channels", 3),
        **own,
    )


def _vit(config: Config) -> VisionEncoder:
    _refuse(config, "qkv_bias", True)
    return _images(config, classes=_head(config, tanh).get("classes", 0))


def _clip(config: Config) -> DualEncoder:
    text = CLIP_TEXT | dict(config.get("text_config") or {})
    image = CLIP_IMAGE | dict(config.get("vision_config") or {})
    projected = config.get("projection_dim", 512)
    # Older configurations have a wrong number; then the end is the largest token.
    end = text["eos_token_id"]
    encoder = TextEncoder(
        _options(text, norm_first=True),
        text["vocab_size"],
        text["max_position_embeddings"],
        embedding_norm=False,
        causal=True,
        pooling="end",
        end=None if end == 2 else end,
        projected=projected,
    )
    images = _images(image, patch_bias=False, embedding_norm=True, projected=projected)
    return DualEncoder(encoder, images)


def _whisper(config: Config) -> SpeechToText:
    _refuse(config, "scale_embedding", False)

    def options(part: str) -> EncoderOptions:
        return EncoderOptions(
            config["d_model"],
            layers_of(config[f"{part}_layers"]),
            config[f"{part}_attention_heads"],
            config[f"{part}_ffn_dim"],
            activation=activation_of(config.get("activation_function", "gelu")),
            norm_first=True,
            epsilon=1e-5,
        )

    return SpeechToText(
        options("encoder"),
        config["vocab_size"],
        decoder=options("decoder"),
        bands=config.get("num_mel_bins", 80),
        positions=config.get("max_source_positions", 1500),
        tokens=config.get("max_target_positions", 448),
        tied=config.get("tie_word_embeddings", True),
    )


# --- names ----------------------------------------------------------------------------------------


def _block(own: str, places: Mapping[str, str], block: str = "blocks") -> dict[str, str]:
    """Return the names of parts of a block, where * is the number of the block."""
    return {f"{own}.*.{name}": f"{block}.*.{place}" for name, place in places.items()}


def _attention(own: str, names: str, place: str = "attention") -> dict[str, str]:
    """Return the names of dense layers of attention, given for query, key, value and output."""
    parts = zip(names.split(), ("query", "key", "value", "output"), strict=True)
    return {f"{own}.{name}": f"{place}.{part}" for name, part in parts}


_PROJECTIONS = "q_proj k_proj v_proj out_proj"
_EMBEDDINGS = {
    "embeddings.word_embeddings": "embedding",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "types",
    "embeddings.LayerNorm": "embedding_norm",
    "classifier": "classifier",
}
_NETWORK = {"intermediate.dense": "first", "output.dense": "second"}
BERT = {
    **_EMBEDDINGS,
    **_block(
        "encoder.layer",
        {
            **_attention("attention", "self.query self.key self.value output.dense"),
            **_NETWORK,
            "attention.output.LayerNorm": "norms.0",
            "output.LayerNorm": "norms.1",
        },
    ),
    "pooler.dense": "pooler",
    "classifier.dense": "pooler",
    "classifier.out_proj": "classifier",
}
DISTILBERT = {
    **_EMBEDDINGS,
    **_block(
        "transformer.layer",
        {
            **_attention("attention", "q_lin k_lin v_lin out_lin"),
            "ffn.lin1": "first",
            "ffn.lin2": "second",
            "sa_layer_norm": "norms.0",
            "output_layer_norm": "norms.1",
        },
    ),
    "pre_classifier": "pooler",
}
VIT = {
    "embeddings.cls_token": "first",
    "embeddings.position_embeddings": "positions.weight",
    "embeddings.patch_embeddings.projection": "patches",
    **_block(
        "encoder.layer",
        {
            **_attention("attention", "attention.query attention.key attention.value output.dense"),
            **_NETWORK,
            "layernorm_before": "norms.0",
            "layernorm_after": "norms.1",
        },
    ),
    "layernorm": "norm",
    "pooler.dense": "pooler",
    "classifier": "classifier",
}
_CLIP_BLOCK = _block(
    "encoder.layers",
    {
        **_attention("self_attn", _PROJECTIONS),
        "mlp.fc1": "first",
        "mlp.fc2": "second",
        "layer_norm1": "norms.0",
        "layer_norm2": "norms.1",
    },
)
_CLIP_PARTS = {
    ("text_model", "text"): {
        "embeddings.token_embedding": "embedding",
        "embeddings.position_embedding": "positions",
        "final_layer_norm": "norm",
    },
    ("vision_model", "image"): {
        "embeddings.class_embedding": "first",
        "embeddings.patch_embedding": "patches",
        "embeddings.position_embedding": "positions",
        "pre_layrnorm": "embedding_norm",
        "post_layernorm": "norm",
    },
}
CLIP = {
    "logit_scale": "log_scale",
    "text_projection": "text.projection",
    "visual_projection": "image.projection",
    **{
        f"{part}.{name}": f"{place}.{field}"
        for (part, place), own in _CLIP_PARTS.items()
        for name, field in (own | _CLIP_BLOCK).items()
    },
}
_WHISPER_BLOCK = {
    **_attention("self_attn", _PROJECTIONS),
    "fc1": "first",
    "fc2": "second",
    "self_attn_layer_norm": "norms.0",
}
WHISPER = {
    "encoder.conv1": "first",
    "encoder.conv2": "second",
    "encoder.embed_positions": "sound_positions",
    "encoder.layer_norm": "encoder_norm",
    **_block("encoder.layers", _WHISPER_BLOCK | {"final_layer_norm": "norms.1"}, "encoder"),
    "decoder.embed_tokens": "embedding",
    "decoder.embed_positions": "positions",
    "decoder.layer_norm": "norm",
    **_block(
        "decoder.layers",
        {
            **_WHISPER_BLOCK,
            **_attention("encoder_attn", _PROJECTIONS, "cross_attention"),
            "encoder_attn_layer_norm": "norms.1",
            "final_layer_norm": "norms.2",
        },
        "decoder",
    ),
    "proj_out": "readout",
}


class EncoderFamily(NamedTuple):
    """Models of one kind."""

    make: Callable[[Config], Module]
    """Returns a module without weights."""
    names: Mapping[str, str]
    """Paths of modules, or of tensors of their own, by names in files."""
    prefix: str
    """Start of names that some files have."""
    ignored: re.Pattern[str] = re.compile(r"\.position_ids$")
    """Names of tensors that the module does not need, for example heads for other tasks."""


_OTHER_HEADS = re.compile(r"^(cls\.|lm_head\.|qa_outputs\.|vocab_)|position_ids$")
_TEXT = partial(EncoderFamily, ignored=_OTHER_HEADS)
FAMILIES: dict[str, EncoderFamily] = {
    "bert": _TEXT(_bert, BERT, "bert."),
    "roberta": _TEXT(_bert, BERT, "roberta."),
    "xlm-roberta": _TEXT(_bert, BERT, "roberta."),
    "distilbert": _TEXT(_distilbert, DISTILBERT, "distilbert."),
    "vit": EncoderFamily(_vit, VIT, "vit."),
    "clip": EncoderFamily(_clip, CLIP, ""),
    "whisper": EncoderFamily(_whisper, WHISPER, "model."),
}
"""Families by transformers' names."""
