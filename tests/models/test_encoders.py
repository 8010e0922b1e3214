"""Test encoders and Whisper from files with the results of transformers."""

import asyncio
import base64
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brain_files import brain_file, truncated
from decoder_weights import weights_of

import py_tensor as pt
from py_tensor.errors import ArgumentError, ModelError, ShapeError

CASES = json.loads(
    (Path(__file__).parent.parent / "reference_data" / "encoder_outputs.json").read_text()
)
TOKENS = np.int32([[3 + (7 * i * i + 5 * row) % 60 for i in range(10)] for row in range(2)])
MASK = np.int32([[1] * 10, [1] * 6 + [0] * 4])
PADDED = np.where(MASK == 1, TOKENS, 1).astype("int32")
PROMPT = [1, 9, 33, 5]
SENTENCES = {
    "modules.json": [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ],
    "1_Pooling/config.json": {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True},
}


def weights(name: str) -> dict[str, np.ndarray]:
    return weights_of({key: tuple(shape) for key, shape in CASES[name]["shapes"].items()})


def files(name: str, **changes: Any) -> dict[str, bytes]:
    tensors = {key: pt.asarray(value) for key, value in weights(name).items()}
    config = {key: v for key, v in (CASES[name]["config"] | changes).items() if v is not ...}
    return {
        "config.json": json.dumps(config).encode(),
        "model.safetensors": pt.io.to_bytes(tensors),
    }


def loaded(source: Any) -> Any:
    return asyncio.run(pt.models.load_transformer(source))


def values(name: str, key: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(CASES[name][key]), "float32").reshape(shape)


def images() -> pt.Tensor:
    return pt.asarray(weights_of({"images": (2, 32, 32, 3)})["images"])


def assert_close(got: pt.Tensor, want: np.ndarray) -> None:
    assert got.shape == want.shape
    np.testing.assert_allclose(got.numpy(), want, rtol=2e-3, atol=2e-3)


# --- texts ----------------------------------------------------------------------------------------


def test_minilm_encodes_texts_as_transformers_and_sentence_transformers() -> None:
    own = {name: json.dumps(content).encode() for name, content in SENTENCES.items()}
    model = loaded(files("minilm") | own)
    assert isinstance(model, pt.nn.TextEncoder)
    tokens = pt.asarray(PADDED)
    hidden = model(tokens, mask=MASK, types=tokens % 2).numpy()
    want = values("minilm", "result", (2, 10, 32))
    np.testing.assert_allclose(hidden, want, rtol=2e-3, atol=2e-3)
    assert_close(
        model.embed(tokens, mask=MASK, types=tokens % 2), values("minilm", "vectors", (2, 32))
    )
    with_bool = model.embed(tokens, mask=MASK.astype(bool), types=tokens % 2)
    assert_close(with_bool, values("minilm", "vectors", (2, 32)))


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("bert", (2, 3)),
        ("roberta", (2, 3)),
        ("xlm-roberta", (2, 10, 2)),
        ("distilbert", (2, 2)),
    ],
)
def test_classifiers_of_texts_give_the_logits_of_transformers(
    name: str, shape: tuple[int, ...]
) -> None:
    model = loaded(files(name))
    tokens = pt.asarray(PADDED)
    types = tokens % 2 if name == "bert" else None
    logits = pt.jit(lambda model, tokens: model.classify(tokens, mask=MASK, types=types))(
        model, tokens
    )
    assert_close(logits, values(name, "result", shape))


def test_old_names_of_normalizations_and_other_heads_are_read() -> None:
    tensors = {
        key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): pt.asarray(value)
        for key, value in weights("bert").items()
        if "classifier" not in key
    }
    tensors["cls.predictions.bias"] = pt.zeros(64)
    tensors["bert.embeddings.position_ids"] = pt.arange(40)
    source = files("bert", architectures=["BertForMaskedLM"])
    model = loaded(source | {"model.safetensors": pt.io.to_bytes(tensors)})
    whole = loaded(files("bert"))
    np.testing.assert_array_equal(model(PADDED).numpy(), whole(PADDED).numpy())
    with pytest.raises(ArgumentError, match="TextEncoder: model has no classifier"):
        model.classify(PADDED)


@pytest.mark.parametrize(
    ("pooling", "want"),
    [
        ("first", lambda x: x[:, 0]),
        ("max", lambda x: np.stack([x[0].max(0), x[1, :6].max(0)])),
        ("last", lambda x: np.stack([x[0, 9], x[1, 5]])),
        ("end", lambda x: np.stack([x[0, TOKENS[0].argmax()], x[1, PADDED[1].argmax()]])),
    ],
)
def test_vectors_of_texts_are_pooled(pooling: str, want: Any) -> None:
    model = loaded(files("minilm"))
    model.pooling = pooling
    hidden = model(PADDED, mask=MASK).numpy()
    got = model.embed(PADDED, mask=MASK).numpy()
    np.testing.assert_allclose(got, want(hidden), rtol=1e-5, atol=1e-5)


def test_too_many_tokens_raise() -> None:
    model = loaded(files("roberta"))
    # Two of the 40 positions are not used, as in files of RoBERTa.
    assert model(pt.full((1, 38), 5)).shape == (1, 38, 32)
    with pytest.raises(ShapeError, match="got 39 positions for a model with 38"):
        model(pt.full((1, 39), 5))
    with pytest.raises(ShapeError, match="tokens must have 2 axes"):
        model(pt.full((3,), 5))


# --- images ---------------------------------------------------------------------------------------


def test_vit_classifies_images_as_transformers() -> None:
    model = loaded(files("vit"))
    assert isinstance(model, pt.nn.VisionEncoder)
    assert_close(
        pt.jit(lambda m, x: m.classify(x))(model, images()), values("vit", "result", (2, 5))
    )
    with pytest.raises(ShapeError, match=r"instead of \(batch, 32, 32, 3\)"):
        model(pt.ones((1, 16, 16, 3)))


@pytest.mark.parametrize("end", [63, 2])
def test_clip_gives_the_logits_of_transformers(end: int) -> None:
    """With the wrong end of older configurations, 2, the largest token is the end."""
    text = CASES["clip"]["config"]["text_config"]
    model = loaded(files("clip", text_config=text | {"eos_token_id": end}))
    assert isinstance(model, pt.nn.DualEncoder)
    assert model.text.end == (None if end == 2 else 63)
    tokens = PADDED.copy()
    tokens[[0, 1], MASK.sum(1) - 1] = 63
    logits = pt.jit(lambda model, x, tokens: model(x, tokens, mask=MASK))(
        model, images(), pt.asarray(tokens)
    )
    assert_close(logits, values("clip", "result", (2, 2)))


def test_sizes_that_files_of_clip_leave_out_are_those_of_its_first_model() -> None:
    source = files("clip", vision_config=None)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match=r"got \(32,\) for .* instead of \(768,\)"):
            loaded(source)
        # The initial values of 86 million parameters are not computed.
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


# --- speech ---------------------------------------------------------------------------------------


def features() -> pt.Tensor:
    return pt.asarray(weights_of({"features": (1, 100, 20)})["features"])


def test_whisper_gives_the_logits_of_transformers() -> None:
    model = loaded(files("whisper"))
    assert isinstance(model, pt.nn.SpeechToText)
    logits = model(pt.asarray([PROMPT]), model.encode(features()))
    assert_close(logits, values("whisper", "result", (1, 4, 64)))


def test_whisper_generates_the_tokens_of_transformers_with_caches() -> None:
    model = loaded(files("whisper"))
    encode = pt.jit(lambda model, x: model.empty_cache(model.encode(x), 70))

    def following(model: Any, tokens: pt.Tensor, cache: Any) -> Any:
        logits, cache = model(tokens, cache=cache, last=True)
        return pt.argmax(logits, axis=-1).astype("int32"), cache

    step = pt.jit(following, donate_argnums=2)
    token, cache = step(model, pt.asarray([PROMPT], dtype="int32"), encode(model, features()))
    tokens, before = [], None
    for number in range(64):
        tokens.append(token.item())
        token, cache = step(model, token, cache)
        if number == 1:
            before = pt.cache_info()
    after = pt.cache_info()
    assert tokens == CASES["whisper"]["greedy"]
    assert before is not None
    assert (after.programs, after.plan_misses) == (before.programs, before.plan_misses)
    assert cache.position.item() == 4 + 64


def test_whisper_with_a_readout_of_its_own() -> None:
    source = files("whisper", tie_word_embeddings=False)
    tensors = pt.io.from_bytes(source["model.safetensors"])
    tensors["proj_out.weight"] = 2 * tensors["model.decoder.embed_tokens.weight"]
    model = loaded(source | {"model.safetensors": pt.io.to_bytes(tensors)})
    logits = model(pt.asarray([PROMPT]), model.encode(features()))
    assert_close(logits, 2 * values("whisper", "result", (1, 4, 64)))


def test_calls_of_whisper_that_do_not_fit_raise() -> None:
    model = loaded(files("whisper"))
    with pytest.raises(ArgumentError, match="either memory or a cache; got neither"):
        model([PROMPT])
    with pytest.raises(ShapeError, match="got 51 positions for a model with 50"):
        model.encode(pt.ones((1, 102, 20)))
    memory = model.encode(features())
    with pytest.raises(ShapeError, match="got 81 positions for a model with 80"):
        model(pt.ones((1, 81), dtype="int32"), memory)
    with pytest.raises(ArgumentError, match="length is too large; got 81; use at most 80"):
        model.empty_cache(memory, 81)


# --- wrong files ----------------------------------------------------------------------------------

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("minilm", {"model_type": "t5"}, "unknown family; got 't5'"),
    ("minilm", {"model_type": ["bert"]}, r"unknown family; got \['bert'\]"),
    ("minilm", {"model_type": ...}, "no file is a model|unknown family"),
    ("minilm", {"hidden_size": ...}, "not valid; got KeyError: 'hidden_size'"),
    ("minilm", {"hidden_size": "32"}, "not valid; got ArgumentTypeError"),
    ("minilm", {"hidden_size": 32.5}, "not valid; got ArgumentTypeError"),
    ("minilm", {"hidden_size": -32}, "not valid; got ArgumentError"),
    ("minilm", {"num_attention_heads": 5}, "not valid; got ShapeError"),
    ("minilm", {"num_attention_heads": 0}, "not valid; got ShapeError"),
    ("minilm", {"num_hidden_layers": 10**9}, "number of layers is too large; got 1000000000"),
    ("minilm", {"vocab_size": 10**15}, "not valid; got"),
    ("minilm", {"vocab_size": 65}, r"shapes differ; got \(64, 32\) for .* \(65, 32\)"),
    ("minilm", {"hidden_act": ["gelu"]}, r"activation is not supported; got \['gelu'\]"),
    ("minilm", {"hidden_act": "mish"}, "activation is not supported; got 'mish'"),
    ("minilm", {"layer_norm_eps": "small"}, "not valid; got ArgumentTypeError"),
    ("minilm", {"num_hidden_layers": 3}, r"none unknown and blocks\.2\..* missing"),
    ("minilm", {"num_hidden_layers": 1}, r"encoder\.layer\.1\..* unknown and none missing"),
    ("minilm", {"position_embedding_type": "relative_key"}, "option is not supported"),
    ("bert", {"architectures": ["BertForQuestionAnswering"]}, "classifier.* unknown"),
    ("bert", {"architectures": 3}, "not valid; got TypeError"),
    ("roberta", {"pad_token_id": "1"}, "not valid; got TypeError"),
    ("roberta", {"pad_token_id": 10**9}, "not valid; got"),
    ("distilbert", {"n_layers": None}, "not valid; got ArgumentTypeError"),
    ("vit", {"patch_size": 0}, "not valid; got ArgumentError"),
    ("vit", {"patch_size": 7}, "patch must divide the image"),
    ("vit", {"image_size": 10**9}, "not valid; got"),
    ("vit", {"image_size": [32, 32]}, "not valid; got ArgumentTypeError"),
    ("clip", {"text_config": "none"}, "not valid; got ValueError"),
    ("clip", {"vision_config": [1]}, "not valid; got TypeError"),
    ("clip", {"projection_dim": 10**12}, "not valid; got"),
    ("whisper", {"scale_embedding": True}, "option is not supported; got scale_embedding"),
    ("whisper", {"d_model": ...}, "not valid; got KeyError: 'd_model'"),
    ("whisper", {"decoder_layers": 10**7}, "number of layers is too large"),
    ("whisper", {"num_mel_bins": 0}, "not valid; got ArgumentError"),
]


@pytest.mark.host
@pytest.mark.parametrize(("name", "changes", "message"), WRONG)
def test_wrong_configurations_say_what_is_wrong(
    name: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        loaded(files(name, **changes))


@pytest.mark.parametrize(
    ("tensor", "value", "message"),
    [
        ("embeddings.word_embeddings.weight", pt.zeros, r"\(64,\) .* instead of \(64, 32\)"),
        ("encoder.layer.0.output.dense.weight", pt.zeros, r"\(64,\) .* instead of \(48, 32\)"),
        ("embeddings.LayerNorm.weight", pt.arange, "weights must be floating; got int32"),
        ("encoder.layer.99.output.dense.bias", pt.zeros, r"layer\.99\.\S+ unknown"),
        (f"encoder.layer.{'9' * 5000}.output.dense.bias", pt.zeros, "unknown and none missing"),
        ("encoder.layer..output.dense.bias", pt.zeros, r"layer\.\.output\S+ unknown"),
    ],
)
def test_wrong_tensors_say_what_is_wrong(tensor: str, value: Any, message: str) -> None:
    source = files("minilm")
    tensors = pt.io.from_bytes(source["model.safetensors"]) | {tensor: value(64)}
    with pytest.raises(ModelError, match=message):
        loaded(source | {"model.safetensors": pt.io.to_bytes(tensors)})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("modules.json", b"{", "modules.json is not a file of sentence-transformers"),
        ("modules.json", b"{}", "modules.json is not a file of sentence-transformers; got dict"),
        ("modules.json", b'[{"type": "a.Dense"}]', "module .* not supported; got 'a.Dense'"),
        ("modules.json", b"[1]", "module of sentence-transformers is not supported; got None"),
        ("modules.json", b'[{"type": "a.Pooling", "path": "../x"}]', "modules.json is not a file"),
        ("1_Pooling/config.json", b"{}", r"pooling is not supported; got \[\]"),
        ("1_Pooling/config.json", b'{"pooling_mode": 3}', "pooling is not supported; got 3"),
        (
            "1_Pooling/config.json",
            b'{"pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true}',
            r"pooling is not supported; got \['max_tokens', 'mean_tokens'\]",
        ),
    ],
)
def test_wrong_files_of_sentence_transformers_say_what_is_wrong(
    name: str, content: bytes, message: str
) -> None:
    own = {key: json.dumps(value).encode() for key, value in SENTENCES.items()}
    with pytest.raises(ModelError, match=message):
        loaded(files("minilm") | own | {name: content})


def test_newer_files_of_sentence_transformers_name_the_pooling() -> None:
    own = {key: json.dumps(value).encode() for key, value in SENTENCES.items()}
    own["1_Pooling/config.json"] = b'{"pooling_mode": "cls"}'
    model = loaded(files("minilm") | own)
    assert (model.pooling, model.normalize) == ("first", True)


# --- packed weights -------------------------------------------------------------------------------


def test_quantized_encoders_compute_with_the_rounded_weights() -> None:
    model = pt.quantize(loaded(files("minilm")), bits=8)
    packed = model(PADDED, mask=MASK, types=PADDED % 2).numpy()
    # Rounding to 8 bits changes features, whose standard deviation is 1.2, by 0.02 on average.
    assert 0 < np.abs(packed - values("minilm", "result", (2, 10, 32))).mean() < 0.04
    whole = pt.dequantize(model)(PADDED, mask=MASK, types=PADDED % 2).numpy()
    np.testing.assert_allclose(packed, whole, rtol=1e-3, atol=1e-3)


def call(model: Any, name: str) -> pt.Tensor:
    if name == "whisper":
        return model(pt.asarray([PROMPT]), model.encode(features()))
    if name == "clip":
        return model(images(), pt.asarray(TOKENS), mask=MASK)
    return model(images()) if name == "vit" else model(PADDED)


@pytest.mark.parametrize("name", ["minilm", "vit", "clip", "whisper"])
def test_encoders_of_bfloat16_compute_with_the_weights_of_the_file(name: str) -> None:
    source = files(name)
    same = {key: pt.asarray(truncated(value)) for key, value in weights(name).items()}
    model = loaded(source | {"model.safetensors": brain_file(weights(name))})
    plain = loaded(source | {"model.safetensors": pt.io.to_bytes(same)})
    small, large = (sum(x.nbytes for x in m.state_dict().values()) for m in (model, plain))
    assert small < 0.7 * large
    np.testing.assert_allclose(
        call(model, name).numpy(), call(plain, name).numpy(), rtol=1e-3, atol=1e-3
    )


def test_quantized_whisper_continues_with_its_cache() -> None:
    model = pt.quantize(loaded(files("whisper")), bits=8)
    memory = model.encode(features())
    logits = model(pt.asarray([PROMPT]), memory).numpy()
    # Rounding to 8 bits changes logits, whose standard deviation is 1.9, by 0.04 on average.
    assert 0 < np.abs(logits - values("whisper", "result", (1, 4, 64))).mean() < 0.08
    first, cache = model([PROMPT[:3]], cache=model.empty_cache(memory, 10))
    last, _ = model([PROMPT[3:]], cache=cache)
    parts = np.concatenate([first.numpy(), last.numpy()], axis=1)
    np.testing.assert_allclose(parts, logits, rtol=1e-3, atol=1e-3)
