"""Outputs of models of texts as tables: a row for each token, or a vector of the whole text."""

import re
from typing import Any

from findings import Findings, Scene

import py_tensor as pt

LISTED = 8
"""Number of bars, and of elements of vectors that are shown."""
FIRST = 4
"""Elements of each token's vector that are shown."""
BEST = 3
"""Number of tokens that are shown with the largest scores."""
FEW_CLASSES = 100
"""Largest number of classes, if the name of the output does not say that it has scores."""
LONGEST_ANSWER = 30
_SCORES = re.compile(r"logit|score|prob|class|label|predict")
_VECTORS = re.compile(r"hidden|embed|pool|state|vector|feature|encod")


async def found_in_text(scene: Scene) -> Findings:
    """Return tables and bars for all outputs that have tokens, vectors or classes."""
    assert scene.text is not None
    findings = Findings()
    count = len(scene.text.tokens)
    spans: dict[str, pt.Tensor] = {}
    for name, output in scene.outputs.items():
        if output.dtype.kind not in "fiu":
            continue
        x = output.astype("float32")
        if x.ndim == 3 and x.shape[1] >= count:
            findings.tables.append(await _token_table(name, x[0, :count], scene))
        elif x.ndim == 2 and x.shape[1] >= count and name.lower().find("logits") > 0:
            spans[name] = x[0, :count]
        elif x.ndim == 2 and _has_scores(name, x.shape[1]):
            findings.bars += await _classes(x[0], scene.labels)
        elif x.ndim == 2:
            findings.tables.append(await _vector_table(name, x[0]))
    if spans:
        table, answer = await _span_table(spans, scene)
        findings.tables.append(table)
        findings.texts += [f"Answer: {answer}"] if answer else []
    return findings


def _has_scores(name: str, length: int) -> bool:
    lower = name.lower()
    if _SCORES.search(lower) or _VECTORS.search(lower):
        return bool(_SCORES.search(lower))
    return length <= FEW_CLASSES


async def _token_table(name: str, x: pt.Tensor, scene: Scene) -> dict[str, Any]:
    """Return a row for each token: its likeliest tokens or classes, or the start of its vector."""
    tokenizer, tokens = scene.text.tokenizer, scene.text.tokens
    length = x.shape[1]
    is_vocabulary = length >= len(tokenizer) and length > FEW_CLASSES
    if not (is_vocabulary and not _VECTORS.search(name.lower())) and not _has_scores(name, length):
        numbers = await _rows(pt.concat([_norms(x), x[:, :FIRST]], axis=1))
        heads = ["Token", "Length", *map(str, range(min(FIRST, length)))]
        rows = [[token, *map(_short, row)] for token, row in zip(tokens, numbers, strict=True)]
        return _table(f"{name}: a vector of {length} numbers for each token", heads, rows)
    scores, places = pt.topk(pt.softmax(x, axis=-1), min(BEST, length))
    best, numbers = await _rows(places), await _rows(scores)
    labels = None if is_vocabulary else scene.labels
    names = [
        [_name(int(place), labels, tokenizer if is_vocabulary else None) for place in row]
        for row in best
    ]
    rows = [
        [token, *(f"{text} {score:.0%}" for text, score in zip(texts, row, strict=True))]
        for token, texts, row in zip(tokens, names, numbers, strict=True)
    ]
    what = "tokens" if is_vocabulary else "classes"
    heads = ["Token", *(["First", "Second", "Third"][: len(rows[0]) - 1])]
    return _table(f"{name}: the likeliest {what} at each token", heads, rows)


async def _vector_table(name: str, x: pt.Tensor) -> dict[str, Any]:
    """Return the length of a vector and its first elements."""
    (numbers,) = await _rows(pt.concat([_norms(x[None]), x[None, :LISTED]], axis=1))
    heads = ["Part", "Length", *map(str, range(min(LISTED, x.shape[0])))]
    rows = [["text", *map(_short, numbers)]]
    return _table(f"{name}: a vector of {x.shape[0]} numbers for the text", heads, rows)


async def _span_table(spans: dict[str, pt.Tensor], scene: Scene) -> tuple[dict[str, Any], str]:
    """Return probabilities of each token in several outputs, and the answer of start and end."""
    shares = await _rows(pt.stack([pt.softmax(x, axis=-1) for x in spans.values()], axis=1))
    tokens = scene.text.tokens
    rows = [
        [token, *(f"{share:.1%}" for share in row)]
        for token, row in zip(tokens, shares, strict=True)
    ]
    table = _table("Probability of each token", ["Token", *spans], rows)
    names = [*spans]
    starts = [at for at, name in enumerate(names) if "start" in name.lower()]
    ends = [at for at, name in enumerate(names) if "end" in name.lower()]
    if len(starts) != 1 or len(ends) != 1:
        return table, ""
    first, last = max(
        ((start, end) for start in range(len(tokens))
         for end in range(start, min(start + LONGEST_ANSWER, len(tokens)))),
        key=lambda span: shares[span[0]][starts[0]] * shares[span[1]][ends[0]],
    )  # fmt: skip
    return table, scene.text.tokenizer.decode(scene.text.ids[first : last + 1])


async def _classes(x: pt.Tensor, labels: list[str] | None) -> list[tuple[str, float]]:
    scores = pt.sigmoid(x) if x.shape[0] == 1 else pt.softmax(x, axis=-1)
    pt.realize(scores)
    ((*numbers,),) = await _rows(scores[None])
    named = [(_name(at, labels, None), share) for at, share in enumerate(numbers)]
    return sorted(named, key=lambda pair: -pair[1])[:LISTED]


def _name(number: int, labels: list[str] | None, tokenizer: Any) -> str:
    if tokenizer is not None:
        return tokenizer.id_to_token(number) or f"{number}"
    return labels[number] if labels and number < len(labels) else f"class {number}"


def _norms(x: pt.Tensor) -> pt.Tensor:
    return pt.sqrt(pt.sum(x * x, axis=-1, keepdims=True))


async def _rows(x: pt.Tensor) -> list[list[float]]:
    x = x.astype("float32")
    pt.realize(x)
    flat = [*memoryview(await x.data()).cast("B").cast("f")]
    return [flat[at : at + x.shape[1]] for at in range(0, len(flat), x.shape[1])]


def _short(number: float) -> str:
    return f"{number:.3g}"


def _table(caption: str, heads: list[str], rows: list[list[str]]) -> dict[str, Any]:
    return {"caption": caption, "heads": heads, "rows": rows}
