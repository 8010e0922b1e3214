"""Write tests/models/pytorch: small files of torch.save with weights, inputs and outputs.

Run it with PyTorch, which the tests do not need:

    pip install "torch==2.13.0"
    python tests/models/pytorch/make_torch_fixtures.py
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch
from torch import nn

FOLDER = Path(__file__).parent


class Classifier(nn.Module):
    """Convolutions, normalization and a linear layer of flattened images."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Conv2d(4, 4, 3, groups=4, bias=False),
            nn.GroupNorm(2, 4),
            nn.PReLU(4),
            nn.ConvTranspose2d(4, 3, 2, stride=2),
            nn.MaxPool2d(2),
        )
        self.head = nn.Linear(3 * 4 * 6, 5)

    def forward(self, x: Any) -> Any:
        return self.head(self.features(x).flatten(1))


class Tagger(nn.Module):
    """Embedding, recurrent layers of each kind, and layer normalization."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 6)
        self.gru = nn.GRU(6, 4, num_layers=2, batch_first=True)
        self.lstm = nn.LSTM(4, 3, batch_first=True, bidirectional=True)
        self.rnn = nn.RNN(6, 4, batch_first=True)
        self.norm = nn.LayerNorm(4)
        self.scale = nn.Parameter(torch.tensor([0.5, 2.0, -1.0, 1.5]))

    def forward(self, x: Any) -> Any:
        x, _ = self.gru(self.embedding(x))
        x, _ = self.lstm(x)
        x, _ = self.rnn(x)
        return self.norm(x) * self.scale


class Transformer(nn.Module):
    """One encoder and one decoder layer."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True)
        self.attention = nn.MultiheadAttention(8, 2, kdim=6, vdim=5, batch_first=True)

    def forward(self, x: Any) -> Any:
        memory = self.encoder(x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        y = self.decoder(x, memory, tgt_mask=mask)
        return y + self.attention(y, x[..., :6], x[..., :5])[0]


def checkpoint(model: nn.Module, x: Any) -> dict[str, Any]:
    """Return a checkpoint as programs save it, with an input and its output."""
    for name, tensor in model.state_dict().items():
        if name.endswith("running_var"):
            tensor.uniform_(0.5, 2.0)
        elif tensor.is_floating_point():
            tensor.uniform_(-0.5, 0.5)
    model.eval()
    with torch.no_grad():
        y = model(x)
    optimizer = torch.optim.Adam(model.parameters())
    return {
        "model": OrderedDict(("module." + name, w) for name, w in model.state_dict().items()),
        "optimizer": {"param_groups": optimizer.state_dict()["param_groups"]},
        "epoch": 3,
        "args": argparse.Namespace(rate=0.1, name="run"),
        "data": {"x": x, "y": y},
    }


def views() -> dict[str, Any]:
    """Return tensors of every dtype and layout, and the same elements without gaps."""
    base = torch.arange(24.0).reshape(2, 3, 4)
    numbers = torch.tensor([1.5, -2.0, 0.25])
    views = {
        "base": base,
        "transposed": base.transpose(0, 2),
        "sliced": base[:, 1:, ::2],
        "column": base[:, 1, 2],
        "expanded": torch.tensor([[2.0]]).expand(3, 2),
        "diagonal": base.diagonal(0, 0, 1),
        "channels_last": torch.arange(120.0)
        .reshape(2, 3, 4, 5)
        .to(memory_format=torch.channels_last),
        "parameter": nn.Parameter(base[1]),
        "scalar": torch.tensor(2.5),
        "empty": torch.zeros(0, 3),
        "float16": numbers.half(),
        "bfloat16": numbers.bfloat16(),
        "float64": numbers.double(),
        "int64": torch.tensor([[1, -(2**31)], [2**31 - 1, 4]]).T,
        "int16": torch.tensor([-5, 7], dtype=torch.int16),
        "uint8": torch.tensor([0, 255], dtype=torch.uint8),
        "bool": torch.tensor([True, False, True])[1:],
        "complex64": torch.tensor([1 + 2j]),
    }
    plain = {
        name: view.detach().clone(memory_format=torch.contiguous_format)
        for name, view in views.items()
    }
    return {"views": views, "plain": plain, "list": [torch.ones(1), (torch.zeros(2),)]}


def main() -> None:
    torch.manual_seed(0)
    FOLDER.mkdir(parents=True, exist_ok=True)
    torch.save(views(), FOLDER / "views.pt")
    torch.save(views(), FOLDER / "views_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(checkpoint(Classifier(), torch.randn(2, 2, 6, 8)), FOLDER / "classifier.pth")
    torch.save(checkpoint(Tagger(), torch.randint(0, 11, (2, 5))), FOLDER / "tagger.pt")
    torch.save(checkpoint(Transformer(), torch.randn(2, 4, 8)), FOLDER / "transformer.bin")
    torch.save(Classifier(), FOLDER / "module.pt")


if __name__ == "__main__":
    main()
