"""Compute `torch_expressions` and `torch_programs` with PyTorch 2.14 and write their values.

usage: python tests/pytorch/data/make_torch_values.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from torch_expressions import EXPRESSIONS, computed  # noqa: E402
from torch_programs import PROGRAMS, losses_of  # noqa: E402


def write(name: str, values: dict[str, object]) -> None:
    rows = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items()]
    (FOLDER / name).write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    write("expressions.json", {text: computed(torch, text) for text in EXPRESSIONS})
    write("programs.json", {name: losses_of(torch, name) for name in PROGRAMS})
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    with torch.no_grad():
        model[0].weight.copy_(torch.arange(4.0).view(2, 2))
    parameters = [torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(1))]
    optimizer = torch.optim.Adam(parameters, lr=0.25)
    sum((p + 1).square().sum() for p in parameters).backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 2}
    torch.save(state, FOLDER / "state.pt")
