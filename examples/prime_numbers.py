"""Find primes with the sieve of Eratosthenes, and facts about gaps, twins and perfect numbers.

The number of primes is compared with the prime number theorem.
"""

import numpy as np


def sieve(n):
    is_prime = np.ones(n + 1, dtype=bool)
    is_prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = False
    return np.flatnonzero(is_prime)


def main():
    n = 1000
    primes = sieve(n)
    gaps = np.diff(primes)
    twins = primes[:-1][gaps == 2]
    divisors = np.arange(1, 501)
    numbers = np.arange(2, 501)
    sums = ((numbers[:, None] % divisors == 0) & (divisors < numbers[:, None])) @ divisors
    perfect = numbers[sums == numbers]
    print(f"{primes.size} primes up to {n}, the theorem says {n / np.log(n):.0f}")
    print(f"largest gap {gaps.max()} after {primes[gaps.argmax()]}; {len(twins)} pairs of twins")
    print("perfect numbers:", perfect)
    return primes, twins, perfect


if __name__ == "__main__":
    main()
