"""Name the kind of a file that is no model, by its first bytes."""

from typing import Any

HEAD = 512
_KINDS = (
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"RIFF", "a sound, video or WebP picture"),
    (b"%PDF", "a PDF document"),
    (b"\x89HDF", "an HDF5 file (.h5)"),
    (b"GGUF", "a GGUF file of llama.cpp"),
    (b"\x80\x02", "a pickle, for example of PyTorch: export the model as ONNX"),
    (b"\x80\x04", "a pickle: export the model as ONNX"),
    (b"PK\x03\x04", "a zip archive without a model that can be read"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (
        b"\x08\x01\x12",
        "a SavedModel of TensorFlow, or ONNX: convert a SavedModel with tensorflowjs_converter",
    ),
    (b"<", "a web page or another text with tags"),
    (b"{", "JSON without a TensorFlow.js model"),
)


def kind_of(head: bytes) -> str:
    """Return the kind of a file as text."""
    if not head:
        return "an empty file"
    start = head.lstrip()
    for magic, kind in _KINDS:
        if head.startswith(magic) or (magic in (b"<", b"{") and start.startswith(magic)):
            return kind
    if all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head):
        return "a text"
    if head[:1] == b"\x08" and len(head) > 2:
        return "ONNX, or something that begins like it"
    if head[4:8] == b"TFL3":
        return "TFLite"
    return "bytes of an unknown format"


async def found_in(source: Any) -> str:
    """Describe the files of a source, or return its address."""
    if isinstance(source, str):
        return source
    files = list(source.items())
    texts = []
    for name, file in files[:3]:
        head = (await file.slice(0, HEAD).arrayBuffer()).to_bytes()
        texts.append(f"{name}, {file.size:,} bytes: {kind_of(head)}")
    more = len(files) - len(texts)
    return "; ".join(texts) + (f"; and {more} more files" if more else "") or "no files"
