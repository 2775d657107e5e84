"""Binary logarithms of integers, enclosed between integers: nothing here is rounded without a proof.

A logarithm is counted in units of 2⁻²⁴ bits. For m ≥ 1 the number L that these functions return satisfies

    L ≤ 2²⁴ log₂ m < L + 2,

so the logarithm of a product of k numbers lies between the sum of their L and that sum plus 2k, and sums of integers
have no error of their own.

*Proof.* Write m = y · 2^s with 1 ≤ y < 2. Squaring y doubles its logarithm: if y² ≥ 2, the next binary digit of log₂ y
is 1 and y² / 2 goes on, else it is 0 and y² goes on. All that is dropped from y, at most 2⁻³¹ of it in each of the 24
steps and once at the beginning, makes it smaller, and so never L larger. The dropped parts double with every squaring,
which adds up to less than 2⁻³¹ · 2²⁶ = 2⁻⁵ of y. After the digits of L there is then less than log₂ 2 + log₂(1 + 2⁻⁵),
and that is less than two units.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._types import Int64Array

DIGITS = 24
"""Binary digits after the point; the proof above is for this number."""

UNIT = 1 << DIGITS
"""One bit, in the units in which logarithms are counted."""

SLACK = 2
"""A true logarithm is less than this many units above the returned one, by the proof above."""

_TOP = np.uint64(32)
"""Leading bits that are kept of a number, so that a square fits into 64 bits."""

_CHUNK = 1 << 20
"""Numbers whose logarithms are computed at once, which takes several temporary arrays of 8 MB."""

_ONE_AT_A_TIME = Lock()


def logarithms(numbers: npt.NDArray[np.integer[Any]]) -> Int64Array:
    """The logarithm of each number from 1 to 2³² - 1, in units, from below.

    >>> (logarithms(np.array([1, 2, 3, 1024])) / UNIT).round(4).tolist()
    [0.0, 1.0, 1.585, 10.0]
    """
    shift = np.frexp(numbers.astype(np.float64))[1] - 1  # 32-bit numbers are floats without error
    tops = numbers.astype(np.uint64) << (np.uint64(31) - shift.astype(np.uint64))
    return _with_digits(tops, shift.astype(np.int64))


def long_logarithms(numbers: Iterable[int]) -> Int64Array:
    """The logarithm of each number, however long, in units, from below.

    >>> (long_logarithms([3 * 2**1000, 7]) // UNIT).tolist()
    [1001, 2]
    """
    listed = list(numbers)
    shift = np.array([number.bit_length() - 1 for number in listed], dtype=np.int64)
    tops = [number >> s - 31 if s >= 31 else number << 31 - s for number, s in zip(listed, shift.tolist(), strict=True)]
    return _with_digits(np.array(tops, dtype=np.uint64), shift)


def _with_digits(tops: npt.NDArray[np.uint64], shift: Int64Array) -> Int64Array:
    """The digits by squaring, from the leading 32 bits of each number and the position of its first bit."""
    total = shift
    for _ in range(DIGITS):
        squares = tops * tops  # of 63 or 64 bits
        large = squares >> np.uint64(63)
        tops = np.where(large == 1, squares >> _TOP, squares >> (_TOP - np.uint64(1)))
        total = 2 * total + large.astype(np.int64)
    return total


def logarithm_table(size: int) -> Int64Array:
    """The logarithms of 0, …, size - 1; the entry for 0 is 0 and means nothing.

    >>> logarithm_table(9)[[1, 8]].tolist() == [0, 3 * UNIT]
    True
    """
    with _ONE_AT_A_TIME:  # the first thread fills the cache for all others
        return _table(size)


@lru_cache(maxsize=1)  # the largest table takes a quarter of a gigabyte
def _table(size: int) -> Int64Array:
    table = np.zeros(size, dtype=np.int64)
    for start in range(1, size, _CHUNK):
        table[start : start + _CHUNK] = logarithms(np.arange(start, min(start + _CHUNK, size)))
    table.flags.writeable = False
    return table
