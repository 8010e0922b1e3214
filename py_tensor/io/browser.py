"""Safetensors files in a web page: downloads, uploads, the browser's storage, the network.

Input: trees of tensors. Output: bytes on the JavaScript side, and back. Functions that need the
page's document raise BackendError in a worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ArgumentError, BackendError
from .network import Request, download as download_file
from .trees import from_bytes, to_bytes_async

try:
    import js
    from pyodide.ffi import JsException, create_proxy, to_js
except ImportError:  # CPython outside of a page: each function raises BackendError
    js = None

_DATABASE = "py_tensor"
_STORE = "trees"
_TYPE = "application/octet-stream"
# Long enough for the browser to read even a large file.
_DOWNLOAD_MILLISECONDS = 60_000


async def download(
    tree: Any, filename: str = "model.safetensors", metadata: Mapping[str, str] | None = None
) -> None:
    """Let the browser save a tree of tensors as a safetensors file.

    It works on the page's thread only. In a worker, send the result of `to_bytes_async` to the
    page instead.

    Args:
        tree: Tree of tensors, arrays and numbers, as for `to_bytes`.
        filename: Name of the file; default "model.safetensors".
        metadata: Dict of str to str for the file's header; None (default) for none.

    Raises:
        BackendError: In a worker, and outside of web pages.
        DTypeError: If a leaf is not numeric.
        ArgumentError: If two leaves have one name, or the metadata is not text.

    In a page:

        await pt.io.download(model, "digits.safetensors", {"epoch": "5"})
    """
    _need_document(
        "download", "post the result of to_bytes_async to the page and download it there"
    )
    data = await to_bytes_async(tree, metadata)
    blob = js.Blob.new(js.Array.of(to_js(memoryview(data))), type=_TYPE)
    link = js.document.createElement("a")
    link.href = js.URL.createObjectURL(blob)
    link.download = filename
    link.click()
    js.setTimeout(js.URL.revokeObjectURL, _DOWNLOAD_MILLISECONDS, link.href)


async def upload(like: Any = None) -> Any:
    """Let the user pick a safetensors file, and return its tensors.

    Call it from a click handler, because browsers open the dialog only then. It works on the
    page's thread only.

    Args:
        like: Tree that gives containers and dtypes, as for `from_bytes`; None (default) for a
            dict by name.

    Returns:
        Result of `from_bytes`, or None if the user picks no file.

    Raises:
        BackendError: In a worker, and outside of web pages.
        FormatError: If the file is not a safetensors file; further errors are those of
            `from_bytes`.

    In a page:

        model = await pt.io.upload(like=model) or model
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
    """Download a safetensors file and return its tensors.

    Args:
        url: Address of the file, absolute or relative to the page.
        like: Tree that gives containers and dtypes, as for `from_bytes`; None (default) for a
            dict by name.
        progress: Function (done, total) called as bytes arrive. `total` is None if the server
            does not send it. None (default) for no reports.

    Returns:
        Result of `from_bytes`.

    Raises:
        BackendError: If there is no file at the address, the server does not answer, or this is
            not a web page.
        FormatError: If the file is not a safetensors file; further errors are those of
            `from_bytes`.

    In a page:

        model = await pt.io.fetch("weights/digits.safetensors", like=model)
    """
    _need_page("fetch", "get the file otherwise, and use load")
    file = await download_file(Request("fetch", url), progress)
    assert file is not None
    return from_bytes(file.data, like)


async def store(name: str, tree: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Store a tree of tensors in the browser (IndexedDB), replacing the tree of the same name.

    Each site has its own storage, which persists after the page is closed. The browser may clear
    it if disk space runs short. It works in workers too.

    Args:
        name: Key to restore the tree by.
        tree: Tree of tensors, arrays and numbers, as for `to_bytes`.
        metadata: Dict of str to str for the file's header; None (default) for none.

    Raises:
        BackendError: If the browser refuses, and outside of web pages.
        DTypeError: If a leaf is not numeric.
        ArgumentError: If two leaves have one name, or the metadata is not text.

    In a page:

        await pt.io.store("digits", {"model": model, "epoch": 5})
    """
    _need_page("store", "use save")
    data = await to_bytes_async(tree, metadata)
    await _request("store", "readwrite", "put", to_js(memoryview(data)), name)


async def restore(name: str, like: Any = None) -> Any:
    """Return the tensors stored under a name.

    Args:
        name: Key given to `store`.
        like: Tree that gives containers and dtypes, as for `from_bytes`; None (default) for a
            dict by name.

    Returns:
        Result of `from_bytes`.

    Raises:
        ArgumentError: If nothing is stored under the name; further errors are those of
            `from_bytes`.
        BackendError: If the browser refuses, and outside of web pages.

    In a page:

        saved = await pt.io.restore("digits", like={"model": model, "epoch": 0})
    """
    _need_page("restore", "use load")
    stored = await _request("restore", "readonly", "get", name)
    if stored is None or not hasattr(stored, "to_bytes"):
        raise ArgumentError(
            f"restore: nothing is stored under this name; got {name!r}; stored names are "
            f"{', '.join(map(repr, await names())) or 'none'}"
        )
    return from_bytes(stored.to_bytes(), like)


async def names() -> list[str]:
    """Return the names of all trees stored in this browser, sorted.

    Returns:
        List of str.

    Raises:
        BackendError: If the browser refuses, and outside of web pages.

    In a page:

        if "digits" in await pt.io.names(): ...
    """
    _need_page("names", "list a folder's files")
    return list(await _request("names", "readonly", "getAllKeys"))


async def remove(name: str) -> None:
    """Delete the tree stored under a name; do nothing if there is none.

    Args:
        name: Key given to `store`.

    Raises:
        BackendError: If the browser refuses, and outside of web pages.

    In a page:

        await pt.io.remove("digits")
    """
    _need_page("remove", "delete the file")
    await _request("remove", "readwrite", "delete", name)


async def _request(operation: str, mode: str, verb: str, *values: Any) -> Any:
    """Return the result of one request to the store after its transaction is complete.

    Pyodide's IDBFS is not used: it would load all stored trees, and delete trees that other tabs
    have stored since.
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
    """Wait for the first event of these types, and return its type."""
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
        f"{operation}: the browser's storage failed; got {error.name}: {error.message}; free space "
        "with pt.io.remove, or allow this site to store data"
    )


def in_page() -> bool:
    """Return True if this Python runs in a web page or one of its workers."""
    return js is not None


def _need_page(operation: str, advice: str) -> None:
    if js is None:
        raise BackendError(
            f"{operation}: this Python does not run in a web page; got no module js; {advice}"
        )


def _need_document(operation: str, advice: str) -> None:
    _need_page(operation, "use save and load")
    if not hasattr(js, "document"):
        raise BackendError(f"{operation}: not available in a worker; got no document; {advice}")
