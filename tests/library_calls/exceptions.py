"""Calls that do not work with tensors, by the reason."""

from __future__ import annotations

_HIERARCHY = (
    "single complete average weighted centroid median ward linkage cophenet inconsistent "
    "is_monotonic is_valid_linkage num_obs_linkage leaves_list maxdists to_mlab_linkage to_tree "
    "dendrogram optimal_leaf_ordering fcluster fclusterdata leaders"
)

EXCEPTIONS: dict[str, tuple[str, ...]] = {
    "compiled code of SciPy takes only float64, which WebGL does not have": (
        *(f"scipy.cluster.hierarchy.{name}" for name in _HIERARCHY.split()),
        "scipy.interpolate.make_interp_spline",
        "scipy.interpolate.make_smoothing_spline",
    ),
    'ignores `nan_policy="omit"` for arrays other than NumPy\'s': (
        "scipy.stats.skew nan_policy=omit",
    ),
    "takes masks and assigned values only in lists and arrays of NumPy": (
        "pandas Series mask",
        "pandas Series assign",
    ),
    "calls functions of NumPy on its arguments": ("sklearn.metrics.matthews_corrcoef",),
    "fills in missing values only for dtypes of NumPy": tuple(
        f"xarray {name}"
        for name in (
            "where",
            "fillna",
            "xr.corr",
            "xr.cov",
            "weighted",
            "rolling construct",
            "shift",
            "interp",
            "reindex",
            "idxmax",
            "dropna",
        )
    ),
    "uses `numpy.lib`": ("xarray rolling",),
    "indexes several axes by arrays only in arrays of NumPy": ("xarray isel pointwise",),
}
"""Names of calls by the reason. Each must fail, so that the list stays true."""

REASONS = {name: reason for reason, names in EXCEPTIONS.items() for name in names}
