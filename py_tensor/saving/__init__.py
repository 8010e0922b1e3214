"""Trees of tensors as safetensors: bytes, files, and what a browser downloads and stores."""

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
