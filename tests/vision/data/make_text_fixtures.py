"""Record the lines of text that RapidOCR finds in a picture, for the tests of `pt.vision`.

usage: python tests/vision/data/make_text_fixtures.py   (in an environment of its own:
       pip install --no-deps rapidocr-onnxruntime==1.4.4
       pip install opencv-python-headless==5.0.0.93 pillow==13.0.0 pyclipper shapely onnxruntime)

It writes tests/vision/data/text.npz: probabilities of the detection model, as bytes, with the boxes
and scores that its post-processing returns.
"""

from __future__ import annotations

import importlib.util
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

TARGET = Path(__file__).parent / "text.npz"
LINES = (("Hello world", 30, 0), ("tensors in a page", 22, 8), ("1234567890", 26, -20))


def picture() -> np.ndarray:
    page = Image.new("RGB", (320, 224), "white")
    for at, (text, size, angle) in enumerate(LINES):
        line = Image.new("RGBA", (280, 44), (0, 0, 0, 0))
        font = ImageFont.load_default(size)
        ImageDraw.Draw(line).text((20, 4), text, font=font, fill=(20, 20, 60, 255))
        turned = line.rotate(angle, expand=True, resample=Image.Resampling.BICUBIC)
        page.paste(turned, (14, 8 + 62 * at), turned)
    return np.asarray(page)


def main() -> None:
    # The package's own imports need more packages than its post-processing.
    package = importlib.util.find_spec("rapidocr_onnxruntime")
    assert package is not None and package.submodule_search_locations is not None
    folder = Path(package.submodule_search_locations[0])
    spec = importlib.util.spec_from_file_location("utils", folder / "ch_ppocr_det/utils.py")
    assert spec is not None and spec.loader is not None
    utils = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(utils)
    session = onnxruntime.InferenceSession(folder / "models/ch_PP-OCRv4_det_infer.onnx")
    image = picture()[None, ..., ::-1].astype("float32") / 127.5 - 1
    (output,) = session.run(None, {session.get_inputs()[0].name: image.transpose(0, 3, 1, 2)})
    map8 = np.round(output[0, 0] * 255).astype("uint8")
    process = utils.DBPostProcess(thresh=0.3, box_thresh=0.5, unclip_ratio=1.6)
    height, width = map8.shape
    probabilities = (map8 / np.float32(255)).astype("float32")
    boxes, scores = process(probabilities[None, None], (height, width))
    np.savez_compressed(
        TARGET,
        versions=f"rapidocr-onnxruntime {version('rapidocr-onnxruntime')}",
        map=map8,
        boxes=boxes,
        scores=np.float32(scores),
    )


if __name__ == "__main__":
    main()
