"""FarmHash's Fingerprint64, by which TensorFlow puts texts into buckets.

Source: https://github.com/google/farmhash/blob/master/src/farmhash.cc, namespace farmhashna. The
variables have the names that they have in that file.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def fingerprint(text: bytes) -> int:
    """Return an integer of 64 bits that is the same on every machine."""
    n = len(text)
    if n <= 16:
        return _of_16(text, n)
    if n <= 32:
        return _of_32(text, n)
    return _of_64(text, n) if n <= 64 else _of_more(text, n)


def _fetch(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _rotate(x: int, shift: int) -> int:
    x &= _MASK
    return x >> shift | x << 64 - shift & _MASK


def _mixed(x: int) -> int:
    x &= _MASK
    return x ^ x >> 47


def _joined(u: int, v: int, mul: int) -> int:
    a = _mixed((u ^ v) * mul)
    return _mixed((v ^ a) * mul) * mul & _MASK


def _of_16(text: bytes, n: int) -> int:
    if n >= 8:
        mul = _K2 + n * 2
        a, b = _fetch(text, 0) + _K2 & _MASK, _fetch(text, n - 8)
        c, d = _rotate(b, 37) * mul + a, (_rotate(a, 25) + b) * mul
        return _joined(c & _MASK, d & _MASK, mul)
    if n >= 4:
        a, b = (int.from_bytes(text[at : at + 4], "little") for at in (0, n - 4))
        return _joined(n + (a << 3), b, _K2 + n * 2)
    if n == 0:
        return _K2
    y, z = text[0] + (text[n >> 1] << 8), n + (text[-1] << 2)
    return _mixed(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK


def _of_32(text: bytes, n: int) -> int:
    mul = _K2 + n * 2
    a, b = _fetch(text, 0) * _K1 & _MASK, _fetch(text, 8)
    c, d = _fetch(text, n - 8) * mul & _MASK, _fetch(text, n - 16) * _K2
    first = _rotate(a + b, 43) + _rotate(c, 30) + d
    return _joined(first & _MASK, a + _rotate(b + _K2, 18) + c & _MASK, mul)


def _of_64(text: bytes, n: int) -> int:
    mul = _K2 + n * 2
    a, b = _fetch(text, 0) * _K2 & _MASK, _fetch(text, 8)
    c, d = _fetch(text, n - 8) * mul & _MASK, _fetch(text, n - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d & _MASK
    z = _joined(y, a + _rotate(b + _K2, 18) + c & _MASK, mul)
    e, f = _fetch(text, 16) * mul & _MASK, _fetch(text, 24)
    g, h = (y + _fetch(text, n - 32)) * mul & _MASK, (z + _fetch(text, n - 24)) * mul
    first = _rotate(e + f, 43) + _rotate(g, 30) + h
    return _joined(first & _MASK, e + _rotate(f + a, 18) + g & _MASK, mul)


def _seeded(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_fetch(text, at + 8 * byte_hash) for byte_hash in range(4))
    a += w
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    return a + z & _MASK, b + _rotate(a, 44) + c & _MASK


def _of_more(text: bytes, n: int) -> int:
    x, y = 81, 81 * _K1 + 113 & _MASK
    z = _mixed(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _fetch(text, 0)
    end = (n - 1) // 64 * 64

    def step(at: int, mul: int, nine: int) -> None:
        nonlocal x, y, z, v, w
        x = _rotate(x + y + v[0] + _fetch(text, at + 8), 37) * mul & _MASK
        y = _rotate(y + v[1] + _fetch(text, at + 48), 42) * mul & _MASK
        x ^= w[1] * nine & _MASK
        y += v[0] * nine + _fetch(text, at + 40)
        z = _rotate(z + w[0], 33) * mul & _MASK
        v = _seeded(text, at, v[1] * mul, x + w[0])
        w = _seeded(text, at + 32, z + w[1], y + _fetch(text, at + 16))
        x, z = z, x

    for at in range(0, end, 64):
        step(at, _K1, 1)
    mul = _K1 + ((z & 0xFF) << 1)
    w = w[0] + (n - 1 & 63), w[1]
    v = v[0] + w[0], v[1]
    w = w[0] + v[0], w[1]
    step(n - 64, mul, 9)
    first = _joined(v[0] & _MASK, w[0] & _MASK, mul) + _mixed(y) * _K0 + z
    return _joined(first & _MASK, _joined(v[1], w[1], mul) + x & _MASK, mul)
