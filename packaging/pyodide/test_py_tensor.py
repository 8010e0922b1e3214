from pytest_pyodide import run_in_pyodide


@run_in_pyodide(packages=["py_tensor"])
def test_gradient(selenium):
    import py_tensor as pt

    def loss(x):
        return pt.sum(pt.exp(x) @ x)

    x = pt.asarray([[0.0, 1.0], [2.0, 3.0]])
    assert pt.grad(loss)(x).shape == (2, 2)
    assert (pt.arange(4) * 2).tolist() == [0, 2, 4, 6]
