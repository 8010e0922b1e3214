"""Record poses, masks and faces that PoseNet, body-pix and Human find, for the tests of `pt.vision`.

usage: npm install --prefix FOLDER @tensorflow/tfjs@4.22.0 @tensorflow-models/posenet@2.2.2 \
           @tensorflow-models/body-pix@2.2.1 @vladmandic/human@3.3.6
       python tools/make_pose_fixtures.py FOLDER

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

import numpy as np
from PIL import Image

ROOT = Path(__file__).parent.parent
SIDE = 256


def main(folder: Path) -> None:
    samples = folder / "node_modules/@vladmandic/human/src/sample.ts"
    files, images = [], {}
    for name in ("face", "body"):
        found = re.search(rf"export const {name}[^`]*`([^`]*)`", samples.read_text())
        assert found is not None
        data = base64.b64decode(re.sub(r"\s", "", found[1]).split(",")[-1])
        image = Image.open(io.BytesIO(data)).convert("RGB")
        images[name] = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR))
        files.append(folder / f"{name}.rgb")
        files[-1].write_bytes(images[name].tobytes())
    script = ROOT / "tools/make_pose_fixtures.mjs"
    subprocess.run(["node", "--preserve-symlinks", script, folder, *files], check=True)
    results = json.loads((folder / "results.json").read_text())
    poses, faces = results["poses"], results["faces"]
    face = faces["boxes"][0]
    np.savez_compressed(
        ROOT / "tests/vision/data/poses.npz",
        versions=json.dumps(results["versions"]),
        single=np.float32(poses["single"]["keypoints"]),
        single_score=np.float32(poses["single"]["score"]),
        several=np.float32([pose["keypoints"] for pose in poses["several"]]),
        several_scores=np.float32([pose["score"] for pose in poses["several"]]),
        people=np.int8(poses["people"]),
        face=images["face"],
        face_box=np.float32([*face["startPoint"], *face["endPoint"]]),
        face_points=np.float32(face["landmarks"]),
        face_score=np.float32(face["confidence"]),
        mesh_output=np.float32(faces["meshOutput"]),
        mesh=np.int16(faces["mesh"]),
        movenet_output=np.float32(faces["movenetOutput"]).reshape((1, 1, 17, 3)),
        movenet=np.float32([each["position"] for each in faces["keypoints"]]),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
