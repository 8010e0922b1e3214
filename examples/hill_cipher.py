"""Encrypt a message with the Hill cipher, decrypt it, and break a Caesar cipher by frequencies.

Letters are numbers modulo 26.
"""

import numpy as np

FREQUENCIES = [8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.15, 0.77, 4.0, 2.4]
FREQUENCIES += [6.7, 7.5, 1.9, 0.1, 6.0, 6.3, 9.1, 2.8, 0.98, 2.4, 0.15, 2.0, 0.07]


def to_numbers(text):
    return np.array([ord(c) - ord("a") for c in text if c.isalpha()])


def to_text(numbers):
    return "".join(chr(int(n) + ord("a")) for n in numbers)


def inverse_mod(K):
    det = int(round(float(np.linalg.det(K)))) % 26
    cofactors = np.array([[K[1, 1], -K[0, 1]], [-K[1, 0], K[0, 0]]])
    return pow(det, -1, 26) * cofactors % 26


def main():
    K = np.array([[3, 3], [2, 5]])
    message = to_numbers("attack at dawn")
    cipher = (message.reshape(-1, 2) @ K % 26).ravel()
    plain = cipher.reshape(-1, 2) @ inverse_mod(K) % 26
    print("encrypted:", to_text(cipher), "decrypted:", to_text(plain.flatten()))

    secret = (to_numbers("we hold these truths to be self evident") + 11) % 26
    counts = np.bincount(secret, minlength=26)
    scores = [np.sum(np.roll(counts, -shift) * np.array(FREQUENCIES)) for shift in range(26)]
    shift = int(np.argmax(scores))
    print("shift", shift, "gives", to_text((secret - shift) % 26))
    return cipher, plain, np.array(scores)


if __name__ == "__main__":
    main()
