"""Functions of SciPy's smaller modules, called with arrays."""

from __future__ import annotations

import numpy as np
from scipy import (
    constants,
    differentiate,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    stats,
)
from scipy.cluster import hierarchy, vq
from scipy.optimize import elementwise
from scipy.spatial.transform import RigidTransform, Rotation, Slerp

from .call import IMAGE, MASK, SPD, Call, P, U, V, X, Z, each, of

QUATERNIONS = X[:3]
GRID = np.arange(8, dtype="float32")
LOWER, UPPER = np.zeros(3, "float32"), np.asarray([1.0, 2.0, 3.0], "float32")
POINTS = X[:, :2]
BLOBS = np.asarray([[0, 0, 1, 1, 0], [0, 0, 1, 0, 0], [2, 0, 0, 0, 3]], "int32")
INTEGERS = (IMAGE * 200).astype("uint8")


def rotation(quaternions):
    return Rotation.from_quat(quaternions)


def linked(x):
    return hierarchy.linkage(x, "average")


# fmt: off
_FILTERS = [
    *each("scipy.ndimage", [ndimage.gaussian_filter, ndimage.gaussian_filter1d, ndimage.gaussian_gradient_magnitude, ndimage.gaussian_laplace], IMAGE, 1.0),
    *each("scipy.ndimage", [ndimage.laplace, ndimage.prewitt, ndimage.sobel, ndimage.spline_filter, ndimage.spline_filter1d], IMAGE),
    *each("scipy.ndimage", [ndimage.maximum_filter, ndimage.minimum_filter, ndimage.median_filter, ndimage.uniform_filter, ndimage.uniform_filter1d, ndimage.maximum_filter1d, ndimage.minimum_filter1d], IMAGE, 3),
    *each("scipy.ndimage", [ndimage.convolve, ndimage.correlate], IMAGE, IMAGE[:3, :3]),
    *each("scipy.ndimage", [ndimage.convolve1d, ndimage.correlate1d], IMAGE, V[:3]),
    *each("scipy.ndimage", [ndimage.percentile_filter, ndimage.rank_filter], IMAGE, 3, size=3),
    *each("scipy.ndimage", [ndimage.fourier_gaussian, ndimage.fourier_uniform, ndimage.fourier_ellipsoid, ndimage.fourier_shift], Z, 2.0),
    *each("scipy.ndimage", [ndimage.binary_closing, ndimage.binary_dilation, ndimage.binary_erosion, ndimage.binary_fill_holes, ndimage.binary_hit_or_miss, ndimage.binary_opening, ndimage.distance_transform_cdt, ndimage.distance_transform_edt, ndimage.distance_transform_bf, ndimage.label], MASK),
    *each("scipy.ndimage", [ndimage.grey_closing, ndimage.grey_dilation, ndimage.grey_erosion, ndimage.grey_opening, ndimage.white_tophat, ndimage.black_tophat, ndimage.morphological_gradient, ndimage.morphological_laplace], IMAGE, 3),
    *each("scipy.ndimage", [ndimage.center_of_mass, ndimage.extrema, ndimage.maximum, ndimage.minimum, ndimage.mean, ndimage.median, ndimage.sum, ndimage.sum_labels, ndimage.variance, ndimage.standard_deviation, ndimage.maximum_position, ndimage.minimum_position], IMAGE[:3, :5], BLOBS, np.asarray([1, 2, 3], "int32")),
    of("scipy.ndimage.mean of all", ndimage.mean, IMAGE),
    of("scipy.ndimage.histogram", ndimage.histogram, IMAGE, 0, 1, 5),
    of("scipy.ndimage.find_objects", lambda x: [[side.stop for side in found] for found in ndimage.find_objects(x)], BLOBS),
    of("scipy.ndimage.value_indices", ndimage.value_indices, BLOBS),
    of("scipy.ndimage.binary_propagation", ndimage.binary_propagation, MASK & np.roll(MASK, 1, 0), mask=MASK),
    of("scipy.ndimage.iterate_structure", ndimage.iterate_structure, np.asarray([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool), 2),
    of("scipy.ndimage.watershed_ift", ndimage.watershed_ift, INTEGERS[:3, :5], BLOBS.astype("int16")),
    of("scipy.ndimage.affine_transform", ndimage.affine_transform, IMAGE, np.asarray([[0.8, 0.1], [0.0, 1.1]], "float32")),
    of("scipy.ndimage.geometric_transform", ndimage.geometric_transform, IMAGE, lambda at: (at[0] - 0.5, at[1] - 0.5)),
    of("scipy.ndimage.map_coordinates", ndimage.map_coordinates, IMAGE, np.asarray([[0.5, 2.0], [0.5, 1.0]], "float32")),
    of("scipy.ndimage.rotate", ndimage.rotate, IMAGE, 30.0, reshape=False),
    of("scipy.ndimage.shift", ndimage.shift, IMAGE, 0.5),
    of("scipy.ndimage.zoom", ndimage.zoom, IMAGE, 1.5),
    of("scipy.ndimage.generic_filter", ndimage.generic_filter, IMAGE, np.ptp, 3),
    of("scipy.ndimage.vectorized_filter", lambda x: ndimage.vectorized_filter(x, x.__array_namespace__().mean, size=3), IMAGE),
]

_FFT = [
    *each("scipy.fft", [fft.fft, fft.ifft, fft.fft2, fft.ifft2, fft.fftn, fft.ifftn, fft.irfft, fft.irfft2, fft.irfftn, fft.hfft, fft.hfft2, fft.hfftn], Z),
    *each("scipy.fft", [fft.rfft, fft.rfft2, fft.rfftn, fft.ihfft, fft.ihfft2, fft.ihfftn, fft.fftshift, fft.ifftshift, fft.dct, fft.idct, fft.dst, fft.idst, fft.dctn, fft.idctn, fft.dstn, fft.idstn], IMAGE),
    of("scipy.fft.fft real", fft.fft, V, 20, norm="ortho"),
    of("scipy.fft.fht", fft.fht, P[0], 0.1, 1.0),
    of("scipy.fft.ifht", fft.ifht, P[0], 0.1, 1.0),
    Call("scipy.fft.fftfreq", lambda xp: fft.fftfreq(8, 0.5, xp=xp)),
    Call("scipy.fft.rfftfreq", lambda xp: fft.rfftfreq(8, 0.5, xp=xp)),
]

_INTEGRATE = [
    *each("scipy.integrate", [integrate.trapezoid, integrate.cumulative_trapezoid, integrate.simpson, integrate.cumulative_simpson], IMAGE),
    of("scipy.integrate.trapezoid x", integrate.trapezoid, V[:8], GRID),
    of("scipy.integrate.simpson x", integrate.simpson, V[:8], x=GRID),
    of("scipy.integrate.romb", integrate.romb, V[:9]),
    of("scipy.integrate.fixed_quad", integrate.fixed_quad, lambda x: x**3, 0.0, np.asarray(2.0, "float32")),
    of("scipy.integrate.cubature", integrate.cubature, lambda x: x[:, 0] ** 2 * x[:, 1], LOWER[:2], UPPER[:2], rtol=1e-3, atol=1e-3),
    of("scipy.integrate.tanhsinh", integrate.tanhsinh, lambda x: x**2, LOWER, UPPER),
    of("scipy.integrate.nsum", integrate.nsum, lambda k: 1 / k**2, np.asarray([1.0, 2.0], "float32"), np.asarray([9.0, 12.0], "float32")),
    of("scipy.integrate.qmc_quad", lambda a, b: integrate.qmc_quad(lambda x: x.__array_namespace__().sum(x**2, axis=0), a, b, n_points=64, qrng=stats.qmc.Halton(2, rng=0)), LOWER[:2], UPPER[:2]),
]

_OPTIMIZE = [
    *each("scipy.optimize", [optimize.rosen, optimize.rosen_der, optimize.rosen_hess], P[0]),
    of("scipy.optimize.rosen_hess_prod", optimize.rosen_hess_prod, P[0], P[1]),
    of("scipy.optimize.elementwise.find_root", elementwise.find_root, lambda x, c: x**2 - c, (LOWER, UPPER + 1), args=(UPPER,)),
    of("scipy.optimize.elementwise.find_minimum", elementwise.find_minimum, lambda x, c: (x - c) ** 2, (LOWER, UPPER, UPPER + 3), args=(UPPER + 0.5,)),
    of("scipy.optimize.elementwise.bracket_root", elementwise.bracket_root, lambda x, c: x**2 - c, LOWER + 1, UPPER + 1, args=(UPPER,)),
    of("scipy.optimize.elementwise.bracket_minimum", elementwise.bracket_minimum, lambda x, c: (x - c) ** 2, UPPER, args=(UPPER + 0.5,)),
    of("scipy.differentiate.derivative", lambda x: differentiate.derivative(lambda v: v**3, x).df, UPPER),
    of("scipy.differentiate.jacobian", lambda x: differentiate.jacobian(optimize.rosen, x).df, P[0]),
    # Differences of differences: rounding is divided by the square of a step. Off by 1.1e-3 on an NVIDIA GPU.
    of("scipy.differentiate.hessian", lambda x: differentiate.hessian(optimize.rosen, x, maxiter=2).ddf, P[0, :2])._replace(rtol=3e-3),
]

_CLUSTER = [
    *each("scipy.cluster.hierarchy", [hierarchy.single, hierarchy.complete, hierarchy.average, hierarchy.weighted, hierarchy.centroid, hierarchy.median, hierarchy.ward, hierarchy.linkage], POINTS),
    *[of(f"scipy.cluster.hierarchy.{f.__name__}", lambda x, f=f: f(linked(x)), POINTS) for f in (hierarchy.cophenet, hierarchy.inconsistent, hierarchy.is_monotonic, hierarchy.is_valid_linkage, hierarchy.num_obs_linkage, hierarchy.leaves_list, hierarchy.maxdists, hierarchy.to_mlab_linkage)],
    of("scipy.cluster.hierarchy.to_tree", lambda x: hierarchy.to_tree(linked(x)).count, POINTS),
    of("scipy.cluster.hierarchy.dendrogram", lambda x: hierarchy.dendrogram(linked(x), no_plot=True)["leaves"], POINTS),
    of("scipy.cluster.hierarchy.optimal_leaf_ordering", lambda x: hierarchy.optimal_leaf_ordering(linked(x), x), POINTS),
    of("scipy.cluster.hierarchy.fcluster", lambda x: hierarchy.fcluster(linked(x), 1.0), POINTS),
    of("scipy.cluster.hierarchy.fclusterdata", hierarchy.fclusterdata, POINTS, 1.0),
    of("scipy.cluster.hierarchy.is_isomorphic", hierarchy.is_isomorphic, BLOBS[0], BLOBS[0]),
    of("scipy.cluster.hierarchy.leaders", lambda x: hierarchy.leaders(linked(x), hierarchy.fcluster(linked(x), 1.0)), POINTS),
    of("scipy.cluster.vq.whiten", vq.whiten, X),
    of("scipy.cluster.vq.vq", vq.vq, X, X[:3]),
    of("scipy.cluster.vq.kmeans", vq.kmeans, X, X[:3]),
    of("scipy.cluster.vq.kmeans2", vq.kmeans2, X, X[:3], minit="matrix"),
]

_TRANSFORM = [
    *[of(f"scipy.spatial.transform.Rotation.{name}", lambda q, name=name: getattr(rotation(q), name)(), QUATERNIONS) for name in ("as_quat", "as_matrix", "as_rotvec", "as_mrp", "magnitude")],
    of("scipy.spatial.transform.Rotation.as_euler", lambda q: rotation(q).as_euler("xyz"), QUATERNIONS),
    of("scipy.spatial.transform.Rotation.from_euler", lambda a: Rotation.from_euler("zyx", a).as_quat(), X[:, :3]),
    of("scipy.spatial.transform.Rotation.from_rotvec", lambda a: Rotation.from_rotvec(a).as_matrix(), X[:, :3]),
    of("scipy.spatial.transform.Rotation.from_matrix", lambda m: Rotation.from_matrix(m).as_quat(), np.eye(3, dtype="float32")),
    of("scipy.spatial.transform.Rotation.apply", lambda q, v: rotation(q).apply(v), QUATERNIONS, P[:, :3]),
    of("scipy.spatial.transform.Rotation product", lambda q: (rotation(q) * rotation(q).inv()).as_quat(), QUATERNIONS),
    of("scipy.spatial.transform.Rotation.mean", lambda q: rotation(q).mean().as_matrix(), QUATERNIONS),
    of("scipy.spatial.transform.Rotation power", lambda q: (rotation(q) ** 0.5).as_rotvec(), QUATERNIONS),
    of("scipy.spatial.transform.Rotation index", lambda q: rotation(q)[1].as_quat(), QUATERNIONS),
    of("scipy.spatial.transform.Rotation.align_vectors", lambda a, b: Rotation.align_vectors(a, b)[0].as_matrix(), P[:, :3], U[:, :3]),
    of("scipy.spatial.transform.Slerp", lambda q: Slerp([0, 1, 2], rotation(q))(0.5).as_quat(), QUATERNIONS),
    of("scipy.spatial.transform.RigidTransform.apply", lambda t, v: RigidTransform.from_translation(t).apply(v), P[0, :3], P[1, :3]),
    of("scipy.spatial.transform.RigidTransform.as_matrix", lambda t: RigidTransform.from_translation(t).as_matrix(), P[0, :3]),
    of("scipy.spatial.transform.RigidTransform.from_matrix", lambda m: RigidTransform.from_matrix(m).as_matrix(), np.tile(np.eye(4, dtype="float32"), (3, 1, 1))),
    *[of(f"scipy.spatial.transform.RigidTransform.{name}", lambda q, v, name=name: getattr(RigidTransform.from_components(v, rotation(q)), name)(), QUATERNIONS, P[:, :3]) for name in ("as_dual_quat", "as_exp_coords")],
    of("scipy.spatial.transform.RigidTransform.inv", lambda q, v: RigidTransform.from_components(v, rotation(q)).inv().as_matrix(), QUATERNIONS, P[:, :3]),
    of("scipy.spatial.transform.RigidTransform product", lambda q, v: (RigidTransform.from_components(v, rotation(q)) * RigidTransform.from_translation(v)).as_matrix(), QUATERNIONS, P[:, :3]),
]

_INTERPOLATE = [
    of("scipy.interpolate.BSpline", lambda t, c, x: interpolate.BSpline(t, c, 2)(x), GRID, V[:5], GRID[3:5] + 0.5),
    of("scipy.interpolate.make_interp_spline", lambda x, y, at: interpolate.make_interp_spline(x, y)(at), GRID, V[:8], GRID[:3] + 0.5),
    of("scipy.interpolate.make_smoothing_spline", lambda x, y, at: interpolate.make_smoothing_spline(x, y)(at), GRID, V[:8], GRID[:3] + 0.5),
    of("scipy.interpolate.CubicSpline", lambda x, y, at: interpolate.CubicSpline(x, y)(at), GRID, V[:8], GRID[:3] + 0.5),
    of("scipy.interpolate.Akima1DInterpolator", lambda x, y, at: interpolate.Akima1DInterpolator(x, y)(at), GRID, V[:8], GRID[:3] + 0.5),
    of("scipy.interpolate.CubicHermiteSpline", lambda x, y, d, at: interpolate.CubicHermiteSpline(x, y, d)(at), GRID, V[:8], V[8:16], GRID[:3] + 0.5),
    of("scipy.interpolate.PPoly", lambda c, x, at: interpolate.PPoly(c, x)(at), V[:6].reshape(2, 3), GRID[:4], GRID[:3] + 0.5),
    of("scipy.interpolate.RegularGridInterpolator", lambda a, b, v, at: interpolate.RegularGridInterpolator((a, b), v)(at), GRID, GRID, IMAGE[:8], P[:, :2]),
    of("scipy.interpolate.RBFInterpolator", lambda x, y, at: interpolate.RBFInterpolator(x, y)(at), POINTS, X[:, 2], U[:, :2]),
]

_LINALG = [
    *each("scipy.linalg", [linalg.det, linalg.inv, linalg.cholesky, linalg.lu, linalg.qr, linalg.svdvals, linalg.eigh, linalg.expm, linalg.pinv, linalg.norm], SPD),
    of("scipy.linalg.solve", linalg.solve, SPD, P[0, :4]),
    of("scipy.linalg.lstsq", lambda a, b: linalg.lstsq(a, b)[0], X, X[:, 0]),
]

CALLS: list[Call] = [
    *_FILTERS,
    *_FFT,
    *_INTEGRATE,
    *_OPTIMIZE,
    *_CLUSTER,
    *_TRANSFORM,
    *_INTERPOLATE,
    of("scipy.linalg.block_diag", linalg.block_diag, X[:2], SPD),
    of("scipy.linalg.fiedler", linalg.fiedler, P[0]),
    of("scipy.linalg.orthogonal_procrustes", linalg.orthogonal_procrustes, X[:, :3], X[:, 1:]),
    *[call._replace(host=True) for call in _LINALG],
    of("scipy.constants.convert_temperature", constants.convert_temperature, P, "C", "K"),
    of("scipy.constants.lambda2nu", constants.lambda2nu, P),
    of("scipy.constants.nu2lambda", constants.nu2lambda, P),
]
