"""Models of the onnx package: of PyTorch's tests, and of photos with constant weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_cases
import pytest

import py_tensor as pt
from py_tensor.errors import ModelError

FOLDERS = ("pytorch-converted", "pytorch-operator", "simple")
UNSUPPORTED = {
    "pytorch-converted": {
        # Version 6 of these operators has options that version 7 removed.
        *("test_BatchNorm1d_3d_input_eval", "test_BatchNorm2d_eval", "test_BatchNorm3d_eval"),
        *("test_BatchNorm2d_momentum_eval", "test_BatchNorm3d_momentum_eval"),
        *("test_Linear", "test_Softsign"),
    },
    "pytorch-operator": {
        # The same.
        *("test_operator_add_broadcast", "test_operator_add_size1_broadcast"),
        *("test_operator_add_size1_right_broadcast", "test_operator_add_size1_singleton_broadcast"),
        *("test_operator_addconstant", "test_operator_addmm", "test_operator_mm"),
    },
    "simple": {
        # Strings, and a gradient inside the model.
        *("test_strnorm_model_monday_casesensintive_lower",),
        *("test_strnorm_model_monday_casesensintive_nochangecase",),
        *("test_strnorm_model_monday_casesensintive_upper",),
        *("test_strnorm_model_monday_empty_output",),
        *("test_strnorm_model_monday_insensintive_upper_twodim",),
        *("test_strnorm_model_nostopwords_nochangecase",),
        *("test_gradient_of_add", "test_gradient_of_add_and_mul"),
    },
}
"""Models that cannot be loaded, by folder."""
PHOTO_MODELS = ("densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet",
                "squeezenet", "bvlc_alexnet", "vgg19", "zfnet512")  # fmt: skip


def check(case: onnx_cases.Case, engine: Any, outputs: list[pt.Tensor]) -> None:
    for tensor, expected in zip(outputs, case.outputs, strict=True):
        assert tensor.shape == expected.shape
        np.testing.assert_allclose(
            tensor.numpy(), expected, rtol=case.rtol, atol=case.atol, err_msg=case.name
        )


@pytest.mark.parametrize("folder", FOLDERS)
def test_models_of_a_folder(folder, engine, backend_name):
    paths = sorted(
        path for path in (onnx_cases.folder() / folder).iterdir() if (path / "model.onnx").exists()
    )
    assert UNSUPPORTED[folder] < {path.name for path in paths}
    works = [path for path in paths if path.name not in UNSUPPORTED[folder]]
    # Shaders of all of them take minutes to compile.
    for path in works if backend_name == "numpy" else works[::6]:
        case = onnx_cases.load_model(path)
        check(case, engine, list(pt.models.loads(case.model).run(case.inputs).values()))


@pytest.mark.parametrize("folder", FOLDERS)
def test_unsupported_models_are_reported(folder, engine):
    for name in UNSUPPORTED[folder]:
        data = (onnx_cases.folder() / folder / name / "model.onnx").read_bytes()
        with pytest.raises(ModelError, match="not supported"):
            pt.models.loads(data)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "photo_model" in metafunc.fixturenames:
        # A software renderer takes minutes for the others.
        small = metafunc.config.getoption("backend") != "numpy"
        metafunc.parametrize("photo_model", ("shufflenet",) if small else PHOTO_MODELS)


def test_models_of_photos(photo_model, engine):
    case = onnx_cases.load_light(onnx_cases.folder() / "light" / f"light_{photo_model}.onnx")
    model = pt.models.loads(case.model)
    last = model.layers[-1]
    if last.operator == "Softmax":
        values = model.run(case.inputs, outputs=[*last.inputs, *last.outputs])
        before, result = values.values()
        largest = float(pt.max(before))
        if largest > 1e3:
            # All classes have equal weights. Softmax turns one rounding of 1e9 into any
            # probability, and processors add in different orders.
            assert largest - float(pt.min(before)) <= 1e-6 * largest
            result = pt.reshape(pt.softmax(pt.reshape(before / largest, (1, -1))), result.shape)
    else:
        (result,) = model.run(case.inputs).values()
    check(case, engine, [result])
    assert not model._runner.eager
