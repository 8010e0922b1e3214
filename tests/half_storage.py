"""Tolerances and exceptions of `--storage float16`, under which textures hold float32 as float16.

Results and operands are rounded to 11 bits whenever they are stored. The comparisons of NumPy and
pytest therefore allow an error in the tenth bit, of the number itself and of the largest number
that it is compared with: a small result of larger terms has their error.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

ROUNDING = 2.0**-9
"""Relative error of results: operands and results are rounded by up to 2**-11, twice each."""
SMALLEST = 2.0**-24
"""Smallest number, which is the distance of numbers below 2**-14."""

NUMBERS = re.compile(r"(-?\d+\.\d*(?:e[-+]?\d+)?)")
"""Printed floats."""

RANGE = "its numbers exceed 65504 or are below 6e-8, or sums on the way to its results do"
PLACES = "it compares printed digits, or numbers that have more than 11 bits, without a tolerance"
SMALL = "it is about errors below the tenth bit, or about the last bits of float32"
AMPLIFIED = "it subtracts almost equal numbers, divides by small ones or iterates: errors grow"
STEPS = "rounded operands are on the other side of a step: comparisons, rounding, largest elements"
BYTES = "it counts bytes of textures"
DEBUG = "it counts draws in debug mode, which draws each operation again to look for lost numbers"


def _cases(test: str, reason: str, *names: str) -> dict[str, str]:
    """Return the exceptions of a test that runs with most of its parameters."""
    return {f"{test}[{name}]": reason for name in names}


EXCEPTIONS = {
    **_cases(
        "functions/test_casting.py::test_conversion_inside_a_chain",
        RANGE,
        *(
            f"{a}-{b}"
            for a in ("int32", "uint32", "uint16")
            for b in ("float32", "int32", "uint16")
        ),
    ),
    **_cases(
        "functions/test_manipulation.py::test_strided_reads_in_textures_of_any_width",
        RANGE,
        *("transposed-(1028, 64)", "transposed but for the first-(1028, 64)"),
        *("transposed and flipped-(1028, 64)", "columns flipped-(1028, 64)"),
        *("from the second-(1028, 64)", "every fourth-(1028, 64)"),
        "every eighth of every second-(1028, 64)",
    ),
    **_cases(
        "linalg/test_linalg_gradients.py::test_gradients_equal_differences",
        AMPLIFIED,
        *(
            f"{name}-{dtype}"
            for name in ("eigh", "eigvalsh", "lstsq", "svd")
            for dtype in ("float32", "complex64")
        ),
        *("matrix_power-complex64", "pinv of tall-complex64", "pinv of wide-float32"),
        *("svd of tall-complex64", "svdvals-float32"),
    ),
    "test_docstrings.py::test_examples[py_tensor.linalg.solvers.matrix_rank]": SMALL,
    "test_docstrings.py::test_examples[py_tensor.nn.initializers.orthogonal]": SMALL,
    "test_docstrings.py::test_examples[py_tensor.train]": PLACES,
    "test_guides.py::test_example_runs_and_prints_the_text_after_it[graph.md:9]": RANGE,
    **_cases(
        "linalg/test_linalg.py::test_systems", AMPLIFIED, "(16, 16)-float32", "(16, 16)-complex64"
    ),
    **_cases(
        "graph/test_graph_operations.py::test_values_and_gradients",
        STEPS,
        *("more arithmetic", "images", "activations", "costs"),
    ),
    **_cases(
        "test_image.py::test_transform",
        STEPS,
        *(f"{mode}-bilinear-uint8" for mode in ("reflect", "wrap", "nearest")),
    ),
    **_cases(
        "test_sparse_and_ragged.py::test_gather",
        PLACES,
        *("1-indices0-float32", "1-indices1-float32", "2-indices0-float32"),
    ),
    **_cases(
        "test_examples.py::test_results_are_the_same_with_other_imports",
        AMPLIFIED,
        *("burgers_equation", "conjugate_gradient", "dct_compression", "decision_stumps"),
        *("gaussian_process", "gram_schmidt", "histogram_equalization", "jax_hidden_markov"),
        *("jax_mlp", "jax_newton_method", "julia_set", "lennard_jones", "linear_regression"),
        *("lorenz_attractor", "mandelbrot", "matrix_factorization", "n_body", "naive_bayes"),
        *("neural_network", "numerical_integration", "option_pricing", "ray_marcher"),
        *("schrodinger_equation", "shallow_water", "vibrating_chain"),
    ),
    "diagnostics/test_debug_mode.py::test_production_mode_runs_one_plan": DEBUG,
    "diagnostics/test_env.py::test_pool_limit_empties_the_pool": BYTES,
    "diagnostics/test_memory.py::test_a_loop_without_reads_does_not_grow": PLACES,
    "diagnostics/test_memory.py::test_counts_are_exact": BYTES,
    "diagnostics/test_profile.py::test_debug_mode_within_a_profile": DEBUG,
    "fft/test_fft.py::test_errors_are_small_everywhere": SMALL,
    "fft/test_fft.py::test_lengths_with_large_prime_factors": RANGE,
    "fft/test_fft.py::test_near_can_fail": SMALL,
    "functions/test_casting.py::test_every_pair[int32-float32]": RANGE,
    "functions/test_casting.py::test_every_pair[uint16-float32]": RANGE,
    "functions/test_casting.py::test_every_pair[uint32-float32]": RANGE,
    "functions/test_casting.py::test_floats_to_integers_truncate": RANGE,
    "functions/test_complex_numbers.py::test_close_can_fail": SMALL,
    "functions/test_complex_numbers.py::test_long_sums": AMPLIFIED,
    "functions/test_complex_numbers.py::test_overflow_of_intermediate_values_only": RANGE,
    "functions/test_complex_numbers.py::test_reductions[None]": RANGE,
    "functions/test_complex_numbers.py::test_special_values": RANGE,
    "functions/test_creation.py::test_linspace[True-0.1-0.7-13]": PLACES,
    "functions/test_numpy_functions.py::test_interp": AMPLIFIED,
    "functions/test_statistical.py::test_ten_million_elements": RANGE,
    "functions/test_statistical.py::test_var_of_numbers_far_from_zero": AMPLIFIED,
    "graph/test_graph_session.py::test_the_tutorials_example": RANGE,
    "kernels/test_programs_that_write.py::test_material_points": AMPLIFIED,
    "kernels/test_values.py::test_random_numbers_are_uniform": SMALL,
    "kernels/test_values.py::test_random_numbers_of_constants": PLACES,
    "linalg/test_eig.py::test_eigenvalues_beyond_float32_are_infinite": RANGE,
    "linalg/test_linalg.py::test_eigh": RANGE,
    "linalg/test_linalg.py::test_qr_of_zero_or_equal_columns": AMPLIFIED,
    "linalg/test_linalg.py::test_halves_are_computed_in_float32": SMALL,
    "linalg/test_linalg.py::test_svd": RANGE,
    "linalg/test_linalg_gradients.py::test_second_derivatives_of_eigenvectors": AMPLIFIED,
    "linalg/test_linalg_norms.py::test_pseudo_inverse": AMPLIFIED,
    "linalg/test_linalg_norms.py::test_rank_and_condition": AMPLIFIED,
    "models/test_models.py::test_endless_loops_are_ended": RANGE,
    "models/test_onnx_extensions.py::test_results_are_those_of_onnx_runtime"
    "[com.microsoft.Attention]": AMPLIFIED,
    "models/test_onnx_extensions.py::test_results_are_those_of_onnx_runtime"
    "[com.microsoft.FusedConv]": AMPLIFIED,
    "models/test_onnx_sequences.py::test_max_roi_pool": STEPS,
    "models/test_tfjs_graphs.py::test_blazeface_gives_the_results_of_tensorflow_js": AMPLIFIED,
    "models/test_tfjs_graphs.py::test_operator[CropAndResize]": STEPS,
    "models/test_tfjs_graphs.py::test_operator[ImageProjectiveTransformV3]": STEPS,
    "models/test_tfjs_graphs.py::test_operator[Tan]": AMPLIFIED,
    "nn/test_nn_losses.py::test_cosine_of_short_and_long_vectors": RANGE,
    "nn/test_nn_normalization.py::test_squares_of_halves_do_not_overflow": RANGE,
    "nn/test_nn_normalization.py::test_variance_is_accurate_for_a_large_mean": AMPLIFIED,
    "nn/test_nn_pooling.py::test_positions_in_long_sequences": STEPS,
    "nn/test_nn_regularizers.py::test_constraints_hold_after_each_step": PLACES,
    "nn/test_nn_regularizers.py::test_evaluation_includes_penalties": PLACES,
    "nn/test_nn_regularizers.py::test_shared_and_half_parameters_keep_their_values": STEPS,
    "nn/test_nn_shaping.py::test_spatial_dropout": PLACES,
    "numpy_functions/test_same_as_numpy.py::test_changes_in_place"
    "[np.nan_to_num(x, False)-inf]": RANGE,
    "numpy_functions/test_same_as_numpy.py::test_results[np.gradient(x, np.cumsum(np.abs(x) + 1)), "
    "np.gradient(x, np.cumsum(np.abs(x) + 1), edge_order=2)-v]": AMPLIFIED,
    "numpy_functions/test_same_as_numpy.py::test_results[np.nan_to_num(x)-inf]": RANGE,
    "numpy_functions/test_same_as_numpy.py::test_results[np.polyfit([0, 1, 2, 3.0, 4], "
    "[1, 3, 2, 5, 4], 2)-s]": AMPLIFIED,
    "numpy_functions/test_same_as_numpy.py::test_results[text330-f]": PLACES,
    "ops/test_elementwise.py::test_equal_shapes[ceil-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[equal-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[floor-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[greater-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[less_equal-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[not_equal-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[remainder-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[round-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[trunc-float32]": STEPS,
    "ops/test_elementwise.py::test_equal_shapes[acos-float32]": AMPLIFIED,
    "ops/test_elementwise.py::test_equal_shapes[asin-float32]": AMPLIFIED,
    "ops/test_special_functions.py::test_gradient_of_betainc": AMPLIFIED,
    "ops/test_special_functions.py::test_values[digamma]": RANGE,
    "ops/test_special_functions.py::test_values[i0]": RANGE,
    "ops/test_special_functions.py::test_values[lgamma]": RANGE,
    "ops/test_special_values.py::test_large_angles": RANGE,
    "ops/test_special_values.py::test_large_remainders": RANGE,
    "ops/test_special_values.py::test_round_halves_to_even": RANGE,
    "ops/test_special_values.py::test_special_floats": RANGE,
    "ops/test_special_values.py::test_tangent_near_its_poles": RANGE,
    "optim/test_loss_scaling.py::test_convolutions": SMALL,
    "optim/test_loss_scaling.py::test_decorator": SMALL,
    "optim/test_loss_scaling.py::test_gradients_of_small_losses_need_a_scale": RANGE,
    "optim/test_loss_scaling.py::test_half_precision_trains_as_float32_does": RANGE,
    "optim/test_loss_scaling.py::test_jitted_functions_are_traced_again": SMALL,
    "optim/test_loss_scaling.py::test_products_round_operands_and_keep_float32": SMALL,
    "optim/test_state_tree.py::test_a_tree_has_the_names_and_the_precision_of_the_vectors": SMALL,
    "optim/test_optim.py::test_donated_states_need_one_extra_vector": BYTES,
    "optim/test_optim.py::test_lbfgs_solves_linear_systems": AMPLIFIED,
    "optim/test_optim.py::test_lbfgs_trains_a_model": AMPLIFIED,
    "optim/test_optim.py::test_steps_equal_numpy[rmsprop": RANGE,
    "runtime/test_host_eval.py::test_a_wrong_sign_or_rounding_is_found": SMALL,
    "runtime/test_host_eval.py::test_debug_mode": DEBUG,
    "runtime/test_readback.py::test_round_trip[float32": RANGE,
    "runtime/test_readback.py::test_shapes[float32": RANGE,
    "test_from_pytorch.py::test_same_values[torch.nan_to_num(x / 0)]": RANGE,
    "test_helpers.py::test_assert_values_fails_beyond_the_tolerance": SMALL,
    "test_onnx.py::test_exceptions_fail": SMALL,
    "test_onnx.py::test_operator[LogSoftmax]": AMPLIFIED,
    "test_onnx.py::test_operator[ReduceProd]": RANGE,
    "test_onnx.py::test_operator[Softmax]": AMPLIFIED,
    "test_onnx.py::test_operator[Tan]": AMPLIFIED,
    "test_random.py::test_numbers_are_the_same_on_every_backend": PLACES,
    "test_libraries.py::test_result_is_the_same_as_with_numpy[einops.reduce prod]": RANGE,
    "models/test_models.py::test_the_dtype_of_an_input_decides_about_narrow_results"
    "[24-numbers8-float32]": RANGE,
    "models/test_models.py::test_casts_to_floats_of_8_bits_round_to_even": STEPS,
    "models/test_models.py::test_powers_of_two_are_rounded_by_mode": STEPS,
    "models/test_tfjs_graphs.py::test_networks_give_the_results_of_tensorflow_js": AMPLIFIED,
    "models/test_tflite.py::test_results_of_the_interpreter[convolutions-int16]": PLACES,
    "models/test_tflite.py::test_results_of_the_interpreter[direct-quantized]": STEPS,
    "models/test_tflite.py::test_results_of_the_interpreter[mobile-int16]": PLACES,
    "models/test_tflite.py::test_results_of_the_interpreter[reductions-float]": AMPLIFIED,
    "models/test_tflite.py::test_results_of_the_interpreter[segmentation-int8]": STEPS,
    "test_libraries.py::test_result_is_the_same_as_with_numpy"
    "[sklearn.metrics.mean_squared_error]": AMPLIFIED,
    "test_libraries.py::test_result_is_the_same_as_with_numpy"
    "[sklearn.linear_model.LogisticRegression]": AMPLIFIED,
    "test_libraries.py::test_result_is_the_same_as_with_numpy[scipy.stats.theilslopes]": AMPLIFIED,
    "test_libraries.py::test_result_is_the_same_as_with_numpy"
    "[scipy.stats.power_divergence]": AMPLIFIED,
    "test_libraries.py::test_result_is_the_same_as_with_numpy[scipy.integrate.cubature]": AMPLIFIED,
    "test_libraries.py::test_result_is_the_same_as_with_numpy"
    "[scipy.differentiate.hessian]": AMPLIFIED,
    "test_onnx.py::test_operator[Cast]": STEPS,
    "test_onnx.py::test_operator[CastLike]": STEPS,
    "test_onnx.py::test_operator[DequantizeLinear]": RANGE,
    "test_onnx.py::test_operator[QuantizeLinear]": STEPS,
    "test_random_distributions.py::test_bernoulli": STEPS,
    "test_random_distributions.py::test_gumbel": AMPLIFIED,
    "train/test_train.py::test_backends_agree_after_100_steps": AMPLIFIED,
    "train/test_train.py::test_training_on_digits_is_reproducible": AMPLIFIED,
    "models/test_tfjs_layers.py::test_model_computes_what_keras_does"
    "[keras2_time_distributed_model]": AMPLIFIED,
    "models/test_to_onnx.py::test_special_values": RANGE,
    "train/test_train_metrics.py::test_losses_of_halves_are_float32": RANGE,
    "train/test_train_metrics.py::test_r2_and_mape_equal_scikit_learn": AMPLIFIED,
    "runtime/test_out_of_memory.py::test_a_warning_names_the_largest_tensors": BYTES,
    "transforms/test_gradients_jax.py::test_elementwise": AMPLIFIED,
    "transforms/test_jit.py::test_counts_are_exact": BYTES,
    "transforms/test_jit.py::test_donation_lowers_the_peak": BYTES,
    "transforms/test_jit.py::test_traces_are_freed_with_the_function": BYTES,
    "transforms/test_jit.py::test_values_computed_once_are_freed_with_the_function": BYTES,
    "nn/test_nn_activations.py::test_logarithms_of_extremes": RANGE,
    "nn/test_nn_attention.py::test_large_scores_do_not_overflow": RANGE,
    "nn/test_nn_gradients.py::test_losses_at_the_start_and_end_of_training": RANGE,
    "diagnostics/test_profile.py::test_memory_of_a_profile": BYTES,
    "transforms/test_autodiff.py::test_debug_mode_gives_the_same": AMPLIFIED,
    "transforms/test_autodiff.py::test_jvp_of_every_linear_rule": AMPLIFIED,
    "transforms/test_autodiff.py::test_more_host_data_than_the_pending_limit": RANGE,
    "transforms/test_autodiff.py::test_more_operations_than_the_pending_limit": PLACES,
    "transforms/test_autodiff.py::test_values_may_be_read": PLACES,
    "transforms/test_checkpoint.py::test_the_device_needs_less_memory": BYTES,
    "transforms/test_complex_gradients.py::test_near_can_fail": SMALL,
}
"""Tests that `--storage float16` leaves out, and the reasons.

A name may end after the test's first parameter.
"""

_patch = pytest.MonkeyPatch()
_active = False


def is_active() -> bool:
    """Return True in a run with `--storage float16`."""
    return _active


def tolerance(relative: float) -> float:
    """Return the relative error that is allowed instead of the one for float32."""
    return max(relative, ROUNDING) if _active else relative


def derivative(relative: float) -> float:
    """Return the relative error that is allowed where operands' rounding is multiplied.

    Derivatives change by the operands' rounding times second derivatives: by 0.004 in softmax and
    erf. Rounded matrices move pixels of warps: values change by 0.005. Colors change by 0.003 on
    the way to Lab and back, where L is up to 100. A decoder that normalizes changes by 0.003, a
    recurrent layer by 0.004.
    """
    return max(relative, 4 * ROUNDING) if _active else relative


def error(absolute: float, expected: Any) -> float:
    """Return the absolute error that is allowed instead of the one for float32."""
    return max(absolute, SMALLEST, ROUNDING * largest(expected)) if _active else absolute


def epsilon(last_place: float) -> float:
    """Return the relative distance of neighbouring numbers, `last_place` for float32."""
    return 2.0**-10 if _active else last_place


def largest(expected: Any) -> float:
    """Return the largest finite absolute value of an array in a run with `--storage float16`."""
    values = np.abs(np.asarray(expected))
    return float(np.max(values[np.isfinite(values)], initial=0.0)) if _active else 0.0


def stored(values: Any) -> Any:
    """Return the numbers of a float32 array that a tensor made from it has."""
    return values.astype("float16").astype("float32") if _active else values


def same_text(got: str, expected: str) -> bool:
    """Compare printed texts; floats in them may differ as tensors may."""
    if not _active:
        return got == expected
    texts = [NUMBERS.split(" ".join(text.split())) for text in (got, expected)]
    found, wanted = ([float(part) for part in text[1::2]] for text in texts)
    return texts[0][::2] == texts[1][::2] and pytest.approx(wanted) == found


def _is_real(*values: Any) -> bool:
    return all(np.asarray(value).dtype.kind in "fc" for value in values)


def start() -> None:
    """Widen the comparisons of floats in NumPy and pytest."""
    global _active
    _active = True
    allclose = np.testing.assert_allclose
    array_equal = np.testing.assert_array_equal
    approx = pytest.approx

    def assert_allclose(
        actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0.0, **options: Any
    ) -> None:
        if _is_real(actual, desired):
            rtol, atol = tolerance(rtol), error(atol, desired)
        allclose(actual, desired, rtol=rtol, atol=atol, **options)

    def assert_array_equal(actual: Any, desired: Any, *args: Any, **options: Any) -> None:
        if not _is_real(actual, desired) or options.get("strict", False):
            array_equal(actual, desired, *args, **options)
        else:
            assert_allclose(actual, desired, **options)

    def widened(expected: Any, rel: Any = None, abs: Any = None, **options: Any) -> Any:
        numbers = [*expected.values()] if isinstance(expected, dict) else expected
        if _is_real(numbers):
            rel, abs = tolerance(rel or 1e-6), error(abs or 1e-12, numbers)
        return approx(expected, rel=rel, abs=abs, **options)

    _patch.setattr(np.testing, "assert_allclose", assert_allclose)
    _patch.setattr(np.testing, "assert_array_equal", assert_array_equal)
    _patch.setattr(pytest, "approx", widened)


def stop() -> None:
    """Undo `start`."""
    global _active
    _active = False
    _patch.undo()
