"""Test speech to text: equal to transformers, and what sounds of other lengths and options give."""

import asyncio
import base64
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decoder_weights import weights_of
from speech_sounds import sound

import py_tensor as pt
from py_tensor.audio.speech.model import example
from py_tensor.audio.speech.segments import split
from py_tensor.audio.speech.steps import TimeRules, _in_order
from py_tensor.errors import ArgumentError, ArgumentTypeError, DTypeError, ModelError, ShapeError
from py_tensor.text.byte_characters import BYTE_CHARS

WANTED = json.loads(
    (Path(__file__).parent.parent / "reference_data" / "speech_outputs.json").read_text()
)
FIRST_TIME = 265
NO_TIMES = [7, *range(257, FIRST_TIME + 1501)]
TEXTS = ["endoftext", "startoftranscript", "en", "de", "translate", "transcribe"]
TEXTS += ["startofprev", "nospeech", "notimestamps"]


def tokenizer_file() -> bytes:
    """A token for each byte, and those of Whisper."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    file = {
        "version": "1.0",
        "added_tokens": [
            {"id": 256 + at, "content": f"<|{text}|>", "special": True, **flags}
            for at, text in enumerate(TEXTS)
        ],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {c: at for at, c in enumerate(BYTE_CHARS)}, "merges": []},
    }
    return json.dumps(file).encode()


def files(**options: Any) -> dict[str, bytes]:
    weights = weights_of({key: tuple(shape) for key, shape in WANTED["shapes"].items()})
    return {
        "config.json": json.dumps(WANTED["config"]).encode(),
        "model.safetensors": pt.io.to_bytes({k: pt.asarray(v) for k, v in weights.items()}),
        "tokenizer.json": tokenizer_file(),
        "generation_config.json": json.dumps(WANTED["options"] | options).encode(),
    }


def load(**options: Any) -> pt.audio.SpeechModel:
    return asyncio.run(pt.audio.load_speech(files(**options)))


def without_last_time(tokens: list[int]) -> list[int]:
    """Remove the second timestamp of a pair at the end, which the next segment starts with."""
    is_pair = len(tokens) > 2 and min(tokens[-2:]) >= FIRST_TIME
    return tokens[:-1] if is_pair else tokens


def wanted_segments(name: str, duration: float) -> list[tuple[float, float, list[int]]]:
    own = WANTED[name]
    rows = zip(own["start"], own["end"], map(without_last_time, own["tokens"]), strict=True)
    return [
        (start, min(end, duration), tokens)
        for start, end, tokens in rows
        if start < duration and any(token < 256 for token in tokens)
    ]


def assert_segments(got: list[pt.audio.SpeechSegment], name: str, duration: float) -> None:
    wanted = wanted_segments(name, duration)
    assert len(wanted) > 1
    assert [list(segment.tokens) for segment in got] == [tokens for _, _, tokens in wanted]
    times = [(segment.start, segment.end) for segment in got]
    np.testing.assert_allclose(times, [own[:2] for own in wanted], atol=1e-6)


# --- equal to transformers ------------------------------------------------------------------------


@pytest.mark.parametrize("bands", [80, 128])
def test_features_are_those_of_transformers(bands: int) -> None:
    want = np.frombuffer(base64.b64decode(WANTED[f"features {bands}"]), "float32")
    got = pt.audio.whisper_features(sound(9), n_mels=bands)[::60]
    np.testing.assert_allclose(got.numpy(), want.reshape((50, bands)), atol=1e-4)


def test_text_is_that_of_transformers() -> None:
    model = load(suppress_tokens=NO_TIMES)
    transcription = model.transcribe(sound(30))
    (segment,) = transcription
    tokens = WANTED["text"]["tokens"]
    start, language, task, _, *text = tokens
    assert (start, task) == (257, 261)
    assert transcription.language == {258: "en", 259: "de"}[language]
    assert list(segment.tokens) == [token for token in text if token != 256]
    assert (segment.start, segment.end) == (0.0, 30.0)
    assert transcription.text == segment.text


def test_segments_of_a_window_are_those_of_transformers() -> None:
    transcription = load().transcribe(sound(30), language="en", timestamps=True)
    assert_segments(list(transcription), "timestamps", 30.0)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("translated", {"language": "de", "task": "translate"}),
        ("continued", {"language": "en", "condition_on_previous_text": True}),
    ],
)
def test_segments_of_70_seconds_are_those_of_transformers(
    name: str, options: dict[str, Any]
) -> None:
    transcription = load().transcribe(sound(70), **options)
    assert_segments(list(transcription), name, 70.0)
    assert transcription.position == transcription.duration == 70.0


def test_text_of_a_model_of_english_is_that_of_transformers() -> None:
    english = {"is_multilingual": False, "lang_to_id": None, "task_to_id": None}
    model = load(suppress_tokens=NO_TIMES, **english)
    transcription = model.transcribe(sound(30))
    (segment,) = transcription
    start, mark, *text = WANTED["english"]["tokens"]
    assert (start, mark) == (257, 264)
    assert list(segment.tokens) == [token for token in text if token != 256]
    assert transcription.language == "en"
    assert model.languages == []
    with pytest.raises(ArgumentError, match="one task; got 'translate'"):
        model.transcribe(sound(1), task="translate")
    with pytest.raises(ArgumentError, match="language"):
        model.transcribe(sound(1), language="de")


# --- windows --------------------------------------------------------------------------------------


def tiny(seed: int = 0) -> pt.audio.SpeechModel:
    with pt.random.seeded(seed):
        return example()


def test_later_windows_and_other_sounds_compile_nothing() -> None:
    model = tiny()
    options = {"timestamps": True, "condition_on_previous_text": True, "language": "de"}
    work = model.transcribe(sound(7), **options)
    next(work)
    list(model.transcribe(sound(3), **options))
    before = pt.cache_info()
    list(work)
    list(model.transcribe(sound(7) * 0.5, **(options | {"language": "en", "task": "translate"})))
    after = pt.cache_info()
    assert (after.programs, after.plan_misses) == (before.programs, before.plan_misses)


def test_segments_arrive_without_blocking() -> None:
    model = tiny()

    async def collect() -> list[pt.audio.SpeechSegment]:
        return [segment async for segment in model.transcribe(sound(3), language="en")]

    async def wait() -> list[pt.audio.SpeechSegment]:
        return (await pt.audio.transcribe(model, sound(3), language="en")).segments

    blocking = list(model.transcribe(sound(3), language="en"))
    assert len(blocking) > 1
    assert asyncio.run(collect()) == asyncio.run(wait()) == blocking


def test_stopped_transcriptions_end() -> None:
    transcription = tiny().transcribe(sound(3), language="en")
    first = next(transcription)
    transcription.stop()
    assert list(transcription) == []
    assert transcription.segments == [first]


def test_sounds_of_other_rates_are_resampled() -> None:
    model = tiny()
    samples = pt.asarray(sound(1))
    slow = pt.audio.resample(samples, 16000, 8000)
    want = list(model.transcribe(pt.audio.resample(slow, 8000, 16000), language="en"))
    assert list(model.transcribe(slow, 8000, language="en")) == want
    assert list(model.transcribe(slow.reshape((-1, 1)), 8000, language="en")) == want


def test_parts_of_a_sound_have_the_features_of_the_whole() -> None:
    model = tiny()
    transcription = model.transcribe(sound(3), language="en")
    heard = transcription._listen(pt.asarray(sound(3)))
    values = pt.concat(heard.parts).numpy()
    got = (np.maximum(values, heard.highest.item() - 8) + 4) / 4
    want = pt.audio.whisper_features(sound(3), seconds=None).numpy()
    np.testing.assert_allclose(got[: heard.frames], want, atol=1e-4)
    assert heard.frames == 300


# --- choice of tokens -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        # The first token is a timestamp, and not too late.
        ((0, 0, 5, 0), [6, 7]),
        # A text follows the first timestamp, also after a pair.
        ((7, 0, 7, 1), [0, 1, 2, 3, 4, 5]),
        ((7, 7, 7, 4), [0, 1, 2, 3, 4, 5]),
        # A timestamp after a text is the first one of a pair, or the text ends.
        ((8, 1, 8, 3), [4, 5, 8, 9]),
        # Texts may go on; later timestamps are larger.
        ((1, 7, 7, 2), [0, 1, 2, 3, 4, 5, 8, 9]),
    ],
)
def test_timestamps_come_in_pairs_and_do_not_decrease(
    state: tuple[int, ...], allowed: list[int]
) -> None:
    rules = TimeRules(first=6, end=4, latest=7)
    got = _in_order(10, pt.asarray(state, dtype="int32"), rules).tolist()
    assert [token for token, is_allowed in enumerate(got) if is_allowed] == allowed


@pytest.mark.host
@pytest.mark.parametrize(
    ("tokens", "parts", "advance"),
    [
        # Two finished parts, and one that the next window repeats.
        ([10, 1, 15, 15, 2, 20, 20, 3], [(0, 10), (10, 20)], 20),
        ([10, 1, 15, 15, 2, 20, 20], [(0, 10), (10, 20)], 20),
        # A single timestamp at the end: nothing follows.
        ([10, 1, 15, 15, 2, 20], [(0, 10), (10, 20)], 100),
        ([12, 1, 2, 20], [(0, 20)], 100),
        ([10, 1, 2], [(0, 100)], 100),
        ([], [(0, 100)], 100),
    ],
)
def test_pairs_of_timestamps_separate_segments(
    tokens: list[int], parts: list[tuple[int, int]], advance: int
) -> None:
    got, frames = split(tokens, 10, 100)
    assert [(part.start, part.end) for part in got] == parts
    assert frames == advance


def test_suppressed_tokens_are_not_chosen() -> None:
    free = next(iter(tiny().transcribe(sound(1), language="en"))).tokens
    model = tiny()
    first = free[0]
    options = {"suppress_tokens": [*range(256, 320), *free], "begin_suppress_tokens": [first]}
    other = pt.audio.SpeechModel(model.model, model.tokenizer, options)
    chosen = next(iter(other.transcribe(sound(1), language="en"))).tokens
    assert set(chosen).isdisjoint(free)
    options = {"suppress_tokens": [*range(256, 320)], "begin_suppress_tokens": [first]}
    other = pt.audio.SpeechModel(model.model, model.tokenizer, options)
    assert next(iter(other.transcribe(sound(1), language="en"))).tokens[0] != first


def test_failed_texts_are_chosen_again_by_chance() -> None:
    model = tiny()
    options = {"language": "en", "max_tokens": 20, "seed": 3}
    (greedy,) = model.transcribe(sound(1), **options)
    kept = model.transcribe(sound(1), temperature=(0.0, 1.0), logprob_threshold=-99, **options)
    assert list(kept) == [greedy]
    (other,) = model.transcribe(sound(1), temperature=(0.0, 1.0), logprob_threshold=0.0, **options)
    (again,) = model.transcribe(sound(1), temperature=1.0, **options)
    assert other == again != greedy
    (other,) = model.transcribe(
        sound(1), temperature=(0.0, 1.0), compression_ratio_threshold=0.1, **options
    )
    assert other == again


def test_probability_of_tokens_is_that_of_the_whole_model() -> None:
    model = tiny()
    options = {"language": "en", "max_tokens": 8}
    (segment,) = model.transcribe(sound(1), **options)
    own = model.tokens
    features = pt.audio.whisper_features(sound(1), seconds=1.0)
    prompt = [own.start, own.languages["en"], own.tasks["transcribe"], own.no_timestamps]
    memory = model.model.encode(features.reshape((1, 100, 80)))
    logits = model.model([[*prompt, *segment.tokens[:-1]]], memory).numpy()[0, 3:]
    allowed = model.allowed[0].numpy()
    logs = np.where(allowed, logits.astype("float64"), -math.inf)
    logs = logs - np.log(np.exp(logs).sum(-1, keepdims=True))
    assert list(segment.tokens) == logs.argmax(-1).tolist()
    mean = logs.max(-1).mean()
    for threshold, is_kept in ((mean - 1e-3, True), (mean + 1e-3, False)):
        # A window that has failed is skipped if it is silent.
        limits = {"logprob_threshold": threshold, "no_speech_threshold": 0.0}
        assert bool(list(model.transcribe(sound(1), **limits, **options))) is is_kept


def test_silent_windows_are_skipped() -> None:
    model = tiny()
    assert list(model.transcribe(sound(2), language="en", no_speech_threshold=0.0)) == []
    transcription = model.transcribe(sound(2), language="en", no_speech_threshold=1.0)
    assert list(transcription) == list(model.transcribe(sound(2), language="en"))


def test_prompts_come_before_the_sound() -> None:
    model = tiny()
    (plain,) = model.transcribe(sound(1), language="en")
    (named,) = model.transcribe(sound(1), language="en", prompt="Ada and Grace")
    assert plain.tokens != named.tokens
    # Only the end of a long text is used.
    texts = [model.transcribe(sound(1), language="en", prompt="a" * n) for n in (40, 500)]
    assert list(texts[0]) == list(texts[1])


def test_packed_weights_give_nearly_the_same_logits() -> None:
    model = load()
    packed = pt.audio.SpeechModel(
        pt.quantize(model.model, bits=8), model.tokenizer, WANTED["options"]
    )
    (segment,) = packed.transcribe(sound(2), language="en", max_tokens=5)
    (wanted,) = model.transcribe(sound(2), language="en", max_tokens=5)
    assert segment.tokens[:3] == wanted.tokens[:3]


# --- files and arguments --------------------------------------------------------------------------


def test_tokens_are_found_without_options() -> None:
    source = files()
    del source["generation_config.json"]
    model = asyncio.run(pt.audio.load_speech(source))
    assert model.languages == ["de", "en"]
    assert (model.tokens.start, model.tokens.end, model.tokens.first_time) == (257, 256, FIRST_TIME)
    assert model.tokens.previous == 262
    assert model.tokens.tasks == {"transcribe": 261, "translate": 260}


def test_files_of_other_models_raise() -> None:
    other = json.loads(tokenizer_file())
    other["added_tokens"] = other["added_tokens"][:1]
    with pytest.raises(ModelError, match="token is missing; got None for <"):
        asyncio.run(
            pt.audio.load_speech(
                files(decoder_start_token_id=None) | {"tokenizer.json": json.dumps(other).encode()}
            )
        )
    with pytest.raises(ModelError, match="token is missing; got 100000 for"):
        load(decoder_start_token_id=100000)


def test_wrong_arguments_raise() -> None:
    model = tiny()
    with pytest.raises(ShapeError, match=r"must be a row of samples; got shape \(2, 100\)"):
        model.transcribe(np.zeros((2, 100), "float32"))
    with pytest.raises(ShapeError, match="must be a row of samples"):
        model.transcribe(np.zeros(0, "float32"))
    with pytest.raises(DTypeError, match="transcribe: cannot convert str to a tensor"):
        model.transcribe("sound.wav")
    with pytest.raises(ArgumentError, match="transcribe: rate is too small; got 0"):
        model.transcribe(sound(1), 0)
    with pytest.raises(ArgumentError, match="language"):
        model.transcribe(sound(1), language="fr")
    with pytest.raises(ArgumentError, match="task"):
        model.transcribe(sound(1), task="sing")
    with pytest.raises(ArgumentError, match="temperature must be at least 0; got -1"):
        model.transcribe(sound(1), temperature=-1)
    with pytest.raises(ArgumentError, match="max_tokens"):
        model.transcribe(sound(1), max_tokens=0)
    with pytest.raises(ArgumentTypeError, match="model"):
        pt.audio.transcribe("model", sound(1))  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="SpeechToText"):
        pt.audio.SpeechModel("model", model.tokenizer)  # type: ignore[arg-type]
