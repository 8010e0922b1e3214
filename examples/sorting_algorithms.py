"""Sort arrays with hand-written algorithms and search them by bisection.

The algorithms work on single elements in place, as in textbooks.
"""

import numpy as np


def bubble_sort(a):
    a = a.copy()
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


def quick_sort(a):
    if len(a) <= 1:
        return a
    pivot = a[len(a) // 2]
    return np.concatenate([quick_sort(a[a < pivot]), a[a == pivot], quick_sort(a[a > pivot])])


def merge(a, b):
    out = np.empty(len(a) + len(b), dtype=a.dtype)
    # The place of an element is its own index plus the number of smaller ones in the other half.
    out[np.arange(len(a)) + np.searchsorted(b, a, side="left")] = a
    out[np.arange(len(b)) + np.searchsorted(a, b, side="right")] = b
    return out


def merge_sort(a):
    if a.size < 2:
        return a
    middle = a.size // 2
    return merge(merge_sort(a[:middle]), merge_sort(a[middle:]))


def counting_sort(a):
    counts = np.bincount(a)
    return np.repeat(np.arange(len(counts)), counts)


def binary_search(a, value):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == value:
            return mid
        if a[mid] < value:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


def main():
    a = (np.arange(6) * 7 + 3) % 11
    b = (np.arange(16) * 37 + 5) % 41
    results = [bubble_sort(a), quick_sort(b), merge_sort(b), counting_sort(b)]
    for function, result in zip((bubble_sort, quick_sort, merge_sort, counting_sort), results):
        assert np.all(result[:-1] <= result[1:])
        print(f"{function.__name__:>13}: {result}")
    positions = [binary_search(results[1], v) for v in (5, 12, 40, 100)]
    print("found at", positions)
    return results[0], results[2], results[3], np.array(positions)


if __name__ == "__main__":
    main()
