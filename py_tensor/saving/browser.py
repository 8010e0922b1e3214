"""Safetensors files of the page: downloads, uploads, the browser's own storage, the network.

Comes in: trees of tensors; goes out: JavaScript's bytes, and back. What needs the page itself, as
saving a file does, cannot be done in a worker, and says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ArgumentError, BackendError
from .trees import from_bytes, to_bytes_async

try:
    import js
    from pyodide.ffi import JsException, create_proxy, to_js
except ImportError:  # ordinary CPython, as each function says when asked
    js = None

_DATABASE = "py_tensor"
_STORE = "trees"
_TYPE = "application/octet-stream"
# Long enough for the browser to have taken the file, however large.
_DOWNLOAD_MILLISECONDS = 60_000


async def download(
    tree: Any, filename: str = "model.safetensors", metadata: Mapping[str, str] | None = None
) -> None:
    """The browser saves a tree of tensors as a safetensors file.

    On the page's thread only: a worker cannot save files, so post it what `to_bytes_async` gives.
    Raises BackendError elsewhere, and what `to_bytes` raises. In a page:

        await pt.saving.download(model, "digits.safetensors", {"epoch": "5"})
    """
    _need_document("download", "post what to_bytes_async gives to the page, and save it there")
    data = await to_bytes_async(tree, metadata)
    blob = js.Blob.new(js.Array.of(to_js(memoryview(data))), type=_TYPE)
    link = js.document.createElement("a")
    link.href = js.URL.createObjectURL(blob)
    link.download = filename
    link.click()
    js.setTimeout(js.URL.revokeObjectURL, _DOWNLOAD_MILLISECONDS, link.href)


async def upload(like: Any = None) -> Any:
    """The tensors of a safetensors file that the user picks, as `from_bytes` gives and raises.

    None where the user picks no file. Call it from a click: browsers open the dialog only then. On
    the page's thread only; a worker gets the file's bytes from the page. Raises BackendError
    elsewhere. In a page:

        model = await pt.saving.upload(like=model) or model
    """
    _need_document("upload", "read the file on the page, post its bytes, and use from_bytes")
    picker = js.document.createElement("input")
    picker.type = "file"
    picker.accept = ".safetensors"
    picker.click()
    if await _event(picker, "change", "cancel") == "cancel" or not picker.files.length:
        return None
    data = await picker.files.item(0).arrayBuffer()
    return from_bytes(data.to_bytes(), like)


async def fetch(
    url: str, like: Any = None, progress: Callable[[int, int | None], None] | None = None
) -> Any:
    """The tensors of the safetensors file at an address, as `from_bytes` gives and raises.

    `progress(done, total)` is called as bytes arrive; `total` is None where the server does not
    say. Raises BackendError where there is no such file, no answer, or no page. In a page:

        model = await pt.saving.fetch("weights/digits.safetensors", like=model)
    """
    _need_page("fetch", "get the file otherwise, and use load")
    try:
        response = await js.fetch(url)
        if not response.ok:
            raise BackendError(
                f"fetch: no file at this address; got {response.status} {response.statusText} for "
                f"{url}; repair the address"
            )
        length = response.headers.get("content-length")
        # The length is that of what crosses the network, packed or not.
        packed = response.headers.get("content-encoding")
        total = int(length) if length and not packed else None
        parts = []
        done = 0
        reader = response.body.getReader()
        while not (chunk := await reader.read()).done:
            parts.append(chunk.value.to_bytes())
            done += len(parts[-1])
            if progress is not None:
                progress(done, total)
    except JsException as error:
        raise BackendError(
            f"fetch: no answer; got {error.name}: {error.message} for {url}; check the address, "
            "and whether that server lets other sites fetch from it (CORS)"
        ) from None
    return from_bytes(b"".join(parts), like)


async def store(name: str, tree: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Keeps a tree of tensors in the browser (IndexedDB), in the place of what has that name.

    Each site has a storage of its own, which outlives the page; the browser may empty it when disk
    space runs short. Works in workers, too. Raises BackendError where the browser refuses, and
    outside of pages. In a page:

        await pt.saving.store("digits", {"model": model, "epoch": 5})
    """
    _need_page("store", "use save")
    data = await to_bytes_async(tree, metadata)
    await _request("store", "readwrite", "put", to_js(memoryview(data)), name)


async def restore(name: str, like: Any = None) -> Any:
    """The tensors stored under a name, as `from_bytes` gives and raises.

    Raises ArgumentError where nothing is stored under that name, BackendError outside of pages. In
    a page:

        saved = await pt.saving.restore("digits", like={"model": model, "epoch": 0})
    """
    _need_page("restore", "use load")
    found = await _request("restore", "readonly", "get", name)
    if found is None or not hasattr(found, "to_bytes"):
        raise ArgumentError(
            f"restore: nothing is stored under that name; got {name!r}; "
            f"stored are {', '.join(map(repr, await names())) or 'none'}"
        )
    return from_bytes(found.to_bytes(), like)


async def names() -> list[str]:
    """The names under which trees are stored in this browser, in order.

    Raises BackendError outside of pages. In a page:

        if "digits" in await pt.saving.names(): ...
    """
    _need_page("names", "list a folder's files")
    return list(await _request("names", "readonly", "getAllKeys"))


async def remove(name: str) -> None:
    """Forgets what is stored under a name; nothing happens where there is nothing.

    Raises BackendError outside of pages. In a page:

        await pt.saving.remove("digits")
    """
    _need_page("remove", "delete the file")
    await _request("remove", "readwrite", "delete", name)


async def _request(operation: str, mode: str, verb: str, *values: Any) -> Any:
    """The result of one request to the store, once it is on disk.

    Pyodide's IDBFS would load all that is stored, and delete what other tabs have stored since.
    """
    database = await _database(operation)
    try:
        transaction = database.transaction(_STORE, mode)
        request = getattr(transaction.objectStore(_STORE), verb)(*values)
        if await _event(transaction, "complete", "abort") == "abort":
            raise _refused(operation, transaction.error or request.error)
        return request.result
    except JsException as error:
        raise _refused(operation, error) from None
    finally:
        database.close()


async def _database(operation: str) -> Any:
    try:
        opening = js.indexedDB.open(_DATABASE, 1)
    except JsException as error:
        raise _refused(operation, error) from None
    create = create_proxy(lambda event: opening.result.createObjectStore(_STORE))
    opening.addEventListener("upgradeneeded", create)
    try:
        if await _event(opening, "success", "error") == "error":
            raise _refused(operation, opening.error)
        return opening.result
    finally:
        opening.removeEventListener("upgradeneeded", create)
        create.destroy()


async def _event(target: Any, *kinds: str) -> str:
    """Waits for the first event of these kinds, and gives its kind."""
    first: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def settle(event: Any) -> None:
        if not first.done():
            first.set_result(event.type)

    listener = create_proxy(settle)
    for kind in kinds:
        target.addEventListener(kind, listener)
    try:
        return await first
    finally:
        for kind in kinds:
            target.removeEventListener(kind, listener)
        listener.destroy()


def _refused(operation: str, error: Any) -> BackendError:
    return BackendError(
        f"{operation}: the browser's storage refused; got {error.name}: {error.message}; "
        "free space with pt.saving.remove, or allow this site to store data"
    )


def _need_page(operation: str, advice: str) -> None:
    if js is None:
        raise BackendError(
            f"{operation}: this Python does not run in a web page; got no module js; {advice}"
        )


def _need_document(operation: str, advice: str) -> None:
    _need_page(operation, "use save and load")
    if not hasattr(js, "document"):
        raise BackendError(f"{operation}: a worker cannot do this; got no document; {advice}")
