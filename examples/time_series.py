"""Smooth and forecast a monthly series: moving average, exponential smoothing, Holt, seasons.

The series has a trend, a yearly season and a deterministic disturbance.
"""

import numpy as np
import py_tensor as pt


def moving_average(x, window):
    return np.convolve(x, np.ones(window) / window, mode="valid")


def exponential(x, alpha):
    s = np.empty_like(x)
    s[0] = x[0]
    for t in range(1, len(x)):
        s[t] = alpha * x[t] + (1 - alpha) * s[t - 1]
    return s


def holt(x, alpha, beta, horizon):
    level, trend = x[0], x[1] - x[0]
    for value in x[1:]:
        previous = level
        level = alpha * value + (1 - alpha) * (level + trend)
        trend = beta * (level - previous) + (1 - beta) * trend
    return level + trend * np.arange(1, horizon + 1)


def main():
    months = np.arange(36)
    series = 20 + 0.5 * months + 5 * np.sin(2 * np.pi * months / 12) + 0.8 * np.sin(months * 9.7)
    trend = moving_average(series, 12)
    smooth = exponential(series, 0.3)
    slope, intercept = np.polyfit(months, series, 1)
    detrended = series - (slope * months + intercept)
    season = detrended.reshape(-1, 12).mean(axis=0)
    season -= season.mean()
    deseasonalized = series - np.tile(season, 3)
    forecast = holt(deseasonalized, 0.5, 0.2, 12) + season
    centred = detrended - detrended.mean()
    acf = np.correlate(centred, centred, mode="full")[len(centred) - 1 :]
    acf /= acf[0]
    print(f"trend {slope:.3f} per month; autocorrelation at 12 months {acf[12]:.3f}")
    print("next year:", ", ".join(f"{v:.1f}" for v in forecast))
    plot = pt.plot.line(months, series, label="series", title="Monthly series", x_label="month")
    plot.line(months, smooth, label="smooth")
    pt.show(plot.line(np.arange(36, 48), forecast, label="forecast"))
    return trend[::8], smooth[::10], forecast, acf[:13]


if __name__ == "__main__":
    main()
