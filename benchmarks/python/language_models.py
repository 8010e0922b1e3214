"""Language models with random weights of true shapes: speed of prompts and of decoding."""

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


def step(model, tokens, cache):
    logits, cache = model(tokens, cache=cache, last=True)
    return pt.argmax(logits, axis=-1), cache


async def load(backend, name, bits):
    """Make a model with random weights on a backend; bits=0 keeps float32."""
    if backend:
        await pt.ready(backend)
        pt.set_backend(backend)
    pt.random.seed(0)
    return Measured(name, bits)


class Measured:
    """A model, a cache of 1,024 positions and its jitted step."""

    def __init__(self, name, bits):
        self.model = pt.nn.CausalDecoder(SHAPES[name])
        if bits:
            self.model = pt.quantize(self.model, bits=bits)
        pt.realize(*self.model.state_dict().values())
        self.step = pt.jit(step, donate_argnums=2)
        self.position = 0

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
