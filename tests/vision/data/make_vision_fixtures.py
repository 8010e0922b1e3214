"""Record results of OpenCV, Pillow and librosa for the tests of `pt.vision` and `pt.audio`.

usage: python tests/vision/data/make_vision_fixtures.py   (in an environment of its own:
       pip install opencv-python-headless==5.0.0.93 pillow==13.0.0 librosa==0.11.0)

It writes tests/vision/data/images.npz and tests/audio/data/sounds.npz.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import librosa
import numpy as np
from PIL import Image

TESTS = Path(__file__).parents[2]
SIZES = {"smaller": (5, 8), "larger": (19, 33), "mixed": (7, 30)}
METHODS = {
    "nearest": cv2.INTER_NEAREST_EXACT,
    "bilinear": cv2.INTER_LINEAR,
    "bicubic": cv2.INTER_CUBIC,
    "area": cv2.INTER_AREA,
}
FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}
AFFINE = np.array([[0.9, -0.3, 2.5], [0.2, 1.1, -1.25]], "float32")
PERSPECTIVE = np.array([[1.1, 0.1, -1.0], [-0.1, 0.9, 2.0], [0.004, -0.006, 1.0]], "float32")
RATE = 22050
PACKAGES = ("opencv-python-headless", "pillow", "librosa")


def images() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    image = cv2.GaussianBlur(rng.random((13, 21, 3), dtype="float32"), (3, 3), 0)
    arrays = {"image": image}
    for name, (height, width) in SIZES.items():
        for method, flag in METHODS.items():
            if method == "area" and name != "smaller":
                continue  # OpenCV interpolates if one side grows
            arrays[f"resize {method} {name}"] = cv2.resize(
                image, (width, height), interpolation=flag
            )
        for method, resample in FILTERS.items():
            channels = [
                Image.fromarray(np.ascontiguousarray(image[..., at])).resize(
                    (width, height), resample
                )
                for at in range(3)
            ]
            arrays[f"antialias {method} {name}"] = np.stack([np.asarray(c) for c in channels], -1)
    arrays["pixels"] = pixels = np.rint(image * 255).astype("uint8")
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for name, matrix in (("affine", AFFINE), ("perspective", PERSPECTIVE)):
        arrays[name] = matrix
        function = cv2.warpAffine if name == "affine" else cv2.warpPerspective
        arrays[f"warp {name}"] = function(image, matrix, (17, 11), flags=flags)
        arrays[f"warp {name} of pixels"] = function(pixels, matrix, (17, 11), flags=flags)
    colors = rng.random((64, 1, 3), dtype="float32")
    colors[:4, 0] = np.array([[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 1]])
    arrays["colors"] = colors
    for name in ("HSV", "Lab", "YUV", "GRAY"):
        arrays[name] = cv2.cvtColor(colors, getattr(cv2, f"COLOR_RGB2{name}"))
    corners = rng.random((40, 2)) * 60
    boxes = np.concatenate([corners, rng.random((40, 2)) * 30 + 5], -1).astype("float32")
    scores = rng.random(40).astype("float32")
    arrays["boxes"], arrays["scores"] = boxes, scores
    arrays["kept"] = np.array(cv2.dnn.NMSBoxes(boxes, scores, 0.2, 0.4))
    classes = rng.integers(0, 3, 40)
    arrays["classes"] = classes
    arrays["kept by class"] = np.array(cv2.dnn.NMSBoxesBatched(boxes, scores, classes, 0.2, 0.4))
    whole = boxes.astype("int32").tolist()
    decayed, kept = cv2.dnn.softNMSBoxes(whole, scores.tolist(), 0.2, 0.4, sigma=0.5)
    arrays["kept softly"], arrays["decayed"] = np.array(kept), np.array(decayed)
    return arrays


def sounds() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    time = np.arange(6000) / RATE
    sound = np.sin(2 * np.pi * 440 * time) + 0.5 * np.sin(2 * np.pi * (880 + 900 * time) * time)
    sound = (sound + 0.05 * rng.standard_normal(6000)).astype("float32")
    spectrum = np.abs(librosa.stft(sound, n_fft=512, hop_length=200)) ** 2
    options = {"n_fft": 512, "hop_length": 200, "sr": RATE}
    mel = librosa.feature.melspectrogram(y=sound, n_mels=24, **options)
    htk = librosa.filters.mel(
        sr=16000, n_fft=400, n_mels=20, htk=True, norm=None, fmin=50, fmax=7000
    )
    mfcc = librosa.feature.mfcc(y=sound, n_mfcc=13, n_mels=40, **options)
    notes = {"fmin": 110.0, "n_bins": 36}
    cqt = np.abs(librosa.cqt(sound, sr=RATE, hop_length=512, **notes))
    return {
        "sound": sound,
        "spectrogram": spectrum.T,
        "mel": mel.T,
        "htk": htk.T,
        "db": librosa.power_to_db(mel).T,
        "mfcc": mfcc.T,
        "cqt": cqt.T,
    }


def main() -> None:
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    for name, arrays in (("vision/data/images", images()), ("audio/data/sounds", sounds())):
        stored: dict[str, Any] = {"versions": versions}
        for key, array in arrays.items():
            stored[key] = array.astype("float32") if array.dtype.kind == "f" else array
        target = TESTS / f"{name}.npz"
        target.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(target, **stored)


if __name__ == "__main__":
    main()
