import py_tensor as pt

# A language model learns a sentence. LoRA then adds small matrices to its frozen weights, which
# learn another one.
OLD, NEW = "the cat sat on the mat. ", "the cat ate a rat today. "
letters = {letter: at for at, letter in enumerate(sorted(set(OLD + NEW)))}
file = {"model": {"type": "BPE", "vocab": letters, "merges": []}, "decoder": {"type": "Fuse"}}
tokenizer = pt.text.Tokenizer(file)
optimizer = pt.optim.adam(0.01)


@pt.jit(donate_argnums=0)
def step(state, tokens):
    def loss(model):
        return pt.nn.sparse_softmax_cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])

    value, gradients = pt.value_and_grad(loss)(state.params)
    return optimizer.update(state, gradients), value


async def trained(model, text):
    tokens = tokenizer(text * 3)["input_ids"]
    state, losses = optimizer.init(model), []
    for _ in pt.progress(range(60)):
        state, value = step(state, tokens)
        losses.append((await value.data()).tolist())
    print(f"loss {losses[0]:.3f}, then {losses[-1]:.3f}")
    return state.params, losses


async def answer(model):
    generation = pt.text.LanguageModel(model, tokenizer).generate("the cat ", max_tokens=15)
    return "".join([piece async for piece in generation])


pt.random.seed(0)
model = pt.nn.CausalDecoder(pt.nn.DecoderOptions(len(letters), 32, 2, 4, 64))
model, first = await trained(model, OLD)
print("the cat", await answer(model))
model, second = await trained(pt.nn.lora(model, rank=8, alpha=16), NEW)
print("the cat", await answer(pt.nn.merge_lora(model)))

plot = pt.plot.line(first, label="training", title="Loss", log="y", height=240)
plot.line(second, label="fine-tuning with LoRA")
