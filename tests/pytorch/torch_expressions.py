"""Expressions that PyTorch computes for `data/expressions.json`, and py_tensor.torch in tests."""

from __future__ import annotations

SETUP = """
a = torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], requires_grad=True)
b = torch.tensor([[1.5, 2.0, 0.5], [0.75, 1.25, 3.0]], requires_grad=True)
v = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
i = torch.tensor([[2, 0], [1, 2]])
m = torch.tensor([[True, False, True], [False, True, True]])
img = torch.linspace(-1.0, 1.0, 72).reshape(1, 2, 6, 6).sin().requires_grad_()
seq = (torch.arange(24.0).reshape(2, 3, 4) * 0.37).sin().requires_grad_()
w = (torch.arange(36.0).reshape(2, 2, 3, 3) * 0.7).cos().requires_grad_()
k = (torch.arange(12.0).reshape(3, 4) * 0.9).cos().requires_grad_()
y = torch.tensor([2, 0])
"""
INPUTS = ("a", "b", "v", "img", "seq", "w", "k")

EXPRESSIONS = """
a + b * 2 - b / a
2 - a
1 / b
b ** 2
2 ** a
a @ b.t()
a.mm(b.T)
torch.matmul(seq, seq.transpose(1, 2))
torch.bmm(seq, seq.mT)
a.add(b, alpha=0.5)
torch.sub(a, b, alpha=2)
torch.div(a.detach(), b.detach(), rounding_mode="floor")
a.clamp(-1, 0.9)
a.clamp(min=0.0)
torch.addmm(a, a @ b.T, b, beta=0.5, alpha=2)
torch.addcmul(a, b, b, value=0.1)
torch.lerp(a, b, 0.3)
a.abs().sqrt()
b.log() + b.log1p() + b.exp()
b.pow(1.5)
torch.sigmoid(a) + torch.tanh(a)
torch.erf(a) + a.sin() * a.cos()
torch.atan2(a, b)
a.sum()
a.sum(1)
a.sum(dim=(0, 1), keepdim=True)
a.mean(0)
a.mean(-1, True)
a.prod(1)
a.var()
a.var(1, unbiased=False)
a.std(dim=1, keepdim=True)
a.max()
a.max(1).values
a.max(dim=0)[1]
torch.max(a, b)
a.min(1, keepdim=True)[0]
a.amax((0, 1))
a.argmax(1)
a.median()
a.norm()
a.norm(dim=1)
a.norm(p=1)
torch.linalg.norm(a)
a.logsumexp(1)
a.softmax(-1)
torch.log_softmax(a, dim=0)
a.cumsum(1)
b.cumprod(1)
a.sort(1, descending=True).values
a.topk(2, dim=1).values
a.topk(2)[1]
torch.argsort(a, dim=1)
(a > 0).any(1)
(a > 0).all()
(a == b).sum()
a.view(3, 2)
a.view(-1)
a.reshape(1, -1)
seq.flatten(1)
seq.permute(2, 0, 1)
seq.transpose(0, 1)
a.unsqueeze(1).squeeze(1)
a[None].expand(2, -1, -1)
v.expand_as(a)
v.repeat(2, 2)
v.repeat_interleave(2)
torch.cat([a, b], 1)
torch.cat((a, b))
torch.stack([a, b], dim=1)
torch.stack(a.unbind(1))
seq.split(2, dim=2)[1]
a.split([1, 2], 1)[1]
seq.chunk(2, -1)[0]
torch.flip(a, [1])
a.roll(1, 1)
a.tril()
torch.triu(a, 1)
torch.diag(v)
a.narrow(1, 1, 2)
a.select(1, 2)
seq.movedim(0, -1)
torch.einsum("ij,kj->ik", a, b)
torch.outer(v, v)
torch.dot(v, v)
a[0]
a[:, 1]
a[:, -2:]
a[..., 0]
a[[1, 0]]
a[torch.tensor([0, 1, 1])]
a[:, [-1]]
a[m]
a[a > 0]
a.gather(1, i)
a.index_select(1, torch.tensor([2, 0]))
a.masked_fill(m, -5.0)
a.masked_fill(m == 0, float("-inf")).softmax(-1)
torch.where(m, a, b)
torch.where(a > 0, a, 0.0)
torch.masked_select(a, m)
torch.zeros(2, 3).scatter(1, i, b[:, :2])
torch.zeros(2, 3).scatter_add(1, i, a[:, :2])
torch.zeros(2, 3).index_add(0, y // 2, b)
F.relu(a)
F.gelu(a)
F.gelu(a, approximate="tanh")
F.silu(a)
F.elu(a, 0.5)
F.leaky_relu(a, 0.2)
F.softplus(a)
F.hardtanh(a * 1.1)
F.hardswish(a)
F.mish(a)
F.logsigmoid(a)
F.glu(seq)
F.normalize(a, dim=1)
F.linear(a, b, y.float())
F.embedding(y, k)
F.embedding(torch.tensor([0, 2]), k, padding_idx=0)
F.conv2d(img, w)
F.conv2d(img, w, padding=1, stride=2)
F.conv2d(img, w[:, :1], groups=2, dilation=2)
F.conv2d(img, w, padding="same")
F.conv1d(seq, k.view(2, 3, 2)[:, :, :], padding=1)
F.conv_transpose2d(img, w, stride=2, padding=1, output_padding=1)
F.conv_transpose2d(img, w[:, :1], groups=2)
F.max_pool2d(img, 2)
F.max_pool2d(img, 3, 2, 1)
F.max_pool2d(img, 4, 3, ceil_mode=True)
F.avg_pool2d(img, 3, 2, 1)
F.adaptive_avg_pool2d(img, 2)
F.layer_norm(seq, (4,))
F.layer_norm(seq, (3, 4), k, k)
F.group_norm(img, 2)
F.instance_norm(img)
F.batch_norm(img, torch.zeros(2), torch.ones(2), training=True)
F.batch_norm(img, torch.full((2,), 0.5), torch.full((2,), 2.0))
F.scaled_dot_product_attention(seq, seq, seq)
F.scaled_dot_product_attention(seq, seq, seq, is_causal=True)
F.scaled_dot_product_attention(seq, seq, seq, attn_mask=torch.tril(torch.ones(3, 3)).bool())
F.pad(a, (1, 2))
F.pad(img, (1, 1, 2, 0), mode="reflect")
F.pad(a, (-1, 1), value=3.0)
F.interpolate(img, scale_factor=2)
F.interpolate(img, size=(4, 9), mode="bilinear")
F.interpolate(img, size=(4, 9), mode="bilinear", align_corners=True)
F.pixel_shuffle(torch.cat([img, img], 1), 2)
F.cosine_similarity(a, b)
F.mse_loss(a, b)
F.mse_loss(a, b, reduction="sum")
F.l1_loss(a, b, reduction="none")
F.smooth_l1_loss(a, b)
F.smooth_l1_loss(a, b, beta=0.5)
F.huber_loss(a, b, delta=2.0)
F.binary_cross_entropy(a.sigmoid(), m.float())
F.binary_cross_entropy(m.float(), m.float())
F.binary_cross_entropy_with_logits(a, m.float())
F.binary_cross_entropy_with_logits(a, m.float(), pos_weight=torch.tensor([2.0, 1.0, 0.5]))
F.kl_div(a.log_softmax(1), b.softmax(1), reduction="batchmean")
F.nll_loss(a.log_softmax(1), y)
F.nll_loss(a.log_softmax(1), y, weight=torch.tensor([1.0, 2.0, 0.5]))
F.cross_entropy(a, y)
F.cross_entropy(a, torch.tensor([2, -1]), ignore_index=-1)
F.cross_entropy(a, y, label_smoothing=0.1)
F.cross_entropy(a, b.softmax(1))
F.cross_entropy(seq, torch.tensor([[0, 2, 1, 0], [1, 1, 0, 2]]), reduction="sum")
F.cosine_embedding_loss(a, b, torch.tensor([1, -1]))
F.triplet_margin_loss(a, b, b * 2)
F.margin_ranking_loss(v, v * 2, torch.ones(3), margin=0.5)
F.gaussian_nll_loss(a, b, b)
F.poisson_nll_loss(a, b)
F.one_hot(y, 4)
a.detach() * a
a.data * a
(a * 2).detach() + a
a.clone() * a
a.to(torch.float32) * 2
a.float().double()
a.type(torch.float32)
a.new_zeros(2, 2)
torch.zeros_like(a) + a
torch.full((2, 2), 7.0)
torch.arange(1, 10, 3)
torch.linspace(0, 1, 5)
torch.eye(2, 3)
torch.ones(2, dtype=torch.long)
torch.tensor([[1, 2]]).float()
a.T.contiguous().view(-1)
a.numel() + a.dim() + a.size(-1)
torch.allclose(a, a + 1e-9)
torch.equal(a, b)
a.masked_fill(torch.tril(torch.ones(2, 3)) == 0, 0.0)
torch.meshgrid(v, v, indexing="ij")[0]
torch.cdist(a, b)
torch.isnan(a / 0 * 0)
torch.quantile(v, 0.5)
torch.bincount(y)
torch.unique(i)
torch.nonzero(m)
torch.broadcast_tensors(v, a)[0]
seq.unflatten(2, (2, 2))
torch.tensor_split(v, 2)[0]
""".strip().splitlines()


def computed(torch: object, expression: str) -> dict[str, object]:
    """Return the values of an expression, and the gradients of their weighted sum."""
    names: dict[str, object] = {"torch": torch, "F": torch.nn.functional}  # type: ignore[attr-defined]
    exec(SETUP, names)
    result = eval(expression, names)
    if not isinstance(result, torch.Tensor):  # type: ignore[attr-defined]
        return {"value": result, "gradients": {}}
    gradients = {}
    if result.requires_grad:
        weights = torch.arange(1.0, result.numel() + 1.0).reshape(result.shape)  # type: ignore[attr-defined]
        (result * weights).nan_to_num(0.0, 0.0, 0.0).sum().backward()
        for name in INPUTS:
            if names[name].grad is not None:
                gradients[name] = names[name].grad.tolist()
    return {"value": result.detach().tolist(), "gradients": gradients}
