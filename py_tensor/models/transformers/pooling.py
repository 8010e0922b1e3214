"""Read how a model makes a vector of a text, from the files of sentence-transformers.

Input: the files next to `config.json`. Output: `Pooling`. Source: `Pooling.py` of
https://github.com/UKPLab/sentence-transformers.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ...errors import BackendError, ModelError
from ..sources import Files, is_neighbour

MODES = {
    **{"cls_token": "first", "mean_tokens": "mean", "max_tokens": "max", "lasttoken": "last"},
    **{"cls": "first", "mean": "mean", "max": "max"},
}
"""Values of `pooling` by names in older and newer files."""


class Pooling(NamedTuple):
    """How the vectors of a text's tokens are combined into one vector."""

    kind: str = ""
    """Kind of `TextEncoder`; "" for that of the model."""
    normalize: bool = False
    with_prompt: bool = True
    """False if tokens of the prompt are left out."""


async def pooling_of(files: Files) -> Pooling | None:
    """Return how a model makes vectors of texts; None without a `modules.json`."""
    try:
        data = await files.read("modules.json", None)
    except (BackendError, ModelError, OSError, LookupError):
        return None
    pooling = Pooling()
    for entry in _parsed("modules.json", data, list):
        own = entry if isinstance(entry, dict) else {}
        kind = str(own.get("type")).rpartition(".")[2]
        if kind == "Pooling":
            name = f"{own.get('path')}/config.json"
            if not is_neighbour(name):
                raise _wrong("modules.json", f"{name!r:.80}")
            config = _parsed(name, await files.read(name, None), dict)
            with_prompt = config.get("include_prompt", True) is not False
            pooling = pooling._replace(kind=_mode(config), with_prompt=with_prompt)
        elif kind == "Normalize":
            pooling = pooling._replace(normalize=True)
        elif kind != "Transformer":
            raise ModelError(
                f"load_transformer: module of sentence-transformers is not supported; got "
                f"{own.get('type')!r:.80}; use a model with Transformer, Pooling and Normalize"
            )
    return pooling


def _mode(config: dict[str, Any]) -> str:
    prefix = "pooling_mode_"
    chosen = [key.removeprefix(prefix) for key in config if key.startswith(prefix) and config[key]]
    name = config.get("pooling_mode") or (chosen[0] if len(chosen) == 1 else chosen)
    if not isinstance(name, str) or name not in MODES:
        raise ModelError(
            f"load_transformer: pooling is not supported; got {name!r:.80}; use a model with one "
            f"of {', '.join(MODES)}"
        )
    return MODES[name]


def _parsed(name: str, data: Any, kind: type[Any]) -> Any:
    try:
        content = json.loads(bytes(data))
    except (ValueError, RecursionError) as error:
        raise _wrong(name, f"{error!s:.80}") from None
    if not isinstance(content, kind):
        raise _wrong(name, type(content).__name__)
    return content


def _wrong(name: str, got: str) -> ModelError:
    return ModelError(
        f"load_transformer: {name} is not a file of sentence-transformers; got {got}; download it "
        "again"
    )
