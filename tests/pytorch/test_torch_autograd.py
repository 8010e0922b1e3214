"""`backward` of py_tensor.torch: leaves, accumulation, assignment, parts, and freed graphs."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

import py_tensor as pt
import py_tensor.torch as torch


def parameter(*values):
    return torch.tensor([*values], requires_grad=True)


def test_gradients_of_several_calls_add_up():
    w = parameter(1.0, 2.0)
    for _ in range(2):
        (w * w).sum().backward()
    assert w.grad.tolist() == [4.0, 8.0]


def test_second_backward_needs_retained_graph():
    w = parameter(3.0)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert w.grad.tolist() == [12.0]
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_results_without_grad_are_constants():
    w = parameter(2.0)
    with torch.no_grad():
        fixed = w * 3
    assert not fixed.requires_grad and fixed.is_leaf
    (fixed * w + w.detach() * w + w.data * w).sum().backward()
    assert w.grad.tolist() == [6.0 + 2.0 + 2.0]


def test_no_grad_decorates_functions_and_enable_grad_records_inside():
    w = parameter(2.0)

    @torch.no_grad()
    def double(x):
        with torch.enable_grad():
            inner = x * 2
        return x * 2, inner

    outer, inner = double(w)
    assert (outer.requires_grad, inner.requires_grad) == (False, True)
    assert torch.is_grad_enabled()


def test_set_grad_enabled_switches_at_once_and_in_a_block():
    w = parameter(2.0)
    with torch.set_grad_enabled(False):
        assert not (w * 2).requires_grad
    assert (w * 2).requires_grad


def test_backward_of_values_without_gradients_raises():
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.ones(1).sum().backward()
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        (parameter(1.0, 2.0) * 2).backward()
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (parameter(1.0, 2.0) * 2).backward(torch.ones(3))


def test_backward_of_a_vector_takes_weights():
    w = parameter(1.0, 2.0)
    (w * w).backward(torch.tensor([1.0, 10.0]))
    assert w.grad.tolist() == [2.0, 40.0]


def test_assigned_leaf_raises_unless_recording_is_off():
    w = parameter(1.0)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        w.add_(1)
    with torch.no_grad():
        w.add_(1)
        w[0] = 5.0
        w -= 1.0
    assert w.tolist() == [4.0] and w.is_leaf and w.requires_grad
    (w * w).sum().backward()
    assert w.grad.tolist() == [8.0]


def test_gradient_flows_to_a_leaf_that_was_assigned_after_its_use():
    w = parameter(2.0)
    loss = (w * w).sum()
    w.data.add_(10.0)
    loss.backward()
    assert w.tolist() == [12.0]
    assert w.grad.tolist() == [4.0]


def test_assignment_to_results_is_recorded():
    w = parameter(1.0, 2.0, 3.0)
    y = w * 2
    y[1] = 0.0
    y += 1
    y[y > 6] *= 10
    y.sum().backward()
    assert y.tolist() == [3.0, 1.0, 70.0]
    assert w.grad.tolist() == [2.0, 0.0, 20.0]


def test_recorded_assignment_makes_a_tensor_a_result():
    w, x = parameter(2.0), torch.zeros(2)
    x[1] = w[0] * 3
    assert x.requires_grad and not x.is_leaf
    x.sum().backward()
    assert w.grad.tolist() == [3.0]


def test_parts_and_wholes_change_each_other():
    x = torch.zeros(2, 3)
    row, flat, turned = x[1], x.view(-1), x.t()
    row.fill_(1.0)
    flat[0] = 5.0
    turned[2].mul_(7.0)
    assert x.tolist() == [[5.0, 0.0, 0.0], [1.0, 1.0, 7.0]]
    assert row.tolist() == [1.0, 1.0, 7.0]
    x.zero_()
    assert (row.sum() + flat.sum() + turned.sum()).item() == 0.0


def test_results_that_torch_copies_are_no_parts():
    x = torch.zeros(2, 3)
    x.t().reshape(-1).fill_(1.0)
    x.contiguous().flatten()[0] = 2.0
    assert not x.t().is_contiguous()
    assert x.tolist() == [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_recorded_assignment_to_a_part_reaches_the_whole_and_other_parts():
    w, x = parameter(2.0, 3.0), torch.zeros(2, 2)
    row, column = x[0], x[:, 0]
    row.add_(w)
    assert x.tolist() == [[2.0, 3.0], [0.0, 0.0]] and column.tolist() == [2.0, 0.0]
    assert x.requires_grad and column.requires_grad
    (x.sum() + 10 * column.sum()).backward()
    assert w.grad.tolist() == [11.0, 1.0]


def test_detached_result_becomes_a_leaf_of_its_own():
    w = parameter(2.0)
    y = w * 3
    z = y.detach().requires_grad_()
    (y * z).sum().backward()
    assert (w.grad.tolist(), z.grad.tolist()) == ([18.0], [6.0])


def test_slice_of_a_bias_is_assigned_through_data():
    layer = torch.nn.Linear(2, 4)
    layer.bias.data[2:4].fill_(1.0)
    assert layer.bias.tolist()[2:] == [1.0, 1.0]


def test_copies_do_not_change_with_their_source():
    x = torch.zeros(2, 2)
    clone, turned, chosen = x.clone(), x.t().contiguous(), x[[0]]
    x.fill_(1.0)
    assert clone.sum() + turned.sum() + chosen.sum() == 0


def test_gradients_of_gradients():
    x = parameter(2.0)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (first * first).sum().backward()
    assert first.tolist() == [12.0]
    assert x.grad.tolist() == [2 * 12.0 * 12.0]


def test_grad_of_results_and_of_unused_inputs():
    x, unused = parameter(2.0), parameter(1.0)
    y = x * 3
    z = (y * y).sum()
    assert [g.tolist() for g in torch.autograd.grad(z, [x, y], retain_graph=True)] == [
        [36.0],
        [12.0],
    ]
    assert x.grad is None
    with pytest.raises(RuntimeError, match="not have been used"):
        torch.autograd.grad(z, unused, retain_graph=True)
    assert torch.autograd.grad(z, unused, allow_unused=True) == (None,)


def test_retained_gradient_of_a_result():
    x = parameter(2.0)
    y = x * 3
    y.retain_grad()
    (y * y).sum().backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([12.0], [36.0])


def test_frozen_parameters_get_no_gradient():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    model[0].requires_grad_(False)
    model(torch.ones(1, 2)).sum().backward()
    assert model[0].weight.grad is None
    assert model[1].weight.grad.shape == (1, 2)


def test_broadcast_operands_get_sums():
    bias = parameter(1.0, 2.0)
    (torch.ones(3, 2) + bias).sum().backward()
    assert bias.grad.tolist() == [3.0, 3.0]


def test_record_ends_with_its_result():
    w = parameter(1.0)
    hidden = w * 2
    node = hidden._value._node
    loss = (hidden * hidden).sum()
    loss.item()
    assert node.origin is not None
    count = len([n for n in gc.get_objects() if type(n) is type(node)])
    del hidden, loss, node
    gc.collect()
    assert len([n for n in gc.get_objects() if type(n) is type(w._value._node)]) < count


def test_training_step_compiles_once():
    """The second and all later steps use the plan of the first one."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.from_numpy(pt.ones((5, 3)).numpy())
    misses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        loss.item()
        misses.append(pt.cache_info().plan_misses)
    assert misses[0] == misses[-1]


def test_batches_of_stored_data_share_a_plan():
    data, total = torch.tensor([[float(at), at + 1.0] for at in range(0, 20, 2)]), 0.0
    misses = []
    for at in range(0, 10, 2):
        total += (data[at : at + 2] * 2).sum().item() + data[at].sum().item()
        misses.append(pt.cache_info().plan_misses)
    assert total == 2 * 190 + sum(4 * at + 1 for at in range(0, 10, 2))
    assert misses[1] == misses[-1]


def test_backward_can_use_values_that_were_read_before():
    w = parameter(1.0, 2.0)
    y = torch.softmax(w, 0)
    assert y.sum().item() == pytest.approx(1.0)
    (y * torch.tensor([1.0, 0.0])).sum().backward()
    share = y.tolist()[0]
    assert w.grad.tolist() == pytest.approx([share * (1 - share), -share * (1 - share)])


def test_tensors_are_hashed_by_identity():
    a, b = torch.zeros(1), torch.zeros(1)
    assert len({a, b}) == 2 and {a: 1}[a] == 1


def test_weak_references_to_tensors_end():
    w = parameter(1.0)
    weak = ref(w)
    (w * 2).sum().backward()
    del w
    gc.collect()
    assert weak() is None
