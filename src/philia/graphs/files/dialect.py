"""How the lines of an edge list are written: the rules, and how to detect the options that are not given.

A line ends with a newline, a carriage return or both. A line of only spaces, tabs and delimiters is blank. A line whose
first visible characters are a comment prefix is a comment. Fields are separated by one delimiter, or by runs of spaces
and tabs; spaces and tabs around a field do not belong to it. A field that begins with a double quote ends at the next
one that is not doubled, on the same line, and is text even if it looks like a number.

Small files are read by these rules as they are written here. Large ones are read by :mod:`philia.graphs.files.kernels`,
the compiled twin, which hands every line that it cannot read back to this module: errors are raised in one place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from philia.exceptions import GraphFileError, InvalidGraphError, InvalidParameterError
from philia.graphs.files.names import Padded, Quoted, as_integers
from philia.graphs.files.text import refuse_binary
from philia.graphs.links import END_NAMES, find_columns, plain_name, refuse_unclear, usual_columns
from philia.storage import ReadingOptions

WHITESPACE = b" "
"""The delimiter that stands for runs of spaces and tabs."""

_COMMENTS = (b"#", b"%", b"//")
"""Comment prefixes, unless another one is given."""

_DELIMITERS = (b"\t", b",", b";", b"|")
_LINE = re.compile(rb"[^\r\n]+")
_WORD = re.compile(rb"[^ \t]+")
_QUOTED = rb'[ \t]*+"((?:[^"]|"")*+)"'

_SAMPLE_LINES = 200
"""Lines that the dialect is detected from: enough to outvote odd ones, few enough to take no time."""

_LINK_WORDS, _TABLE_WORDS = 3, 6
"""Words of an ordinary line: two names and a weight, or a few columns of names with blanks."""

_SENTENCE_END = re.compile(r"[^\W\d_]{2,}[.,;:!?]")
"""A word of letters with a mark that ends a sentence or a part of one."""

_SENTENCES = 0.2
"""The share of lines with such a word from which on a file is prose; names of nodes hardly ever look like that."""

_LONGEST_SHOWN = 60
"""Characters of a line shown in a message, so that it fits on one line of a terminal."""


@dataclass(frozen=True)
class Dialect:
    """The delimiter, the comment prefixes, the columns of the two ends, the column of the weights, and column names.

    ``names`` is empty if the first line is a link. If it is ``doubtful``, only the end of the file tells: the line is
    read as a link, and its names turn out to be those of columns if they occur nowhere else. Columns are ``chosen`` if
    options or usual names say which they are, and not only their positions. Links are ``directed`` if a column called
    "type" says so, as in the tables of Gephi; their directions are counted unless the links have to stay on disk.
    """

    delimiter: bytes = WHITESPACE
    comments: tuple[bytes, ...] = _COMMENTS
    columns: tuple[int, int] = (0, 1)
    weight: int | None = None
    names: tuple[str, ...] = ()
    doubtful: bool = False
    chosen: bool = False
    directed: bool = False

    @property
    def used(self) -> set[int]:
        """The columns that are read."""
        return {*self.columns} if self.weight is None else {*self.columns, self.weight}

    def in_words(self) -> str:
        """Which columns are read as what.

        >>> Dialect(names=("book", "bought_with", "year")).in_words()
        "line 1 names the columns: links join 'book' and 'bought_with'; ignored: 'year'"
        >>> Dialect(weight=2).in_words()
        'line 1 is a link: links join columns 0 and 1, and column 2 holds weights'
        """
        named = [repr(name) for name in self.names] or [f"column {column}" for column in range(max(self.used) + 1)]
        first, second = (named[column] for column in self.columns)
        ends = f"{first} and {second}" if self.names else "columns {} and {}".format(*self.columns)
        weight = "" if self.weight is None else f", and {named[self.weight]} holds weights"
        ignored = [name for column, name in enumerate(named) if column not in self.used] if self.names else []
        start = "names the columns" if self.names else "is a link"
        return f"line 1 {start}: links join {ends}{weight}{'; ignored: ' if ignored else ''}{', '.join(ignored)}"


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
        fields = [_stripped(field) for field in line.split(delimiter)]
    else:
        fields = line.split(delimiter)
    return fields if fields[0] or any(fields) else None


def _stripped(field: bytes) -> bytes:
    """The field without blanks around it; blanks before it are how people write lists, blanks after it are rather not.

    >>> [_stripped(field) for field in (b" ann", b"bob ")], type(_stripped(b"bob ")).__name__
    ([b'ann', b'bob'], 'Padded')
    """
    bare = field.strip(b" \t")
    return Padded(bare) if bare and field[-1:] in b" \t" else bare


def _quoted_fields(line: bytes, delimiter: bytes, number: int) -> list[bytes]:
    if delimiter == WHITESPACE:
        line = line.strip(b" \t")
    pattern, at, fields = _field_pattern(delimiter), 0, []
    while True:
        match = pattern.match(line, at)
        if match is None:
            raise _bad_quote(line, at, number)
        quoted, bare, gap = match.groups()
        fields.append(_stripped(bare) if quoted is None else Quoted(quoted.replace(b'""', b'"')))
        if not gap:
            return fields
        at = match.end()


@cache
def _field_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    if delimiter == WHITESPACE:
        return re.compile(rb'(?:"((?:[^"]|"")*+)"|((?!")[^ \t]*))([ \t]+|\Z)')
    gap = re.escape(delimiter)
    padding = rb"[ ]*+" if delimiter == b"\t" else rb"[ \t]*+"
    return re.compile(padding + rb'(?:"((?:[^"]|"")*+)"' + padding + rb'|((?!")[^' + gap + rb"]*))(" + gap + rb"|\Z)")


def _bad_quote(line: bytes, at: int, number: int) -> GraphFileError:
    closed = re.compile(_QUOTED).match(line, at)
    wrong = (
        "continues after a closing double quote" if closed else "opens a double quote that is not closed on this line"
    )
    return GraphFileError(
        f"{located(line, number)} {wrong}; put a name that contains quotes in quotes, and double those inside it"
    )


def too_few_fields(fields: Sequence[bytes], line: bytes, dialect: Dialect, number: int) -> GraphFileError:
    """The error about a line without enough columns."""
    needed = max(dialect.columns) + 1
    if len(fields) == 1 and needed == 2:
        separated = "spaces or tabs" if dialect.delimiter == WHITESPACE else repr(dialect.delimiter.decode())
        return GraphFileError(
            f"{located(line, number)} has one column, but a link has two, separated here by {separated}; "
            "pass delimiter= if that is wrong. A node without links can be given by writing its name twice"
        )
    return GraphFileError(f"{located(line, number)} has {len(fields)} column(s), but column number {needed} is needed")


def located(line: bytes, number: int) -> str:
    """A line's number and content, for the beginning of a message."""
    text = line.decode(errors="replace").strip()
    return f"line {number:,} ({text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + '…'!r})"


def find_dialect(block: bytes, options: ReadingOptions) -> tuple[Dialect, bytes]:
    """The dialect of the links in ``block``, and the block with the header, if there is one, blanked out.

    >>> dialect, rest = find_dialect(b"source,target,weight\\nann,bob,2\\n", ReadingOptions())
    >>> dialect.delimiter, dialect.columns, dialect.weight, rest
    (b',', (0, 1), 2, b'\\nann,bob,2\\n')

    If only the end of the file can tell whether there is a header, the dialect is ``doubtful``.

    >>> find_dialect(b"book,bought_with\\nx,y\\n", ReadingOptions())[0].doubtful
    True
    """
    comments = comments_of(options)
    sample = sample_lines(block, comments)
    delimiter = options.delimiter.encode() if options.delimiter else find_delimiter(sample)
    sample = [line for line in sample if line.text.strip(b" \t" + delimiter)]
    dialect = Dialect(delimiter, comments, chosen=options.columns is not None)
    rows = _rows(sample, dialect)
    if not rows:
        return dialect, block
    if options.columns is None:
        _refuse_matrix(rows)
    if _has_header(rows, options):
        header = sample[0]
        return _with_columns(dialect, rows[0], rows[1:], options), block[: header.start] + block[header.stop :]
    if options.columns is None:
        _refuse_lists(rows)
        _refuse_prose(rows, dialect)
    doubtful = options.header is None and _may_be_header(rows, options)
    names = tuple(field.decode(errors="replace") for field in rows[0]) if doubtful else ()
    if options.columns is None:
        refuse_unclear(names or None, _transposed(rows[bool(names) :]))
    return replace(_with_columns(dialect, None, rows, options), names=names, doubtful=doubtful), block


def comments_of(options: ReadingOptions) -> tuple[bytes, ...]:
    """The comment prefixes; an empty option means that there are no comments."""
    if options.comment is None:
        return _COMMENTS
    return (options.comment.encode(),) if options.comment else ()


@dataclass(frozen=True)
class Line:
    """A line of the sample: where it begins and ends in the block, and its text."""

    start: int
    stop: int
    text: bytes


def sample_lines(block: bytes, comments: tuple[bytes, ...]) -> list[Line]:
    """The first lines that are neither blank nor comments."""
    refuse_binary(block)
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

    Tabs win over the others, because names with commas between tabs are more common than the other way round.
    """
    best, most, earliest = WHITESPACE, len(sample) / 2, 0
    bare = [_outside_quotes(line.text.strip(b" ")) for line in sample]
    for delimiter in _DELIMITERS:
        positions = [at for at in (text.find(delimiter) for text in bare) if at >= 0]
        count, first = len(positions), sum(positions)
        if count > most or (count == most and best not in (WHITESPACE, b"\t") and first < earliest):
            best, most, earliest = delimiter, count, first
    return best


def _outside_quotes(text: bytes) -> bytes:
    parts = text.split(b'"')
    return b'"'.join(parts[::2]) if len(parts) % 2 else text  # with an unbalanced quote, do not guess


def _rows(sample: Sequence[Line], dialect: Dialect) -> list[list[bytes]]:
    rows: list[list[bytes]] = []
    for line in sample:
        try:
            fields = fields_of(line.text, dialect)
        except GraphFileError:  # raised again, with the line's number, when the line is read
            if not rows:
                return []
            continue
        if fields is not None:
            rows.append(fields)
    return rows


def _has_header(rows: Sequence[list[bytes]], options: ReadingOptions) -> bool:
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
    """Whether a first line names its columns; single letters do so only if no node further down has that name."""
    plain = [plain_name(field) for field in fields]
    for pair in END_NAMES:
        if pair[0] in plain and pair[1] in plain:
            letters = [fields[plain.index(name)].encode() for name in pair if len(name) == 1]
            return not any(letter in others for letter in letters)
    return False


def _may_be_header(rows: Sequence[list[bytes]], options: ReadingOptions) -> bool:
    """Whether the first line has two names that are no numbers and do not come again in the sample."""
    first, rest = rows[0], rows[1:]
    columns = [column for column in options.columns or (0, 1) if isinstance(column, int)]
    if not rest or max(columns) >= len(first):
        return False
    names = {first[column] for column in columns}
    below = {row[column] for row in rest for column in columns if column < len(row)}
    return len(names) == 2 and all(names) and not any(map(_is_number, names)) and not names & below


def _refuse_lists(rows: Sequence[list[bytes]]) -> None:
    """Further columns are ignored, which would lose links where a line holds a node and all its neighbours."""
    sizes = {len(row) for row in rows}
    if len(sizes) > 1 and max(sizes) > 3 and all(_all_integers(row, range(len(row))) for row in rows):
        raise GraphFileError(
            f"the lines have from {min(sizes)} to {max(sizes)} columns of integers; this looks like an adjacency list "
            "(a node and its neighbours per line), not a list of links. Read it with networkx.read_adjlist, or pass "
            "columns=(0, 1) if only the first two matter"
        )


def _refuse_matrix(rows: Sequence[list[bytes]]) -> None:
    """A matrix has as many lines as columns, or more columns than the sample has lines; names are above and beside it.

    Without names its values are 0 and 1, or it is symmetric.
    """
    if _is_matrix(rows):
        width, reader = len(rows[0]), "numpy.loadtxt(path, delimiter=',')"
    elif [row[0] for row in rows[1:]] == rows[0][1 : len(rows)] and _is_matrix([row[1:] for row in rows[1:]], True):
        width, reader = len(rows[0]) - 1, "pandas.read_csv(path, index_col=0)"
    else:
        return
    raise GraphFileError(
        f"this looks like an adjacency matrix of {width:,} nodes, not like a list of links; write one link per "
        f"line, or pass what {reader} reads to philia.as_graph"
    )


def _is_matrix(rows: Sequence[Sequence[bytes]], named: bool = False) -> bool:
    count, width = len(rows), len(rows[0]) if rows else 0
    square = width == count or (width > count >= _SAMPLE_LINES - named)
    if count < 3 or not square or any(len(row) != width for row in rows) or not all(map(_is_number, chain(*rows))):
        return False
    symmetric = all(rows[i][j] == rows[j][i] for i in range(count) for j in range(i))
    return named or symmetric or all(float(cell) in (0, 1) for cell in chain(*rows))


def _refuse_prose(rows: Sequence[list[bytes]], dialect: Dialect) -> None:
    """Lines are sentences if most have many words, not all have as many columns, and the third is not of numbers."""
    _refuse_short_prose(rows, dialect)
    words = sorted(sum(len(field.split()) for field in row) for row in rows)
    few = _LINK_WORDS if dialect.delimiter == WHITESPACE else _TABLE_WORDS
    alike = len(rows) > 1 and len({len(row) for row in rows}) == 1
    described = any(row[2].startswith(b"{") for row in rows if len(row) > 2)  # attributes, as networkx writes them
    if words[len(words) // 2] <= few or alike or described or _all_numbers(rows, 2):
        return
    raise GraphFileError(
        f"most lines have more than {few} words, and not all have as many columns; this looks like prose, or like a "
        "list of nodes with all their neighbours, not like links. Expected two names per line, in quotes if they "
        "contain separators; pass columns=(0, 1) if only the first two columns matter"
    )


def _refuse_short_prose(rows: Sequence[list[bytes]], dialect: Dialect) -> None:
    """A poem has few words per line, but the marks of sentences; one line of three or more words is no link either.

    One line of two words is read as the smallest network, and the reader says so.
    """
    alone, spaced = len(rows) == 1, dialect.delimiter == WHITESPACE
    if not (spaced or (alone and dialect.delimiter == b",")) or any(map(_is_quoted, chain(*rows))):
        return
    lines = [b" ".join(row).decode(errors="replace").split() for row in rows]
    marked = sum(any(map(_SENTENCE_END.fullmatch, words)) for words in lines)
    phrase = alone and spaced and len(lines[0]) > 2 and all(map(str.isalpha, lines[0])) and max(map(len, lines[0])) > 1
    if phrase or marked >= _SENTENCES * len(rows):
        raise GraphFileError(
            f"the text {' '.join(lines[0])!r} looks like prose, not like links. Expected two names per line; pass "
            "columns=(0, 1) if that is what they are"
        )


def _is_quoted(field: bytes) -> bool:
    return isinstance(field, Quoted)


def _any_integer(row: Sequence[bytes], columns: Sequence[int]) -> bool:
    return any(column >= len(row) or as_integers([row[column]]) is not None for column in columns)


def _all_integers(row: Sequence[bytes], columns: Sequence[int]) -> bool:
    return all(
        column < len(row) and not isinstance(row[column], Quoted) and as_integers([row[column]]) is not None
        for column in columns
    )


def _with_columns(
    dialect: Dialect, header: Sequence[bytes] | None, rows: Sequence[Sequence[bytes]], options: ReadingOptions
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
        columns = find_columns(names, options.columns, _transposed(rows))
    except InvalidGraphError as error:
        raise InvalidParameterError(str(error)) from None
    weights = [column for column, name in enumerate(names) if plain_name(name) in ("weight", "weights")]
    weight = next((column for column in weights if column not in columns and _all_numbers(rows, column)), None)
    chosen = dialect.chosen or usual_columns(names) is not None
    directed = any(
        plain_name(name) == "type" and {row[column].lower() for row in rows if column < len(row)} == {b"directed"}
        for column, name in enumerate(names)
    )
    return replace(dialect, columns=columns, weight=weight, names=tuple(names), chosen=chosen, directed=directed)


def _transposed(rows: Sequence[Sequence[bytes]]) -> list[tuple[bytes, ...]]:
    """The columns that all rows have."""
    return list(zip(*rows, strict=False))


def _all_numbers(rows: Sequence[Sequence[bytes]], column: int) -> bool:
    """Whether a column holds numbers wherever it is not empty."""
    values = [row[column] for row in rows if column < len(row) and row[column]]
    return bool(values) and all(map(_is_number, values))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field
