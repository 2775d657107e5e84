"""What a line of an edge list means: the rules, in plain Python.

Small files are read by this module. Large ones are read by :mod:`philia.graphs.files.tokens`, its compiled twin, which
follows the same rules and hands every line that it cannot read back to this one: complaints are made in one place.

The rules: a line ends with a newline, a carriage return or both. A line of nothing but spaces, tabs and delimiters is
blank. A line whose first visible characters begin a comment is one. Fields are separated by one delimiter, or by runs
of spaces and tabs; spaces and tabs around a field do not belong to it. A field that begins with a double quote ends
with the next one that is not doubled, on the same line, and is text even if it looks like a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from philia._types import Float64Array, Int64Array, IntArray, Node
from philia.exceptions import GraphFileError
from philia.graphs.weights import weight_value

WHITESPACE = b" "
"""The delimiter that stands for runs of spaces and tabs."""

_WORD = re.compile(rb"[^ \t]+")
_INTEGER = re.compile(rb"0|-?[1-9][0-9]*")
_ONE = re.compile(rb"\+?0*1(\.0*)?([eE][+-]?0+)?")
_LARGEST = 2**63 - 1
_SHOWN = 60


@dataclass(frozen=True)
class Dialect:
    """How the links are written: delimiter, beginnings of comments, columns of the two ends and of the weights."""

    delimiter: bytes = WHITESPACE
    comments: tuple[bytes, ...] = (b"#", b"%", b"//")
    columns: tuple[int, int] = (0, 1)
    weight: int | None = None


class Quoted(bytes):
    """A field that stood in double quotes: the same name as without them, but never a number."""


@dataclass(frozen=True)
class Links:
    """What was read: two row numbers a link, its weight, and the names in order of appearance.

    A weight other than 1 that nobody asked for is NaN: that it is there is all that counts.
    """

    rows: IntArray
    columns: IntArray
    weights: Float64Array | None
    names: Sequence[bytes] | Int64Array


class PlainScanner:
    """Reads blocks of lines one line at a time.

    >>> scanner = PlainScanner(Dialect())
    >>> scanner.scan(b"ann bob\\n\\n# a comment\\nbob  cat\\n")
    >>> scanner.links().names
    [b'ann', b'bob', b'cat']
    """

    def __init__(self, dialect: Dialect, lines: int = 0, *, keep_weights: bool = False) -> None:
        """Begin after so many ``lines`` of the file."""
        self._dialect = dialect
        self._keep_weights = keep_weights
        self._known: dict[bytes, int] = {}
        self._ends: tuple[list[int], list[int]] = ([], [])
        self._weights: list[float] = []
        self._quoted = False
        self._lines = lines

    def scan(self, block: bytes) -> None:
        """Take in the next lines."""
        dialect, known, (rows, columns) = self._dialect, self._known, self._ends
        first_column, second_column = dialect.columns
        lines = block.splitlines()
        for number, line in enumerate(lines, start=self._lines + 1):
            found = fields_of(line, dialect, number)
            if found is None:
                continue
            try:
                first, second = found[first_column], found[second_column]
            except IndexError:
                raise _too_few(found, line, dialect, number) from None
            if not (first and second):
                _check_empty(first, second, line, number)
            rows.append(known.setdefault(first, len(known)))
            columns.append(known.setdefault(second, len(known)))
            if isinstance(first, Quoted) or isinstance(second, Quoted):
                self._quoted = True
            if dialect.weight is not None:
                self._weights.append(self._weight(found))
        self._lines += len(lines)

    def _weight(self, found: Sequence[bytes]) -> float:
        place = self._dialect.weight
        if place is None or place >= len(found) or not is_weight(found[place]):
            return 1.0
        return weight_value(found[place]) if self._keep_weights else float("nan")

    def links(self) -> Links:
        """All that was read."""
        rows, columns = (np.array(end, np.int32) for end in self._ends)
        weights = np.array(self._weights, np.float64) if self._dialect.weight is not None else None
        names = list(self._known)
        integers = None if self._quoted else as_integers(names)
        return Links(rows, columns, weights, names if integers is None else integers)


def fields_of(line: bytes, dialect: Dialect, number: int = 0) -> list[bytes] | None:
    """The fields of a line, or None if it is blank or a comment.

    >>> fields_of(b'"New York", Boston,3', Dialect(delimiter=b","))
    [b'New York', b'Boston', b'3']
    """
    start = line.lstrip(b" \t")
    if not start or start.startswith(dialect.comments):
        return None
    delimiter = dialect.delimiter
    if b'"' in line:
        return _quoted_fields(line, delimiter, number)
    if delimiter == WHITESPACE:
        return _WORD.findall(start)
    if b" " in line or (b"\t" in line and delimiter != b"\t"):
        fields = [field.strip(b" \t") for field in line.split(delimiter)]
    else:
        fields = line.split(delimiter)
    return fields if fields[0] or any(fields) else None


def _quoted_fields(line: bytes, delimiter: bytes, number: int) -> list[bytes]:
    if delimiter == WHITESPACE:
        line = line.strip(b" \t")
    pattern, place, fields = _field_pattern(delimiter), 0, []
    while True:
        match = pattern.match(line, place)
        if match is None:
            raise _bad_quote(line, place, number)
        quoted, bare, gap = match.groups()
        fields.append(bare.rstrip(b" \t") if quoted is None else Quoted(quoted.replace(b'""', b'"')))
        if not gap:
            return fields
        place = match.end()


_QUOTED = rb'[ \t]*+"((?:[^"]|"")*+)"'


@cache
def _field_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    if delimiter == WHITESPACE:
        return re.compile(rb'(?:"((?:[^"]|"")*+)"|((?!")[^ \t]*))([ \t]+|\Z)')
    gap = re.escape(delimiter)
    padding = rb"[ ]*+" if delimiter == b"\t" else rb"[ \t]*+"
    return re.compile(padding + rb'(?:"((?:[^"]|"")*+)"' + padding + rb'|((?!")[^' + gap + rb"]*))(" + gap + rb"|\Z)")


def _bad_quote(line: bytes, place: int, number: int) -> GraphFileError:
    closed = re.compile(_QUOTED).match(line, place)
    wrong = (
        "goes on after a closing double quote" if closed else "opens a double quote that is not closed on the same line"
    )
    return GraphFileError(f"{where(line, number)} {wrong}; put a name with quotes in quotes and double those inside it")


def _check_empty(first: bytes, second: bytes, line: bytes, number: int) -> None:
    """Complain about a name that is empty, unless it is so on purpose, in quotes."""
    if not all(name or isinstance(name, Quoted) for name in (first, second)):
        raise GraphFileError(f"{where(line, number)} has an empty name; write two names, or take the line out")


def _too_few(fields: Sequence[bytes], line: bytes, dialect: Dialect, number: int) -> GraphFileError:
    """The complaint about a line that has not enough columns."""
    needed = max(dialect.columns) + 1
    if len(fields) == 1 and needed == 2:
        separated = "spaces or tabs" if dialect.delimiter == WHITESPACE else repr(dialect.delimiter.decode())
        return GraphFileError(
            f"{where(line, number)} has one column, but a link has two, separated here by {separated}; "
            "pass delimiter= if that is wrong. A node without links can be given by writing its name twice"
        )
    return GraphFileError(f"{where(line, number)} has {len(fields)} column(s), but column number {needed} is needed")


def where(line: bytes, number: int) -> str:
    """The line's number and what stands in it, for the beginning of a complaint."""
    text = line.decode(errors="replace").strip()
    return f"line {number:,} ({text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'!r})"


def is_weight(field: bytes) -> bool:
    """Whether the field holds something other than 1; an empty one holds nothing."""
    return bool(field) and _ONE.fullmatch(field) is None


def as_integers(names: Sequence[bytes]) -> Int64Array | None:
    """The names as integers if every one of them is written as an integer is, without leading zeros or plus; else None.

    >>> as_integers([b"12", b"-3"]), as_integers([b"12", b"007"])
    (array([12, -3]), None)
    """
    if not all(_INTEGER.fullmatch(name) for name in names):
        return None
    values = [int(name) for name in names if len(name) < 21]
    if len(values) < len(names) or any(abs(value) > _LARGEST for value in values):
        return None
    return np.array(values, np.int64)


def typed(names: Sequence[bytes]) -> list[Node]:
    """Names as a user sees them: integers if all are, else text."""
    integers = None if any(isinstance(name, Quoted) for name in names) else as_integers(names)
    return [name.decode() for name in names] if integers is None else integers.tolist()
