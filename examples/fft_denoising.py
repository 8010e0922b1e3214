"""Remove noise from a signal by keeping only strong frequencies of its Fourier transform.

The two tones are found as the largest peaks of the power spectrum.
"""

import numpy as np
import py_tensor as pt


def main():
    n, rate = 256, 256.0
    t = np.arange(n) / rate
    clean = np.sin(2 * np.pi * 12 * t) + 0.7 * np.sin(2 * np.pi * 31 * t + 0.5)
    noise = 0.6 * np.sin(1e3 * np.sin(np.arange(n) * 7.1))
    signal = clean + noise

    spectrum = np.fft.rfft(signal)
    freqs = np.fft.rfftfreq(n, d=1 / rate)
    power = np.abs(spectrum) ** 2 / n
    peaks = np.sort(freqs[np.argsort(power)[-2:]])
    print("strongest frequencies:", peaks, "Hz")

    spectrum[power < 0.3 * power.max()] = 0
    denoised = np.fft.irfft(spectrum, n)
    snr = lambda x: 10 * np.log10(np.var(clean) / np.var(x - clean))
    print(f"signal to noise: {snr(signal):.1f} dB before, {snr(denoised):.1f} dB after")
    plot = pt.plot.line(t, signal, label="signal", title="Signal", x_label="seconds")
    pt.show(plot.line(t, denoised, label="denoised"))
    return peaks, denoised[::8]


if __name__ == "__main__":
    main()
