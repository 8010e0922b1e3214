"""Test the pool: freed textures are reused, limited in size and deleted by trim()."""

from __future__ import annotations

from bridge_page import FLOAT32, UINT8, assert_stats, read_floats, upload_floats
from playwright_bridge import PlaywrightBridge

pytest_plugins = ["bridge_fixtures"]

KILOBYTE = (FLOAT32, 64, 1)


def test_a_freed_texture_is_used_again(bridge: PlaywrightBridge) -> None:
    for _ in range(50):
        bridge.alloc(1, *KILOBYTE)
        bridge.free(1)
    assert_stats(bridge, texturesInUse=0, bytesInUse=0, texturesFree=1, bytesFree=1024)


def test_only_the_same_format_and_size_is_used_again(bridge: PlaywrightBridge) -> None:
    bridge.alloc(1, *KILOBYTE)
    bridge.free(1)
    bridge.alloc(2, UINT8, 64, 1)
    bridge.alloc(3, FLOAT32, 32, 1)
    assert_stats(bridge, texturesInUse=2, bytesInUse=256 + 512, texturesFree=1, bytesFree=1024)
    bridge.alloc(4, *KILOBYTE)
    assert_stats(bridge, texturesInUse=3, texturesFree=0, bytesFree=0)


def test_the_oldest_are_deleted_beyond_the_limit(bridge: PlaywrightBridge) -> None:
    bridge.pool_limit(3 * 1024)
    bridge.alloc(1, FLOAT32, 128, 1)
    bridge.alloc(2, *KILOBYTE)
    bridge.alloc(3, *KILOBYTE)
    for handle in (1, 2, 3):
        bridge.free(handle)
    assert_stats(bridge, texturesFree=2, bytesFree=2 * 1024)
    bridge.alloc(1, FLOAT32, 128, 1)
    bridge.free(1)
    assert_stats(bridge, texturesFree=2, bytesFree=3 * 1024)
    bridge.pool_limit(1024)
    assert_stats(bridge, texturesFree=0, bytesFree=0)


def test_a_texture_larger_than_the_limit_is_not_kept(bridge: PlaywrightBridge) -> None:
    bridge.pool_limit(1000)
    bridge.alloc(1, *KILOBYTE)
    bridge.free(1)
    assert_stats(bridge, texturesInUse=0, texturesFree=0, bytesFree=0)


def test_trim_empties_the_pool_and_keeps_buffers_in_use(bridge: PlaywrightBridge) -> None:
    upload_floats(bridge, 1, [1, 2, 3])
    upload_floats(bridge, 2, [4, 5, 6])
    bridge.free(1)
    bridge.trim()
    assert_stats(bridge, texturesInUse=1, bytesInUse=16, texturesFree=0, bytesFree=0)
    assert read_floats(bridge, 2, 3) == [4, 5, 6]


def test_freeing_an_unknown_handle_does_nothing(bridge: PlaywrightBridge) -> None:
    upload_floats(bridge, 1, [1])
    bridge.free(2)
    bridge.free(1)
    bridge.free(1)
    assert_stats(bridge, texturesInUse=0, texturesFree=1)


def test_a_deleted_texture_counts_as_unbound(bridge: PlaywrightBridge) -> None:
    """Check the cached bindings: a driver may reuse the name of a deleted texture."""
    for value in range(20):
        upload_floats(bridge, 1, [value] * 4)
        assert read_floats(bridge, 1, 4) == [value] * 4
        bridge.free(1)
        bridge.trim()
