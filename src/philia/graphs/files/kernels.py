"""The compiled loops that read large files: the fields of edge lists, the names in them, and the entries of matrices.

Arrays in, arrays out. The rules are those of :mod:`philia.graphs.files.dialect` and
:func:`philia.graphs.files.matrix_market.scan_plainly`, their plain twins. The last byte of the data is always a line
end, so no loop inside a line has to look for the end of the data.

numba is loaded with this file, so small files are read without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from philia._compilation import compiled
from philia.graphs.files.matrix_market import LARGEST_POWER, NO_POWER

_NEWLINE, _RETURN, _SPACE, _TAB, _QUOTE = 10, 13, 32, 9, 34
_ZERO, _ONE, _NINE, _MINUS, _PLUS, _DOT = 48, 49, 57, 45, 43, 46
_SMALL_E, _LARGE_E = 101, 69
"""Characters by their codes."""

_ENDS, _PADS, _SEPARATES = 1, 2, 4
"""What a byte means, as bits: it ends a line, pads a field, separates two fields."""

_QUOTED, WEIGHTED, FURTHER, PADDED = 1, 2, 4, 8
"""What is noted about a link, as bits: a name was quoted, the weight is not 1, the line has further values, a name that
is not quoted has blanks after it."""

BAD = -1
"""Returned instead of a position: the line cannot be read."""

_LARGEST = 2**63 - 1

_DIGITS = 18
"""A number with more decimal digits may not fit into 64 bits."""

# Fields of edge lists


def meanings(delimiter: int) -> npt.NDArray[np.uint8]:
    """What each byte means in an edge list with this delimiter."""
    means = np.zeros(256, np.uint8)
    means[[_NEWLINE, _RETURN]] = _ENDS
    means[[_SPACE, _TAB]] = _PADS | _SEPARATES if delimiter == _SPACE else _PADS
    means[delimiter] = _SEPARATES if delimiter != _SPACE else _PADS | _SEPARATES
    return means


@compiled
def _after(data: Any, at: int, means: Any, skipped: int) -> int:
    """The first position from ``at`` on whose byte has none of the ``skipped`` meanings."""
    while means[data[at]] & skipped:
        at += 1
    return at


@compiled
def _after_line(data: Any, at: int, means: Any, end: int) -> int:
    """The first position after the current line."""
    while not means[data[at]] & _ENDS:
        at += 1
    if at + 1 < end and data[at] == _RETURN and data[at + 1] == _NEWLINE:
        at += 1
    return at + 1


@compiled
def _is_comment(data: Any, start: int, comments: Any) -> bool:
    """Whether one of the prefixes, each closed by a newline, is found at ``start``."""
    at, fits = start, True
    for character in comments:
        if character == _NEWLINE:
            if fits:
                return True
            at, fits = start, True
        elif fits and data[at] == character:
            at += 1
        else:
            fits = False
    return False


@compiled
def _is_idle(data: Any, at: int, means: Any, comments: Any) -> bool:
    """Whether the line that begins here is blank or a comment."""
    while data[at] == _SPACE or data[at] == _TAB:
        at += 1
    if _is_comment(data, at, comments):
        return True
    at = _after(data, at, means, _PADS | _SEPARATES)
    return bool(means[data[at]] & _ENDS)


@compiled
def _close_quote(data: Any, at: int, means: Any) -> tuple[int, int]:
    """After an opening quote: where the text, undoubled in place, ends, and the position after the closing quote."""
    written = at
    while not means[data[at]] & _ENDS:
        if data[at] == _QUOTE:
            at += 1
            if data[at] != _QUOTE:
                return written, at
        data[written] = data[at]
        written += 1
        at += 1
    return written, BAD


@compiled
def _quoted_field(data: Any, at: int, means: Any) -> tuple[int, int]:
    """After an opening quote: where the text ends, and the position of what ends the field, or BAD."""
    stop, closed = _close_quote(data, at, means)
    if closed == BAD:
        return stop, BAD
    at = _after(data, closed, means, _PADS)
    followed = means[data[at]] & (_ENDS | _SEPARATES) or means[data[closed]] & _SEPARATES
    return stop, at if followed else BAD


@compiled
def _bare_field(data: Any, at: int, means: Any) -> tuple[int, int]:
    """From the beginning of a field: where it ends without padding, and the position of what ends it."""
    start = at
    while not means[data[at]] & (_ENDS | _SEPARATES):
        at += 1
    stop = at
    while stop > start and means[data[stop - 1]] & _PADS:
        stop -= 1
    return stop, at


@compiled
def _is_one(data: Any, start: int, stop: int) -> bool:
    """Whether the number is 1, as in 1, +1, 01, 1.000 or 1.00e+00."""
    if start < stop and data[start] == _PLUS:
        start += 1
    while start < stop and data[start] == _ZERO:
        start += 1
    if start >= stop or data[start] != _ONE:
        return False
    start += 1
    if start < stop and data[start] == _DOT:
        start += 1
        while start < stop and data[start] == _ZERO:
            start += 1
    if start == stop:
        return True
    if data[start] != _LARGE_E and data[start] != _SMALL_E:
        return False
    start += 1
    if start < stop and (data[start] == _PLUS or data[start] == _MINUS):
        start += 1
    if start == stop:
        return False
    while start < stop and data[start] == _ZERO:
        start += 1
    return start == stop


@compiled
def tokenise(data: Any, means: Any, wanted: Any, comments: Any, bounds: Any, marks: Any) -> tuple[int, int, int]:
    """Fill ``bounds`` (start and stop of the two names) and ``marks``, one entry per link.

    ``wanted`` holds the columns of the first name, the second name and the weight (-1: none). Returns the numbers of
    links and of lines, and the position of the first line that cannot be read, or BAD if all could.
    """
    end, at, links, lines = data.size - 1, 0, 0, 0
    while at < end:
        start = at
        if not _is_idle(data, at, means, comments):
            at = _tokenise_line(data, start, means, wanted, bounds, marks, links)
            if at == BAD:
                return links, lines, start
            links += 1
        at = _after_line(data, at, means, end)
        lines += 1
    return links, lines, BAD


@compiled
def _tokenise_line(data: Any, at: int, means: Any, wanted: Any, bounds: Any, marks: Any, link: int) -> int:
    """Fill entry ``link`` from the current line; returns where the line ends, or BAD if it cannot be read."""
    runs = means[_SPACE] & _SEPARATES != 0
    column, found, mark = 0, 0, 0
    while True:
        start = _after(data, at, means, _PADS)
        quoted = data[start] == _QUOTE
        if quoted:
            start += 1
            stop, at = _quoted_field(data, start, means)
        else:
            stop, at = _bare_field(data, start, means)
        if at == BAD or (start == stop and not quoted and (column == wanted[0] or column == wanted[1])):
            return BAD
        for which in range(2):
            if column == wanted[which]:
                bounds[link, 2 * which], bounds[link, 2 * which + 1] = start, stop
                found += 1
                mark |= _QUOTED * quoted
                if stop < at and not quoted:
                    mark |= PADDED
        if column == wanted[2] and start < stop and not _is_one(data, start, stop):
            mark |= WEIGHTED
        if start < stop and column != wanted[0] and column != wanted[1] and column != wanted[2]:
            mark |= FURTHER
        column += 1
        if runs:
            at = _after(data, at, means, _PADS)
        if means[data[at]] & _ENDS:
            marks[link] = mark
            return at if found == 2 else BAD
        if not runs:
            at += 1


# Names become numbers in order of appearance. A name becomes a key of two words, which is looked up in a hash table
# with open addressing. Integers and names of at most 15 bytes are their own keys. Longer names are known by 127 bits of
# hash; the chance that two of a billion names share one is about 1 in 10^20. Each step runs through a whole block
# before the next begins: short loops of independent steps wait for memory several times less than one long loop.


@compiled
def _integer(data: Any, start: int, stop: int) -> tuple[bool, Any]:
    """Whether a name is an integer in canonical form, and which."""
    negative = data[start] == _MINUS if start < stop else False
    if negative:
        start += 1
    if start >= stop or (data[start] == _ZERO and (stop > start + 1 or negative)):
        return False, 0
    value = np.int64(0)
    for at in range(start, stop):
        digit = np.int64(data[at]) - _ZERO
        if digit < 0 or digit > 9 or value > (_LARGEST - digit) // 10:
            return False, 0
        value = 10 * value + digit
    return True, -value if negative else value


@compiled
def parse_integers(data: Any, bounds: Any, marks: Any, values: Any) -> Any:
    """Fill ``values``, two rows per link, while the names are integers; returns for how many links they are."""
    for link in range(bounds.shape[0]):
        first, values[2 * link, 0] = _integer(data, bounds[link, 0], bounds[link, 1])
        second, values[2 * link + 1, 0] = _integer(data, bounds[link, 2], bounds[link, 3])
        if not first or not second or marks[link] & _QUOTED:
            return link
        values[2 * link, 1] = values[2 * link + 1, 1] = 0
    return bounds.shape[0]


@compiled
def _mixed(value: Any) -> Any:
    """A value with its bits mixed, each depending on all others (the finalizer of MurmurHash3)."""
    bits = np.uint64(value)
    bits = (bits ^ (bits >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    bits = (bits ^ (bits >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return np.int64(bits ^ (bits >> np.uint64(33)))


@compiled
def _packed(data: Any, start: int, stop: int) -> tuple[Any, Any]:
    """A name of at most 15 bytes as two words, its size in the highest byte."""
    low, high = np.uint64(0), np.uint64(stop - start) << np.uint64(56)
    for at in range(start, min(stop, start + 8)):
        low |= np.uint64(data[at]) << np.uint64(8 * (at - start))
    for at in range(start + 8, stop):
        high |= np.uint64(data[at]) << np.uint64(8 * (at - start - 8))
    return np.int64(low), np.int64(high)


@compiled
def _hashed(data: Any, start: int, stop: int) -> tuple[Any, Any]:
    """A longer name as two hashes (the first is FNV-1a); the second is negative, unlike in a packed name."""
    low, high = np.uint64(14695981039346656037), np.uint64(stop - start)
    for at in range(start, stop):
        low = (low ^ np.uint64(data[at])) * np.uint64(1099511628211)
        high = ((high << np.uint64(5)) | (high >> np.uint64(59))) + np.uint64(data[at])
        high *= np.uint64(0x9E3779B97F4A7C15)
    return _mixed(np.int64(low)), _mixed(np.int64(high)) | np.int64(-(2**63))


@compiled
def encode_names(data: Any, bounds: Any, values: Any) -> None:
    """Fill ``values`` with the keys of the names, two rows per link."""
    for link in range(bounds.shape[0]):
        for which in range(2):
            start, stop = bounds[link, 2 * which], bounds[link, 2 * which + 1]
            low, high = _packed(data, start, stop) if stop - start < 16 else _hashed(data, start, stop)
            values[2 * link + which, 0], values[2 * link + which, 1] = low, high


@compiled
def _slot(low: int, high: int, mask: int) -> Any:
    """Where to look first for a key."""
    mixed = np.uint64(low) ^ (np.uint64(high) * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed ^= mixed >> np.uint64(32)  # names often differ only in their last letters, which are in the high bits
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & mask


@compiled
def number_values(
    values: Any, begin: int, slots: Any, firsts: Any, new: int, known: int, numbers: Any
) -> tuple[int, int]:
    """Number the keys from ``begin`` on; returns how far it got and how many of them are new.

    ``known`` keys have numbers from earlier blocks; ``firsts`` gets the first index of each new one. It stops when the
    table is half full.
    """
    mask = slots.shape[0] - 1
    for at in range(begin, values.shape[0]):
        low, high = values[at, 0], values[at, 1]
        slot = _slot(low, high, mask)
        while slots[slot, 2] and (slots[slot, 0] != low or slots[slot, 1] != high):
            slot = (slot + 1) & mask
        if not slots[slot, 2]:
            if 2 * (known + new) >= mask:
                return at, new
            firsts[new] = at
            new += 1
            slots[slot, 0], slots[slot, 1], slots[slot, 2] = low, high, known + new
        numbers[at] = slots[slot, 2] - 1
    return values.shape[0], new


@compiled
def enlarged(old: Any) -> Any:
    """A table twice as large with the same contents; a row is a key and its number plus one, or 0 if it is empty."""
    slots = np.zeros((2 * old.shape[0], 3), np.int64)
    mask = slots.shape[0] - 1
    for which in range(old.shape[0]):
        if old[which, 2]:
            slot = _slot(old[which, 0], old[which, 1], mask)
            while slots[slot, 2]:
                slot = (slot + 1) & mask
            slots[slot] = old[which]
    return slots


@compiled
def append_names(data: Any, bounds: Any, firsts: Any, known: int, arena: Any, limits: Any) -> None:
    """Append the new names, numbered from ``known`` on, to ``arena``.

    Name number i is there from ``limits[i]`` to ``limits[i + 1]``.
    """
    for number in range(known, known + firsts.size):
        link, which = firsts[number - known] // 2, 2 * (firsts[number - known] % 2)
        start, stop = bounds[link, which], bounds[link, which + 1]
        limits[number + 1] = limits[number] + stop - start
        for offset in range(stop - start):
            arena[limits[number] + offset] = data[start + offset]


# Entries of matrices. A value is taken apart into its digits, as one integer, and a power of ten.


@compiled
def _separates(character: int) -> bool:
    """Whether a byte separates two numbers of a line: space, tab, vertical tab or form feed."""
    return character in (32, 9, 11, 12)


@compiled
def _ends(character: int) -> bool:
    """Whether a byte ends a line."""
    return character in (_NEWLINE, _RETURN)


@compiled
def _after_blanks(data: Any, at: int) -> int:
    while _separates(data[at]):
        at += 1
    return at


@compiled
def _whole(data: Any, at: int) -> tuple[int, int]:
    """The integer that fills a token, and where it ends; BAD if there is none."""
    start, value = at, 0
    while _ZERO <= data[at] <= _NINE:
        value = 10 * value + int(data[at] - _ZERO)
        at += 1
        if at - start > _DIGITS:
            return 0, BAD
    if at == start or not (_separates(data[at]) or _ends(data[at])):
        return 0, BAD
    return value, at


@compiled
def _exponent(data: Any, at: int) -> tuple[int, int]:
    """The exponent after an e, clipped to ±9999, and where it ends; BAD if there is none."""
    negative = data[at] == _MINUS
    if negative or data[at] == _PLUS:
        at += 1
    start, value = at, 0
    while _ZERO <= data[at] <= _NINE:
        value = min(10 * value + int(data[at] - _ZERO), 9999)
        at += 1
    return -value if negative else value, BAD if at == start else at


@compiled
def _number(data: Any, at: int) -> tuple[int, int, int]:
    """The decimal number that fills a token, as digits and a power of ten, and where it ends, or BAD.

    The power is NO_POWER if the value needs more digits or a larger power than are exact here.
    """
    value, digits, fraction, dots = 0, 0, 0, 0
    while _ZERO <= data[at] <= _NINE or (data[at] == _DOT and not dots):
        if data[at] == _DOT:
            dots = 1
        else:
            digits += 1
            fraction += dots
            if digits <= _DIGITS:
                value = 10 * value + int(data[at] - _ZERO)
        at += 1
    power = 0
    if digits and (data[at] == _LARGE_E or data[at] == _SMALL_E):
        power, at = _exponent(data, at + 1)
    if at == BAD or not digits or not (_separates(data[at]) or _ends(data[at])):
        return 0, 0, BAD
    power -= fraction
    if digits > _DIGITS or power > LARGEST_POWER or power < -LARGEST_POWER:
        return 0, NO_POWER, at
    return value, power, at


@compiled
def scan_entries(
    data: Any, coordinate: bool, valued: int, rows: Any, columns: Any, digits: Any, powers: Any, starts: Any
) -> tuple[int, int]:
    """Fill the arrays, one entry per line that is not blank; ``valued`` is 0 without values, 1 for integers, else 2.

    Returns the number of entries, and where the first line begins that is not an entry, or BAD if all are.
    """
    at, end, count = 0, data.size, 0
    while at < end:
        begin = at
        at = _after_blanks(data, at)
        if not _ends(data[at]):
            if coordinate:
                row, at = _whole(data, at)
                if at == BAD:
                    return count, begin
                column, at = _whole(data, _after_blanks(data, at))
                if at == BAD:
                    return count, begin
                rows[count], columns[count] = row - 1, column - 1
                at = _after_blanks(data, at)
            if valued:
                starts[count] = at
                negative = data[at] == _MINUS
                if negative or data[at] == _PLUS:
                    at += 1
                if valued == 1:
                    value, at = _whole(data, at)
                else:
                    value, powers[count], at = _number(data, at)
                if at == BAD:
                    return count, begin
                digits[count] = -value if negative else value
            count += 1
            while not _ends(data[at]):
                at += 1
        at += 1
    return count, BAD
