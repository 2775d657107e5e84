"""How an edge list is written, found out from its first lines where the reader is not told."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from philia.exceptions import GraphFileError, InvalidGraphError, InvalidParameterError
from philia.graphs.files.lines import WHITESPACE, Dialect, Quoted, as_integers, fields_of
from philia.graphs.links import END_NAMES, find_columns, plain_name

logger = logging.getLogger("philia")
_LINE = re.compile(rb"[^\r\n]+")
_SAMPLE_LINES = 200
_SAMPLE_BYTES = 1 << 18
_DELIMITERS = (b"\t", b",", b";", b"|")


@dataclass(frozen=True)
class Options:
    """What the reader of an edge list is told; None means: find out."""

    delimiter: str | None = None
    comment: str | None = None
    header: bool | None = None
    columns: tuple[int | str, int | str] | None = None
    encoding: str = "utf-8"

    @property
    def comments(self) -> tuple[bytes, ...]:
        """What comments begin with."""
        if self.comment is None:
            return Dialect().comments
        return (self.comment.encode(),) if self.comment else ()

    def check(self) -> None:
        """Complain about values that make no sense, before a file is opened."""
        if self.delimiter is not None and not (
            len(self.delimiter) == 1 and self.delimiter.isascii() and self.delimiter not in '"\r\n'
        ):
            raise InvalidParameterError(
                f"delimiter is {self.delimiter!r}; give one character such as ',' or '\\t', or ' ' for runs of spaces "
                "and tabs, or leave it out and it is found"
            )
        if self.comment is not None and set(self.comment) & set("\r\n"):
            raise InvalidParameterError(f"comment is {self.comment!r}; give what a line begins with, such as '#'")
        try:
            "x".encode(self.encoding)
        except (LookupError, UnicodeError):
            raise InvalidParameterError(
                f"{self.encoding!r} is no encoding of text; try 'utf-8', 'latin-1' or 'cp1252'"
            ) from None
        if self.columns is None:
            return
        numbers = [column for column in self.columns if isinstance(column, int)]
        if len(self.columns) != 2 or self.columns[0] == self.columns[1] or any(number < 0 for number in numbers):
            raise InvalidParameterError(
                f"columns is {self.columns!r}; give two different names or numbers, counted from 0"
            )


@dataclass(frozen=True)
class Line:
    """A line of the sample: where it begins and ends in the block, and its text."""

    start: int
    stop: int
    text: bytes


def find_dialect(block: bytes, options: Options) -> tuple[Dialect, bytes]:
    """How the links in ``block`` are written, and the block with the header, if there is one, made a blank line.

    >>> dialect, rest = find_dialect(b"source,target,weight\\nann,bob,2\\n", Options())
    >>> dialect.delimiter, dialect.columns, dialect.weight, rest
    (b',', (0, 1), 2, b'\\nann,bob,2\\n')
    """
    sample = sample_lines(block, options.comments)
    dialect = Dialect(options.delimiter.encode() if options.delimiter else find_delimiter(sample), options.comments)
    rows = _rows(sample, dialect)
    if not rows:
        return dialect, block
    if not _has_header(rows, options):
        if options.columns is None:
            _refuse_adjacency_list(rows)
        return _with_columns(dialect, None, rows, options), block
    header = sample[0]
    logger.info("the first line is taken for the names of columns: %s", header.text.decode(errors="replace"))
    return _with_columns(dialect, rows[0], rows[1:], options), block[: header.start] + block[header.stop :]


def sample_lines(block: bytes, comments: tuple[bytes, ...]) -> list[Line]:
    """The first lines that are neither blank nor comments."""
    if b"\0" in block[:_SAMPLE_BYTES]:
        raise GraphFileError(
            "this is no text but a binary file; give it the ending of its format, for example .mat, .npz or .parquet"
        )
    lines: list[Line] = []
    for found in _LINE.finditer(block):
        start = found.group().lstrip(b" \t")
        if start and not start.startswith(comments):
            lines.append(Line(found.start(), found.end(), found.group()))
        if len(lines) == _SAMPLE_LINES:
            break
    return lines


def find_delimiter(sample: Sequence[Line]) -> bytes:
    """The delimiter that most lines have outside quotes, and of several the one that comes first; else whitespace.

    Tabs go before the others, because names with commas stand between tabs more often than the other way round.
    """
    best, most, earliest = WHITESPACE, len(sample) / 2, 0
    bare = [_outside_quotes(line.text.strip(b" ")) for line in sample]
    for delimiter in _DELIMITERS:
        places = [place for place in (text.find(delimiter) for text in bare) if place >= 0]
        count, first = len(places), sum(places)
        if count > most or (count == most and best not in (WHITESPACE, b"\t") and first < earliest):
            best, most, earliest = delimiter, count, first
    return best


def _outside_quotes(text: bytes) -> bytes:
    parts = text.split(b'"')
    return b'"'.join(parts[::2]) if len(parts) % 2 else text  # with one quote too many nothing is known


def _rows(sample: Sequence[Line], dialect: Dialect) -> list[list[bytes]]:
    rows: list[list[bytes]] = []
    for line in sample:
        try:
            fields = fields_of(line.text, dialect)
        except GraphFileError:  # it is complained about when its turn comes, with its number
            if not rows:
                return []
            continue
        if fields is not None:
            rows.append(fields)
    return rows


def _has_header(rows: Sequence[list[bytes]], options: Options) -> bool:
    if options.header is not None:
        return options.header
    if options.columns is not None and any(isinstance(column, str) for column in options.columns):
        return True
    first, rest = rows[0], rows[1:]
    if looks_like_header(
        [field.decode(errors="replace") for field in first], {field for row in rest for field in row[:2]}
    ):
        return True
    columns = [column for column in options.columns or (0, 1) if isinstance(column, int)]
    if rest and not _any_integer(first, columns) and all(_all_integers(row, columns) for row in rest):
        return True
    further = [column for column in range(2, len(first)) if not _is_number(first[column]) and first[column]]
    return len(rest) > 1 and any(
        all(column < len(row) and _is_number(row[column]) for row in rest) for column in further
    )


def looks_like_header(fields: Sequence[str], others: set[bytes]) -> bool:
    """Whether a first line names its columns; single letters do so only if no node further down has the same name."""
    plain = [plain_name(field) for field in fields]
    for pair in END_NAMES:
        if pair[0] in plain and pair[1] in plain:
            letters = [fields[plain.index(name)].encode() for name in pair if len(name) == 1]
            return not any(letter in others for letter in letters)
    return False


def _refuse_adjacency_list(rows: Sequence[list[bytes]]) -> None:
    """Further columns are ignored, which would lose links where a line holds a node and all its neighbours."""
    sizes = {len(row) for row in rows}
    if len(sizes) > 1 and max(sizes) > 3 and all(_all_integers(row, range(len(row))) for row in rows):
        raise GraphFileError(
            f"the lines have from {min(sizes)} to {max(sizes)} columns of integers; this looks like a list of "
            "neighbours a line, not of links. Read it with networkx.read_adjlist, or "
            "pass columns=(0, 1) if only the first two matter"
        )


def _any_integer(row: Sequence[bytes], columns: Sequence[int]) -> bool:
    return any(column >= len(row) or as_integers([row[column]]) is not None for column in columns)


def _all_integers(row: Sequence[bytes], columns: Sequence[int]) -> bool:
    return all(
        column < len(row) and not isinstance(row[column], Quoted) and as_integers([row[column]]) is not None
        for column in columns
    )


def _with_columns(
    dialect: Dialect, header: Sequence[bytes] | None, rows: Sequence[Sequence[bytes]], options: Options
) -> Dialect:
    if header is None:
        columns = options.columns or (0, 1)
        if isinstance(columns[0], str) or isinstance(columns[1], str):
            raise InvalidParameterError(
                f"columns is {columns!r}, but header=False says that the columns have no names; give numbers"
            )
        weight = 2 if options.columns is None and _all_numbers(rows, 2) else None
        return replace(dialect, columns=(columns[0], columns[1]), weight=weight)
    names = [field.decode(errors="replace") for field in header]
    try:
        columns = find_columns(names, options.columns)
    except InvalidGraphError as error:
        raise InvalidParameterError(str(error)) from None
    weights = [place for place, name in enumerate(names) if plain_name(name) in ("weight", "weights")]
    weight = next((place for place in weights if place not in columns and _all_numbers(rows, place)), None)
    return replace(dialect, columns=columns, weight=weight)


def _all_numbers(rows: Sequence[Sequence[bytes]], column: int) -> bool:
    """Whether a column holds numbers wherever it holds something."""
    held = [row[column] for row in rows if column < len(row) and row[column]]
    return bool(held) and all(map(_is_number, held))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field
