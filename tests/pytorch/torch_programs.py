"""Training programs, run with PyTorch for `data/programs.json` and with py_tensor.torch in tests.

Each program returns the losses of its steps. Parameters start from sines, so both start equally.
"""

from __future__ import annotations

import math


def start(torch, model):
    """Give the parameters of a model values that need no random numbers."""
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            values = torch.arange(float(parameter.numel())) * 0.61 + number
            parameter.copy_(values.sin().view(parameter.shape) * 0.3)
    return model


def numbers(torch, *shape):
    return (torch.arange(float(math.prod(shape))) * 0.7).sin().view(*shape)


def language_model(torch):
    """A transformer with tied embeddings, AdamW with groups, and clipped gradients."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(8)
            self.attend = nn.Linear(8, 24, bias=False)
            self.feed = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8), nn.Dropout(0))

        def forward(self, x):
            b, t, c = x.size()
            q, k, v = self.attend(self.norm(x)).split(c, dim=2)
            q, k, v = (y.view(b, t, 2, c // 2).transpose(1, 2) for y in (q, k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return x + self.feed(y.transpose(1, 2).contiguous().view(b, t, c))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleDict(
                {"tokens": nn.Embedding(11, 8), "places": nn.Embedding(6, 8),
                 "blocks": nn.ModuleList([Block() for _ in range(2)])}
            )  # fmt: skip
            self.head = nn.Linear(8, 11, bias=False)
            self.parts.tokens.weight = self.head.weight

        def forward(self, ids, targets):
            places = torch.arange(0, ids.size(1), dtype=torch.long, device=ids.device)
            x = self.parts.tokens(ids) + self.parts.places(places)
            for block in self.parts.blocks:
                x = block(x)
            logits = self.head(x)
            return F.cross_entropy(
                logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
            )

    model = start(torch, Model())
    assert len(list(model.parameters())) == len(list(model.state_dict())) - 1
    groups = [
        {"params": [p for p in model.parameters() if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=0.01, betas=(0.9, 0.95))
    losses = []
    for step in range(5):
        ids = (torch.arange(18) * (step + 3) % 11).view(3, 6)
        targets = ids.roll(-1, 1)
        targets[:, -1] = -1
        loss = model(ids, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def images(torch):
    """A convolutional network with batch normalization, a schedule and a data loader."""
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 4, 3, 1)
            self.norm = nn.BatchNorm2d(4)
            self.conv2 = nn.Conv2d(4, 4, 3, padding=1, stride=2)
            self.fc = nn.Linear(16, 3)

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
            x = F.relu(self.conv2(x))
            return F.log_softmax(self.fc(torch.flatten(x, 1)), dim=1)

    model = start(torch, Net())
    data = torch.utils.data.TensorDataset(numbers(torch, 10, 1, 8, 8), torch.arange(10) % 3)
    loader = torch.utils.data.DataLoader(data, batch_size=4)
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    losses = []
    for _ in range(2):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        model.eval()
        with torch.no_grad():
            losses.append(sum(F.nll_loss(model(x), y, reduction="sum").item() for x, y in loader))
            found = [model(x).argmax(dim=1, keepdim=True) for x, y in loader]
            losses.append(float(torch.cat(found).sum().item()))
    return [*losses, model.norm.running_var.sum().item()]


def autoencoder(torch):
    """A variational autoencoder with given noise, and Adam."""
    nn, F = torch.nn, torch.nn.functional

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(12, 8)
            self.mean, self.spread = nn.Linear(8, 2), nn.Linear(8, 2)
            self.fc3, self.fc4 = nn.Linear(2, 8), nn.Linear(8, 12)

        def forward(self, x, noise):
            h = F.relu(self.fc1(x.view(-1, 12)))
            mean, logvar = self.mean(h), self.spread(h)
            z = mean + noise * torch.exp(0.5 * logvar)
            return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mean, logvar

    model = start(torch, VAE())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = numbers(torch, 5, 1, 3, 4).abs()
    losses = []
    for step in range(5):
        optimizer.zero_grad()
        y, mean, logvar = model(x, numbers(torch, 5, 2) * step)
        loss = F.binary_cross_entropy(y, x.view(-1, 12), reduction="sum")
        loss = loss - 0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def words(torch, kind):
    """A recurrent language model, or a transformer; its parameters change without an optimizer."""
    nn, F = torch.nn, torch.nn.functional

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Embedding(9, 6)
            if kind == "Transformer":
                layer = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0)
                self.rnn = nn.TransformerEncoder(layer, 2)
            elif kind == "RNN_RELU":
                self.rnn = nn.RNN(6, 6, 2, nonlinearity="relu")
            else:
                self.rnn = getattr(nn, kind)(6, 6, 2, bidirectional=False)
            self.decoder = nn.Linear(6, 9)
            self.decoder.weight = self.encoder.weight

        def forward(self, x, hidden):
            x = self.encoder(x)
            if kind == "Transformer":
                mask = torch.log(torch.tril(torch.ones(len(x), len(x))))
                output = self.rnn(x, mask=mask)
            else:
                output, hidden = self.rnn(x, hidden)
            return F.log_softmax(self.decoder(output).view(-1, 9), dim=1), hidden

    model = start(torch, Model())
    source = (torch.arange(84) ** 2 % 9).view(4, 21).t().contiguous()
    hidden, losses = None, []
    for at in range(0, 20, 5):
        x, targets = source[at : at + 5], source[at + 1 : at + 6].view(-1)
        model.zero_grad()
        if hidden is not None:
            hidden = tuple(h.detach() for h in hidden) if kind == "LSTM" else hidden.detach()
        output, hidden = model(x, hidden)
        loss = nn.NLLLoss()(output, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-2.0)
        losses.append(loss.item())
    return losses


def waves(torch):
    """Cells of a recurrent layer over time, and L-BFGS."""
    nn = torch.nn

    class Sequence(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.LSTMCell(1, 5), nn.GRUCell(5, 4)
            self.linear = nn.Linear(4, 1)

        def forward(self, x):
            state = torch.zeros(x.size(0), 5), torch.zeros(x.size(0), 5)
            h, outputs = torch.zeros(x.size(0), 4), []
            for part in x.split(1, dim=1):
                state = self.first(part, state)
                h = self.second(state[0], h)
                outputs += [self.linear(h)]
            return torch.cat(outputs, dim=1)

    model, criterion = start(torch, Sequence()), nn.MSELoss()
    data = numbers(torch, 2, 9)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=6)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = criterion(model(data[:, :-1]), data[:, 1:])
        losses.append(loss.item())
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return losses


def curve(torch):
    """A polynomial that is fitted by assigning to `data`."""
    F = torch.nn.functional
    x = torch.linspace(-1, 1, 16).unsqueeze(1)
    x = torch.cat([x**i for i in range(1, 5)], 1)
    y = x.mm(torch.tensor([[1.0], [-2.0], [0.5], [3.0]])) + 0.7
    model, losses = start(torch, torch.nn.Linear(4, 1)), []
    for _ in range(5):
        model.zero_grad()
        output = F.smooth_l1_loss(model(x), y)
        losses.append(output.item())
        output.backward()
        for param in model.parameters():
            param.data.add_(-0.1 * param.grad)
    return [*losses, *model.weight.view(-1).tolist()]


def rules(torch, name, settings):
    """A few steps of an optimizer."""
    w = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))
    optimizer = getattr(torch.optim, name)([w], **settings)
    values = []
    for step in range(4):
        optimizer.zero_grad()
        ((w - step) ** 4 + w.abs()).sum().backward()
        optimizer.step()
        values += w.tolist()
    return values


def schedules(torch, name, settings):
    """Rates of a schedule."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.8)
    schedule = getattr(torch.optim.lr_scheduler, name)(optimizer, **settings)
    rates = []
    for step in range(6):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step(*([1.0 + (step > 1)] if name == "ReduceLROnPlateau" else []))
    return rates


PROGRAMS = {
    "language_model": (language_model,),
    "images": (images,),
    "autoencoder": (autoencoder,),
    **{
        f"words {kind}": (words, kind) for kind in ("LSTM", "GRU", "RNN", "RNN_RELU", "Transformer")
    },
    "waves": (waves,),
    "curve": (curve,),
    "SGD": (rules, "SGD", {"lr": 0.01}),
    "SGD momentum": (rules, "SGD", {"lr": 0.01, "momentum": 0.9, "dampening": 0.1}),
    "SGD nesterov": (rules, "SGD", {"lr": 0.01, "momentum": 0.9, "nesterov": True}),
    "SGD decay": (rules, "SGD", {"lr": 0.01, "weight_decay": 0.1, "maximize": False}),
    "Adam": (rules, "Adam", {"lr": 0.1, "weight_decay": 0.1}),
    "Adam amsgrad": (rules, "Adam", {"lr": 0.1, "amsgrad": True}),
    "AdamW": (rules, "AdamW", {"lr": 0.1}),
    "RMSprop": (rules, "RMSprop", {}),
    "RMSprop centered": (rules, "RMSprop", {"lr": 0.1, "momentum": 0.5, "centered": True}),
    "Adagrad": (rules, "Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5}),
    "Adadelta": (rules, "Adadelta", {"weight_decay": 0.1}),
    "StepLR": (schedules, "StepLR", {"step_size": 2, "gamma": 0.5}),
    "MultiStepLR": (schedules, "MultiStepLR", {"milestones": [1, 4]}),
    "ExponentialLR": (schedules, "ExponentialLR", {"gamma": 0.9}),
    "LinearLR": (schedules, "LinearLR", {"total_iters": 3}),
    "CosineAnnealingLR": (schedules, "CosineAnnealingLR", {"T_max": 5, "eta_min": 0.1}),
    "LambdaLR": (schedules, "LambdaLR", {"lr_lambda": lambda epoch: 1 / (1 + epoch)}),
    "ReduceLROnPlateau": (schedules, "ReduceLROnPlateau", {"patience": 1, "factor": 0.5}),
}
"""Function and arguments of each program."""


def losses_of(torch, name):
    function, *arguments = PROGRAMS[name]
    return function(torch, *arguments)
