"""`asyncio.run` for tests, also in a thread in which Playwright's own event loop runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any
from unittest.mock import patch

from playwright._impl._sync_base import SyncBase

_run = asyncio.run
_sync = SyncBase._sync


def _beside(self: SyncBase, call: Any) -> Any:
    """Call Playwright from a task of another loop, leaving that task for the time of the call."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task(loop)
    if loop is self._loop:
        return _sync(self, call)
    if task is not None:
        asyncio._leave_task(loop, task)
    asyncio._set_running_loop(self._loop)
    try:
        return _sync(self, call)
    finally:
        asyncio._set_running_loop(loop)
        if task is not None:
            asyncio._enter_task(loop, task)


def run(main: Coroutine[Any, Any, Any], **options: Any) -> Any:
    """Run as asyncio.run does, but also in a thread with a running loop."""
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        with patch.object(SyncBase, "_sync", _beside):
            return _run(main, **options)
    finally:
        asyncio._set_running_loop(outer)
