"""Test that bytes survive upload and read in every format, size and kind of read."""

from __future__ import annotations

import math
import random
import struct
from array import array

import pytest
from bridge_page import FORMATS, ITEM_SIZES, UINT8, assert_stats, texture_size
from playwright.sync_api import Page
from playwright_bridge import PlaywrightBridge

from py_tensor.compiler.textures.plan import FLOAT32_AS_FLOAT16
from py_tensor.errors import BackendError
from py_tensor.runtime.backends.bridge import OVERFLOWS, UNDERFLOWS

pytest_plugins = ["bridge_fixtures"]

ROW = 4 * 2048
SIZES = (1, 3, 4, 5, 4095, 4096, 4097, ROW - 1, ROW, ROW + 1, 2 * ROW + 6)


def sample(format: int, size: int) -> bytes:
    """Return varied bit patterns without NaN, whose bits a GPU may change."""
    random.seed(f"{format} {size}")
    data = bytearray(random.randbytes(size * ITEM_SIZES[format]))
    if FORMATS[format].startswith("float"):
        width = ITEM_SIZES[format]
        for top in range(width - 1, len(data), width):
            # Clear one exponent bit and set another, so no value is NaN or subnormal.
            data[top] = (data[top] & 0xBF) | 0x20
    return bytes(data)


def read(bridge: PlaywrightBridge, handle: int, length: int) -> bytes:
    target = bytearray(length)
    bridge.read(handle, target)
    return bytes(target)


async def read_async(bridge: PlaywrightBridge, handle: int, target: bytearray) -> None:
    await bridge.read_async(handle, target)


def assert_reads_as(bridge: PlaywrightBridge, handle: int, data: bytes) -> None:
    """Assert that both kinds of read return `data`."""
    assert read(bridge, handle, len(data)) == data
    target = bytearray(len(data))
    with pytest.raises(StopIteration):
        read_async(bridge, handle, target).send(None)
    assert bytes(target) == data


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("format", range(len(FORMATS)), ids=FORMATS)
def test_bytes_round_trip(bridge: PlaywrightBridge, format: int, size: int) -> None:
    data = sample(format, size)
    bridge.upload(1, format, *texture_size(size), data)
    assert_reads_as(bridge, 1, data)
    assert_stats(bridge, uploads=1, reads=2, texturesInUse=1)


@pytest.mark.parametrize("size", SIZES)
def test_float32_stored_as_float16(bridge: PlaywrightBridge, size: int) -> None:
    random.seed(size)
    values = array(
        "f", [random.gauss(0.0, 1.0) * 10.0 ** random.randint(-3, 4) for _ in range(size)]
    )
    assert bridge.upload(1, FLOAT32_AS_FLOAT16, *texture_size(size), values) == 0
    halves = struct.unpack(f"={size}e", struct.pack(f"={size}e", *values))
    assert_reads_as(bridge, 1, struct.pack(f"={size}f", *halves))
    width, height = texture_size(size)
    assert_stats(bridge, uploads=1, reads=2, texturesInUse=1, bytesInUse=8 * width * height)


@pytest.mark.parametrize(
    ("values", "stored", "losses"),
    [
        ([65519.996, -65504.0, math.inf, 0.0], [65504.0, -65504.0, math.inf, 0.0], 0),
        ([65520.0, 1.0], [math.inf, 1.0], OVERFLOWS),
        ([-1e38], [-math.inf], OVERFLOWS),
        ([2.0**-24, 2.0**-25 * 1.0001], [2.0**-24, 2.0**-24], 0),
        ([2.0**-25, 1.0], [0.0, 1.0], UNDERFLOWS),
        ([1.0, 1e-30, 1e30], [1.0, 0.0, math.inf], OVERFLOWS | UNDERFLOWS),
    ],
)
def test_numbers_lost_in_float16_are_reported(
    bridge: PlaywrightBridge, values: list[float], stored: list[float], losses: int
) -> None:
    bridge.upload(1, FLOAT32_AS_FLOAT16, 1, 1, array("f", [1e9] * 4))
    bridge.free(1)
    # Numbers of an earlier upload are not counted.
    assert bridge.upload(2, FLOAT32_AS_FLOAT16, 1, 1, array("f", values)) == losses
    assert read(bridge, 2, 4 * len(values)) == array("f", stored).tobytes()


@pytest.mark.parametrize("format", range(len(FORMATS)), ids=FORMATS)
def test_ten_megabytes_round_trip(bridge_page: Page, bridge: PlaywrightBridge, format: int) -> None:
    """Create and compare the data in the page, because transferring them is slow."""
    same = bridge_page.evaluate(
        """async ([format, itemSize]) => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const length = 10_000_003 - (10_000_003 % itemSize);
          const memory = new Uint8Array(3 * 2 ** 23);
          for (let i = 0; i < length; i++) memory[i] = ((i * 2654435761) >>> 24) & 0x3b;
          const bridge = createBridge({ heap: () => memory });
          bridge.upload(1, format, 2048, Math.ceil(length / itemSize / 8192), 0, length);
          const at = 3 * 2 ** 22;
          const equal = () => {
            let equal = true;
            for (let i = 0; i < length; i++) equal &&= memory[i] === memory[at + i];
            const rest = memory.subarray(at + length).every((byte) => byte === 0);
            memory.fill(0, at);
            return equal && rest;
          };
          bridge.read(1, at, length);
          const blocking = equal();
          await bridge.readAsync(1, at, length);
          const waiting = equal();
          const error = bridge.error();
          bridge.destroy();
          return [blocking, waiting, error];
        }""",
        [format, ITEM_SIZES[format]],
    )
    assert same == [True, True, 0]


def test_nothing_is_touched_outside_the_byte_range(bridge_page: Page) -> None:
    """Use data at odd addresses and at the heap's end; check the bytes around them."""
    results = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const memory = new Uint8Array(65536);
          const bridge = createBridge({ heap: () => memory });
          const wrong = [];
          let handle = 0;
          for (const itemSize of [1, 2, 4])
            for (const count of [1, 3, 5, 8191, 8193])
              for (const odd of [0, 1]) {
                const length = count * itemSize;
                const from = memory.length - length - odd;
                for (let i = 0; i < memory.length; i++) memory[i] = (i * 7) & 0x3f;
                const texels = Math.ceil(count / 4);
                const width = texels > 2048 ? 2048 : 2 ** Math.ceil(Math.log2(texels));
                const format = { 1: 6, 2: 4, 4: 2 }[itemSize];
                bridge.upload(++handle, format, width, Math.ceil(texels / width), from, length);
                const before = memory.slice();
                for (const verb of ["read", "readAsync"]) {
                  memory.fill(99, from, from + length);
                  await bridge[verb](handle, from, length);
                  if (memory.some((byte, i) => byte !== before[i]))
                    wrong.push([verb, itemSize, count, odd]);
                }
              }
          const error = bridge.error();
          bridge.destroy();
          return [wrong, error];
        }"""
    )
    assert results == [[], 0]


def test_errors_are_asked_for_once_after_new_objects(bridge_page: Page) -> None:
    asked = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const { getError } = WebGL2RenderingContext.prototype;
          let count = 0;
          WebGL2RenderingContext.prototype.getError = function () {
            count += 1;
            return getError.call(this);
          };
          const bridge = createBridge({ heap: () => new Uint8Array(64) });
          const seen = [];
          const read = (handle) => {
            count = 0;
            bridge.read(handle, 0, 16);
            seen.push(count);
          };
          bridge.upload(1, 0, 2, 1, 0, 16);
          read(1);
          read(1);
          bridge.upload(2, 0, 2, 1, 0, 16);
          read(1);
          read(2);
          read(2);
          WebGL2RenderingContext.prototype.getError = getError;
          bridge.destroy();
          return seen;
        }"""
    )
    assert asked == [1, 0, 1, 1, 0]


def test_memory_that_grew_is_fetched_again(bridge_page: Page) -> None:
    read = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const memory = new WebAssembly.Memory({ initial: 1, maximum: 4 });
          const bridge = createBridge({ heap: () => new Uint8Array(memory.buffer) });
          new Uint8Array(memory.buffer).set([1, 2, 3, 4, 5]);
          bridge.upload(1, 7, 2, 1, 0, 5);
          const reading = bridge.readAsync(1, 70000, 5);
          memory.grow(1);
          await reading;
          const later = [...new Uint8Array(memory.buffer, 70000, 5)];
          memory.grow(1);
          bridge.read(1, 140000, 5);
          const now = [...new Uint8Array(memory.buffer, 140000, 5)];
          bridge.destroy();
          return [later, now];
        }"""
    )
    assert read == [[1, 2, 3, 4, 5]] * 2


def test_a_failed_comparison_is_detected(bridge: PlaywrightBridge) -> None:
    bridge.upload(1, UINT8, 1, 1, b"abc")
    with pytest.raises(AssertionError):
        assert_reads_as(bridge, 1, b"abd")


def test_formats_without_native_reads_are_narrowed(bridge_page: Page) -> None:
    """Simulate an implementation that reads small integers and float16 only as 32-bit values."""
    wrong = bridge_page.evaluate(
        """async () => {
          const { createFormats, narrow } = await import("/webgl_js_bridge/formats.js");
          const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
          const wrong = [];
          for (const format of createFormats(gl).filter((f) => f.View !== f.WideView)) {
            const bits = new Uint8Array(65536 * format.elementBytes);
            const native = new format.View(bits.buffer);
            for (let i = 0; i < native.length; i++) native[i] = i;
            const wide = new format.WideView(native.length);
            const halves = new DataView(bits.buffer);
            for (let i = 0; i < wide.length; i++)
              wide[i] = format.name === "float16" ? halves.getFloat16(2 * i, true) : native[i];
            const narrowed = new format.View(narrow(wide, format).buffer);
            for (let i = 0; i < wide.length; i++)
              if (narrowed[i] !== native[i] && !Number.isNaN(wide[i])) wrong.push([format.name, i]);
          }
          return wrong.slice(0, 9);
        }"""
    )
    assert wrong == []


@pytest.mark.parametrize("verb", ["read", "read_async"])
def test_reading_an_unknown_handle_raises(bridge: PlaywrightBridge, verb: str) -> None:
    with pytest.raises(BackendError, match="no buffer 7"):
        getattr(bridge, verb)(7, bytearray(4))
    bridge.upload(1, UINT8, 1, 1, b"abc")
    with pytest.raises(BackendError, match="buffer 1 has 4 bytes; got 5 asked"):
        getattr(bridge, verb)(1, bytearray(5))


def test_uploading_too_much_or_twice_raises(bridge: PlaywrightBridge) -> None:
    bridge.upload(1, UINT8, 1, 1, b"12345")
    with pytest.raises(BackendError, match="buffer 1 has 4 bytes; got 5"):
        bridge.flush()
    assert_stats(bridge, texturesInUse=0, uploads=0)
    bridge.upload(1, UINT8, 1, 1, b"1234")
    bridge.upload(1, UINT8, 1, 1, b"1234")
    with pytest.raises(BackendError, match="buffer 1 is in use already; free it first"):
        bridge.flush()
    assert_stats(bridge, texturesInUse=1, uploads=1)


def test_an_empty_buffer_is_read_as_nothing(bridge: PlaywrightBridge) -> None:
    bridge.upload(1, UINT8, 1, 1, b"")
    assert read(bridge, 1, 0) == b""
    bridge.read_async(1, array("f"))
