"""Record what PoseNet, body-pix and Human find, for the tests of `pt.vision`.

usage: npm install --prefix FOLDER @tensorflow/tfjs@4.22.0 @tensorflow-models/posenet@2.2.2 \
           @tensorflow-models/body-pix@2.2.1 @vladmandic/human@3.3.6
       python tests/vision/data/make_pose_fixtures.py FOLDER

It writes tests/vision/data/poses.npz. The picture of a face is one of Human's samples.
"""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

FOLDER = Path(__file__).parent
SIDE = 256


def numbers(values: Any) -> np.ndarray:
    return np.asarray(values, "float32")


def main(folder: Path) -> None:
    samples = folder / "node_modules/@vladmandic/human/src/sample.ts"
    files, images = [], {}
    for name in ("face", "body"):
        match = re.search(rf"export const {name}[^`]*`([^`]*)`", samples.read_text())
        assert match is not None
        data = base64.b64decode(re.sub(r"\s", "", match[1]).split(",")[-1])
        image = Image.open(io.BytesIO(data)).convert("RGB")
        images[name] = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR))
        files.append(folder / f"{name}.rgb")
        files[-1].write_bytes(images[name].tobytes())
        if name == "body":
            # The right half, where a hand is large enough for the detector.
            hand = image.crop((760, 400, 1080, 720))
    files.append(folder / "hand.rgb")
    files[-1].write_bytes(np.asarray(hand).tobytes())
    script = FOLDER / "make_pose_fixtures.mjs"
    subprocess.run(["node", "--preserve-symlinks", script, folder, *files], check=True)
    results = json.loads((folder / "results.json").read_text())
    poses, faces, hands = results["poses"], results["people"], results["people"]["hands"]
    face = faces["boxes"][0]
    raw_scores = numbers(hands["scores"]).reshape((-1, 7))
    likely = raw_scores.max(axis=1) > 0.1  # Human drops all up to 0.3 here
    np.savez_compressed(
        FOLDER / "poses.npz",
        versions=json.dumps(results["versions"]),
        single=numbers(poses["single"]["keypoints"]),
        single_score=numbers(poses["single"]["score"]),
        several=numbers([pose["keypoints"] for pose in poses["several"]]),
        several_scores=numbers([pose["score"] for pose in poses["several"]]),
        people=np.asarray(poses["people"], "int8"),
        face=images["face"],
        face_box=numbers([*face["startPoint"], *face["endPoint"]]),
        face_points=numbers(face["landmarks"]),
        face_score=numbers(face["confidence"]),
        mesh_output=numbers(faces["meshOutput"]),
        mesh=np.asarray(faces["mesh"], "int16"),
        movenet_output=numbers(faces["movenetOutput"]).reshape((1, 1, 17, 3)),
        hand_raw_boxes=numbers(hands["boxes"]).reshape((-1, 4))[likely],
        hand_raw_scores=raw_scores[likely],
        hand_scores=numbers([item["score"] for item in hands["found"]]),
        hand_classes=[item["label"] for item in hands["found"]],
        hand_regions=numbers(hands["regions"]),
        hand_output=numbers(hands["landmarkOutput"]),
        hand_points=numbers(hands["points"]),
        movenet=numbers([item["position"] for item in faces["keypoints"]]),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
