"""Write the models, pictures and the sound of the analyser's gallery into a folder.

usage: python tools/make_gallery.py FOLDER   (npm and pip download the packages)

web/src/features/analyser/gallery/gallery.json names the files. MobileNetV2 and pix2pix have random
weights. The page of text and the melody are made here. FOLDER/files.json has the sizes, by which
the page also sees that the gallery is there.
"""

from __future__ import annotations

import base64
import json
import math
import re
import shutil
import struct
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
import onnx
from make_bench_models import Network, download, mobilenet_v2, pix2pix
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).parent.parent
GALLERY = ROOT / "web/src/features/analyser/gallery/gallery.json"
NPM = ("@vladmandic/human@3.3.6", "@spotify/basic-pitch@1.0.1")
PYPI = ("rapidocr-onnxruntime==1.4.4", "scikit-image==0.26.0")
OCR = {
    "pp-ocr-det.onnx": "ch_PP-OCRv4_det_infer.onnx",
    "pp-ocr-rec.onnx": "ch_PP-OCRv4_rec_infer.onnx",
    "pp-ocr-cls.onnx": "ch_ppocr_mobile_v2.0_cls_infer.onnx",
}
RATE = 22050
# Start, length in seconds and MIDI number of each note: a scale, then a chord.
MELODY = (
    (0.1, 0.4, 60),
    (0.5, 0.4, 62),
    (0.9, 0.4, 64),
    (1.3, 0.4, 65),
    (1.7, 0.4, 67),
    (2.2, 1.2, 60),
    (2.2, 1.2, 64),
    (2.2, 1.2, 67),
)
SECONDS = 3.6
LINES = (("Tensors in a page", 40), ("read by two networks", 30), ("No. 2026, 11:35", 34))
CREDITS = """Models, pictures and sound of the analyser's gallery
astronaut.jpg  Eileen Collins, by NASA; public domain; from scikit-image
cat.jpg        Chelsea, by Stefan van der Walt; CC0; from scikit-image
body.jpg, hand.jpg  rendered person; MIT licence; from @vladmandic/human
text.png, melody.wav  made by tools/make_gallery.py
blazeface, facemesh, iris, movenet-lightning, handlandmark-lite, handtrack, emotion, centernet
               from @vladmandic/human (MIT licence), which names their authors
basic-pitch    by Spotify; Apache 2.0; from @spotify/basic-pitch
pp-ocr-*.onnx  PP-OCRv4 by PaddlePaddle; Apache 2.0; from rapidocr-onnxruntime
mobilenet-v2, pix2pix  random weights, made by tools/make_gallery.py
"""


def halved(path: Path) -> None:
    """Store the weights of a graph model in half as many bytes, as TensorFlow's converter can."""
    document = json.loads(path.read_text())
    (group,) = document["weightsManifest"]
    data, at, parts = path.with_suffix(".bin").read_bytes(), 0, []
    for weight in group["weights"]:
        size = 4 * math.prod(weight["shape"])
        part = np.frombuffer(data[at : at + size], weight["dtype"])
        at += size
        if weight["dtype"] == "float32":
            weight["quantization"] = {"dtype": "float16", "original_dtype": "float32"}
            part = part.astype("float16")
        parts.append(part.tobytes())
    path.write_text(json.dumps(document))
    path.with_suffix(".bin").write_bytes(b"".join(parts))


def melody(path: Path) -> None:
    """Write notes with five harmonics each that fade out."""
    samples = [0.0] * round(SECONDS * RATE)
    for start, seconds, note in MELODY:
        frequency = 440.0 * 2.0 ** ((note - 69) / 12)
        for at in range(round(seconds * RATE)):
            t = at / RATE
            fade = min(t / 0.01, 1.0, (seconds - t) / 0.05) * math.exp(-1.5 * t)
            parts = (math.sin(2 * math.pi * frequency * k * t) / k**1.5 for k in range(1, 6))
            samples[round(start * RATE) + at] += 0.2 * fade * sum(parts)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(struct.pack(f"<{len(samples)}h", *(round(32000 * s) for s in samples)))


def text_page(path: Path) -> None:
    """Draw lines of text."""
    page = Image.new("RGB", (480, 320), (250, 248, 240))
    for at, (text, size) in enumerate(LINES):
        font = ImageFont.load_default(size)
        ImageDraw.Draw(page).text((30, 34 + 88 * at), text, font=font, fill=(30, 34, 60))
    page.save(path, optimize=True)


def pictures(downloads: Path, folder: Path) -> None:
    for name, target in (("astronaut", "astronaut"), ("chelsea", "cat")):
        image = Image.open(next(downloads.glob(f"**/skimage/data/{name}.png"))).convert("RGB")
        image.save(folder / f"{target}.jpg", quality=88)
    sample = next(downloads.glob("**/*human*/package/src/sample.ts")).read_text()
    data = re.search(r"export const body[^`]*`([^`]*)`", sample)
    assert data is not None
    raw = folder / "body.jpg"
    raw.write_bytes(base64.b64decode(re.sub(r"\s", "", data[1]).split(",")[-1]))
    body = Image.open(raw).convert("RGB")
    # Its right half has a hand that is large enough for the detector.
    body.crop((760, 400, 1080, 720)).save(folder / "hand.jpg", quality=92)
    body.resize((600, 600), Image.Resampling.LANCZOS).save(raw, quality=88)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        downloads = Path(name)
        download(downloads, NPM, PYPI)
        entries = json.loads(GALLERY.read_text())
        wanted = {entry["model"] for entry in entries}
        wanted |= {file for entry in entries for file in entry.get("helpers", {}).values()}
        for file in sorted(wanted):
            target = folder / file
            target.parent.mkdir(exist_ok=True)
            if file in OCR:
                shutil.copy(next(downloads.glob(f"**/models/{OCR[file]}")), target)
            elif file == "basic-pitch/model.json":
                for part in next(downloads.glob("**/package/model")).iterdir():
                    shutil.copy(part, target.parent)
            elif models := list(downloads.glob(f"**/*human*/package/models/{file}")):
                for path in (models[0], models[0].with_suffix(".bin")):
                    shutil.copy(path, folder)
        pictures(downloads, folder)
    mobilenet_v2(Network(1, 224, 224, 3), folder / "mobilenet-v2.json")
    pix2pix(folder / "pix2pix.json", filters=8, side=-1)
    for name in ("mobilenet-v2", "pix2pix"):
        halved(folder / f"{name}.json")
    text_page(folder / "text.png")
    melody(folder / "melody.wav")
    model = onnx.load(folder / "pp-ocr-rec.onnx")
    (characters,) = (p.value for p in model.metadata_props if p.key == "character")
    labels = ["", *characters.splitlines(), " "]
    (folder / "pp-ocr-rec.json").write_text(json.dumps(labels, ensure_ascii=False))
    (folder / "README.txt").write_text(CREDITS)
    files = {
        str(path.relative_to(folder)): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "files.json"
    }
    needed = {
        entry[key] for entry in entries for key in ("model", "input", "labels") if key in entry
    }
    if missing := sorted((wanted | needed) - files.keys()):
        raise FileNotFoundError(f"make_gallery: files are missing; got no {', '.join(missing)}")
    (folder / "files.json").write_text(json.dumps(files, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
