"""What is known about the nodes beside their links: which attribute explains which community, and how sure that is."""

from __future__ import annotations

import csv
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._text import percent
from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs import Nodes
from philia.graphs.files.text import whole_text
from philia.report.findings import Findings, Labels, LabelsLike, Match
from philia.storage import ReadingOptions
from philia.storage.files import opened

AttributesLike = Mapping[str, Mapping[Any, object]] | Any
"""For each attribute, the value of each node; a pandas frame with the nodes as its index is taken as well."""

_FEW_NUMBERS = 12
"""Numbers with at most this many different values are categories: codes, classes, grades."""

_MOST_VALUES = 60
"""Values that are compared with communities, the most frequent ones; the table of a page shows fewer."""

_SURE = 0.01
"""A community is said to stand out by an attribute if its p, corrected for all tests of the page, is below this."""

_MOSTLY = 0.6
"""A community is named after a value that at least this share of its members have."""

_MOST_TESTED = 500
"""Communities that are tested; of thousands nobody would read the tests."""

_NAMED_BY = {"node", "nodes", "name", "id", "label", "vertex", "user"}


def read_attributes(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> dict[str, dict[Node, object]]:
    """The columns of a table in a text file, each with the value of each node; empty fields are unknown.

    The first line names the columns. Nodes are in the first column, or in one called node, name or id. The file may be
    compressed.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "nodes.csv"
    >>> _ = file.write_text("node,age,country\\nann,31,FR\\nbob,,DE\\n")
    >>> read_attributes(file)
    {'age': {'ann': '31'}, 'country': {'ann': 'FR', 'bob': 'DE'}}
    """
    options = ReadingOptions(encoding=encoding)
    with opened(path, GraphFileError) as source:
        text = whole_text(source.stream, options.encoding)
    first = text.partition("\n")[0]
    delimiter = max(("\t", ",", ";"), key=first.count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise InvalidParameterError(
            f"{str(path)!r} has {len(rows)} lines and {len(rows[0]) if rows else 0} columns; a table of attributes has "
            "a first line with the names of its columns, of which the first is the node, and a line for each node"
        )
    header = [name.strip() for name in rows[0]]
    key = next((at for at, name in enumerate(header) if name.lower() in _NAMED_BY), 0)
    return {
        name: {row[key]: row[at].strip() for row in rows[1:] if len(row) > max(at, key) and row[at].strip()}
        for at, name in enumerate(header)
        if at != key
    }


@dataclass(frozen=True, eq=False)
class Attribute:
    """One value per node: ``numbers`` (nan if unknown), or ``codes`` into ``values`` from 1, 0 if unknown.

    >>> Attribute.of("age", [31, None, 40]).known
    2
    """

    name: str
    values: tuple[str, ...]
    codes: Int64Array
    numbers: Float64Array | None = None

    @classmethod
    def of(cls, name: str, given: Sequence[object]) -> Attribute:
        """The attribute with these values, in row order; None and nan are unknown."""
        known = [None if _unknown(value) else value for value in given]
        numbers = _as_numbers(known)
        if numbers is not None and len(set(numbers[~np.isnan(numbers)].tolist())) > _FEW_NUMBERS:
            return cls(name, (), np.zeros(len(known), np.int64), numbers)
        texts = [None if value is None else str(value)[:200] for value in known]
        counted = Counter(text for text in texts if text is not None)
        values = tuple(sorted(counted, key=lambda text: (-counted[text], text)))
        place = {text: at for at, text in enumerate(values, start=1)}
        return cls(name, values, np.array([place.get(text or "", 0) if text is not None else 0 for text in texts]))

    @property
    def known(self) -> int:
        """The number of nodes with a value."""
        return int(np.count_nonzero(self.codes if self.numbers is None else ~np.isnan(self.numbers)))

    @property
    def comparable(self) -> bool:
        """Whether it can tell groups apart: not if all values are the same, or nearly all are different."""
        if self.numbers is not None:
            return self.known > 2
        return 1 < len(self.values) <= max(20, self.known / 2)

    def shown(self, rows: Int64Array) -> npt.NDArray[Any]:
        """The values of some rows for the page: codes, or numbers."""
        if self.numbers is not None:
            return self.numbers[rows].astype(np.float32)
        return self.codes[rows].astype(np.uint16 if len(self.values) < 2**16 else np.uint32)


def _unknown(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _as_numbers(known: Sequence[object]) -> Float64Array | None:
    try:
        return np.array([math.nan if value is None else float(str(value)) for value in known])
    except ValueError:
        return None


@dataclass(frozen=True)
class _Test:
    """One community beside one attribute: what stands out, its p before and after Holm's correction, and words.

    >>> _Test(0, 1, "FR", 0.02, 0.04, "").corrected
    0.04
    """

    community: int
    attribute: int
    value: str | None
    p: float
    corrected: float
    words: str


@dataclass(frozen=True, eq=False)
class Attributes:
    """The attributes of all nodes, and how many names were not in the graph.

    >>> Attributes.of({"age": {"ann": 3, "zoe": 4}}, Nodes(["ann", "bob"])).strangers
    1
    """

    columns: tuple[Attribute, ...]
    strangers: int

    @classmethod
    def of(cls, given: AttributesLike, nodes: Nodes, labels: Labels | None = None) -> Attributes:
        """The attributes of a graph's nodes, and its labels as one more."""
        tables: Mapping[str, Mapping[Node, object]] = (
            given if isinstance(given, Mapping) else given.to_dict() if hasattr(given, "to_dict") else {}
        )
        by_text = {str(name): row for row, name in enumerate(nodes)}
        columns, strange = [], set[Node]()
        for name, values in tables.items():
            found: list[object] = [None] * len(nodes)
            for node, value in values.items():
                row = nodes.find(node)
                row = by_text.get(str(node)) if row is None else row
                if row is None:
                    strange.add(node)
                else:
                    found[row] = value
            columns.append(Attribute.of(str(name), found))
        if columns and not any(column.known for column in columns):
            raise InvalidParameterError(
                f"no node of the attributes is in the graph; expected the graph's names, such as "
                f"{', '.join(map(repr, nodes[:3]))}, but found {next(iter(strange), None)!r}"
            )
        if labels is not None:
            columns.insert(0, Attribute.of("label", labels.of_rows()))
        return cls(tuple(columns), len(strange))

    def tests(self, found: Findings) -> list[_Test]:
        """For each community and attribute the value that stands out most, surest first.

        Categories: the hypergeometric test that as many members have the value if members were drawn at random from
        the nodes whose value is known. Numbers: the Mann-Whitney test of members and others. All p are corrected by
        Holm's method for all tests that were made.
        """
        made = [
            test
            for a, column in enumerate(self.columns)
            if column.comparable
            for test in (_of_numbers if column.numbers is not None else _of_categories)(a, column, found)
        ]
        order = np.argsort([test.p for test in made], kind="stable")
        corrected = np.maximum.accumulate([made[at].p * (len(made) - rank) for rank, at in enumerate(order)] or [0.0])
        best: dict[tuple[int, int], _Test] = {}
        for at, p in zip(order.tolist(), np.minimum(corrected, 1.0).tolist(), strict=False):
            test = made[at]
            key = (test.community, test.attribute)
            best.setdefault(key, _Test(*key, test.value, test.p, p, test.words))
        return list(best.values())


def _of_categories(a: int, column: Attribute, found: Findings) -> list[_Test]:
    from scipy.stats import hypergeom

    known, values = column.codes > 0, min(len(column.values), _MOST_VALUES)
    total = np.bincount(column.codes[known], minlength=len(column.values) + 1)
    made = []
    for c in range(len(found.communities)):
        rows = found.rows(c)
        own = np.bincount(column.codes[rows], minlength=len(column.values) + 1)
        size = int(own[1:].sum())
        if not size:
            continue
        p = hypergeom.sf(own[1 : values + 1] - 1, int(known.sum()), total[1 : values + 1], size)
        for v in range(values):
            share, everywhere = own[v + 1] / size, total[v + 1] / known.sum()
            words = f"{column.name} {column.values[v]}: {percent(share)} of members, {percent(everywhere)} of all nodes"
            made.append(_Test(c, a, column.values[v], float(p[v]), 1.0, words))
    return made


def _of_numbers(a: int, column: Attribute, found: Findings) -> list[_Test]:
    from scipy.stats import mannwhitneyu

    numbers = column.numbers
    assert numbers is not None
    known = ~np.isnan(numbers)
    made = []
    for c in range(len(found.communities)):
        inside = np.zeros(len(numbers), np.bool_)
        inside[found.rows(c)] = True
        own, others = numbers[inside & known], numbers[~inside & known]
        if len(own) and len(others):
            p = float(mannwhitneyu(own, others).pvalue)
            words = f"{column.name}: median {np.median(own):.4g} of members, {np.median(others):.4g} of all others"
            made.append(_Test(c, a, None, p, 1.0, words))
    return made


def _overall(column: Attribute, found: Findings) -> dict[str, Any] | None:
    """The test of one attribute and the main communities of all nodes together."""
    from scipy.stats import chi2_contingency, kruskal

    main = found.main
    known = (main >= 0) & (column.codes > 0 if column.numbers is None else ~np.isnan(column.numbers))
    if len(np.unique(main[known])) < 2:
        return None
    if column.numbers is not None:
        groups = [column.numbers[known & (main == c)] for c in np.unique(main[known])]
        if len(np.unique(column.numbers[known])) < 2:
            return None
        tested = kruskal(*groups)
        n = int(known.sum())
        effect = float((tested.statistic - len(groups) + 1) / max(n - len(groups), 1))
        return {"test": "Kruskal-Wallis", "p": float(tested.pvalue), "effect": max(effect, 0.0), "measure": "ε²"}
    table = np.zeros((int(main.max()) + 1, len(column.values)))
    np.add.at(table, (main[known], column.codes[known] - 1), 1)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    if min(table.shape) < 2:
        return None
    tested = chi2_contingency(table, correction=False)
    effect = math.sqrt(float(tested.statistic) / (table.sum() * (min(table.shape) - 1)))
    return {"test": "chi-square", "p": float(tested.pvalue), "effect": effect, "measure": "Cramér’s V"}


@dataclass(frozen=True, eq=False)
class Known:
    """All that is known about the nodes beside their links, compared with the communities.

    >>> from philia.models import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> Known.of(Findings.of(model), {"left": [1, 2]}, None).matches[0].name
    'left'
    """

    labels: Labels | None
    attributes: Attributes | None
    matches: list[Match | None]
    tests: list[_Test]

    @classmethod
    def of(cls, found: Findings, labels: LabelsLike | None, attributes: AttributesLike | None) -> Known:
        """Known labels and attributes, as they were given."""
        named = None if labels is None else Labels.of(labels, found.graph.nodes)
        given = None
        if labels is not None or attributes is not None:
            given = Attributes.of({} if attributes is None else attributes, found.graph.nodes, named)
        matches: list[Match | None] = [None] * len(found.communities) if named is None else named.matches(found)
        few = given is not None and len(found.communities) <= _MOST_TESTED
        return cls(named, given, matches, given.tests(found) if given is not None and few else [])

    @property
    def strangers(self) -> int:
        """Names that are not in the graph."""
        some = (self.labels, self.attributes)
        return sum(one.strangers for one in some if one is not None)

    def section(self, found: Findings, rows: Int64Array) -> dict[str, Any] | None:
        """The section of the payload; ``rows`` are those of the nodes that can be looked up."""
        if self.attributes is None:
            return None
        columns = self.attributes.columns
        return {
            "scores": None if self.labels is None else self.labels.scores(found),
            "columns": [_column(found, column, rows) for column in columns],
            "tests": [
                {
                    "community": found.communities[test.community].name,
                    "attribute": columns[test.attribute].name,
                    "words": test.words,
                    "p": test.corrected,
                }
                for test in self.tests
                if test.corrected < _SURE
            ],
        }

    def named(self, found: Findings) -> list[tuple[str | None, str | None]]:
        """For each community a name by an attribute, if most of its members share a value; what it stands out by."""
        made: list[tuple[str | None, str | None]] = []
        for c in range(len(found.communities)):
            sure = [test for test in self.tests if test.community == c and test.corrected < _SURE]
            most = next((test for test in sure if test.value is not None and self._most_have(found, test)), None)
            words = f"{sure[0].words} ({_p_in_words(sure[0].corrected)})" if sure else None
            made.append((None if most is None else self._name(most), words))
        return made

    def _name(self, test: _Test) -> str | None:
        """The name of a community that this test gives it; a numbered label says less than the strongest members."""
        if test.attribute == 0 and self.labels is not None and self.labels.numbered:
            return None
        return f"{self._column(test).name}: {test.value}"

    def _column(self, test: _Test) -> Attribute:
        assert self.attributes is not None
        return self.attributes.columns[test.attribute]

    def _most_have(self, found: Findings, test: _Test) -> bool:
        column = self._column(test)
        own = column.codes[found.rows(test.community)]
        return bool(np.mean(own == column.values.index(str(test.value)) + 1) >= _MOSTLY)


def _column(found: Findings, column: Attribute, rows: Int64Array) -> dict[str, Any]:
    numbers = column.numbers
    ends = None if numbers is None or not column.known else [float(np.nanmin(numbers)), float(np.nanmax(numbers))]
    return {
        "name": column.name,
        "known": column.known,
        "values": None if numbers is not None else list(column.values),
        "range": ends,
        "colors": column.shown(rows),
        "overall": _overall(column, found) if column.comparable else None,
        "counts": _counts(found, column) if column.comparable else None,
    }


_TABLE = 12
"""Values that have a column in the table of communities by values; the others are counted together."""


def _counts(found: Findings, column: Attribute) -> list[list[float]] | None:
    """For each community the number of members with each of the first values and with others; or five quantiles."""
    if column.numbers is not None:
        members = [column.numbers[found.rows(c)] for c in range(len(found.communities))]
        known = [some[~np.isnan(some)] for some in members]
        return [np.quantile(some, [0, 0.25, 0.5, 0.75, 1]).tolist() if len(some) else [] for some in known]
    made = []
    for c in range(len(found.communities)):
        own = np.bincount(column.codes[found.rows(c)], minlength=len(column.values) + 1)
        made.append([*own[1 : _TABLE + 1].tolist(), int(own[_TABLE + 1 :].sum()), int(own[0])])
    return made


def _p_in_words(p: float) -> str:
    return f"p = {p:.2g} after Holm's correction" if p >= 1e-4 else "p < 0.0001 after Holm's correction"
