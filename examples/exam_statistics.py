"""Evaluate a table of exam results: grades, groups, ranks, missing values and correlations.

This is the work that a small script does before anyone reaches for a data frame.
"""

import numpy as np
import py_tensor as pt


def main():
    student = np.arange(24)
    points = np.stack(
        [60 + 25 * np.sin(student * 1.1), 55 + 30 * np.cos(student * 0.7), 70 - student], axis=1
    )
    points = np.round(points, 1)
    points[5, 1] = np.nan
    points[17, 0] = np.nan
    group = student % 3

    means = np.nanmean(points, axis=0)
    filled = np.where(np.isnan(points), means, points)
    total = np.average(filled, axis=1, weights=[0.5, 0.3, 0.2])
    z = (total - total.mean()) / total.std()
    rank = np.empty(len(total), dtype=int)
    rank[np.argsort(-total)] = np.arange(1, len(total) + 1)
    grades = np.digitize(total, [40, 50, 60, 70])
    names = "FDCBA"

    print("missing:", np.isnan(points).sum(axis=0), "means:", means.round(2))
    for g in np.unique(group):
        members = total[group == g]
        q1, q2, q3 = np.percentile(members, [25, 50, 75])
        print(f"group {g}: mean {members.mean():.2f}, quartiles {q1:.1f} {q2:.1f} {q3:.1f}")
    best = np.argsort(total)[::-1][:3]
    print("best:", [(int(s), round(float(total[s]), 1), names[grades[s]]) for s in best])
    correlation = np.corrcoef(filled, rowvar=False)
    print(correlation.round(3))
    counts, edges = np.histogram(total, bins=5, range=(20, 100))
    for n, left in zip(counts, edges):
        print(f"{left:5.0f} {'*' * int(n)}")
    pt.show(pt.plot.histogram(total, 12, title="Weighted points", x_label="points"))
    return means, total, rank, grades, correlation, counts, z.max()


if __name__ == "__main__":
    main()
