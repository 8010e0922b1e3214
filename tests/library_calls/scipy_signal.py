"""Functions of scipy.signal and scipy.signal.windows, called with arrays."""

from __future__ import annotations

import numpy as np
from scipy import signal
from scipy.signal import windows

from .call import IMAGE, Call, V, W, of

NUM = np.asarray([0.3, 0.2, 0.1], "float32")
DEN = np.asarray([1.0, -0.4, 0.1], "float32")
ZEROS = np.asarray([-0.5, 0.3], "float32")
POLES = np.asarray([-0.2, 0.6], "float32")
SOS = np.asarray([[0.3, 0.2, 0.1, 1.0, -0.4, 0.1], [1.0, 0.5, 0.0, 1.0, -0.2, 0.0]], "float32")
TAPS = np.asarray([0.1, 0.3, 0.3, 0.1, 0.05], "float32")
FREQS = np.asarray([0.1, 1.0, 2.0], "float32")
SMALL = IMAGE[:3, :3]

# fmt: off
_WINDOWS = "boxcar triang parzen bohman blackman nuttall blackmanharris flattop bartlett hann tukey barthann hamming cosine exponential taylor lanczos"
_PROTOTYPES = "buttap besselap"


def polynomials(function):
    """Return a function of the result's polynomials, since the order of conjugate roots is arbitrary."""
    return lambda *args: signal.zpk2tf(*function(*args))


def with_xp(name, function, *args, **options):
    return Call(name, lambda xp: function(*args, xp=xp, **options))


CALLS: list[Call] = [
    *[with_xp(f"scipy.signal.windows.{name}", getattr(windows, name), 9) for name in _WINDOWS.split()],
    of("scipy.signal.windows.general_cosine", windows.general_cosine, 9, np.asarray([0.5, 0.3, 0.2], "float32")),
    with_xp("scipy.signal.windows.general_hamming", windows.general_hamming, 9, 0.6),
    with_xp("scipy.signal.windows.kaiser", windows.kaiser, 9, 8.0),
    with_xp("scipy.signal.windows.kaiser_bessel_derived", windows.kaiser_bessel_derived, 10, 8.0),
    with_xp("scipy.signal.windows.gaussian", windows.gaussian, 9, 2.0),
    with_xp("scipy.signal.windows.general_gaussian", windows.general_gaussian, 9, 1.5, 2.0),
    with_xp("scipy.signal.windows.chebwin", windows.chebwin, 9, 60),
    with_xp("scipy.signal.get_window", signal.get_window, ("kaiser", 4.0), 9),
    *[with_xp(f"scipy.signal.{name}", getattr(signal, name), 3) for name in _PROTOTYPES.split()],
    with_xp("scipy.signal.cheb1ap", signal.cheb1ap, 3, 1.0),
    with_xp("scipy.signal.cheb2ap", signal.cheb2ap, 3, 30.0),
    with_xp("scipy.signal.ellipap", signal.ellipap, 3, 1.0, 30.0),
    with_xp("scipy.signal.gammatone", signal.gammatone, 440, "iir", fs=16000),
    with_xp("scipy.signal.iirnotch", signal.iirnotch, 0.3, 30.0),
    with_xp("scipy.signal.iirpeak", signal.iirpeak, 0.3, 30.0),
    with_xp("scipy.signal.iircomb", signal.iircomb, 0.25, 30.0),
    of("scipy.signal.firwin", signal.firwin, 9, np.asarray(0.3, "float32")),
    with_xp("scipy.signal.savgol_coeffs", signal.savgol_coeffs, 5, 2),
    of("scipy.signal.butter", signal.butter, 3, np.asarray(0.3, "float32")),
    of("scipy.signal.butter sos", signal.butter, 3, np.asarray([0.2, 0.5], "float32"), "band", output="sos"),
    of("scipy.signal.bessel", signal.bessel, 3, np.asarray(0.3, "float32")),
    of("scipy.signal.cheby1", signal.cheby1, 3, 1.0, np.asarray(0.3, "float32")),
    of("scipy.signal.cheby2", signal.cheby2, 3, 30.0, np.asarray(0.3, "float32")),
    of("scipy.signal.ellip", signal.ellip, 3, 1.0, 30.0, np.asarray(0.3, "float32")),
    of("scipy.signal.buttord", signal.buttord, np.asarray(0.2, "float32"), np.asarray(0.3, "float32"), 3, 40),
    of("scipy.signal.cheb1ord", signal.cheb1ord, np.asarray(0.2, "float32"), np.asarray(0.3, "float32"), 3, 40),
    of("scipy.signal.cheb2ord", signal.cheb2ord, np.asarray(0.2, "float32"), np.asarray(0.3, "float32"), 3, 40),
    of("scipy.signal.ellipord", signal.ellipord, np.asarray(0.2, "float32"), np.asarray(0.3, "float32"), 3, 40),
    of("scipy.signal.bilinear", signal.bilinear, NUM, DEN, 2.0),
    of("scipy.signal.bilinear_zpk", signal.bilinear_zpk, ZEROS, POLES, 1.0, 2.0),
    of("scipy.signal.findfreqs", signal.findfreqs, NUM, DEN, 5),
    of("scipy.signal.freqs", signal.freqs, NUM, DEN, FREQS),
    of("scipy.signal.freqs_zpk", signal.freqs_zpk, ZEROS, POLES, 1.0, FREQS),
    of("scipy.signal.freqz", signal.freqz, NUM, DEN, FREQS),
    of("scipy.signal.freqz worN", signal.freqz, NUM, DEN, 16),
    of("scipy.signal.freqz_zpk", signal.freqz_zpk, ZEROS, POLES, 1.0, FREQS),
    of("scipy.signal.freqz_sos", signal.freqz_sos, SOS, FREQS),
    of("scipy.signal.group_delay", signal.group_delay, (NUM, DEN), FREQS),
    of("scipy.signal.lp2lp", signal.lp2lp, NUM, DEN, 2.0),
    of("scipy.signal.lp2hp", signal.lp2hp, NUM, DEN, 2.0),
    of("scipy.signal.lp2bp", signal.lp2bp, NUM, DEN, 2.0, 0.5),
    of("scipy.signal.lp2bs", signal.lp2bs, NUM, DEN, 2.0, 0.5),
    of("scipy.signal.lp2lp_zpk", signal.lp2lp_zpk, ZEROS[:1], POLES, 1.0, 2.0),
    of("scipy.signal.lp2hp_zpk", signal.lp2hp_zpk, ZEROS[:1], POLES, 1.0, 2.0),
    of("scipy.signal.lp2bp_zpk", polynomials(signal.lp2bp_zpk), ZEROS[:1], POLES, 1.0, 2.0, 0.5),
    of("scipy.signal.lp2bs_zpk", polynomials(signal.lp2bs_zpk), ZEROS[:1], POLES, 1.0, 2.0, 0.5),
    of("scipy.signal.normalize", signal.normalize, NUM, 2 * DEN),
    of("scipy.signal.sos2tf", signal.sos2tf, SOS),
    of("scipy.signal.sos2zpk", signal.sos2zpk, SOS),
    of("scipy.signal.tf2sos", signal.tf2sos, NUM, DEN),
    of("scipy.signal.tf2zpk", signal.tf2zpk, NUM, DEN),
    of("scipy.signal.zpk2sos", signal.zpk2sos, ZEROS, POLES, 1.0),
    of("scipy.signal.zpk2tf", signal.zpk2tf, ZEROS, POLES, 1.0),
    of("scipy.signal.firls", signal.firls, 9, np.asarray([0.0, 0.3, 0.5, 1.0], "float32"), np.asarray([1.0, 1.0, 0.0, 0.0], "float32")),
    of("scipy.signal.firwin2", signal.firwin2, 9, np.asarray([0.0, 0.5, 1.0], "float32"), np.asarray([1.0, 1.0, 0.0], "float32")),
    of("scipy.signal.minimum_phase", signal.minimum_phase, TAPS),
    of("scipy.signal.remez", signal.remez, 9, np.asarray([0.0, 0.1, 0.2, 0.5], "float32"), np.asarray([1.0, 0.0], "float32")),
    of("scipy.signal.convolve", signal.convolve, V, TAPS),
    of("scipy.signal.convolve same fft", signal.convolve, V, TAPS, "same", "fft"),
    of("scipy.signal.convolve 2d", signal.convolve, IMAGE, SMALL),
    of("scipy.signal.correlate", signal.correlate, V, TAPS),
    of("scipy.signal.convolve2d", signal.convolve2d, IMAGE, SMALL, "same", "symm"),
    of("scipy.signal.correlate2d", signal.correlate2d, IMAGE, SMALL),
    of("scipy.signal.fftconvolve", signal.fftconvolve, V, W),
    of("scipy.signal.oaconvolve", signal.oaconvolve, V, TAPS),
    of("scipy.signal.choose_conv_method", signal.choose_conv_method, V, TAPS),
    of("scipy.signal.deconvolve", signal.deconvolve, V[:8], DEN),
    of("scipy.signal.detrend", signal.detrend, V),
    of("scipy.signal.detrend constant", signal.detrend, IMAGE, type="constant", axis=0),
    of("scipy.signal.envelope", signal.envelope, V),
    of("scipy.signal.filtfilt", signal.filtfilt, NUM, DEN, V),
    of("scipy.signal.hilbert", signal.hilbert, V),
    of("scipy.signal.hilbert2", signal.hilbert2, IMAGE),
    of("scipy.signal.lfilter", signal.lfilter, NUM, DEN, V),
    of("scipy.signal.lfilter zi", lambda b, a, x: signal.lfilter(b, a, x, zi=signal.lfilter_zi(b, a)), NUM, DEN, V),
    of("scipy.signal.lfilter_zi", signal.lfilter_zi, NUM, DEN),
    of("scipy.signal.lfiltic", signal.lfiltic, NUM, DEN, V[:2]),
    of("scipy.signal.medfilt", signal.medfilt, V, 5),
    of("scipy.signal.medfilt2d", signal.medfilt2d, IMAGE, 3),
    of("scipy.signal.order_filter", signal.order_filter, IMAGE, np.ones((3, 3), "float32"), 4),
    of("scipy.signal.resample", signal.resample, V, 20),
    of("scipy.signal.resample_poly", signal.resample_poly, V, 3, 2),
    of("scipy.signal.savgol_filter", signal.savgol_filter, V, 5, 2),
    of("scipy.signal.sosfilt", signal.sosfilt, SOS, V),
    of("scipy.signal.sosfilt_zi", signal.sosfilt_zi, SOS),
    of("scipy.signal.sosfiltfilt", signal.sosfiltfilt, SOS, V),
    of("scipy.signal.vectorstrength", signal.vectorstrength, np.abs(V), 1.5),
    of("scipy.signal.wiener", signal.wiener, IMAGE, 3),
    of("scipy.signal.upfirdn", signal.upfirdn, TAPS, V, 2, 3),
    of("scipy.signal.cspline1d", signal.cspline1d, V),
    of("scipy.signal.qspline1d", signal.qspline1d, V),
    of("scipy.signal.cspline2d", signal.cspline2d, np.tile(IMAGE, (4, 4)), 8.0),
    of("scipy.signal.cspline2d without smoothing", signal.cspline2d, IMAGE)._replace(host=True),
    of("scipy.signal.spline_filter", signal.spline_filter, np.tile(IMAGE, (4, 4))),
    of("scipy.signal.cspline1d_eval", signal.cspline1d_eval, V, np.asarray([1.5, 2.25], "float32")),
    of("scipy.signal.qspline1d_eval", signal.qspline1d_eval, V, np.asarray([1.5, 2.25], "float32")),
    of("scipy.signal.gauss_spline", signal.gauss_spline, V, 3),
    of("scipy.signal.sawtooth", signal.sawtooth, V, 0.5),
    of("scipy.signal.square", signal.square, V),
    of("scipy.signal.abcd_normalize", signal.abcd_normalize, np.eye(2, dtype="float32"), np.ones((2, 1), "float32"), np.ones((1, 2), "float32"), np.ones((1, 1), "float32")),
]
