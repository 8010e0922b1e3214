"""Test decoders from files with the logits and greedy tokens of transformers."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brain_files import bits_of, brain_file, truncated
from decoder_weights import weights_of
from gguf_files import file_of

import py_tensor as pt
from py_tensor.errors import ModelError
from py_tensor.models.transformers.configurations import FAMILIES

CASES = json.loads(
    (Path(__file__).parent.parent / "reference_data" / "decoder_logits.json").read_text()
)
LENGTH = 96
CHUNK = 16


def options_of(config: dict[str, Any]) -> pt.nn.DecoderOptions:
    return FAMILIES[config["model_type"]](config)


def weights(name: str) -> dict[str, np.ndarray]:
    return weights_of({key: tuple(shape) for key, shape in CASES[name]["shapes"].items()})


def files(name: str, *, parts: int = 1) -> dict[str, bytes]:
    """Return the files of a model of transformers."""
    tensors = {key: pt.asarray(value) for key, value in weights(name).items()}
    config = {"config.json": json.dumps(CASES[name]["config"]).encode()}
    if parts == 1:
        return config | {"model.safetensors": pt.io.to_bytes(tensors)}
    names = sorted(tensors)
    index, saved = {}, {}
    for part in range(parts):
        file = f"model-{part + 1:05}-of-{parts:05}.safetensors"
        own = names[part::parts]
        index |= dict.fromkeys(own, file)
        saved[file] = pt.io.to_bytes({key: tensors[key] for key in own})
    listed = json.dumps({"weight_map": index}).encode()
    return config | saved | {"model.safetensors.index.json": listed}


def loaded(source: Any) -> pt.nn.CausalDecoder:
    return asyncio.run(pt.models.load_transformer(source))


def logits_of(name: str) -> np.ndarray:
    data = base64.b64decode(CASES[name]["logits"])
    return np.frombuffer(data, "float32").reshape(len(CASES[name]["tokens"]), -1)


def greedy(model: pt.nn.CausalDecoder, prompt: list[int], count: int) -> list[int]:
    """Generate tokens with caches: the prompt in one padded chunk, then one token at a time."""
    run = pt.jit(
        lambda model, tokens, cache, count: model(tokens, cache=cache, count=count, last=True)
    )
    padded = pt.asarray([prompt + [0] * (CHUNK - len(prompt))], dtype="int32")
    cache = model.empty_cache(1, LENGTH)
    logits, cache = run(model, padded, cache, pt.asarray(len(prompt), dtype="int32"))
    one = pt.asarray(1, dtype="int32")
    tokens = []
    for _ in range(count):
        tokens.append(int(pt.argmax(logits[0, -1])))
        following = pt.asarray([tokens[-1:]], dtype="int32")
        logits, cache = run(model, following, cache, one)
    return tokens


@pytest.mark.parametrize("name", CASES)
def test_logits_and_greedy_tokens_are_those_of_transformers(name: str) -> None:
    model = loaded(files(name))
    tokens = CASES[name]["tokens"]
    logits = model(pt.asarray([tokens], dtype="int32")).numpy()[0]
    np.testing.assert_allclose(logits, logits_of(name), rtol=2e-3, atol=2e-3)
    assert greedy(model, tokens, 64) == CASES[name]["greedy"]


def test_weights_in_parts_and_older_configurations_load() -> None:
    source = files("gemma3", parts=3)
    config = json.loads(source["config.json"])
    rotary = config.pop("rope_parameters")
    config["rope_theta"] = rotary["full_attention"]["rope_theta"]
    config["rope_local_base_freq"] = rotary["sliding_attention"]["rope_theta"]
    del config["layer_types"]
    source["config.json"] = json.dumps(config).encode()
    model = loaded(source)
    assert model.options == loaded(files("gemma3")).options
    logits = model(pt.asarray([CASES["gemma3"]["tokens"]], dtype="int32")).numpy()[0]
    np.testing.assert_allclose(logits, logits_of("gemma3"), rtol=2e-3, atol=2e-3)


def test_older_scaling_of_llama_is_read() -> None:
    config = dict(CASES["llama3"]["config"])
    new = options_of(config)
    rotary = dict(config.pop("rope_parameters"))
    config |= {"rope_theta": rotary.pop("rope_theta"), "rope_scaling": rotary}
    assert options_of(config) == new
    assert new.scaling is not None and new.scaling.kind == "llama3"


def test_older_names_and_steps_of_experts_are_read() -> None:
    config = dict(CASES["qwen3_moe"]["config"])
    new = options_of(config)
    assert (new.experts, new.chosen_experts, new.expert_hidden) == (4, 2, 32)
    assert new.dense_blocks == (1,)
    config["num_experts"] = config.pop("num_local_experts")
    assert options_of(config) == new
    assert options_of(config | {"mlp_only_layers": [], "decoder_sparse_step": 2}).dense_blocks == (
        0,
        2,
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("9.gate_proj", r"experts\.9\.gate_proj\.weight unknown and blocks\.0\.network\.gate"),
        ("0.side_proj", r"experts\.0\.side_proj\.weight unknown"),
        (None, r"got none unknown and blocks\.0\.network\.gate missing"),
    ],
)
def test_missing_and_unknown_experts_are_named(change: str | None, message: str) -> None:
    source = files("qwen3_moe")
    tensors = pt.io.from_bytes(source["model.safetensors"])
    value = tensors.pop("model.layers.0.mlp.experts.3.gate_proj.weight")
    if change is not None:
        tensors[f"model.layers.0.mlp.experts.{change}.weight"] = value
    source["model.safetensors"] = pt.io.to_bytes(tensors)
    with pytest.raises(ModelError, match=message):
        loaded(source)


def test_experts_are_quantized_without_their_router() -> None:
    model = pt.quantize(loaded(files("qwen3_moe")), bits=8)
    experts = model.blocks[0].network
    assert isinstance(model.blocks[1].network.up.weight, pt.nn.PackedMatrix)
    assert all(
        isinstance(own, pt.nn.PackedMatrix) for own in (experts.gate, experts.up, experts.down)
    )
    assert isinstance(experts.router.weight, pt.Tensor)
    packed = logits(model, "qwen3_moe")
    # Rounding changes logits, whose standard deviation is 1.75, by 0.05 on average.
    assert 0 < np.abs(packed - logits_of("qwen3_moe")).mean() < 0.12
    whole = pt.dequantize(model)
    assert whole.blocks[0].network.down.shape == (4, 32, 32)
    np.testing.assert_allclose(packed, logits(whole, "qwen3_moe"), rtol=1e-3, atol=1e-3)
    kept = pt.quantize(loaded(files("qwen3_moe")), skip=["blocks.2"]).blocks[2].network
    assert isinstance(kept.gate, pt.Tensor)


# --- GGUF -----------------------------------------------------------------------------------------

GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.qkv_proj": "attn_qkv",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
KEYS = {
    "hidden_size": "embedding_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "intermediate_size": "feed_forward_length",
    "head_dim": "attention.key_length",
    "sliding_window": "attention.sliding_window",
}


def paired(rows: np.ndarray, heads: int) -> np.ndarray:
    """Order the rows of each head in neighbouring pairs, as the converter of llama.cpp does."""
    halves = rows.reshape(heads, 2, -1, rows.shape[1])
    return halves.swapaxes(1, 2).reshape(rows.shape)


def gguf_of(name: str, architecture: str) -> bytes:
    """Return a model as a GGUF file of float32 tensors."""
    return file_of(*gguf_parts(name, architecture))


def gguf_parts(name: str, architecture: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the float32 tensors and the metadata of a GGUF file."""
    config = CASES[name]["config"]
    gemma = architecture.startswith("gemma")
    tensors = {}
    for key, value in weights(name).items():
        short = GGUF_NAMES | {
            "post_attention_layernorm": "post_attention_norm" if gemma else "ffn_norm"
        }
        path, _, field = key.rpartition(".")
        if path.startswith("model.layers."):
            _, _, block, inner = path.split(".", 3)
            new = f"blk.{block}.{short[inner]}"
            if architecture == "llama" and inner in ("self_attn.q_proj", "self_attn.k_proj"):
                own = "num_attention_heads" if "q_" in inner else "num_key_value_heads"
                value = paired(value, config[own])
        else:
            new = short[path]
        if gemma and "norm" in new:
            value = value + 1
        tensors[f"{new}.{field}"] = (value.shape, 0, np.ascontiguousarray(value).tobytes())
    metadata: dict[str, Any] = {"general.architecture": (8, architecture)}
    for key, new in KEYS.items():
        if config.get(key) is not None:
            metadata[f"{architecture}.{new}"] = (4, config[key])
    metadata[f"{architecture}.attention.layer_norm_rms_epsilon"] = (6, config["rms_norm_eps"])
    rotary = config["rope_parameters"].get("full_attention", config["rope_parameters"])
    metadata[f"{architecture}.rope.freq_base"] = (6, rotary["rope_theta"])
    if config.get("attn_logit_softcapping"):
        for key in ("attn_logit_softcapping", "final_logit_softcapping"):
            metadata[f"{architecture}.{key}"] = (6, config[key])
    return tensors, metadata


@pytest.mark.parametrize(
    ("name", "architecture"),
    [("smollm2", "llama"), ("qwen2", "qwen2"), ("qwen3", "qwen3"), ("phi3", "phi3")],
)
def test_gguf_files_give_the_same_logits(name: str, architecture: str) -> None:
    model = loaded(gguf_of(name, architecture))
    logits = model(pt.asarray([CASES[name]["tokens"]], dtype="int32")).numpy()[0]
    np.testing.assert_allclose(logits, logits_of(name), rtol=2e-3, atol=2e-3)


EXPERTS, EXPERT_HIDDEN = 4, 32


def gguf_of_experts(kind: int, **changes: int) -> tuple[bytes, pt.nn.CausalDecoder]:
    """Return a file of a mixture of experts, and a decoder with the same values in float32.

    The weights of experts have 8 bits (kind 8), or are bfloat16 (kind 30) or float32 (0).
    """
    tensors, metadata = gguf_parts("qwen3", "qwen3")
    features = CASES["qwen3"]["config"]["hidden_size"]
    options = options_of(CASES["qwen3"]["config"])
    plain = loaded(files("qwen3"))
    numbers = np.random.default_rng(0)
    for block in range(options.layers):
        layer = pt.nn.MixtureOfExperts(features, EXPERT_HIDDEN, EXPERTS)
        router = numbers.standard_normal((EXPERTS, features)).astype("float32")
        layer.router.weight = pt.asarray(router.T)
        tensors[f"blk.{block}.ffn_gate_inp.weight"] = (router.shape, 0, router.tobytes())
        for name in ("gate", "up", "down"):
            del tensors[f"blk.{block}.ffn_{name}.weight"]
            inner = (features, EXPERT_HIDDEN) if name == "down" else (EXPERT_HIDDEN, features)
            shape = (EXPERTS, *inner)
            values = 0.3 * numbers.standard_normal(shape).astype("float32")
            data = values.tobytes()
            if kind == 30:
                data, values = bits_of(values).tobytes(), truncated(values)
            elif kind == 8:
                codes = numbers.integers(-127, 128, (*shape[:2], 32), dtype="int8")
                values = codes * np.float32(2.0**-8)
                scale = np.full((*shape[:2], 1), 2.0**-8, "float16").view("int8")
                data = np.concatenate([scale, codes], -1).tobytes()
            setattr(layer, name, pt.asarray(values.swapaxes(1, 2)))
            tensors[f"blk.{block}.ffn_{name}_exps.weight"] = (shape, kind, data)
        plain.blocks[block].network = layer
    own = {key.replace("qwen3", "qwen3moe"): value for key, value in metadata.items()}
    own["general.architecture"] = (8, "qwen3moe")
    experts = {
        **{"expert_count": EXPERTS, "expert_used_count": 2},
        "expert_feed_forward_length": EXPERT_HIDDEN,
    }
    own |= {f"qwen3moe.{key}": (4, value) for key, value in (experts | changes).items()}
    return file_of(tensors, own), plain


@pytest.mark.parametrize("kind", [8, 30, 0])
def test_experts_in_gguf_stay_packed(kind: int) -> None:
    data, plain = gguf_of_experts(kind)
    model = loaded(data)
    experts = model.blocks[0].network
    assert isinstance(experts.gate, pt.nn.PackedMatrix) == (kind > 0)
    assert model.options.chosen_experts == 2
    np.testing.assert_allclose(logits(model, "qwen3"), logits(plain, "qwen3"), rtol=1e-3, atol=1e-3)
    prompt = CASES["qwen3"]["tokens"]
    assert greedy(model, prompt, 4) == greedy(plain, prompt, 4)
    if kind == 8:
        # Scales of 16 bits for each 32 elements.
        assert experts.up.nbytes == EXPERTS * EXPERT_HIDDEN * 34
    whole = pt.dequantize(model)
    np.testing.assert_array_equal(
        whole.blocks[1].network.down.numpy(), plain.blocks[1].network.down.numpy()
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"expert_gating_func": 2}, "kind of mixture of experts .* got expert_gating_func 2"),
        ({"expert_shared_count": 1}, "got expert_shared_count 1"),
        ({"expert_count": 10**9}, "number of experts is too large; got 1000000000"),
        ({"expert_count": 5}, "shapes differ; got"),
        ({"expert_used_count": 9}, "more experts are chosen than there are"),
    ],
)
def test_mixtures_of_experts_that_do_not_fit_are_refused(
    changes: dict[str, int], message: str
) -> None:
    data, _ = gguf_of_experts(8, **changes)
    with pytest.raises(ModelError, match=message):
        loaded(data)


def test_gemma_in_gguf_has_the_scale_of_its_heads() -> None:
    model = loaded(gguf_of("gemma2", "gemma2"))
    own = options_of(CASES["gemma2"]["config"] | {"query_pre_attn_scalar": 16})
    same = loaded(files("gemma2"))
    tokens = pt.asarray([CASES["gemma2"]["tokens"]], dtype="int32")
    assert model.options.scale == own.scale
    for block in same.blocks:
        block.attention.scale = own.scale
    np.testing.assert_allclose(model(tokens).numpy(), same(tokens).numpy(), rtol=1e-3, atol=1e-3)


def test_a_quantized_decoder_computes_with_the_rounded_weights() -> None:
    model = pt.quantize(loaded(files("smollm2")), bits=8)
    tokens = pt.asarray([CASES["smollm2"]["tokens"]], dtype="int32")
    packed = model(tokens).numpy()[0]
    # Rounding to 8 bits changes logits, whose standard deviation is 1.7, by 0.06 on average.
    assert 0 < np.abs(packed - logits_of("smollm2")).mean() < 0.12
    whole = pt.dequantize(model)(tokens).numpy()[0]
    np.testing.assert_allclose(packed, whole, rtol=1e-3, atol=1e-3)


# --- bfloat16 -------------------------------------------------------------------------------------


def brain_files(name: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the files of a model in bfloat16, and the files of the same numbers in float32."""
    source = files(name)
    same = {key: pt.asarray(truncated(value)) for key, value in weights(name).items()}
    brain = {"model.safetensors": brain_file(weights(name))}
    return source | brain, source | {"model.safetensors": pt.io.to_bytes(same)}


def logits(model: pt.nn.CausalDecoder, name: str) -> np.ndarray:
    return model(pt.asarray([CASES[name]["tokens"]], dtype="int32")).numpy()[0]


def nbytes(model: pt.nn.Module) -> int:
    return sum(tensor.nbytes for tensor in model.state_dict().values())


# GPT-2's weights are stored by inputs, and Phi-3's are those of several layers.
@pytest.mark.parametrize("name", ["smollm2", "gemma3", "phi3", "gpt2", "qwen3_moe"])
def test_weights_of_bfloat16_give_the_logits_of_the_same_values(name: str) -> None:
    brain, same = brain_files(name)
    model, plain = loaded(brain), loaded(same)
    np.testing.assert_allclose(logits(model, name), logits(plain, name), rtol=1e-3, atol=1e-3)
    prompt = CASES[name]["tokens"]
    assert greedy(model, prompt, 8) == greedy(plain, prompt, 8)


@pytest.mark.parametrize("name", ["smollm2", "phi3", "qwen3_moe"])
def test_weights_of_bfloat16_keep_the_bytes_of_the_file(name: str) -> None:
    brain, same = brain_files(name)
    model = loaded(brain)
    norms = sum(value.size for value in weights(name).values() if value.ndim == 1)
    assert nbytes(model) == nbytes(loaded(same)) // 2 + 2 * norms
    embedding = model.embedding.weight
    assert str(embedding).endswith("16 bits)")
    np.testing.assert_array_equal(
        embedding.unpacked().numpy(), truncated(weights(name)["model.embed_tokens.weight"])
    )


def test_weights_of_bfloat16_in_gguf_stay_packed() -> None:
    tensors, metadata = gguf_parts("qwen2", "qwen2")
    for key, (shape, _, data) in tensors.items():
        values = np.frombuffer(data, "float32")
        own = (30, bits_of(values)) if len(shape) == 2 else (0, truncated(values))
        tensors[key] = (shape, own[0], own[1].tobytes())
    model = loaded(file_of(tensors, metadata))
    assert str(model.blocks[0].network.up.weight).endswith("16 bits)")
    _, same = brain_files("qwen2")
    np.testing.assert_allclose(
        logits(model, "qwen2"), logits(loaded(same), "qwen2"), rtol=1e-3, atol=1e-2
    )


def test_models_of_bfloat16_are_saved_as_they_are() -> None:
    brain, _ = brain_files("smollm2")
    model = loaded(brain)
    saved = asyncio.run(pt.models.load(pt.models.save(model)))
    assert nbytes(saved) == nbytes(model)
    np.testing.assert_array_equal(logits(saved, "smollm2"), logits(model, "smollm2"))
    state = pt.io.from_bytes(pt.io.to_bytes(model.state_dict()))
    other = loaded(brain)
    other.load_state_dict({name: tensor * 0 for name, tensor in state.items()})
    assert not logits(other, "smollm2").any()
    other.load_state_dict(state)
    np.testing.assert_array_equal(logits(other, "smollm2"), logits(model, "smollm2"))


def test_models_of_bfloat16_are_trained_by_lora_or_dequantized() -> None:
    brain, same = brain_files("smollm2")
    model = pt.nn.lora(loaded(brain), 2, names=["query", "down"])
    tokens = pt.asarray([CASES["smollm2"]["tokens"]], dtype="int32")

    def loss(model: Any) -> pt.Tensor:
        return pt.nn.sparse_softmax_cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])

    optimizer = pt.optim.adamw(0.05)
    state = optimizer.init(model)
    first = loss(model).item()
    for _ in range(3):
        state = optimizer.update(state, pt.grad(loss)(state.params))
    assert loss(state.params).item() < 0.9 * first
    whole = pt.dequantize(loaded(brain))
    assert len(list(whole.parameters())) == len(list(loaded(same).parameters()))
    # The weights are equal, but WebGPU computes their products by other kernels: up to 1.3e-6.
    np.testing.assert_allclose(
        logits(whole, "smollm2"), logits(loaded(same), "smollm2"), rtol=1e-6, atol=1e-5
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"config.json": b'{"model_type": "t5"}'}, "unknown family; got 't5'"),
        (
            {"config.json": b'{"model_type": "gpt2", "text_config": 3}'},
            "got KeyError: 'vocab_size'",
        ),
        ({"config.json": b'{"model_type": "llama"}'}, "configuration is not valid; got KeyError"),
        ({"model.safetensors": b""}, "weights are missing|not a valid"),
    ],
)
def test_wrong_files_say_what_is_wrong(change: dict[str, bytes], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        loaded(files("smollm2") | change)


@pytest.mark.host
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hidden_size", "32", "not valid; got ArgumentTypeError"),
        ("num_attention_heads", 0, "not valid; got"),
        ("num_hidden_layers", 10**9, "number of layers is too large; got 1000000000"),
        ("vocab_size", -1, "not valid; got ArgumentError"),
        ("vocab_size", 10**15, "not valid; got"),
        ("hidden_act", ["silu"], r"activation is not supported; got \['silu'\]"),
        ("rope_parameters", "none", "not valid; got"),
        ("rope_parameters", {"rope_type": ["yarn"]}, "not valid; got TypeError"),
        ("head_dim", 2.5, "not valid; got ArgumentTypeError"),
        ("rms_norm_eps", "small", "not valid; got ArgumentTypeError"),
    ],
)
def test_wrong_configurations_say_what_is_wrong(key: str, value: Any, message: str) -> None:
    source = files("smollm2")
    config = json.loads(source["config.json"]) | {key: value}
    with pytest.raises(ModelError, match=message):
        loaded(source | {"config.json": json.dumps(config).encode()})


def test_missing_and_unknown_tensors_are_named() -> None:
    source = files("smollm2")
    tensors = pt.io.from_bytes(source["model.safetensors"])
    tensors["model.layers.0.self_attn.r_proj.weight"] = tensors.pop(
        "model.layers.0.self_attn.q_proj.weight"
    )
    source["model.safetensors"] = pt.io.to_bytes(tensors)
    with pytest.raises(ModelError, match=r"r_proj\.weight unknown and blocks\.0\.attention\.query"):
        loaded(source)
    tensors["model.norm.weight"] = pt.ones(3)
    source["model.safetensors"] = pt.io.to_bytes(tensors)
    with pytest.raises(ModelError, match=r"got \(3,\) for 'model\.norm\.weight'"):
        loaded(source)
