"""Name the kind of a file that is no model, by its first bytes and its name, and say what to do."""

from posixpath import basename
from typing import Any

HEAD = 512
_INPUT = "open a model first; pictures and sounds are its input, chosen under Try it"
_EXPORT = 'export the model in Python with torch.onnx.export(model, example, "model.onnx")'
_CONVERT = "convert it with tensorflowjs_converter, or with tf2onnx"
_NAMES = (
    ("tokenizer.json", "a tokenizer", "open it together with its model, or choose it under Try it"),
    ("vocab.txt", "a vocabulary", "open it together with its model, or choose it under Try it"),
    ("config.json", "the settings of a model", "open it together with the file of the model"),
    (".mlmodel", "a model of Core ML", "convert the model from which it was made to ONNX"),
    (
        ".bin",
        "weights, as those next to a model.json",
        "open model.json with its .bin files",
    ),
    (".keras", "a file of Keras", "save or download the file again"),
)
_KINDS = (
    (b"\xff\xd8\xff", "a JPEG picture", _INPUT),
    (b"\x89PNG", "a PNG picture", _INPUT),
    (b"GIF8", "a GIF picture", _INPUT),
    (b"RIFF", "a sound, video or WebP picture", _INPUT),
    (b"%PDF", "a PDF document", "choose the file of a model"),
    (b"\x89HDF", "an HDF5 file (.h5)", ""),
    (b"GGUF", "a GGUF file of llama.cpp", ""),
    (b"\x93NUMPY", "an array of NumPy", ""),
    (b"\x80\x02", "a pickle, for example of PyTorch", _EXPORT),
    (b"\x80\x04", "a pickle", _EXPORT),
    (
        b"PK\x03\x04",
        "a zip archive without a model that can be read",
        "put the files of one model into the archive",
    ),
    (b"\x1f\x8b", "a gzip archive", "unpack it, and open the file that is in it"),
    (b"\x08\x01\x12", "a SavedModel of TensorFlow, or ONNX", _CONVERT),
    (b"version https://git-lfs", "a pointer of Git LFS", "download the file itself"),
    (b"<", "a web page or another text with tags", "download the file itself"),
    (b"{", "JSON without a model", "open the model.json of TensorFlow.js with its .bin files"),
)
_TOPOLOGY = (b'"modelTopology"', b'"weightsManifest"', b'"graph-model"', b'"layers-model"')


def kind_of(head: bytes, name: str = "") -> tuple[str, str]:
    """Return the kind of a file, and what to do if it is opened as a model; "" if that depends."""
    if not head:
        return "an empty file", "save or download the file again"
    for end, kind, advice in _NAMES:
        if basename(name) == end or (end[0] == "." and name.endswith(end)):
            return kind, advice
    if any(part in head for part in _TOPOLOGY):
        return "a model of TensorFlow.js", ""
    if head[8:10] == b'{"':
        return "a safetensors file", ""
    if head[4:8] in (b"TFL3", b"ORTM"):
        return ("TFLite" if head[4:8] == b"TFL3" else "an ORT file of ONNX Runtime"), ""
    start = head.lstrip()
    for magic, kind, advice in _KINDS:
        if head.startswith(magic) or (magic in (b"<", b"{") and start.startswith(magic)):
            return kind, advice
    if all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head):
        return "a text", "choose the file of a model"
    if head[:1] == b"\x08" and len(head) > 2:
        return "ONNX, or something that begins like it", ""
    return "bytes of an unknown format", "choose the file of a model, or export the model as ONNX"


async def found_in(source: Any) -> tuple[str, str]:
    """Describe the files of a source, and say what to do with the first; an address has no kind."""
    if isinstance(source, str):
        return source, ""
    files = list(source.items())
    texts, first = [], ""
    for name, file in files[:3]:
        head = (await file.slice(0, HEAD).arrayBuffer()).to_bytes()
        kind, advice = kind_of(head, name)
        first = first if texts else advice
        texts.append(f"{name}, {file.size:,} bytes: {kind}")
    more = len(files) - len(texts)
    found = "; ".join(texts) + (f"; and {more} more files" if more else "")
    return found or "no files", first or "choose the file of a model"
