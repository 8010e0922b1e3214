"""Serve repositories as a hub does: a list of files, and redirects of large files to a storage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from file_server import FileServer

COMMIT = hashlib.sha1(b"commit").hexdigest()
LARGE = (".safetensors", ".gguf", ".bin", ".onnx")


def publish(
    hub: FileServer,
    storage: FileServer,
    files: Mapping[str, bytes],
    *,
    repository: str = "owner/name",
    revision: str = "main",
    commit: str = COMMIT,
) -> None:
    """Add a repository to a hub, and the contents of its large files to its storage."""
    siblings = []
    for name, data in files.items():
        path = f"{repository}/resolve/{commit}/{name}"
        digest = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
        listed = {"rfilename": name, "size": len(data), "blobId": digest}
        if name.endswith(LARGE):
            content = hashlib.sha256(data).hexdigest()
            listed["lfs"] = {"sha256": content, "size": len(data), "pointerSize": 134}
            storage.files[f"lfs/{content}"] = data
            hub.redirects[path] = f"{storage.url}/lfs/{content}?signed=1"
        else:
            hub.files[path] = data
        siblings.append(listed)
    answer = {"id": repository, "sha": commit, "siblings": siblings}
    hub.files[f"api/models/{repository}/revision/{revision}"] = json.dumps(answer).encode()


def storage_path(data: bytes) -> str:
    """Return the path of a large file in the storage."""
    return f"lfs/{hashlib.sha256(data).hexdigest()}"
