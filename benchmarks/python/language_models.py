"""Models of texts and speech with random weights of true shapes: prompts, encoders, decoding."""

import json
from collections import defaultdict
from time import perf_counter

import py_tensor as pt

SHAPES = {
    "SmolLM2-135M": pt.nn.DecoderOptions(
        vocabulary=49152,
        features=576,
        layers=30,
        heads=9,
        hidden=1536,
        key_heads=3,
        epsilon=1e-5,
        rotary_base=100000.0,
    ),
    "Qwen3-0.6B": pt.nn.DecoderOptions(
        vocabulary=151936,
        features=1024,
        layers=28,
        heads=16,
        hidden=3072,
        key_heads=8,
        head_features=128,
        head_norm=True,
        rotary_base=1000000.0,
    ),
    "small": pt.nn.DecoderOptions(
        vocabulary=300, features=64, layers=2, heads=4, hidden=128, key_heads=2
    ),
}

TEXTS = {
    "MiniLM-L6": (pt.nn.EncoderOptions(384, 6, 12, 1536), 30522, (32, 128)),
    "small texts": (pt.nn.EncoderOptions(64, 2, 4, 128), 300, (2, 8)),
}
SOUNDS = {
    "Whisper-tiny": (pt.nn.EncoderOptions(384, 4, 6, 1536, epsilon=1e-5), 51865, 30),
    "small sounds": (pt.nn.EncoderOptions(64, 2, 4, 128, epsilon=1e-5), 300, 1),
}


def step(model, tokens, cache):
    logits, cache = model(tokens, cache=cache, last=True)
    return pt.argmax(logits, axis=-1), cache


def hear(model, sound):
    features = pt.audio.whisper_features(sound, seconds=None)
    return model.empty_cache(model.encode(features), 448)


def write(model, tokens, written, sound):
    logits, cache = model(tokens, cache=pt.nn.SpeechCache(written, sound), last=True)
    return pt.argmax(logits, axis=-1), cache.tokens


def embed(model, tokens, mask):
    return model.embed(tokens, mask=mask)


async def load(backend, name, bits):
    """Make a model with random weights on a backend; bits=0 keeps float32."""
    if backend:
        await pt.ready(backend)
        pt.set_backend(backend)
    pt.random.seed(0)
    if name in TEXTS:
        return Texts(*TEXTS[name])
    return Sounds(*SOUNDS[name]) if name in SOUNDS else Measured(name, bits)


class Measured:
    """A model, a cache of 1,024 positions and its jitted step."""

    decodes = True

    def __init__(self, name, bits):
        self.model = pt.nn.CausalDecoder(SHAPES[name])
        if bits:
            self.model = pt.quantize(self.model, bits=bits)
        pt.realize(*self.model.state_dict().values())
        self.step = pt.jit(step, donate_argnums=2)

    def restart(self, length):
        self.cache = self.model.empty_cache(1, length)

    async def prompt(self, count, length):
        """Return milliseconds of a prompt until its first token is read."""
        self.restart(length)
        tokens = pt.arange(count, dtype="int32").reshape((1, count))
        pt.realize(tokens)
        start = perf_counter()
        self.token, self.cache = self.step(self.model, tokens, self.cache)
        await self.token.data()
        return (perf_counter() - start) * 1e3

    async def decode(self, count):
        """Return milliseconds a token; each is read while the next one is computed."""
        start = perf_counter()
        before = self.token
        submitting = 0.0
        for _ in range(count):
            begin = perf_counter()
            token, self.cache = self.step(self.model, before, self.cache)
            pt.realize(token)
            submitting += perf_counter() - begin
            await before.data()
            before = token
        await before.data()
        self.token = before
        self.thread_ms = submitting * 1e3 / count
        return (perf_counter() - start) * 1e3 / count

    async def kernels(self):
        """Return the kernels of a token as JSON: name, shape of the result, count, microseconds."""

        async def token():
            await self.decode(1)

        await token()
        profile = await pt.profile(token)
        times = defaultdict(list)
        for run in profile.kernels:
            times[run.name, str(run.output_shape)].append(run.ms or 0.0)
        rows = [[*key, len(ms), round(sum(ms) * 1e3)] for key, ms in times.items()]
        return json.dumps(sorted(rows, key=lambda row: -row[-1]))

    def memory(self):
        return pt.memory().num_bytes


class Texts(Measured):
    """Vectors of a batch of texts."""

    decodes = False

    def __init__(self, options, vocabulary, shape):
        self.model = pt.nn.TextEncoder(options, vocabulary, 512, types=2, normalize=True)
        self.tokens = pt.arange(shape[0] * shape[1], dtype="int32").reshape(shape) % vocabulary
        self.mask = pt.ones(shape, dtype="int32")
        pt.realize(*self.model.state_dict().values(), self.tokens, self.mask)
        self.embed = pt.jit(embed)

    async def encode(self):
        """Return milliseconds until the vectors are read."""
        start = perf_counter()
        await self.embed(self.model, self.tokens, self.mask).data()
        return (perf_counter() - start) * 1e3


class Sounds(Measured):
    """Features of a sound, the encoder, and the decoder with a cache of 448 positions."""

    def __init__(self, options, vocabulary, seconds):
        self.model = pt.nn.SpeechToText(options, vocabulary)
        self.sound = pt.sin(pt.arange(seconds * 16000).reshape((1, -1)) * 0.05)
        pt.realize(*self.model.state_dict().values(), self.sound)
        self.hear = pt.jit(hear)
        self.write = pt.jit(write, donate_argnums=2)

    async def encode(self):
        """Return milliseconds until the decoder can start; wait for a value of the last block."""
        start = perf_counter()
        cache = self.hear(self.model, self.sound)
        await cache.sound[-1].values[0, 0, 0].data()
        milliseconds = (perf_counter() - start) * 1e3
        self.cache, self.heard = cache.tokens, cache.sound
        self.token = pt.zeros((1, 1), dtype="int32")
        return milliseconds

    def step(self, model, tokens, cache):
        return self.write(model, tokens, cache, self.heard)
