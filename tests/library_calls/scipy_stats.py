"""Functions of scipy.stats, called with arrays."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from .call import LABELS, Call, P, U, V, W, X, each, of

TABLE = np.asarray([16.0, 18.0, 16.0, 14.0, 12.0, 12.0], "float32")
PVALUES = np.asarray([0.01, 0.2, 0.03, 0.4, 0.005], "float32")
NANS = X.copy()
NANS[2, 1] = np.nan
A, B, C = V[:10], V[10:20] + 0.5, V[20:]
ANGLES = (U * 6).astype("float32")


def mean_difference(x, y, axis):
    xp = x.__array_namespace__()
    return xp.mean(x, axis=axis) - xp.mean(y, axis=axis)


def mean(x, axis):
    return x.__array_namespace__().mean(x, axis=axis)


def named(names: str) -> list:
    return [getattr(stats, name) for name in names.split()]


def generator() -> np.random.Generator:
    return np.random.default_rng(3)


# fmt: off
CALLS: list[Call] = [
    *each("scipy.stats", named("gmean hmean gstd gzscore"), P, axis=0),
    *each("scipy.stats", named("zscore variation sem skew kurtosis describe moment iqr median_abs_deviation mode tmean tvar tstd tsem tmin tmax"), X),
    *each("scipy.stats", named("circmean circvar circstd"), ANGLES),
    *each("scipy.stats", named("skewtest kurtosistest normaltest jarque_bera kstat kstatvar"), V),
    *each("scipy.stats", named("boxcox_llf yeojohnson_llf"), 0.5, P[0]),
    *each("scipy.stats", named("ttest_ind ks_2samp mannwhitneyu brunnermunzel cramervonmises_2samp epps_singleton_2samp ansari mood"), A, B),
    of("scipy.stats.bws_test", lambda x, y: stats.bws_test(x, y, method=stats.PermutationMethod(n_resamples=50, rng=generator())), A, B),
    *each("scipy.stats", named("ttest_rel wilcoxon pearsonr kendalltau linregress chatterjeexi spearmanrho theilslopes siegelslopes"), V, W),
    *each("scipy.stats", named("f_oneway kruskal bartlett levene fligner alexandergovern obrientransform"), A, B, C),
    of("scipy.stats.pmean", stats.pmean, P, 3),
    of("scipy.stats.zmap", stats.zmap, X, X[:5]),
    of("scipy.stats.shapiro", stats.shapiro, V),
    of("scipy.stats.kurtosis bias=False", stats.kurtosis, X, axis=1, bias=False),
    of("scipy.stats.skew nan_policy=omit", stats.skew, NANS, nan_policy="omit"),
    of("scipy.stats.sem nan_policy=propagate", stats.sem, NANS, nan_policy="propagate"),
    of("scipy.stats.gmean weights", stats.gmean, P, weights=U),
    of("scipy.stats.zscore ddof=1", stats.zscore, X, axis=1, ddof=1),
    of("scipy.stats.mode keepdims", stats.mode, LABELS, keepdims=True),
    of("scipy.stats.tmean limits", stats.tmean, V, (-1.0, 1.0)),
    of("scipy.stats.trim_mean", stats.trim_mean, X, 0.1),
    of("scipy.stats.sigmaclip", stats.sigmaclip, V, 2.0, 2.0),
    of("scipy.stats.cumfreq", stats.cumfreq, V, 5),
    of("scipy.stats.relfreq", stats.relfreq, V, 5),
    of("scipy.stats.directional_stats", stats.directional_stats, X),
    of("scipy.stats.entropy", stats.entropy, P, axis=0),
    of("scipy.stats.entropy relative", stats.entropy, P, P[::-1], axis=0),
    of("scipy.stats.differential_entropy", stats.differential_entropy, V),
    of("scipy.stats.expectile", stats.expectile, V, 0.3),
    of("scipy.stats.lmoment", stats.lmoment, V),
    of("scipy.stats.quantile", stats.quantile, V, np.asarray([0.1, 0.5], "float32")),
    of("scipy.stats.estimated_cdf", stats.estimated_cdf, V, W[:4]),
    of("scipy.stats.rankdata", stats.rankdata, V),
    of("scipy.stats.rankdata dense", stats.rankdata, LABELS, method="dense"),
    of("scipy.stats.rankdata min axis", stats.rankdata, X, method="min", axis=1),
    of("scipy.stats.ttest_1samp", stats.ttest_1samp, V, 0.2),
    of("scipy.stats.ttest_1samp confidence_interval", lambda *args: stats.ttest_1samp(*args).confidence_interval(), V, 0.2),
    of("scipy.stats.ttest_ind equal_var=False", stats.ttest_ind, A, B, equal_var=False),
    of("scipy.stats.ttest_ind alternative", stats.ttest_ind, X[:6], X[6:], alternative="less"),
    of("scipy.stats.ttest_ind_from_stats", stats.ttest_ind_from_stats, P[0], P[1], 10, P[2], P[1], 12),
    of("scipy.stats.pearsonr axis", stats.pearsonr, X[:6], X[6:], axis=0),
    of("scipy.stats.pearsonr confidence_interval", lambda *args: stats.pearsonr(*args).confidence_interval(), V, W),
    of("scipy.stats.pointbiserialr", stats.pointbiserialr, LABELS > 0, X[:, 0]),
    of("scipy.stats.chisquare", stats.chisquare, TABLE),
    of("scipy.stats.power_divergence", stats.power_divergence, TABLE, lambda_="log-likelihood"),
    of("scipy.stats.friedmanchisquare", stats.friedmanchisquare, A, B, C[:10]),
    of("scipy.stats.ks_1samp", stats.ks_1samp, V, special.ndtr),
    of("scipy.stats.kstest", stats.kstest, A, B),
    of("scipy.stats.cramervonmises", stats.cramervonmises, V, special.ndtr),
    of("scipy.stats.combine_pvalues", stats.combine_pvalues, PVALUES),
    of("scipy.stats.combine_pvalues stouffer", stats.combine_pvalues, PVALUES, method="stouffer"),
    of("scipy.stats.combine_pvalues pearson", stats.combine_pvalues, PVALUES, method="pearson"),
    of("scipy.stats.false_discovery_control", stats.false_discovery_control, PVALUES),
    of("scipy.stats.quantile_test", stats.quantile_test, V, q=0.1),
    of("scipy.stats.binomtest", stats.binomtest, np.asarray([3, 4], "int32"), 15, 0.1),
    of("scipy.stats.bootstrap", lambda x: stats.bootstrap((x,), mean, n_resamples=50, rng=generator()), V),
    of("scipy.stats.permutation_test", lambda x, y: stats.permutation_test((x, y), mean_difference, n_resamples=50, rng=generator()), A, B),
    of("scipy.stats.monte_carlo_test", lambda x: stats.monte_carlo_test(x, lambda size: x.__array_namespace__().asarray(generator().normal(size=size).astype("float32")), mean, n_resamples=50), V),
    of("scipy.stats.zscore of integers", stats.zscore, LABELS),
    of("scipy.stats.describe axis", stats.describe, X, axis=1),
    of("scipy.stats.moment order", stats.moment, X, order=[1, 2, 3]),
    of("scipy.stats.wilcoxon one sample", stats.wilcoxon, V),
    of("scipy.stats.mannwhitneyu asymptotic", stats.mannwhitneyu, X[:6], X[6:], method="asymptotic"),
    of("scipy.stats.levene mean", stats.levene, A, B, center="mean"),
    of("scipy.stats.median_abs_deviation axis", stats.median_abs_deviation, X, axis=1),
    of("scipy.stats.iqr scale", stats.iqr, X, scale="normal"),
]
