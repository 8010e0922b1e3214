"""Modules, data loaders and files of py_tensor.torch."""

from __future__ import annotations

import copy
import io
import pickle
import zipfile
from pathlib import Path

import pytest

import py_tensor as pt
import py_tensor.torch as torch
from py_tensor import errors
from py_tensor.torch import nn

STATE = Path(__file__).parent / "data" / "state.pt"


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 3), nn.Linear(3, 2)])
        self.register_buffer("scale", torch.tensor(2.0))
        self.register_buffer("cache", torch.zeros(1), persistent=False)
        self.layers[1].bias = None

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x * self.scale


def test_names_of_parameters_buffers_and_state():
    model = Model()
    names = ["layers.0.weight", "layers.0.bias", "layers.1.weight"]
    assert [name for name, _ in model.named_parameters()] == names
    assert list(model.state_dict()) == ["scale", *names]
    assert [name for name, _ in model.named_buffers()] == ["scale", "cache"]
    assert [name for name, _ in model.named_children()] == ["layers"]
    assert sum(p.numel() for p in model.parameters()) == 15


def test_modes_reach_all_modules():
    model = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
    x = torch.ones(50)
    assert model.eval()(x).tolist() == x.tolist()
    assert set(model.train()(x).tolist()) <= {0.0, 2.0, 4.0}
    assert all(module.training for module in model.modules())


def test_state_of_a_model_is_loaded_into_another():
    first, second = Model(), Model()
    assert second.load_state_dict(first.state_dict()) == ([], [])
    assert torch.equal(first.layers[0].weight, second.layers[0].weight)
    with pytest.raises(RuntimeError, match=r"missing \['scale'\]"):
        second.load_state_dict({n: v for n, v in first.state_dict().items() if n != "scale"})
    with pytest.raises(RuntimeError, match="size mismatch for scale"):
        second.load_state_dict(first.state_dict() | {"scale": torch.zeros(2)})


def test_attribute_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="cannot assign to 'weight'"):
        nn.Linear(1, 1).weight = torch.zeros(1)

    class Early(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(torch.zeros(1))

    with pytest.raises(AttributeError, match=r"before Module.__init__\(\)"):
        Early()


def test_tied_parameters_are_listed_once_and_stay_tied_in_copies():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    assert len(list(model.parameters())) == 3
    clone = copy.deepcopy(model)
    assert clone[1].weight is clone[0].weight is not model[0].weight
    assert torch.equal(clone[0].weight, model[0].weight)


def test_hooks_see_calls_until_they_are_removed():
    layer, seen = nn.Linear(1, 1), []
    hook = layer.register_forward_hook(lambda module, args, result: seen.append(result.shape))
    layer(torch.ones(2, 1))
    hook.remove()
    layer(torch.ones(3, 1))
    assert seen == [(2, 1)]


def test_layers_are_shown_as_in_torch():
    text = "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): ReLU()\n)"
    assert repr(nn.Sequential(nn.Linear(2, 3), nn.ReLU())) == text


def test_shapes_of_layers():
    x = torch.ones(2, 3, 8, 8)
    assert nn.Conv2d(3, 4, 3, padding=1, groups=1, bias=False)(x).shape == (2, 4, 8, 8)
    assert nn.ConvTranspose2d(3, 4, 4, 2, 1)(x).shape == (2, 4, 16, 16)
    assert nn.AdaptiveAvgPool2d((1, None))(x).shape == (2, 3, 1, 8)
    assert nn.Flatten()(x).shape == (2, 192)
    output, (h, c) = nn.LSTM(5, 4, 2, batch_first=True, bidirectional=True)(torch.ones(2, 7, 5))
    assert (output.shape, h.shape, c.shape) == ((2, 7, 8), (4, 2, 4), (4, 2, 4))
    decoded = nn.Transformer(8, 2, 1, 1, 16)(torch.ones(3, 2, 8), torch.ones(4, 2, 8))
    assert decoded.shape == (4, 2, 8)
    attended, weights = nn.MultiheadAttention(8, 2, dropout=0.5)(*[torch.ones(3, 2, 8)] * 3)
    assert (attended.shape, weights.shape) == ((3, 2, 8), (2, 3, 3))


def test_dropout_of_attention_drops_weights():
    torch.manual_seed(0)
    q = torch.ones(1, 1, 1, 4)
    kv = torch.ones(1, 1, 64, 4)
    results = [nn.functional.scaled_dot_product_attention(q, kv, kv, dropout_p=0.5) for _ in "ab"]
    assert results[0].tolist() != results[1].tolist()
    assert 0.5 < results[0].mean().item() < 1.5


def test_initial_values_have_the_spread_of_torch():
    torch.manual_seed(0)
    weight = nn.Linear(100, 200).weight
    assert weight.abs().max().item() <= 0.1
    assert weight.std().item() == pytest.approx(0.1 / 3**0.5, rel=0.02)
    values = torch.empty(200, 100)
    assert nn.init.kaiming_normal_(values, nonlinearity="relu") is values
    assert values.std().item() == pytest.approx((2 / 100) ** 0.5, rel=0.02)
    assert nn.init.xavier_uniform_(values).abs().max().item() <= (6 / 300) ** 0.5
    assert nn.init.trunc_normal_(values, std=1.0, a=-1.0, b=1.0).abs().max().item() <= 1.0


def test_seed_repeats_random_numbers():
    draws = []
    for _ in range(2):
        torch.manual_seed(3)
        draws.append([torch.randn(2).tolist(), torch.randperm(5).tolist(), torch.rand(1).item()])
    assert draws[0] == draws[1]
    generator = torch.Generator().manual_seed(1)
    assert torch.randint(0, 9, (4,), generator=generator).max().item() < 9


def test_multinomial_draws_by_weight():
    torch.manual_seed(0)
    drawn = torch.multinomial(torch.tensor([[0.0, 1.0, 3.0]]), 2000, replacement=True)
    assert drawn.shape == (1, 2000)
    assert (drawn == 2).float().mean().item() == pytest.approx(0.75, abs=0.03)
    assert sorted(torch.multinomial(torch.ones(4), 4).tolist()) == [0, 1, 2, 3]


def test_loader_makes_batches_of_samples():
    class Pairs(torch.utils.data.Dataset):
        def __len__(self):
            return 5

        def __getitem__(self, at):
            return {"x": torch.full((2,), float(at)), "y": at}

    loader = torch.utils.data.DataLoader(Pairs(), batch_size=2)
    batches = list(loader)
    assert len(loader) == len(batches) == 3
    assert batches[1]["x"].tolist() == [[2.0, 2.0], [3.0, 3.0]]
    assert batches[1]["y"].tolist() == [2, 3]
    assert len(torch.utils.data.DataLoader(Pairs(), 2, drop_last=True)) == 2


def test_loader_shuffles_and_splits_keep_all_samples():
    data = torch.utils.data.TensorDataset(torch.arange(10))
    torch.manual_seed(0)
    loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
    order = [int(value) for (batch,) in loader for value in batch]
    assert sorted(order) == list(range(10)) != order
    parts = torch.utils.data.random_split(data, [0.7, 0.3])
    assert [len(part) for part in parts] == [7, 3]
    assert sorted(int(x) for part in parts for (x,) in part) == list(range(10))


def test_files_keep_tensors_modules_and_containers():
    file = io.BytesIO()
    tensor = torch.arange(6).view(2, 3)
    torch.save(
        {"step": 3, "x": tensor, "again": tensor, "model": Model(), "half": torch.ones(2).half()},
        file,
    )
    with pytest.raises(pickle.UnpicklingError, match="add_safe_globals"):
        torch.load(file)
    with torch.serialization.safe_globals([Model]):
        loaded = torch.load(file)
    assert loaded["step"] == 3 and loaded["x"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert loaded["half"].dtype == torch.float16
    assert isinstance(loaded["model"], Model)
    assert [p.requires_grad for p in loaded["model"].parameters()] == [True] * 3


def test_pickled_tensors_keep_their_class_and_gradient():
    w = nn.Parameter(torch.tensor([1.0, 2.0]))
    loaded = pickle.loads(pickle.dumps(w))
    assert type(loaded) is nn.Parameter and loaded.requires_grad
    assert loaded.tolist() == [1.0, 2.0]


def test_rare_arguments_of_layers_are_used():
    x = torch.arange(32.0).view(1, 2, 4, 4).sin()
    conv = nn.Conv2d(2, 1, 3, padding=1, padding_mode="circular", bias=False)
    nn.init.ones_(conv.weight)
    assert conv(x).sum().item() == pytest.approx(9 * x.sum().item(), abs=1e-4)
    assert nn.PReLU(2, 0.5)(torch.tensor([[-2.0, -4.0]])).tolist() == [[-1.0, -2.0]]
    for layer in (nn.GroupNorm(1, 2), nn.InstanceNorm2d(2, affine=True), nn.BatchNorm2d(2)):
        assert layer(x).mean().item() == pytest.approx(0.0, abs=1e-5)
    output, h = nn.GRU(3, 2, bidirectional=True)(torch.ones(5, 3))
    assert (output.shape, h.shape) == ((5, 4), (2, 2))
    assert nn.RNNCell(3, 2, nonlinearity="relu")(torch.ones(4, 3)).min().item() >= 0.0
    assert nn.Embedding(3, 2, padding_idx=1).weight[1].tolist() == [0.0, 0.0]
    values = torch.tensor([-1.0, 1.0])
    nn.ReLU(inplace=True)(values)
    assert values.tolist() == [0.0, 1.0]


def test_module_dict_is_changed_as_a_dict():
    modules = nn.ModuleDict({"a": nn.ReLU()})
    modules["b"] = nn.Linear(1, 1)
    modules.update({"c": nn.Tanh()})
    del modules["a"]
    assert list(modules) == list(modules.keys()) == ["b", "c"] and "a" not in modules
    assert len(modules.pop("b").state_dict()) == 2 and len({modules}) == 1


def test_functions_name_a_missing_argument():
    with pytest.raises(TypeError, match="mse_loss: argument is missing"):
        nn.functional.mse_loss(torch.ones(1))


def test_layer_names_a_wrong_argument():
    with pytest.raises(TypeError, match="Linear: missing a required argument: 'out_features'"):
        nn.Linear(2)
    with pytest.raises(TypeError, match="Conv2d: got an unexpected keyword argument 'steps'"):
        nn.Conv2d(1, 1, 3, steps=2)


def test_file_of_torch_is_read():
    loaded = torch.load(STATE)
    assert loaded["epoch"] == 2
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model.load_state_dict(loaded["model"])
    assert model[0].weight.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert model[1].num_batches_tracked.item() == 0
    w = [nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(1))]
    optimizer = torch.optim.Adam(w)
    optimizer.load_state_dict(loaded["optimizer"])
    assert optimizer.state[w[0]]["step"] == 1
    assert optimizer.param_groups[0]["lr"] == 0.25


def test_state_of_an_optimizer_continues_in_another():
    def trained(steps, optimizer, w):
        for _ in range(steps):
            optimizer.zero_grad()
            ((w - 3) ** 2).sum().backward()
            optimizer.step()
        return w.tolist()

    whole = nn.Parameter(torch.zeros(2))
    expected = trained(4, torch.optim.Adam([whole], lr=0.1), whole)
    w = nn.Parameter(torch.zeros(2))
    first = torch.optim.Adam([w], lr=0.1)
    trained(2, first, w)
    file = io.BytesIO()
    torch.save(first.state_dict(), file)
    second = torch.optim.Adam([w], lr=0.5)
    second.load_state_dict(torch.load(file))
    assert trained(2, second, w) == expected


def test_other_files_and_classes_are_refused():
    with pytest.raises(errors.ModelError, match="no zip file"):
        torch.load(io.BytesIO(b"\x80\x02}q\x00."))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", b"cos\nsystem\n(S'exit 1'\ntR.")
    with pytest.raises(pickle.UnpicklingError, match=r"os\.system"):
        torch.load(file)


def test_module_is_exported_to_onnx():
    torch.manual_seed(0)
    model, x, file = nn.Sequential(nn.Linear(2, 3), nn.Tanh()), torch.ones(4, 2), io.BytesIO()
    torch.onnx.export(model, (x,), file)
    result = pt.models.loads(file.getvalue())(pt.ones((4, 2)))
    assert result.reshape(-1).tolist() == pytest.approx(model(x).flatten().tolist())


def test_unknown_names_say_where_to_look():
    with pytest.raises(AttributeError, match="from_pytorch"):
        torch.ones(1).unsqueze(0)
    with pytest.raises(TypeError, match="unknown settings"):
        torch.optim.SGD([torch.zeros(1)], rate=1.0)


def test_dtypes_have_at_most_32_bits():
    assert torch.tensor([1, 2]).dtype == torch.long == torch.int64
    assert torch.zeros(1, dtype=torch.double).dtype == torch.float32
    assert torch.tensor([1.5]).long().tolist() == [1]
    assert repr(torch.tensor([1.0], requires_grad=True)) == "tensor([1.], requires_grad=True)"
    assert torch.ones(2, 3).shape.numel() == 6 and torch.ones(2, 3).size() == torch.Size((2, 3))
