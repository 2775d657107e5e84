"""The compiled twin of :func:`philia.graphs.files.matrix_market.scan_plainly`, for large files.

The loops find the numbers of each line. A value is taken apart into its digits, as one whole number, and a power of
ten; numpy puts it together where that is exact, and Python reads the rest.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._compilation import announced, compiled
from philia._types import BoolArray, Float64Array, Int64Array
from philia.graphs.files.matrix_market import Entries, bad_entry
from philia.graphs.files.text import count_lines

ZERO, NINE, PLUS, MINUS, DOT, NEWLINE, RETURN = 48, 57, 43, 45, 46, 10, 13
DIGITS = 18
"""A number with more digits may not fit into 64 bits."""

LARGEST_POWER, NO_POWER = 22, 127
"""The largest power of ten that a floating-point number holds exactly, and the mark of a value left to Python."""

NO_PLACE = -1
_TOKEN = re.compile(rb"\S+")
_POWERS = np.array([10**power for power in range(LARGEST_POWER + 1)], np.longdouble)


def scan_compiled(block: bytes, coordinate: bool, field: str, lines: int) -> Entries:
    """The entries in a block of whole lines; arguments and results are those of the plain function."""
    data = np.frombuffer(block + b"\n", np.uint8)
    room = block.count(b"\n") + block.count(b"\r") + 1
    whole = field in ("integer", "unsigned-integer")
    valued = 0 if field == "pattern" else 1 if whole else 2
    rows, columns = (np.empty(room if coordinate else 0, np.int64) for _ in range(2))
    digits, starts = (np.empty(room if valued else 0, np.int64) for _ in range(2))
    powers = np.empty(room if valued == 2 else 0, np.int8)
    count, bad = _scan(data, coordinate, valued, rows, columns, digits, powers, starts)
    if bad != NO_PLACE:
        line = re.split(rb"[\r\n]", block[bad:], maxsplit=1)[0]
        raise bad_entry(line, lines + count_lines(block[:bad]) + 1, coordinate, field)
    values: npt.NDArray[Any] = digits[:count] if whole else np.ones(count)
    if valued == 2:
        values, exact = scaled(digits[:count], powers[:count])
        for entry in np.flatnonzero(~exact).tolist():
            token = _TOKEN.match(block, int(starts[entry]))
            values[entry] = float(token.group() if token else b"nan")
    return Entries(rows[:count], columns[:count], values)


def scaled(digits: Int64Array, powers: npt.NDArray[np.int8]) -> tuple[Float64Array, BoolArray]:
    """Each of the digits times its power of ten, and whether the result is the nearest number there is.

    >>> scaled(np.array([25, 1]), np.array([-1, 3], np.int8))[0]
    array([   2.5, 1000. ])
    """
    known = powers != NO_POWER
    # Below 2^53 the digits are exact as well as the power, so that one division rounds once, as it should.
    values = _times_power(digits.astype(np.float64), powers)
    exact = known & (np.abs(digits) < 2**53)
    if np.finfo(np.longdouble).nmant == 63:
        # A long double of x86 holds all digits: then the result is off by half of its last bit, which only matters near
        # the middle between two doubles, at a half of a double's last bit, or at a quarter below a power of two.
        longer = np.flatnonzero(known & ~exact)
        wide = _times_power(digits[longer].astype(np.longdouble), powers[longer])
        nearest = wide.astype(np.float64)
        off = np.abs((wide - nearest) / np.spacing(np.abs(nearest)))
        values[longer], exact[longer] = nearest, (off < 0.49) & (np.abs(off - 0.25) > 0.01)
    return values, exact


def _times_power(numbers: npt.NDArray[Any], powers: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
    factors = _POWERS.astype(numbers.dtype)[np.abs(powers) % NO_POWER]
    return np.asarray(np.where(powers < 0, numbers / factors, numbers * factors))


@cache
def prepare() -> None:
    """Compile, or fetch from the cache, before the first large file is read."""
    with announced("compiling the reader of large matrices"):
        scan_compiled(b"1 2 0.5\n", True, "real", 0)


@compiled
def _separates(character: int) -> bool:
    """Whether a byte stands between two numbers of a line: a space, a tab, or one of the older separators."""
    return character in (32, 9, 11, 12)


@compiled
def _ends(character: int) -> bool:
    """Whether a byte ends a line."""
    return character in (NEWLINE, RETURN)


@compiled
def _after_blanks(data: Any, place: int) -> int:
    while _separates(data[place]):
        place += 1
    return place


@compiled
def _whole(data: Any, place: int) -> tuple[int, int]:
    """The whole number that fills a token, and where it ends; NO_PLACE if there is none."""
    start, value = place, 0
    while ZERO <= data[place] <= NINE:
        value = 10 * value + int(data[place] - ZERO)
        place += 1
        if place - start > DIGITS:
            return 0, NO_PLACE
    if place == start or not (_separates(data[place]) or _ends(data[place])):
        return 0, NO_PLACE
    return value, place


@compiled
def _exponent(data: Any, place: int) -> tuple[int, int]:
    """The number after an e, at most 9999 away from 0, and where it ends; NO_PLACE if there is none."""
    negative = data[place] == MINUS
    if negative or data[place] == PLUS:
        place += 1
    start, value = place, 0
    while ZERO <= data[place] <= NINE:
        value = min(10 * value + int(data[place] - ZERO), 9999)
        place += 1
    return -value if negative else value, NO_PLACE if place == start else place


@compiled
def _number(data: Any, place: int) -> tuple[int, int, int]:
    """The decimal number that fills a token, as digits and a power of ten, and where it ends, or NO_PLACE.

    The power is NO_POWER if there are more digits than fit, or if the power is large.
    """
    value, digits, fraction, dots = 0, 0, 0, 0
    while ZERO <= data[place] <= NINE or (data[place] == DOT and not dots):
        if data[place] == DOT:
            dots = 1
        else:
            digits += 1
            fraction += dots
            if digits <= DIGITS:
                value = 10 * value + int(data[place] - ZERO)
        place += 1
    power = 0
    if digits and (data[place] == 69 or data[place] == 101):  # E, e
        power, place = _exponent(data, place + 1)
    if place == NO_PLACE or not digits or not (_separates(data[place]) or _ends(data[place])):
        return 0, 0, NO_PLACE
    power -= fraction
    if digits > DIGITS or power > LARGEST_POWER or power < -LARGEST_POWER:
        return 0, NO_POWER, place
    return value, power, place


@compiled
def _scan(
    data: Any, coordinate: bool, valued: int, rows: Any, columns: Any, digits: Any, powers: Any, starts: Any
) -> tuple[int, int]:
    """Fill the arrays, one entry per line that is not blank; ``valued`` is 0 without values, 1 for whole ones, else 2.

    Returned are how many entries there are, and where the first line begins that is no entry, or NO_PLACE. The last
    byte of the data is a line end, so that no loop inside a line has to look for the end of the data.
    """
    place, end, count = 0, data.size, 0
    while place < end:
        begin = place
        place = _after_blanks(data, place)
        if not _ends(data[place]):
            if coordinate:
                row, place = _whole(data, place)
                if place == NO_PLACE:
                    return count, begin
                column, place = _whole(data, _after_blanks(data, place))
                if place == NO_PLACE:
                    return count, begin
                rows[count], columns[count] = row - 1, column - 1
                place = _after_blanks(data, place)
            if valued:
                starts[count] = place
                negative = data[place] == MINUS
                if negative or data[place] == PLUS:
                    place += 1
                if valued == 1:
                    value, place = _whole(data, place)
                else:
                    value, powers[count], place = _number(data, place)
                if place == NO_PLACE:
                    return count, begin
                digits[count] = -value if negative else value
            count += 1
            while not _ends(data[place]):
                place += 1
        place += 1
    return count, NO_PLACE
