"""The compiled twin of :mod:`philia.graphs.files.lines`: finds where the names of the links begin and end in a text.

Arrays in, arrays out; the rules are told there. What a byte means is looked up in a table (:func:`meanings`), and the
last byte of the text is a line end, so that no loop inside a line has to look for the end of the text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from philia._compilation import compiled

NEWLINE, RETURN, SPACE, TAB, QUOTE = 10, 13, 32, 9, 34
ZERO, ONE, MINUS, PLUS, DOT = 48, 49, 45, 43, 46
ENDS, PADS, SEPARATES = 1, 2, 4
BAD = -1
QUOTED, WEIGHTED = 1, 2


def meanings(delimiter: int) -> npt.NDArray[np.uint8]:
    """What each byte means: it ends a line, pads a field, separates two fields, or nothing of these."""
    means = np.zeros(256, np.uint8)
    means[[NEWLINE, RETURN]] = ENDS
    means[[SPACE, TAB]] = PADS | SEPARATES if delimiter == SPACE else PADS
    means[delimiter] = SEPARATES if delimiter != SPACE else PADS | SEPARATES
    return means


@compiled
def _after(data: Any, place: int, means: Any, skipped: int) -> int:
    """The first place from ``place`` on whose byte is none of those ``skipped``."""
    while means[data[place]] & skipped:
        place += 1
    return place


@compiled
def _after_line(data: Any, place: int, means: Any, end: int) -> int:
    """The first place after the line that ``place`` is in."""
    while not means[data[place]] & ENDS:
        place += 1
    if place + 1 < end and data[place] == RETURN and data[place + 1] == NEWLINE:
        place += 1
    return place + 1


@compiled
def _is_comment(data: Any, place: int, comments: Any) -> bool:
    """Whether one of the beginnings, each closed by a newline, stands at ``place``."""
    at, fits = place, True
    for character in comments:
        if character == NEWLINE:
            if fits:
                return True
            at, fits = place, True
        elif fits and data[at] == character:
            at += 1
        else:
            fits = False
    return False


@compiled
def _is_idle(data: Any, place: int, means: Any, comments: Any) -> bool:
    """Whether the line that begins at ``place`` is blank or a comment."""
    while data[place] == SPACE or data[place] == TAB:
        place += 1
    if _is_comment(data, place, comments):
        return True
    place = _after(data, place, means, PADS | SEPARATES)
    return bool(means[data[place]] & ENDS)


@compiled
def _close_quote(data: Any, place: int, means: Any) -> tuple[int, int]:
    """From the place after an opening quote: where the text inside, quotes undoubled, ends, and what follows."""
    written = place
    while not means[data[place]] & ENDS:
        if data[place] == QUOTE:
            place += 1
            if data[place] != QUOTE:
                return written, place
        data[written] = data[place]
        written += 1
        place += 1
    return written, BAD


@compiled
def _quoted_field(data: Any, place: int, means: Any) -> tuple[int, int]:
    """From the place after an opening quote: where the text ends, and what ends or separates the field, or BAD."""
    stop, closed = _close_quote(data, place, means)
    if closed == BAD:
        return stop, BAD
    place = _after(data, closed, means, PADS)
    followed = means[data[place]] & (ENDS | SEPARATES) or means[data[closed]] & SEPARATES
    return stop, place if followed else BAD


@compiled
def _bare_field(data: Any, place: int, means: Any) -> tuple[int, int]:
    """From the beginning of a field: where it ends without padding, and what ends or separates it."""
    start = place
    while not means[data[place]] & (ENDS | SEPARATES):
        place += 1
    stop = place
    while stop > start and means[data[stop - 1]] & PADS:
        stop -= 1
    return stop, place


@compiled
def _is_one(data: Any, start: int, stop: int) -> bool:
    """Whether the number at ``start`` is 1, as in 1, +1, 01, 1.000 or 1.00e+00."""
    if start < stop and data[start] == PLUS:
        start += 1
    while start < stop and data[start] == ZERO:
        start += 1
    if start >= stop or data[start] != ONE:
        return False
    start += 1
    if start < stop and data[start] == DOT:
        start += 1
        while start < stop and data[start] == ZERO:
            start += 1
    if start == stop:
        return True
    if data[start] != 69 and data[start] != 101:  # E, e
        return False
    start += 1
    if start < stop and (data[start] == PLUS or data[start] == MINUS):
        start += 1
    if start == stop:
        return False
    while start < stop and data[start] == ZERO:
        start += 1
    return start == stop


@compiled
def tokenise(data: Any, means: Any, wanted: Any, comments: Any, bounds: Any, marks: Any) -> tuple[int, int, int]:
    """Fill ``bounds`` (begin and end of the two names) and ``marks``, one entry a link.

    ``wanted`` holds the columns of the first name, the second name and the weight (-1: none). Returned are the numbers
    of links and of lines, and the place of the first line that cannot be read, or BAD if all could.
    """
    end, place, links, lines = data.size - 1, 0, 0, 0
    while place < end:
        start = place
        if not _is_idle(data, place, means, comments):
            place = _tokenise_line(data, start, means, wanted, bounds, marks, links)
            if place == BAD:
                return links, lines, start
            links += 1
        place = _after_line(data, place, means, end)
        lines += 1
    return links, lines, BAD


@compiled
def _tokenise_line(data: Any, place: int, means: Any, wanted: Any, bounds: Any, marks: Any, link: int) -> int:
    """Fill entry ``link`` from the line at ``place``; returned is where the line ends, or BAD if it cannot be read."""
    runs = means[SPACE] & SEPARATES != 0
    column, found, mark = 0, 0, 0
    while True:
        start = _after(data, place, means, PADS)
        quoted = data[start] == QUOTE
        if quoted:
            start += 1
            stop, place = _quoted_field(data, start, means)
        else:
            stop, place = _bare_field(data, start, means)
        if place == BAD or (start == stop and not quoted and (column == wanted[0] or column == wanted[1])):
            return BAD
        for which in range(2):
            if column == wanted[which]:
                bounds[link, 2 * which], bounds[link, 2 * which + 1] = start, stop
                found += 1
                mark |= QUOTED * quoted
        if column == wanted[2] and start < stop and not _is_one(data, start, stop):
            mark |= WEIGHTED
        column += 1
        if runs:
            place = _after(data, place, means, PADS)
        if means[data[place]] & ENDS:
            marks[link] = mark
            return place if found == 2 else BAD
        if not runs:
            place += 1
