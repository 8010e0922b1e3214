"""Functions that the worker of the chat calls."""

import asyncio
import json
from typing import Any

import chat_host
from chat_session import ChatSession
from context_loss import surviving
from pyodide.ffi import JsProxy

_session = ChatSession(chat_host)
_lock = asyncio.Lock()
AT_ONCE = {"cancel", "stop"}
"""Methods that end the work of another call."""


async def call(method: str, *args: Any) -> str:
    """Call a method of the session, one call at a time except for those in AT_ONCE.

    If the GPU is lost meanwhile, or was lost before, the call is repeated with the model loaded
    again. Objects of JavaScript become dicts and lists; files stay as they are. The result is JSON.
    """
    arguments = [arg.to_py() if isinstance(arg, JsProxy) else arg for arg in args]
    if method in AT_ONCE:
        getattr(_session, method)()
        return "null"

    async def work() -> Any:
        return await getattr(_session, method)(*arguments)

    async with _lock:
        return json.dumps(await surviving(work, _session.recover))
