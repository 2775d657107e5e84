"""Names to numbers in order of appearance, compiled: as integers while all of them are, else as text.

Arrays in, arrays out. A name becomes a value of two words, which is looked up in a table with open addressing. Integers
and names of at most 15 bytes fit into a value as they are. Longer names are known by 127 bits of hash; that two of a
billion names have the same is as likely as one in 10^20. Each step runs through a whole block before the next begins,
because short loops of independent steps wait for memory several times less than one long loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._compilation import compiled
from philia.graphs.files.tokens import MINUS, QUOTED, ZERO

LARGEST = 2**63 - 1


@compiled
def _integer(data: Any, start: int, stop: int) -> tuple[bool, Any]:
    """Whether an integer stands there in its usual form, and which."""
    negative = data[start] == MINUS if start < stop else False
    if negative:
        start += 1
    if start >= stop or (data[start] == ZERO and (stop > start + 1 or negative)):
        return False, 0
    value = np.int64(0)
    for place in range(start, stop):
        digit = np.int64(data[place]) - ZERO
        if digit < 0 or digit > 9 or value > (LARGEST - digit) // 10:
            return False, 0
        value = 10 * value + digit
    return True, -value if negative else value


@compiled
def parse_integers(data: Any, bounds: Any, marks: Any, values: Any) -> Any:
    """Fill ``values``, two rows a link, while the names are integers; returned is for how many links they are."""
    for link in range(bounds.shape[0]):
        first, values[2 * link, 0] = _integer(data, bounds[link, 0], bounds[link, 1])
        second, values[2 * link + 1, 0] = _integer(data, bounds[link, 2], bounds[link, 3])
        if not first or not second or marks[link] & QUOTED:
            return link
        values[2 * link, 1] = values[2 * link + 1, 1] = 0
    return bounds.shape[0]


@compiled
def _mixed(value: Any) -> Any:
    """The bits of a value, each depending on all of those that were there (the last steps of MurmurHash3)."""
    bits = np.uint64(value)
    bits = (bits ^ (bits >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    bits = (bits ^ (bits >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return np.int64(bits ^ (bits >> np.uint64(33)))


@compiled
def _packed(data: Any, start: int, stop: int) -> tuple[Any, Any]:
    """A name of at most 15 bytes as it is, its size in the highest byte."""
    low, high = np.uint64(0), np.uint64(stop - start) << np.uint64(56)
    for place in range(start, min(stop, start + 8)):
        low |= np.uint64(data[place]) << np.uint64(8 * (place - start))
    for place in range(start + 8, stop):
        high |= np.uint64(data[place]) << np.uint64(8 * (place - start - 8))
    return np.int64(low), np.int64(high)


@compiled
def _hashed(data: Any, start: int, stop: int) -> tuple[Any, Any]:
    """A longer name as two hashes, 127 bits together, the second of them negative, which a packed name never is."""
    low, high = np.uint64(14695981039346656037), np.uint64(stop - start)
    for place in range(start, stop):
        low = (low ^ np.uint64(data[place])) * np.uint64(1099511628211)
        high = ((high << np.uint64(5)) | (high >> np.uint64(59))) + np.uint64(data[place])
        high *= np.uint64(0x9E3779B97F4A7C15)
    return _mixed(np.int64(low)), _mixed(np.int64(high)) | np.int64(-(2**63))


@compiled
def encode_names(data: Any, bounds: Any, values: Any) -> None:
    """Fill ``values``, two rows a link."""
    for link in range(bounds.shape[0]):
        for which in range(2):
            start, stop = bounds[link, 2 * which], bounds[link, 2 * which + 1]
            low, high = _packed(data, start, stop) if stop - start < 16 else _hashed(data, start, stop)
            values[2 * link + which, 0], values[2 * link + which, 1] = low, high


@compiled
def _slot(low: int, high: int, mask: int) -> Any:
    """Where to look first for a value."""
    mixed = np.uint64(low) ^ (np.uint64(high) * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed ^= mixed >> np.uint64(32)  # names often differ in their last letters only, which stand in the high bits
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & mask


@compiled
def number_values(
    values: Any, begin: int, slots: Any, places: Any, new: int, known: int, numbers: Any
) -> tuple[int, int]:
    """Number the values from ``begin`` on; returned are how far it went and how many of them are new.

    ``known`` values have numbers from earlier blocks, and ``places`` gets the first place of each new one.
    """
    mask = slots.shape[0] - 1
    for place in range(begin, values.shape[0]):
        low, high = values[place, 0], values[place, 1]
        slot = _slot(low, high, mask)
        while slots[slot, 2] and (slots[slot, 0] != low or slots[slot, 1] != high):
            slot = (slot + 1) & mask
        if not slots[slot, 2]:
            if 2 * (known + new) >= mask:
                return place, new
            places[new] = place
            new += 1
            slots[slot, 0], slots[slot, 1], slots[slot, 2] = low, high, known + new
        numbers[place] = slots[slot, 2] - 1
    return values.shape[0], new


@compiled
def enlarged(old: Any) -> Any:
    """A table twice as large with the same contents: a row is a value and its number plus one, or 0 if it is empty."""
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
def append_names(data: Any, bounds: Any, places: Any, known: int, arena: Any, limits: Any) -> None:
    """Put the names at ``places``, which get the numbers from ``known`` on, one after the other into ``arena``.

    Name number i stands there from ``limits[i]`` to ``limits[i + 1]``.
    """
    for number in range(known, known + places.size):
        link, which = places[number - known] // 2, 2 * (places[number - known] % 2)
        start, stop = bounds[link, which], bounds[link, which + 1]
        limits[number + 1] = limits[number] + stop - start
        for offset in range(stop - start):
            arena[limits[number] + offset] = data[start + offset]
