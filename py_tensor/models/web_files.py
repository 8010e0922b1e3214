"""Read the files of a model from the network: next to an address, or in a repository of a hub.

Input: an address. Output: files by name. A hub lists the files of a repository with their sizes
and digests, so that its files can be read in parts and checked. Source of its answers:
https://huggingface.co/docs/hub/api.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from posixpath import dirname
from typing import Any, NamedTuple
from urllib.parse import quote

from ..errors import BackendError, ModelError
from ..io.file_cache import FileCache, blob_of
from ..io.network import Download, Head, Report, Request, absolute, download, head
from .readers import MemoryReader, Reader

PARALLEL = 4

cache = FileCache("py_tensor.models")
"""Files that `load` keeps in the browser's storage."""

_WRONG = {
    b"<!doctype": "a web page",
    b"<html": "a web page",
    b"<?xml": "an XML document",
    b"version https://git-lfs": "a pointer of Git LFS",
}
"""First bytes of answers that servers send if they do not have the file."""


def check_content(data: Any, address: str) -> None:
    """Raise ModelError if bytes are an answer for people instead of a file."""
    first = bytes(memoryview(data).cast("B")[:64]).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for start, kind in _WRONG.items():
        if first.startswith(start):
            raise ModelError(
                f"load: file is not part of a model; got {kind} for {address}; use the address "
                "from which the file itself is downloaded"
            )


class WebFiles:
    """Files next to a URL."""

    parallel = PARALLEL

    def __init__(
        self, url: str, headers: Mapping[str, str], credentials: str | None, kept: bool
    ) -> None:
        self.address = url.partition("#")[0]
        self._headers = headers
        self._credentials = credentials
        self._kept = kept
        self._heads: dict[str, Head | None] = {}

    def _request(self, name: str) -> Request:
        start, mark, query = self.address.partition("?")
        if name and start.startswith(("blob:", "data:")):
            raise ModelError(
                f'load: model has data in another file; got "{name}" for a URL of a single file; '
                "pass all files of the model"
            )
        address = f"{start.rpartition('/')[0]}/{name}{mark}{query}" if name else self.address
        return Request("load", address, self._headers, self._credentials)

    def _key(self, name: str) -> str:
        """Return the address under which a file is kept."""
        return absolute(self._request(name).url)

    async def size(self, name: str) -> int | None:
        """Ask the server for the size."""
        try:
            answer = await self._head(name)
        except ConnectionError:
            return None
        return answer and answer.size

    async def read(self, name: str, report: Report | None) -> Any:
        """Download a file, or read it from the cache if the server still has the same."""
        request = self._request(name)
        known = await cache.find(self._key(name)) if self._kept else None
        if known is not None:
            try:
                current = await self._head(name)
                is_same = current is not None and current.validator == known.validator
            except ConnectionError:
                is_same = True  # without a network
            data = await cache.read(known, report) if is_same else None
            if data is not None:
                return data
            if is_same:
                known = None
        answer = await download(request, report, known and known.validator)
        if answer is None:
            assert known is not None
            data = await cache.read(known, report)
            if data is not None:
                return data
            answer = await download(request, report)
            assert answer is not None
        check_content(answer.data, request.url)
        validator = self._checked(name, answer)
        if self._kept and validator:
            await cache.store(self._key(name), answer.data, validator)
        return answer.data

    async def reader(self, name: str, report: Report | None) -> Reader:
        """Return the file in memory: most servers do not say whether a later part is of it."""
        return MemoryReader(await self.read(name, report))

    def _checked(self, name: str, answer: Download) -> str | None:
        """Return the validator of a file that has arrived."""
        return answer.validator

    async def _head(self, name: str) -> Head | None:
        if name not in self._heads:
            self._heads[name] = await head(self._request(name))
        return self._heads[name]


# --- hubs -----------------------------------------------------------------------------------------

HUB = "https://huggingface.co"
"""Hub of addresses that begin with hf://."""
_REPOSITORY = re.compile(r"hf://([^/@]+/[^/@]+)(?:@([^/]+))?(?:/(.+))?")
_RESOLVED = re.compile(r"(https?://[^/]+)/([^/]+/[^/]+)/resolve/([^/]+)/([^?#]+)")


class HubAddress(NamedTuple):
    """A repository of a hub, and one of its files; "" for the one that is a model."""

    host: str
    repository: str
    revision: str
    path: str
    is_certain: bool
    """False if another kind of server may have such addresses."""


def hub_address(source: str) -> HubAddress | None:
    """Return the parts of the address of a hub; None for other addresses."""
    if source.startswith("hf://"):
        found = _REPOSITORY.fullmatch(source)
        if found is None:
            raise ModelError(
                f"load: address of a repository is not valid; got {source!r:.80}; use "
                "hf://owner/name, hf://owner/name@revision or hf://owner/name/file"
            )
        repository, revision, path = found.groups("")
        return HubAddress(HUB, repository, revision or "main", path, True)
    found = _RESOLVED.fullmatch(source)
    if found is None:
        return None
    host, repository, revision, path = found.groups()
    return HubAddress(host, repository, revision, path, False)


class HubFile(NamedTuple):
    """Size of a file and its digest: SHA-256 of large files, and that of Git of others."""

    size: int
    digest: str


class HubFiles(WebFiles):
    """Files of a repository. All are of one commit, also if the branch moves meanwhile."""

    def __init__(
        self,
        at: HubAddress,
        headers: Mapping[str, str],
        credentials: str | None,
        kept: bool,
        patterns: Sequence[str],
    ) -> None:
        super().__init__(_resolved(at, at.revision, at.path), headers, credentials, kept)
        self._at = at
        self._patterns = patterns
        self._commit = at.revision
        self._listing: dict[str, HubFile] | None = None

    async def size(self, name: str) -> int | None:
        """Return the size that the hub lists."""
        await self._list()
        return await super().size(name)

    async def is_listed(self) -> bool:
        """Return True if the hub lists the files, so that parts of them can be read."""
        await self._list()
        return bool(self._listing)

    async def read(self, name: str, report: Report | None) -> Any:
        """Download a file and check it, or read it from the cache."""
        await self._list()
        return await super().read(name, report)

    async def reader(self, name: str, report: Report | None) -> Reader:
        """Return a reader of the parts of a file."""
        await self._list()
        file = self._file(name)
        if file is None or not file.size:
            return await super().reader(name, report)
        request, key = self._request(name), self._key(name)
        known = await cache.find(key) if self._kept else None
        blob = None
        if known is not None and known.validator == file.digest:
            blob = await cache.blob(known)
        return _HubReader(file, request, key if self._kept else "", blob, report)

    async def _list(self) -> None:
        """Ask the hub for the files, and choose the one that is the model if none is named."""
        if self._listing is not None:
            return
        host, repository, revision, path, is_certain = self._at
        url = f"{host}/api/models/{repository}/revision/{_quoted(revision)}?blobs=true"
        try:
            data = await WebFiles(url, self._headers, self._credentials, self._kept).read("", None)
            commit, self._listing = _listing(data, url)
        except (BackendError, ModelError):
            if is_certain:
                raise
            self._listing = {}
            return
        self._commit = commit
        if not path:
            path = self._model(self._listing)
            self._at = self._at._replace(path=path)
            self.address = _resolved(self._at, revision, path)

    def _model(self, names: Mapping[str, Any]) -> str:
        """Return the name of the only file of the first pattern that any file has."""
        for pattern in self._patterns:
            matching = [name for name in names if "/" not in name and fnmatchcase(name, pattern)]
            if len(matching) == 1:
                return matching[0]
            if matching:
                names = dict.fromkeys(matching)
                break
        listed = ", ".join(list(names)[:10]) or "no files"
        raise ModelError(
            f"load: repository has no file or several files that may be the model; got {listed}; "
            f"name one: hf://{self._at.repository}/FILE"
        )

    def _path(self, name: str) -> str:
        """Return the name in the repository of a file next to the model's."""
        folder = dirname(self._at.path)
        return f"{folder}/{name}".removeprefix("/") if name else self._at.path

    def _file(self, name: str) -> HubFile | None:
        """Return what the hub lists for a file; raise ModelError if it lists others only."""
        if not self._listing:
            return None
        path = self._path(name)
        if path not in self._listing:
            raise ModelError(
                f'load: repository has no such file; got "{path}" for {self._at.repository} at '
                f"{self._at.revision}; it has {', '.join(list(self._listing)[:10])}"
            )
        return self._listing[path]

    def _request(self, name: str) -> Request:
        self._file(name)
        url = _resolved(self._at, self._commit, self._path(name))
        return Request("load", url, self._headers, self._credentials)

    def _key(self, name: str) -> str:
        return absolute(_resolved(self._at, self._at.revision, self._path(name)))

    async def _head(self, name: str) -> Head | None:
        file = self._file(name)
        return await super()._head(name) if file is None else Head(file.digest, file.size)

    def _checked(self, name: str, answer: Download) -> str | None:
        file = self._file(name)
        if file is None:
            return answer.validator
        digest = _hasher(file)
        digest.update(answer.data)
        _check_digest(file, digest, self._request(name).url)
        return file.digest


class _HubReader:
    """A file that is downloaded in parts; the digest is checked if no part is left out."""

    def __init__(
        self, file: HubFile, request: Request, key: str, blob: Any, report: Report | None
    ) -> None:
        self.size = file.size
        self._file = file
        self._request = request
        self._key = key
        self._blob = blob
        self._report = report
        self._digest = _hasher(file)
        self._done = 0
        """Number of bytes that were read."""
        self._end = 0
        """Offset of the first byte that is not in the digest."""
        self._parts: list[Any] = []

    async def read(self, start: int, stop: int) -> Any:
        """Download a part, or read it from the storage of the browser."""
        stop = min(stop, self.size)
        if start >= stop:
            return b""
        if self._blob is not None:
            data = (await self._blob.slice(start, stop).arrayBuffer()).to_bytes()
        else:
            answer = await download(self._request._replace(span=(start, stop)), self._arrived)
            assert answer is not None
            data = answer.data
            if start == self._end:
                self._digest.update(data)
                self._end = stop
                self._parts.append(blob_of(data) if self._key else None)
        if not start:
            check_content(data, self._request.url)
        self._done += len(data)
        self._arrived(0, None)
        return data

    def _arrived(self, done: int, total: int | None) -> None:
        if self._report is not None:
            self._report(self._done + done, self.size)

    async def finish(self) -> None:
        """Check the digest and keep the file, if it was read from the start to the end."""
        if self._end == self.size:
            _check_digest(self._file, self._digest, self._request.url)
            if self._key:
                await cache.store(self._key, self._parts, self._file.digest)


def _resolved(at: HubAddress, revision: str, path: str) -> str:
    return f"{at.host}/{at.repository}/resolve/{_quoted(revision)}/{_quoted(path, '%/')}"


def _quoted(text: str, safe: str = "%") -> str:
    return quote(text, safe=safe)


def _listing(data: Any, url: str) -> tuple[str, dict[str, HubFile]]:
    """Return the commit and the files of a hub's answer."""
    try:
        answer = json.loads(bytes(data))
        files = {}
        for file in answer["siblings"]:
            large = file.get("lfs") or {}
            size, digest = large.get("size", file["size"]), large.get("sha256", file["blobId"])
            if type(size) is not int or size < 0 or not re.fullmatch("[0-9a-f]{40,64}", digest):
                raise ValueError(f"size {size!r:.20}, digest {digest!r:.70}")
            files[str(file["rfilename"])] = HubFile(size, digest)
        return str(answer["sha"]), files
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(
            f"load: answer of the hub is not a list of files; got {type(error).__name__}: "
            f"{error!s:.80} for {url}; check the address"
        ) from None


def _hasher(file: HubFile) -> Any:
    if len(file.digest) == 64:
        return hashlib.sha256()
    # https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
    return hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)


def _check_digest(file: HubFile, digest: Any, url: str) -> None:
    if digest.hexdigest() != file.digest:
        raise BackendError(
            "load: file is not the one that the hub lists; got digest "
            f"{digest.hexdigest()} instead of {file.digest} for {url}; try again"
        )
