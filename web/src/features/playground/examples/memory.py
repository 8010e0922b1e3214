import py_tensor as pt


def report(when):
    m = pt.memory()
    print(f"{when:<28}{m.num_tensors:3} tensors {m.num_bytes:>9,} bytes")


report("at the start")
x = pt.ones((512, 512))
report("with one of 512 x 512")


@pt.tidy
def spread(t):
    centred = t - pt.mean(t)
    squares = centred * centred
    return pt.sqrt(pt.mean(squares))


print("spread:", spread(x).item())
report("after a tidy function")

with pt.tidy():
    steps = [x * i for i in range(10)]
    pt.realize(*steps)
    report("inside a tidy block")
report("after it")

del x
report("after `del x`")
