"""Functions and estimators of scikit-learn that support the array API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn
from sklearn import calibration, metrics, model_selection, pipeline, preprocessing
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import (
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeCV,
)
from sklearn.metrics import pairwise
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB

from .call import BINARY, LABELS, Call, U, X, Y, converted

PREDICTED = np.asarray([0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 2], "int32")
GUESSES = np.asarray([0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1], "int32")
SCORES = np.linspace(0.05, 0.95, 12).astype("float32")[
    np.asarray([3, 8, 5, 1, 9, 2, 0, 7, 11, 4, 10, 6])
]
PROBABILITIES = np.abs(X[:, :3]) / np.sum(np.abs(X[:, :3]), axis=1, keepdims=True)
NONNEGATIVE = np.abs(X) + 0.1
TARGET = Y + 8
OTHER = (TARGET + 0.3 * X[:, 0]).astype("float32")
COUNTS = np.asarray([0, 1, 2, 3, 1, 0, 2, 4, 1, 0, 3, 2], "float32")


def dispatched(name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Call:
    """Return a call with scikit-learn's array API dispatch switched on."""

    def run(xp: Any) -> Any:
        with sklearn.config_context(array_api_dispatch=True):
            return function(
                *converted(xp, args), **{k: converted(xp, v) for k, v in options.items()}
            )

    return Call(f"sklearn.{name}", run, 1e-3, 1e-4)


def fitted(name: str, make: Callable[[], Any], *attributes: str, y: Any = None, x: Any = X) -> Call:
    """Return a call that fits an estimator and reads attributes or calls methods on the data."""

    def run(*data: Any) -> list[Any]:
        model = make().fit(*data)
        found = [getattr(model, attribute) for attribute in attributes]
        return [value(data[0]) if callable(value) else value for value in found]

    return dispatched(name, run, x, *(() if y is None else (y,)))


# fmt: off
_CLASSES = "accuracy_score balanced_accuracy_score cohen_kappa_score hamming_loss jaccard_score matthews_corrcoef zero_one_loss f1_score precision_score recall_score confusion_matrix multilabel_confusion_matrix precision_recall_fscore_support class_likelihood_ratios"
_REGRESSION = "explained_variance_score max_error mean_absolute_error mean_absolute_percentage_error mean_gamma_deviance mean_poisson_deviance mean_squared_error mean_squared_log_error mean_tweedie_deviance median_absolute_error r2_score root_mean_squared_error root_mean_squared_log_error d2_absolute_error_score d2_pinball_score d2_tweedie_score mean_pinball_loss"
_RANKING = "roc_auc_score roc_curve average_precision_score precision_recall_curve det_curve brier_score_loss log_loss d2_brier_score d2_log_loss_score"
_PAIRS = "cosine_similarity cosine_distances euclidean_distances linear_kernel polynomial_kernel rbf_kernel sigmoid_kernel laplacian_kernel manhattan_distances pairwise_distances paired_cosine_distances paired_euclidean_distances paired_manhattan_distances"
_SCALERS = "MaxAbsScaler MinMaxScaler StandardScaler Normalizer Binarizer PolynomialFeatures"

CALLS: list[Call] = [
    *[dispatched(f"metrics.{name}", getattr(metrics, name), BINARY, GUESSES) for name in _CLASSES.split()],
    *[dispatched(f"metrics.{name} macro", getattr(metrics, name), LABELS, PREDICTED, average="macro", zero_division=0) for name in ("f1_score", "precision_score", "recall_score", "jaccard_score")],
    dispatched("metrics.fbeta_score", metrics.fbeta_score, BINARY, GUESSES, beta=2.0),
    dispatched("metrics.confusion_matrix normalize", metrics.confusion_matrix, LABELS, PREDICTED, normalize="true"),
    dispatched("metrics.accuracy_score weights", metrics.accuracy_score, BINARY, GUESSES, sample_weight=NONNEGATIVE[:, 0]),
    *[dispatched(f"metrics.{name}", getattr(metrics, name), TARGET, OTHER) for name in _REGRESSION.split()],
    dispatched("metrics.mean_squared_error weights", metrics.mean_squared_error, TARGET, OTHER, sample_weight=NONNEGATIVE[:, 0]),
    dispatched("metrics.r2_score raw", metrics.r2_score, NONNEGATIVE, NONNEGATIVE + X / 5, multioutput="raw_values"),
    *[dispatched(f"metrics.{name}", getattr(metrics, name), BINARY, SCORES) for name in _RANKING.split()],
    dispatched("metrics.log_loss classes", metrics.log_loss, LABELS, PROBABILITIES),
    dispatched("metrics.top_k_accuracy_score", metrics.top_k_accuracy_score, LABELS, PROBABILITIES, k=2),
    dispatched("metrics.auc", metrics.auc, np.arange(5, dtype="float32"), np.arange(5, dtype="float32") ** 2),
    *[dispatched(f"metrics.pairwise.{name}", getattr(pairwise, name), X, np.flip(X, 0) + 1) for name in _PAIRS.split()],
    *[dispatched(f"metrics.pairwise.{f.__name__}", f, NONNEGATIVE, NONNEGATIVE[:3]) for f in (pairwise.additive_chi2_kernel, pairwise.chi2_kernel)],
    *[fitted(f"preprocessing.{name}", getattr(preprocessing, name), "transform") for name in _SCALERS.split()],
    fitted("preprocessing.KernelCenterer", preprocessing.KernelCenterer, "transform", x=X @ X.T),
    fitted("preprocessing.StandardScaler attributes", preprocessing.StandardScaler, "mean_", "var_", "scale_"),
    fitted("preprocessing.LabelEncoder", preprocessing.LabelEncoder, "transform", "classes_", x=LABELS),
    fitted("preprocessing.LabelBinarizer", preprocessing.LabelBinarizer, "transform", x=LABELS),
    dispatched("preprocessing.StandardScaler.inverse_transform", lambda x: preprocessing.StandardScaler().fit(x).inverse_transform(x), X),
    dispatched("preprocessing.LabelEncoder.inverse_transform", lambda x: preprocessing.LabelEncoder().fit(x).inverse_transform(x), LABELS),
    *[dispatched(f"preprocessing.{f.__name__}", f, X) for f in (preprocessing.maxabs_scale, preprocessing.minmax_scale, preprocessing.normalize, preprocessing.binarize)],
    dispatched("preprocessing.scale", preprocessing.scale, X)._replace(host=True),
    dispatched("preprocessing.label_binarize", preprocessing.label_binarize, LABELS, classes=[0, 1, 2]),
    fitted("decomposition.PCA", lambda: PCA(2, svd_solver="full"), "transform", "explained_variance_", "mean_"),
    fitted("decomposition.PCA covariance_eigh", lambda: PCA(2, svd_solver="covariance_eigh"), "transform", "singular_values_"),
    fitted("decomposition.PCA randomized", lambda: PCA(2, svd_solver="randomized", random_state=0, power_iteration_normalizer="QR"), "explained_variance_"),
    fitted("decomposition.PCA whiten", lambda: PCA(2, whiten=True, svd_solver="full"), "transform", "components_"),
    dispatched("decomposition.PCA.inverse_transform", lambda x: (p := PCA(2, svd_solver="full").fit(x)).inverse_transform(p.transform(x)), X),
    dispatched("decomposition.PCA.score_samples", lambda x: PCA(2, svd_solver="full").fit(x).score_samples(x), X),
    fitted("discriminant_analysis.LinearDiscriminantAnalysis", LinearDiscriminantAnalysis, "predict", "decision_function", "predict_proba", y=LABELS),
    # The signs of singular vectors are arbitrary.
    dispatched("discriminant_analysis.LinearDiscriminantAnalysis.transform", lambda x, y: abs(LinearDiscriminantAnalysis().fit(x, y).transform(x)), X, LABELS),
    fitted("linear_model.Ridge", lambda: Ridge(solver="svd"), "coef_", "intercept_", "predict", y=Y),
    fitted("linear_model.Ridge default", Ridge, "coef_", "predict", y=Y),
    fitted("linear_model.RidgeCV", RidgeCV, "coef_", "predict", y=Y),
    fitted("linear_model.RidgeClassifier", lambda: RidgeClassifier(solver="svd"), "predict", y=BINARY),
    fitted("linear_model.LogisticRegression", lambda: LogisticRegression(solver="lbfgs"), "predict", "predict_proba", y=BINARY),
    fitted("linear_model.LogisticRegression classes", lambda: LogisticRegression(solver="lbfgs"), "predict", "predict_proba", y=LABELS),
    fitted("linear_model.PoissonRegressor", PoissonRegressor, "predict", y=COUNTS),
    fitted("mixture.GaussianMixture", lambda: GaussianMixture(2, init_params="random_from_data", random_state=1, max_iter=2, reg_covar=0.1), "predict", "predict_proba"),
    *[fitted(f"mixture.GaussianMixture {kind}", lambda kind=kind: GaussianMixture(2, covariance_type=kind, init_params="random_from_data", random_state=0, max_iter=3, tol=0.0), "means_", "score_samples") for kind in ("tied", "diag", "spherical")],
    *[dispatched(f"preprocessing.QuantileTransformer {kind}", lambda x, kind=kind: preprocessing.QuantileTransformer(n_quantiles=8, output_distribution=kind).fit_transform(x), X) for kind in ("uniform", "normal")],
    fitted("naive_bayes.GaussianNB", GaussianNB, "predict", "predict_proba", y=BINARY),
    fitted("kernel_approximation.Nystroem", lambda: Nystroem(n_components=4, random_state=0), "transform"),
    dispatched("calibration.CalibratedClassifierCV", lambda x, y: calibration.CalibratedClassifierCV(GaussianNB(), method="temperature", cv=2).fit(x, y).predict_proba(x), X, BINARY),
    dispatched("pipeline.Pipeline", lambda x, y: pipeline.make_pipeline(preprocessing.StandardScaler(), Ridge(solver="svd")).fit(x, y).predict(x), X, Y),
    dispatched("pipeline.FeatureUnion", lambda x: pipeline.make_union(preprocessing.StandardScaler(), preprocessing.MinMaxScaler()).fit_transform(x), X),
    dispatched("preprocessing.FunctionTransformer", lambda x: preprocessing.FunctionTransformer(lambda v: v * 2).fit_transform(x), X),
    dispatched("model_selection.train_test_split", model_selection.train_test_split, X, Y, random_state=0),
    dispatched("model_selection.cross_val_predict", lambda x, y: model_selection.cross_val_predict(Ridge(solver="svd"), x, y, cv=3), X, Y),
    dispatched("model_selection.cross_val_score", lambda x, y: model_selection.cross_val_score(Ridge(solver="svd"), x, y, cv=3), X, Y)._replace(host=True),
    dispatched("model_selection.GridSearchCV", lambda x, y: model_selection.GridSearchCV(Ridge(solver="svd"), {"alpha": [0.1, 1.0]}, cv=3).fit(x, y).predict(x), X, Y),
    dispatched("utils.check_array", sklearn.utils.check_array, U),
]
