"""Save and load trees of tensors as safetensors: bytes, files, downloads and browser storage.

Input: a tree of tensors. Output: the bytes of a file, and the tree again.
Read the modules in this order:

    safetensors      the file format: header and entries
    element_formats  convert a file's elements to tensors and back
    trees            to_bytes, from_bytes
    files            save, load
    network          requests of files, with retries
    host_network     the same outside of pages
    file_cache       downloaded files in the browser's storage
    browser          download, upload, fetch, and the browser's storage
"""

from .browser import download, fetch, names, remove, restore, store, upload
from .files import load, save
from .trees import from_bytes, read_metadata, to_bytes, to_bytes_async

__all__ = [
    "download",
    "fetch",
    "from_bytes",
    "load",
    "names",
    "read_metadata",
    "remove",
    "restore",
    "save",
    "store",
    "to_bytes",
    "to_bytes_async",
    "upload",
]
