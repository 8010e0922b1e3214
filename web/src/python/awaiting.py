"""Call functions that may be asynchronous."""

import inspect
from typing import Any


async def awaited(result: Any) -> Any:
    """Return a result, or what it resolves to if it can be awaited."""
    return await result if inspect.isawaitable(result) else result
