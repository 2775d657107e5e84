"""Graphs from links, given as row numbers, as pairs of names or as columns of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._text import listed
from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidGraphError
from philia.graphs.graph import Changes, Graph
from philia.graphs.nodes import Nodes
from philia.graphs.notices import tell, warn
from philia.graphs.weights import check_weights, weight_value

END_NAMES = (
    ("source", "target"),
    ("from", "to"),
    ("u", "v"),
    ("src", "dst"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("i", "j"),
    ("fromnodeid", "tonodeid"),
    ("nodea", "nodeb"),
    ("user1", "user2"),
    ("sender", "receiver"),
    ("start", "end"),
    ("head", "tail"),
)
"""Usual names of the two columns of a table of links, in lower case, without blanks and punctuation."""

Column = Sequence[Node] | npt.NDArray[Any]

_ROW_NAMES = {"", "id", "index", "row", "rowid", "nr", "no", "number", "key", "linkid", "edgeid", "unnamed0"}
"""Usual names of a column that numbers the rows of a table."""

SAMPLE_ROWS = 200
"""Rows by which a column of row numbers is recognized: enough to see a repetition, few enough to take no time."""

_DATE = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})([T ].*)?")
"""A day, as tables have it: 2024-03-31, 31.3.2024 or 03/31/24, and perhaps a time."""

_WORDS = re.compile(r"[^\W_]+")
_LONGEST_NAME = 100
"""Characters of a column name that are compared; in a file without line ends a name may have megabytes."""


def graph_from_rows(
    rows: npt.NDArray[Any],
    columns: npt.NDArray[Any],
    nodes: Nodes,
    *,
    directed: bool = False,
    weights: Float64Array | None = None,
    keep_weights: bool = False,
) -> Graph:
    """A graph from row numbers, one entry per link; ``weights`` other than 1 are dropped and counted, unless kept.

    With ``directed`` the two directions of a link do not count as repeated, and links in one direction are counted.
    Kept weights are added over repetitions and directions; without ``weights`` each entry weighs 1.

    >>> graph_from_rows(np.array([0, 1, 1]), np.array([1, 0, 2]), Nodes("abc"), directed=True)
    Graph(3 nodes, 2 links; 1 direction dropped)
    >>> graph_from_rows(np.array([0, 1, 1]), np.array([1, 0, 2]), Nodes("abc"), keep_weights=True).link_weights
    array([2., 1.])
    """
    changes, kept = Changes(), None
    if keep_weights:
        kept = np.ones(len(rows)) if weights is None else weights
        check_weights(rows, columns, nodes, kept)
    elif weights is not None:
        other = weights != 1
        changes = Changes(weights=_distinct_links(rows[other], columns[other], len(nodes)))
    if directed:
        rows, columns, kept, found = _without_directions(rows, columns, len(nodes), kept)
        changes += found
    return Graph.from_rows(rows, columns, nodes, changes, kept)


def _distinct_links(rows: npt.NDArray[Any], columns: npt.NDArray[Any], count: int) -> int:
    low, high = np.minimum(rows, columns).astype(np.int64), np.maximum(rows, columns).astype(np.int64)
    return int(np.unique((low * count + high)[low != high]).size)


def _without_directions(
    rows: npt.NDArray[Any], columns: npt.NDArray[Any], count: int, weights: Float64Array | None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Float64Array | None, Changes]:
    """Each link once, with the weights of both directions added, followed by the self-loops."""
    loop = rows == columns
    ends = (rows[~loop], columns[~loop])
    values = np.ones(ends[0].size, np.bool_) if weights is None else weights[~loop]
    arcs = sparse.coo_array((values, ends), shape=(count, count)).tocsr()
    arcs.sum_duplicates()
    there = arcs.astype(np.bool_)
    mutual = there.multiply(there.T).nnz
    changes = Changes(duplicates=int(ends[0].size - arcs.nnz), directions=int(arcs.nnz - mutual))
    links = sparse.triu(arcs + arcs.T, k=1, format="coo")
    added = None if weights is None else np.concatenate([links.data, weights[loop]])
    return np.concatenate([links.row, rows[loop]]), np.concatenate([links.col, columns[loop]]), added, changes


def graph_from_pairs(pairs: Iterable[Any], *, keep_weights: bool = False) -> Graph:
    """A graph from an iterable of ``(u, v)`` or ``(u, v, weight)``.

    >>> graph_from_pairs([("ann", "bob"), ("bob", "cat", 2.5)])
    Graph(3 nodes, 2 links; 1 weight dropped)
    """
    first: list[Node] = []
    second: list[Node] = []
    weights: list[float] = []
    for number, pair in enumerate(pairs):
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or not hasattr(pair, "__getitem__"):
            raise InvalidGraphError(f"link number {number} is {pair!r}; a link is a pair such as ('ann', 'bob')")
        if len(pair) not in (2, 3):
            raise InvalidGraphError(
                f"link number {number} is {pair!r}, {len(pair)} values; give two names and, if any, a weight, "
                "or wrap a matrix in numpy.array(...)"
            )
        first.append(pair[0])
        second.append(pair[1])
        weights.append(_weight(pair[2]) if len(pair) == 3 else 1.0)
    _refuse_nested_matrix(first, second, pairs)
    if not first:
        raise InvalidGraphError(
            "there are no links; give at least one pair of names, or a matrix for a graph without links"
        )
    return graph_from_names(first, second, np.array(weights), keep_weights=keep_weights)


def _refuse_nested_matrix(first: list[Node], second: list[Node], pairs: Iterable[Any]) -> None:
    """Three lists of three numbers may be a matrix or three links with weights: refuse to guess."""
    if isinstance(pairs, list) and len(pairs) == 3 and all(isinstance(row, list) and len(row) == 3 for row in pairs):
        third = [row[2] for row in pairs]
        if [list(column) for column in (first, second, third)] == pairs:
            raise InvalidGraphError(
                "three lists of three values could be a matrix or three links with weights; "
                "pass numpy.array(...) for a matrix and tuples for links"
            )


def _weight(value: Any) -> float:
    """The third value of a link if it is a number, else 1; networkx has it in a dictionary."""
    if isinstance(value, Mapping):
        value = value.get("weight", 1)
    return weight_value(value) if isinstance(value, (int, float, np.number)) else 1.0


def graph_from_names(
    first: Column, second: Column, weights: Float64Array | None = None, *, keep_weights: bool = False
) -> Graph:
    """A graph from the names of the two ends of each link, as two equally long lists or arrays.

    Integers are put in ascending order, other names in order of appearance.

    >>> graph_from_names([7, 3], [3, 12]).nodes
    Nodes(3: 3, 7, 12)
    """
    both = [_whole(end) for end in (first, second)]
    arrays = [end for end in both if isinstance(end, np.ndarray) and end.dtype.kind in "iu"]
    if len(arrays) == 2 and np.result_type(*arrays).kind in "iu":  # signed and unsigned together make floats
        names, rows = np.unique(np.concatenate(arrays), return_inverse=True)
        nodes, ends = Nodes(names), [rows[: len(first)], rows[len(first) :]]
        return graph_from_rows(ends[0], ends[1], nodes, weights=weights, keep_weights=keep_weights)
    known: dict[Node, int] = {}
    names_in_order = [name for link in zip(*(_listed(end) for end in both), strict=True) for name in link]
    rows = _numbered(names_in_order, known).reshape(-1, 2).T
    nodes, ends = Nodes(known), [rows[0], rows[1]]
    if nodes.integers is not None:
        nodes, ends = ascending(nodes.integers, ends)
    return graph_from_rows(ends[0], ends[1], nodes, weights=weights, keep_weights=keep_weights)


def _whole(names: Column) -> Column:
    """Names as integers if an array or a frame holds integers as floats."""
    if not isinstance(names, np.ndarray) or names.dtype.kind != "f":
        return names
    whole = bool(np.all((np.abs(names) < 2**53) & (names == np.floor(names))))
    return names.astype(np.int64) if whole else names


def ascending(names: Int64Array, ends: Sequence[npt.NDArray[Any]]) -> tuple[Nodes, list[npt.NDArray[Any]]]:
    """The names sorted, and the ends renumbered to match."""
    nodes, rank = ranked(names, ends[0].dtype)
    return nodes, [rank[end] for end in ends]


def ranked(names: Int64Array, dtype: npt.DTypeLike) -> tuple[Nodes, npt.NDArray[Any]]:
    """The names sorted, and the rank of each.

    >>> ranked(np.array([7, 3, 12]), np.int32)
    (Nodes(3: 3, 7, 12), array([1, 0, 2], dtype=int32))
    """
    order = np.argsort(names)
    rank = np.empty(names.size, dtype)
    rank[order] = np.arange(names.size, dtype=rank.dtype)
    return Nodes(names[order]), rank


def _listed(names: Column) -> Sequence[Node]:
    return names.tolist() if isinstance(names, np.ndarray) else names


def _numbered(names: Sequence[Node], known: dict[Node, int]) -> Int64Array:
    """A number for each name, in order of appearance; there are two names per link."""
    numbers = np.empty(len(names), np.int64)
    for index, name in enumerate(names):
        try:
            numbers[index] = known.setdefault(name, len(known))
        except TypeError:
            raise InvalidGraphError(
                f"the name {name!r} of link number {index // 2} is a {type(name).__name__}, which cannot be looked up; "
                "use text, numbers or tuples as names"
            ) from None
        if name != name:  # only NaN differs from itself
            raise InvalidGraphError(
                f"a name of link number {index // 2} is missing ({name!r}); drop that link or give it a name"
            )
    return numbers


def find_columns(
    headers: Sequence[object], wanted: tuple[int | str, int | str] | None = None, sample: Sequence[Column] = ()
) -> tuple[int, int]:
    """The two columns that hold the ends of the links: those asked for, those with usual names, or the first two.

    >>> find_columns(["year", "From", "To"])
    (1, 2)

    ``sample`` holds some values of each column: if one of the first two seems to number the rows, or to hold dates or
    amounts, nothing is guessed.

    >>> find_columns(["id", "author1", "author2"], sample=[[1, 2], ["ann", "bob"], ["bob", "cat"]])
    Traceback (most recent call last):
    philia.exceptions.InvalidGraphError: column 'id' has another value in every row, as row numbers have, ...
    """
    if wanted is not None:
        first, second = (_index(column, headers) for column in wanted)
        return first, second
    usual = usual_columns(headers)
    if usual is None:
        refuse_unclear(headers, sample)
    return usual or (0, 1)


def usual_columns(headers: Sequence[object]) -> tuple[int, int] | None:
    """The two columns whose names say that they hold the ends of links, if there are any.

    >>> usual_columns(["author1", "author2"])
    """
    plain = [plain_name(header) for header in headers]
    found = [(plain.index(a), plain.index(b)) for a, b in END_NAMES if a in plain and b in plain]
    return found[0] if found else None


def refuse_unclear(headers: Sequence[object] | None, sample: Sequence[Column]) -> None:
    """Raise an error if one of the first two of three or more columns, weights aside, holds no names of nodes.

    >>> refuse_unclear(None, [[1, 2], ["ann", "bob"], ["bob", "cat"]])
    Traceback (most recent call last):
    philia.exceptions.InvalidGraphError: the first column has another value in every row, as row numbers have, ...
    >>> refuse_unclear(["when", "payer", "payee"], [["3.4.2024", "3.4.2024"], ["ann", "bob"], ["bob", "cat"]])
    Traceback (most recent call last):
    philia.exceptions.InvalidGraphError: column 'when' holds dates, so it is unclear which two columns ...
    """
    names = list(range(len(sample))) if headers is None else list(headers)
    further = [column for column, _ in enumerate(sample) if plain_name(names[column]) != "weight"]
    if len(further) < 3 or not len(sample[0]):
        return
    odd = {column: said for column in further if (said := _no_names(sample[column]))}
    usable = [column for column in further if column not in odd]
    if usable[:1] == [0] and len(usable) > 2 and _numbers_rows(names[0], headers is not None, sample, usable):
        odd[0] = "has another value in every row, as row numbers have"
    first = next((column for column in (0, 1) if column in odd), None)
    ends = [names[column] for column in further if column not in odd]
    if first is not None and len(ends) >= 2:
        which = f"column {names[first]!r}" if headers is not None or first else "the first column"
        raise InvalidGraphError(
            f"{which} {odd[first]}, so it is unclear which two columns the links join; the columns are "
            f"{', '.join(map(repr, names))}: name two of them, for example columns=({ends[0]!r}, {ends[1]!r})"
        )


def _no_names(values: Column) -> str:
    """What a column holds if that is certainly no names of nodes: dates, numbers with a fraction, or signs."""
    listed_values = _listed(values)
    texts = [value.decode(errors="replace") if isinstance(value, bytes) else str(value) for value in listed_values]
    if all(map(_DATE.fullmatch, texts)):
        return "holds dates"
    if all(map(_is_number, listed_values)) and any(isfinite(float(value)) and float(value) % 1 for value in texts):
        return "holds numbers with a fraction"
    signs = not any(re.search(r"\w", text) for text in texts)
    return f"holds only signs such as {max(texts)!r}" if signs and any(texts) else "is empty" if signs else ""


def _numbers_rows(name: object, named: bool, sample: Sequence[Column], columns: Sequence[int]) -> bool:
    first, second, third = (_listed(sample[column]) for column in columns[:3])
    try:
        distinct = len(first) > 1 and len({*first}) == len(first) and not {*first} & {*second}
        clear = all(map(_is_number, third)) and not {*second} & {*third}
    except TypeError:  # such names are refused later
        return False
    return distinct and (not clear or (named and plain_name(name) in _ROW_NAMES))


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def plain_name(header: object) -> str:
    """A column name in lower case, without blanks and punctuation, as in :data:`END_NAMES`."""
    return "".join(_WORDS.findall(str(header)[:_LONGEST_NAME].lower()))


def _index(column: int | str, headers: Sequence[object]) -> int:
    if isinstance(column, int) and 0 <= column < len(headers):
        return column
    if column in headers:
        return list(headers).index(column)
    names = ", ".join(repr(str(header)) for header in headers)
    raise InvalidGraphError(
        f"there is no column {column!r}; the columns are {names}: "
        f"give two of these names or numbers from 0 to {len(headers) - 1}"
    )


def ends_in_table(
    headers: Sequence[object], sample: Sequence[Column], wanted: tuple[int | str, int | str] | None = None
) -> tuple[int, int]:
    """The same as :func:`find_columns` for a whole table: says which columns are read, and warns of a guess.

    >>> ends_in_table(["from", "to", "weight"], [["a", "b"], ["b", "c"], [1.0, 3.0]])
    (0, 1)
    """
    if len(headers) < 2:
        raise InvalidGraphError(f"the table has {len(headers)} column(s); two are needed, one for each end of a link")
    if not sample or not len(sample[0]):
        raise InvalidGraphError("the table has no rows; there must be at least one link")
    ends = find_columns(headers, wanted, sample)
    others = [repr(name) for i, name in enumerate(headers) if i not in ends and plain_name(name) != "weight"]
    read = f"links join the columns {headers[ends[0]]!r} and {headers[ends[1]]!r}"
    if others and wanted is None and usual_columns(headers) is None:
        warn(
            f"{read}, which come first, and {listed(others)} {'is' if len(others) == 1 else 'are'} ignored; pass "
            f"columns=({headers[ends[0]]!r}, {headers[ends[1]]!r}) if that is meant, else two other columns"
        )
    else:
        tell(f"{read}{'; ignored: ' if others else ''}{', '.join(others)}")
    return ends


def graph_from_table(
    headers: Sequence[object], columns: Sequence[Column], ends: tuple[int, int], *, keep_weights: bool = False
) -> Graph:
    """A graph from a table with one link per row; a numeric column called "weight" holds weights.

    A link whose weight is missing weighs 1.

    >>> graph_from_table(["from", "to", "weight"], [["a", "b"], ["b", "c"], np.array([1.0, 3.0])], (0, 1))
    Graph(3 nodes, 2 links; 1 weight dropped)
    """
    first, second = (columns[end] for end in ends)
    named = zip(headers, columns, strict=True)
    weights = next((np.asarray(column) for name, column in named if plain_name(name) == "weight"), None)
    numeric = weights is not None and weights.dtype.kind in "iuf"
    if weights is not None and keep_weights and not numeric:
        raise InvalidGraphError(
            f"the weight column holds {'text' if weights.dtype.kind in 'OUST' else f'values of type {weights.dtype}'}, "
            'not numbers; convert it first, for example with frame.astype({"weight": float}), or pass weights=False'
        )
    if weights is None or not numeric:
        return graph_from_names(first, second, keep_weights=keep_weights)
    given = np.where(weights == weights, weights, 1).astype(np.float64)  # only NaN differs from itself
    return graph_from_names(first, second, given, keep_weights=keep_weights)
