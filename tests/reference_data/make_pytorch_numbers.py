"""Write pytorch_numbers.json: values of the expressions in docs/from_pytorch.md. Run in the root:

pip install "torch==2.13.0" numpy
PYTHONPATH=tests python tests/reference_data/make_pytorch_numbers.py \
    >tests/reference_data/pytorch_numbers.json
"""

import json
import re

import torch
from migration_pages import ROW, read_page
from torch import nn

PAGE = read_page(
    "from_pytorch.md", ("Weights", "Training", "A training program", "Keras", "Left out")
)
CHANNELS_FIRST = re.compile(r"\b(signal|image|volume)\b")
NAMES = {
    "torch": torch,
    "nn": nn,
    "F": nn.functional,
    "optim": torch.optim,
    "lr": torch.optim.lr_scheduler,
    "data": torch.utils.data,
}
parameters = []
call = nn.Module.__call__


def number_at(index, at):
    """Return the element of parameter `at`: eighths, which are exact."""
    return ((index * 7 + at * 3) % 11 - 5) / 8


def with_weights(module, *args, **kwargs):
    """Set the parameters of a module before its first call, and note their shapes."""
    if not parameters:
        for at, parameter in enumerate(module.parameters()):
            elements = torch.arange(parameter.numel(), dtype=torch.float32)
            parameter.data = number_at(elements, at).reshape(parameter.shape)
            parameters.append(list(parameter.shape))
    return call(module, *args, **kwargs)


def updated(optimizer):
    """Return the parameter after three steps with given gradients."""
    [parameter] = optimizer.param_groups[0]["params"]
    for step in range(3):
        parameter.grad = torch.tensor([1.0, -0.5, 0.25]) * (step - 0.5)
        optimizer.step()
    return parameter


def rates(scheduler):
    """Return the learning rates of ten steps."""
    values = []
    for step in range(10):
        values += scheduler.get_last_lr()
        scheduler.optimizer.step()
        if step < 9:
            scheduler.step()
    return values


def short(number):
    """Return a number of float32 with as many digits as it needs; infinities as text."""
    return float(f"{number:.8g}") if abs(number) < float("inf") else str(number)


def described(value, channels_first, random):
    if isinstance(value, torch.optim.Optimizer):
        value = updated(value)
    if isinstance(value, torch.optim.lr_scheduler.LRScheduler):
        value = rates(value)
    if isinstance(value, (tuple, list)):
        return [described(part, channels_first, random) for part in value]
    if not isinstance(value, torch.Tensor):
        return short(value) if isinstance(value, float) else value
    value = value.detach()
    if channels_first and value.ndim in (3, 4, 5):
        value = value.movedim(1, -1)
    record = {"shape": list(value.shape), "dtype": str(value.dtype).removeprefix("torch.")}
    record["dtype"] = record["dtype"].replace("int64", "int32")
    if not random:
        pairs = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
        record["values"] = [short(float(number)) for number in pairs.flatten()]
    return record


nn.Module.__call__ = with_weights
expressions, shapes = {}, {}
for expression, (_, heading) in PAGE.rows.items():
    parameters.clear()
    value = eval(expression, PAGE.variables(0, **NAMES))
    expressions[expression] = described(
        value, bool(CHANNELS_FIRST.search(expression)), heading == "Random numbers"
    )
    if parameters:
        shapes[expression] = list(parameters)
for name, _, _ in ROW.findall(PAGE.sections["Training"]):
    eval(name, {"torch": torch})


def lines(table):
    rows = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in table.items()]
    return ",\n".join(rows)


print(f"""{{
 "made by": "torch {torch.__version__}, tests/reference_data/make_pytorch_numbers.py",
 "parameters": {{
{lines(shapes)}
 }},
 "expressions": {{
{lines(expressions)}
 }}
}}""")
