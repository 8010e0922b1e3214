"""Tasks: how outputs of a model are decoded. A row of `TASKS` is all that is known about one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import notes
import regions
import sounds
import text_lines
from awaiting import awaited
from findings import Findings, Scene
from input_shapes import SIDE, example_shapes
from token_tables import found_in_text

import py_tensor as pt

type Shapes = list[tuple[Any, ...]]
"""Declared shapes of the outputs, without the first axis; lengths that calls decide are not int."""

EMOTIONS = ("angry", "disgust", "fear", "happy", "sad", "surprise", "neutral")
EYE_POINTS = 71
ENLARGED = 8
"""Factor by which an eye is enlarged."""
LEAST = 0.4
"""Smallest score of boxes and keypoints that are shown."""
MOST = 20
"""Largest number of boxes that are shown."""
LISTED = 8
"""Number of bars."""
COCO = (
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat",
    "traffic light", "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog",
    "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "backpack", "umbrella",
    "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard", "sports ball", "kite",
    "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle",
    "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich",
    "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch",
    "potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote",
    "keyboard", "cell phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book",
    "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One way to read outputs."""

    name: str
    title: str
    matches: Callable[[Shapes], bool]
    decode: Callable[[Scene], Any]
    """Returns `Findings`, or an awaitable of them."""
    hints: dict[str, Any] = field(default_factory=dict)
    """Options of the input that differ from those that the model's shapes suggest."""
    region: Callable[[Any, pt.Tensor, Any], pt.Tensor] | None = None
    """Region of the picture, found by the first helper."""


# --- decoding -------------------------------------------------------------------------------------


def _faces(scene: Scene) -> Findings:
    faces = regions.faces_of(scene.outputs, MOST, 0.5)
    boxes = pt.vision.transform_boxes(faces.boxes, scene.matrix)
    is_face = (faces.scores > 0.0)[:, None, None]
    points = pt.where(is_face, pt.vision.transform_points(faces.points, scene.matrix), pt.nan)
    return Findings(boxes=boxes, points=points.reshape((-1, 2)))


def _face_mesh(scene: Scene) -> Findings:
    mesh = next(x for x in scene.outputs.values() if x.shape[-1] in (1404, 1434))
    points = pt.vision.decode_landmarks(mesh, _matrices(scene))[0]
    return Findings(points=points[:, :2], radius=1 / 420)


def _iris(scene: Scene) -> Findings:
    """Show the eye alone, since it is small in the picture."""
    assert scene.picture is not None
    height, width = (length * ENLARGED for length in scene.size)
    matrix = _matrices(scene)[0] * pt.asarray([1 / ENLARGED, 1 / ENLARGED, 1.0])
    eye = pt.vision.warp_affine(scene.picture, matrix, (height, width), half_pixel_centers=True)
    points = pt.vision.decode_landmarks(scene.by_shape(228))[0, :, :2] * ENLARGED
    lower, upper = points[:9], points[9:16]
    lines = [pt.concat([part[:-1], part[1:]], axis=1) for part in (lower, upper)]
    return Findings(picture=eye, points=points[EYE_POINTS:], lines=pt.concat(lines), radius=1 / 100)


async def _emotion(scene: Scene) -> Findings:
    scores = await scene.only.reshape((-1,)).data()
    corners = _corners(scene)
    pairs = zip(EMOTIONS, scores, strict=True)
    return Findings(bars=sorted(pairs, key=lambda pair: -pair[1]), lines=corners)


async def _hands(scene: Scene) -> Findings:
    hands = regions.find_hands(scene.outputs, 4)
    boxes = pt.vision.transform_boxes(hands.boxes, scene.matrix)
    rows = await _rows(boxes, hands.scores, hands.classes)
    names = [pt.vision.HAND_CLASSES[int(row[5])].replace("_", " ") for row in rows]
    return _boxes(boxes, rows, names)


async def _hand_points(scene: Scene) -> Findings:
    outputs = [x for x in scene.outputs.values() if x.shape[-1] == 63]
    points = pt.vision.decode_landmarks(outputs[0], _matrices(scene))[0, :, :2]
    ends = [points[pt.asarray([edge[end] for edge in pt.vision.HAND_EDGES])] for end in (0, 1)]
    lines = pt.concat([pt.concat(ends, axis=1), _corners(scene)])
    return Findings(points=points, lines=lines)


def _skeleton(poses: pt.vision.Poses, scene: Scene) -> Findings:
    keypoints = pt.vision.transform_points(poses.keypoints, scene.matrix)
    seen = keypoints[..., 2:] > LEAST * 0.6
    points = pt.where(seen, keypoints[..., :2], pt.nan)
    ends = [points[:, pt.asarray([edge[end] for edge in pt.vision.POSE_EDGES])] for end in (0, 1)]
    lines = pt.concat(ends, axis=-1).reshape((-1, 4))
    return Findings(points=points.reshape((-1, 2)), lines=lines)


def _movenet(scene: Scene) -> Findings:
    output = next(x for x in scene.outputs.values() if x.shape[-2:] == (17, 3) or x.shape[-1] == 56)
    return _skeleton(pt.vision.decode_movenet(output, scene.size), scene)


def _posenet(scene: Scene) -> Findings:
    heatmaps, offsets = scene.by_shape(17), scene.by_shape(34)
    # Some files end before the sigmoid, which has the same largest elements.
    stride = round((scene.size[0] - 1) / max(heatmaps.shape[1] - 1, 1))
    return _skeleton(pt.vision.decode_pose(heatmaps, offsets, stride), scene)


def _body_parts(scene: Scene) -> Findings:
    assert scene.picture is not None
    size = scene.size
    people = pt.vision.resize(scene.by_shape(1), size)
    parts = pt.vision.resize(scene.by_shape(24), size)
    labels = pt.vision.body_parts(pt.vision.person_mask(people), parts)
    return Findings(mask=_over(labels, scene))


def _segments(scene: Scene) -> Findings:
    output = scene.only
    if output.ndim == 4:
        axis = 1 if output.shape[1] < output.shape[3] else 3
        labels = output[0] > 0.5 if output.shape[axis] == 1 else pt.argmax(output, axis=axis)[0]
        labels = labels.squeeze() - 1 if labels.dtype.kind == "b" else labels
    else:
        labels = output[0]
    # Class 0 is the background.
    labels = labels.astype("int32") - (1 if output.ndim == 3 or min(output.shape[1:]) > 1 else 0)
    return Findings(mask=_over(labels, scene))


async def _objects(scene: Scene) -> Findings:
    """Read boxes of CenterNet: left, top, right, bottom, score and class of each."""
    rows = scene.by_shape(6)[0]
    left, top, right, bottom, scores, classes = pt.unstack(rows, axis=-1)
    corners = pt.stack([top, left, bottom, right], axis=-1)
    return await _listed(corners, scores, classes, scene, COCO)


async def _detection_api(scene: Scene) -> Findings:
    """Read boxes of TensorFlow's detection models: fractions of the image, scores and classes."""
    corners = scene.by_shape(4)[0] * pt.asarray([*scene.size, *scene.size], dtype="float32")
    flat = [x[0] for x in scene.outputs.values() if x.ndim == 2 and x.shape[1] > 1]
    largest = [await x.max().data() for x in flat]
    scores, classes = sorted(zip(largest, flat, strict=True), key=lambda pair: pair[0].tolist())
    return await _listed(corners, scores[1], classes[1] - 1.0, scene, None)


async def _text(scene: Scene) -> Findings:
    assert scene.picture is not None
    areas = pt.vision.text_boxes(scene.only)
    if not areas.corners.shape[0]:
        return Findings(texts=[])
    corners = pt.vision.transform_points(areas.corners, scene.matrix)
    lines = pt.concat([corners, pt.roll(corners, -1, axis=1)], axis=-1).reshape((-1, 4))
    boxes = corners.tolist()
    if "lines" not in scene.helpers or scene.labels is None:
        return Findings(lines=lines)
    read = await text_lines.read_lines(scene.picture, boxes, scene.helpers, scene.labels)
    labels = [(text, corners[0][0], corners[0][1]) for text, _, corners in read]
    return Findings(
        lines=lines,
        labels=labels,
        texts=[text for text, *_ in read],
        bars=[(text, confidence) for text, confidence, _ in read],
    )


async def _text_line(scene: Scene) -> Findings:
    if scene.labels is None:
        return await _classes(scene)
    text, confidence = pt.nn.ctc_greedy_decode(scene.only, labels=scene.labels, logits=False)[0]
    return Findings(texts=[text], bars=[(text, confidence)])


async def _notes(scene: Scene) -> Findings:
    frames, onsets = (
        notes.joined(scene.outputs[name], sounds.OVERLAP, scene.frames)
        for name in _frames_and_onsets(scene.outputs)
    )
    pt.realize(frames, onsets)
    values = [_nested(await x.data(), notes.KEYS) for x in (frames, onsets)]
    return Findings(
        notes=sorted(
            [notes.seconds_of(start), notes.seconds_of(end), pitch, amplitude]
            for start, end, pitch, amplitude in notes.notes_of(*values)
        )
    )


def _frames_and_onsets(outputs: dict[str, pt.Tensor]) -> list[str]:
    """Return the names of two outputs: TensorFlow numbers the frames before the onsets."""
    return sorted(name for name, x in outputs.items() if x.shape[-1] == notes.KEYS)


def _picture(scene: Scene) -> Findings:
    output = next(
        x for x in scene.outputs.values() if x.ndim == 4 and 3 in (x.shape[1], x.shape[3])
    )
    image = output[0] if output.shape[3] == 3 else pt.permute_dims(output[0], (1, 2, 0))
    # Networks of this kind end in tanh.
    return Findings(picture=pt.clip(image * 0.5 + 0.5, 0.0, 1.0))


async def _classes(scene: Scene) -> Findings:
    scores = scene.only.reshape((-1,)).astype("float32")
    names = scene.labels if scene.labels and len(scene.labels) == scores.shape[0] else None
    # Logits become probabilities; probabilities stay.
    low, total = pt.min(scores), pt.sum(scores)
    are_probabilities = (low >= 0.0) & (pt.abs(total - 1.0) < 0.01)
    scores = pt.where(are_probabilities, scores, pt.softmax(scores, axis=-1))
    pt.realize(scores)
    await scores.data()
    best = pt.vision.top_labels(scores, k=min(LISTED, scores.shape[0]))
    return Findings(bars=[(names[n] if names else f"class {n}", score) for n, score in best])


async def _tokens(scene: Scene) -> Findings:
    if scene.text is None:
        raise ValueError("tokens: the model takes no text; choose another task")
    return await found_in_text(scene)


def _raw(scene: Scene) -> Findings:
    del scene
    return Findings()


# --- parts of decoding ----------------------------------------------------------------------------


def _matrices(scene: Scene) -> pt.Tensor:
    assert scene.matrix is not None
    return scene.matrix if scene.matrix.ndim == 3 else scene.matrix[None]


def _corners(scene: Scene) -> pt.Tensor:
    """Return the outline of the input in the picture, as lines."""
    height, width = scene.size
    corners = [[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]]
    points = pt.vision.transform_points([corners], _matrices(scene))[0]
    return pt.concat([points, pt.roll(points, -1, axis=0)], axis=1)


def _over(labels: pt.Tensor, scene: Scene) -> pt.Tensor:
    """Bring a map of classes to the size of the picture, whose input had borders or not."""
    assert scene.picture is not None
    height, width = scene.size
    down, across = (n / m for n, m in zip(labels.shape, (height, width), strict=True))
    back = pt.vision.inverse_matrix(_matrices(scene)[0])
    matrix = back * pt.asarray([[across], [down]])
    image = labels.astype("int32")[..., None]
    return pt.vision.warp_affine(
        image,
        matrix,
        scene.picture.shape[:2],
        method="nearest",
        fill_value=-1,
        half_pixel_centers=True,
    )[..., 0]


async def _rows(boxes: pt.Tensor, *columns: pt.Tensor) -> list[list[float]]:
    """Read boxes with further numbers of each."""
    parts = [boxes, *(column.astype("float32")[:, None] for column in columns)]
    table = pt.concat(parts, axis=1)
    pt.realize(table)
    return [row for row in _nested(await table.data(), table.shape[1]) if row[4] > 0.0]


def _nested(flat: Sequence[float], length: int) -> list[list[float]]:
    values = flat.tolist() if hasattr(flat, "tolist") else list(flat)
    if values and isinstance(values[0], list):
        return values
    return [values[start : start + length] for start in range(0, len(values), length)]


async def _listed(
    corners: pt.Tensor,
    scores: pt.Tensor,
    classes: pt.Tensor,
    scene: Scene,
    names: Sequence[str] | None,
) -> Findings:
    kept = pt.vision.non_max_suppression(
        corners,
        scores,
        MOST,
        iou_threshold=0.5,
        score_threshold=LEAST,
        classes=classes,
        padded=True,
    )
    there = kept.scores > 0.0
    boxes = pt.vision.transform_boxes(pt.take(corners, kept.indices, axis=0), scene.matrix)
    boxes = pt.where(there[:, None], boxes, 0.0)
    rows = await _rows(boxes, kept.scores, pt.take(classes, kept.indices))
    numbers = [int(row[5]) for row in rows]
    labels = scene.labels or names
    return _boxes(
        boxes,
        rows,
        [labels[n] if labels and 0 <= n < len(labels) else f"class {n}" for n in numbers],
    )


def _boxes(boxes: pt.Tensor, rows: list[list[float]], names: Sequence[str]) -> Findings:
    """Return boxes with labels at their corners, and their scores as bars."""
    pairs = list(zip(rows, names, strict=True))
    return Findings(
        boxes=boxes,
        labels=[(f"{name} {row[4]:.0%}", row[1], row[0]) for row, name in pairs],
        bars=[(name, row[4]) for row, name in pairs],
    )


# --- recognition ----------------------------------------------------------------------------------


def _ends(*tails: tuple[int, ...]) -> Callable[[Shapes], bool]:
    """Return a test for outputs that end with these lengths, in any order."""
    return lambda shapes: all(any(s[-len(tail) :] == tail for s in shapes) for tail in tails)


def _is_picture(shapes: Shapes) -> bool:
    return len(shapes) == 1 and len(shapes[0]) == 3 and 3 in (shapes[0][0], shapes[0][2])


def _is_segments(shapes: Shapes) -> bool:
    sides = [[n for n in s if isinstance(n, int) and n >= 64] for s in shapes]
    return bool(shapes) and len(shapes) <= 2 and len(shapes[0]) in (2, 3) and len(sides[0]) == 2


def _is_probability_map(shapes: Shapes) -> bool:
    open_sides = len(shapes) == 1 and len(shapes[0]) == 3 and not isinstance(shapes[0][1], int)
    return open_sides and shapes[0][0] == 1


def _is_text_line(shapes: Shapes) -> bool:
    return len(shapes) == 1 and len(shapes[0]) == 2 and isinstance(shapes[0][1], int) and (
        shapes[0][1] > 30 and not isinstance(shapes[0][0], int)
    )  # fmt: skip


def _is_classes(shapes: Shapes) -> bool:
    lengths = [n for n in shapes[0] if n != 1] if shapes else []
    return len(shapes) == 1 and len(lengths) == 1 and isinstance(lengths[0], int)


def _is_detection_api(shapes: Shapes) -> bool:
    pairs = [s for s in shapes if len(s) == 2 and s[1] == 4]
    return len(pairs) == 1 and sum(s == pairs[0][:1] for s in shapes) >= 2


_SIGNED, _BYTES = {"scaling": "signed"}, {"scaling": "bytes"}
_REGION = {"fit": "region"}

TASKS: dict[str, Task] = {
    row.name: row
    for row in (
        Task("faces", "Faces", _ends((512, 16), (512, 1), (384, 16), (384, 1)), _faces, _SIGNED),
        Task(
            "face_mesh", "Face mesh",
            lambda shapes: _ends((1404,))(shapes) or _ends((1434,))(shapes),
            _face_mesh, _REGION, regions.face_region,
        ),
        Task("iris", "Eye and iris", _ends((228,)), _iris, _REGION, regions.eye_region),
        Task(
            "hand_points", "Hand points", _ends((63,), (1,)), _hand_points, _REGION,
            regions.hand_region,
        ),
        Task("hands", "Hands", _ends((12804, 4), (12804, 8)), _hands, _BYTES),
        Task(
            "pose", "Pose (MoveNet)", lambda shapes: _ends((17, 3))(shapes) or _ends((56,))(shapes),
            _movenet, _BYTES,
        ),
        Task(
            "body_parts", "Body parts (BodyPix)", _ends((24,), (48,), (17,)), _body_parts, _SIGNED
        ),
        Task("pose_maps", "Pose (PoseNet)", _ends((17,), (34,), (32,)), _posenet, _SIGNED),
        Task("objects", "Objects (CenterNet)", _ends((100, 6)), _objects, _BYTES),
        Task("detections", "Objects (TensorFlow)", _is_detection_api, _detection_api, _BYTES),
        Task("notes", "Notes", _ends((88,), (264,)), _notes),
        Task("text", "Lines of text", _is_probability_map, _text,
             {"scaling": "signed", "bgr": True, "fit": "stretch"}),
        Task("text_line", "Text of one line", _is_text_line, _text_line,
             {"scaling": "signed", "bgr": True, "height": 48, "width": 320}),
        Task("picture", "Picture", _is_picture, _picture,
             {"scaling": "signed", "fit": "stretch", "height": SIDE, "width": SIDE}),
        Task("segments", "Segments", _is_segments, _segments),
        Task("emotion", "Emotion", lambda shapes: shapes == [(7,)], _emotion,
             {"scaling": "signed", "fit": "region"}, regions.face_region),
        Task("classes", "Classes", _is_classes, _classes, {"fit": "stretch"}),
        # The inputs say whether a model reads texts.
        Task("tokens", "Tokens", lambda shapes: False, _tokens),
        Task("raw", "Numbers only", lambda shapes: True, _raw),
    )
}  # fmt: skip
"""The first task that matches a model is chosen for it."""


def recognized(model: Any) -> str:
    """Return the name of the task that the shapes of a model's outputs belong to."""
    declared = [info.shape for info in model.outputs]
    if None in declared:
        declared = _computed_shapes(model) or [shape for shape in declared if shape]
    shapes = [tuple(shape[1:]) for shape in declared if shape]
    return next(name for name, task in TASKS.items() if task.matches(shapes))


def _computed_shapes(model: Any) -> list[tuple[int, ...]]:
    """Return the shapes of outputs for example inputs, or none if they depend on values."""
    shapes = example_shapes(model)
    specs = {
        info.name: pt.ShapeDtype(tuple(shapes[info.name]), info.dtype or pt.float32)
        for info in model.inputs
    }
    try:
        outputs = pt.eval_shape(lambda **inputs: model.run(inputs), **specs)
    except pt.errors.TensorError:
        return []
    return [output.shape for output in outputs.values()]


async def decoded(task: str, scene: Scene) -> Findings:
    """Return what the outputs mean."""
    return await awaited(TASKS[task].decode(scene))
