"""Communities as overlapping sets of names with soft memberships, and what each membership rule makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np
from scipy import sparse

from philia._text import html_table, listed, no_attribute
from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError, UnknownCommunityError
from philia.explain.links import factor_in_words
from philia.explain.rules import DOUBLED, Rule, rule_of
from philia.explain.significance import CommunitySignificance, Significance
from philia.explain.stability import CommunityStability, Interval, Stability
from philia.factors import CommunityFactors, SparseFactors
from philia.factors.community import NEGLIGIBLE, Kind, NormalizedFactors, normalize
from philia.graphs.frames import Frame, library
from philia.graphs.graph import Graph
from philia.graphs.nodes import Nodes
from philia.reading import Level

_LARGEST_EXPONENT = 709.0
"""e to a larger power is not a float."""

SHORTEST = "the shortest description of the links"
"""The rule of communities that were read off a graph at its default level."""

OVERLAPPING = "a node's links become likelier than it costs to say that it is a member"
"""The rule of communities that were read off a graph with thousands of them."""

_NAMED = 8
"""Communities that are left out of an answer and named in its summary; ``Communities.left_out`` has all."""

_AT_A_TIME = 4096
"""Names that are looked up at once: enough to make each cheap, few enough to take no memory."""

_HABITS = {
    "names": "[community.name for community in communities] has them",
    "sizes": "[len(community) for community in communities] has them",
    "n_communities": "len(communities) counts them",
    "to_list": "[list(community) for community in communities] has the members",
    "to_dict": "communities.as_sets() has the members of each, communities.labels() the community of each node",
    "membership": "communities.labels() has the community of each node, communities.of(node) all of one node",
    **dict.fromkeys(("to_dataframe", "to_frame", "df"), "communities.to_pandas() has a row per community"),
    **dict.fromkeys(
        ("membership_matrix", "memberships", "to_numpy", "to_matrix"),
        "communities.of(node) has the shares of a node, community.members those of a community",
    ),
    **dict.fromkeys(("summary", "describe", "info"), "print(communities) has a line per community"),
    "to_networkx": "model.described().to_networkx() has the memberships as attributes of nodes",
    "overlap_matrix": "len(a & b) counts what two communities share",
    **dict.fromkeys(("plot", "draw"), "philia.plots.communities(model) draws them"),
    **dict.fromkeys(("save", "write"), "philia.write_communities(communities, path) writes the members"),
    "to_csv": "philia.write_communities writes the members, communities.to_pandas().to_csv(path) a table",
    "items": "communities.as_sets().items() has names and members",
    "partition": "model.partition() puts each node in one community; communities.labels() has the name of it per node",
    "keys": "[community.name for community in communities] has the names",
    "values": "communities.as_sets().values() has the members of each",
    "get": "communities['B1'] is the one of that name",
    "communities": "[list(community) for community in communities] has the members",
    "to_node_community_map": "communities.of(node) has all communities of a node, communities.labels() one per node",
    "to_json": "philia.write_communities writes the members; communities.as_sets() has them, for json.dump",
    "subgraphs": "[G.subgraph(community) for community in communities] has them, as graphs of networkx",
    "subgraph": "G.subgraph(community) of networkx is the part of one of them",
    "head": "communities[:5] are the first five",
    "overlap": "communities.of(node) has all communities of a node: there may be several, one or none",
    "node_coverage": "1 - communities.n_unassigned / len(communities.nodes) is the share of nodes in one",
    "newman_girvan_modularity": "communities.to_cdlib(graph) has the measures of cdlib",
    "average_internal_degree": "communities.to_cdlib(graph) has the measures of cdlib",
    "modularity": "networkx.community.modularity(G, communities) computes it if each node is in exactly one",
}
"""What users of other libraries write from habit, and what there is instead."""

_MEMBERS_HABITS = {
    "nodes": "the community itself can be iterated; community.members has the membership of each node as well",
    "size": "len(community) counts its members",
    "label": "community.name is its name",
    "id": "community.name is its name",
    **dict.fromkeys(("to_list", "tolist", "sort"), "list(community) has its members, sorted(community) in order"),
    **dict.fromkeys(("top", "head"), "list(community)[:5] are the fullest five"),
    **dict.fromkeys(("membership", "memberships", "share", "shares"), "community.members[node] is the share of a node"),
    "subgraph": "G.subgraph(community) of networkx is its part of the network",
    "to_set": "set(community) has its members",
    "to_pandas": "pandas.Series(dict(community.members)) has the membership of each node",
    "density": "networkx.density(G.subgraph(community)) is the share of linked pairs; the report has it too",
    **dict.fromkeys(
        ("intersection", "union", "difference", "issubset", "issuperset"),
        "the operators & | - <= >= take two communities, and set(community) has the methods of a set",
    ),
}


class Partition(dict[str, set[Node]]):
    """The nodes of each community by its name; asked for a node, it says where the community of a node is found.

    >>> Partition(B1={"ann", "bob"})["B1"] == {"ann", "bob"}
    True
    """

    def __missing__(self, name: Node) -> NoReturn:
        if any(name in members for members in self.values()):
            raise UnknownCommunityError(
                f"{name!r} is a node, and a partition has communities by name; "
                f"model.communities().labels()[{name!r}] is the community of this node"
            )
        raise UnknownCommunityError(f"there is no community {name!r}; there are {listed(list(self)) or 'none'}")


class Members(Mapping[Node, float]):
    """The members of a community by name with their memberships, fullest first; names are looked up on demand.

    >>> members = Members(Nodes(["ann", "bob", "cat"]), np.array([2, 0]), np.array([1.0, 0.6]))
    >>> members, members["ann"], "bob" in members, members == {"ann": 0.6, "cat": 1.0}
    ({'cat': 1.0, 'ann': 0.6}, 0.6, False, True)
    """

    def __init__(self, nodes: Nodes, rows: Int64Array, memberships: Float64Array) -> None:
        self._nodes, self.rows, self.memberships = nodes, rows, memberships

    def __getitem__(self, name: Node) -> float:
        row = self._nodes.find(name)
        by_row, positions = self._by_row
        at = len(by_row) if row is None else int(np.searchsorted(by_row, row))
        if at == len(by_row) or by_row[at] != row:
            raise KeyError(name)
        return float(self.memberships[positions[at]])

    def __iter__(self) -> Iterator[Node]:
        for first in range(0, len(self.rows), _AT_A_TIME):
            yield from self._nodes.pick(self.rows[first : first + _AT_A_TIME])

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return repr(dict(zip(self, self.memberships.tolist(), strict=True)))

    @cached_property
    def _by_row(self) -> tuple[Int64Array, Int64Array]:
        positions = np.argsort(self.rows)
        return self.rows[positions], positions


def rows_of(members: Mapping[Node, float], nodes: Nodes) -> Int64Array:
    """The row numbers of members.

    >>> rows_of({"cat": 1.0, "ann": 0.6}, Nodes(["ann", "bob", "cat"])).tolist()
    [2, 0]
    """
    return members.rows if isinstance(members, Members) else nodes.rows(members)


def memberships_of(members: Mapping[Node, float]) -> Float64Array:
    """The memberships of members, in the order of their rows.

    >>> memberships_of({"cat": 1.0, "ann": 0.6}).tolist()
    [1.0, 0.6]
    """
    return members.memberships if isinstance(members, Members) else np.array(list(members.values()))


@dataclass(frozen=True, repr=False, eq=False)
class Community(Set[Node]):
    """A group of nodes that attract (homophilous) or repel (heterophilous) each other.

    ``members`` maps each name to its membership in [0, 1], fullest first. ``typical`` is what the community adds to the
    log-odds of a link between two members of median affinity, in the model and as ``explain`` counts it; ``effect`` is
    the same in words, or what it means in a model without odds. ``strength`` is W, which is that for two full members;
    for a community that was read off the graph it is what membership adds on average, beside popularity alone.

    >>> print(Community("C1", "heterophilous", -2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5, typical=-1.5))
    C1 repels (odds ÷ 4.48), 2 members: ann, bob

    It is also the set of its members, and can be compared and combined with other sets and communities.

    >>> pair = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5, typical=2.0)
    >>> pair & {"bob", "cat"}, pair <= {"ann", "bob", "cat"}, pair == {"ann", "bob"}
    (frozenset({'bob'}), True, True)

    ``refits`` is how other fits saw the community; it is there once ``model.stability()`` was called. ``tested`` is
    what pairs that the community was not found from say about it, once ``model.significance()`` was called.
    """

    name: str
    kind: Kind
    strength: float
    members: Mapping[Node, float]
    threshold: float
    typical: float
    effect: str = ""
    refits: CommunityStability | None = None
    tested: CommunitySignificance | None = None

    if not TYPE_CHECKING:  # type checkers should know that there are no such names

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, _MEMBERS_HABITS)

    @property
    def stability(self) -> float | None:
        """How alike the community is in other fits, from 0 (as by chance) to 1; None if that was not measured."""
        return None if self.refits is None else self.refits.score

    @property
    def odds_factor(self) -> float:
        """What the odds of a link between two typical members are multiplied by."""
        return math.exp(min(self.typical, _LARGEST_EXPONENT))

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, node: object) -> bool:
        return node in self.members

    def __iter__(self) -> Iterator[Node]:
        """The names of the members, fullest first."""
        return iter(self.members)

    @classmethod
    def _from_iterable(cls, nodes: Iterable[Any]) -> frozenset[Any]:
        """What operators on sets give: the members that two communities share are no community of the model."""
        return frozenset(nodes)

    def __eq__(self, other: object) -> bool:
        """Whether two communities agree in everything, or whether a set has the same members."""
        if isinstance(other, Community):
            return all(getattr(self, one.name) == getattr(other, one.name) for one in fields(self))
        return Set.__eq__(self, other)

    def __hash__(self) -> int:
        return self._hash()

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        first = ", ".join(str(name) for name in islice(self.members, 5))
        verb = "attracts" if self.kind == "homophilous" else "repels"
        rest = ", …" if len(self) > 5 else ""
        effect = self.effect or odds_effect(self.typical)
        refits = "" if self.refits is None else f"; {self.refits.in_words()}"
        if self.tested is not None:
            refits += f"; z = {self.tested.shown_z}" + ("" if self.tested.real else ", not distinguishable from chance")
        return f"{self.name} {verb} ({effect}), {len(self):,} members: {first}{rest}{refits}"


@dataclass(frozen=True, repr=False)
class Communities(Sequence[Community]):
    """The communities of a model, and what was left out: the name of each such community with the reason.

    A node may be in several communities, in one, or in none; no node is forced into the closest. ``finer`` names the
    columns that make probabilities better but are not communities to be read. If ``shares`` is true, memberships are
    shares of a node's links: those that run through an attracting community, and those that are missing because of a
    repelling one. Otherwise they are relative to the fullest member.

    >>> pair = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5, typical=2.0)
    >>> found = Communities((pair,), "membership of at least 0.5", Nodes(["ann", "bob", "cat"]), {"C1": "empty"})
    >>> found.of("bob"), found.of("cat"), found.n_unassigned, found.left_out
    ({'B1': 0.6}, {}, 1, {'C1': 'empty'})
    """

    found: tuple[Community, ...]
    rule: str
    nodes: Nodes
    left_out: Mapping[str, str] = field(default_factory=dict)
    finer: Mapping[str, str] = field(default_factory=dict)
    shares: bool = False

    if not TYPE_CHECKING:  # type checkers should know that there are no such names

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, _HABITS)

    def tested(self, significance: Significance) -> Communities:
        """The same communities with what hidden pairs say about each."""
        return replace(self, found=tuple(replace(c, tested=significance.of(c.name)) for c in self.found))

    def tidied(self, least: float = DOUBLED) -> Communities:
        """The communities that say something, each once; ``left_out`` has the others, with the reasons.

        Left out are communities that hidden pairs do not tell from chance, if that was measured; those of a single
        node; those that change no probability; of several with the same members all but the strongest; and parts of
        another community of the same kind that add less than ``least`` to the score of two typical members.

        >>> three = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6, "cat": 0.6}, 0.5, typical=1.0)
        >>> two = Community("B2", "homophilous", 1.0, {"ann": 1.0, "bob": 0.6}, 0.5, typical=0.4)
        >>> Communities((three, two), "", Nodes(["ann", "bob", "cat"])).tidied().left_out
        {'B2': 'part of B1, and adds little to it'}
        """
        reasons = {c.name: reason for c in self.found if (reason := _says_nothing(c))}
        rest = [c for c in self.found if c.name not in reasons]
        reasons |= _says_nothing_new(rest, self.nodes, least)
        kept = tuple(c for c in self.found if c.name not in reasons)
        return replace(self, found=kept, left_out={**self.left_out, **reasons})

    def of(self, node: Node) -> dict[str, float]:
        """The communities of one node with its membership in each, fullest first."""
        self.nodes.row(node)  # an unknown name is a mistake, not a node in no community
        mine = {c.name: c.members[node] for c in self.found if node in c}
        return dict(sorted(mine.items(), key=lambda item: -item[1]))

    def intervals(self, node: Node) -> dict[str, Interval]:
        """The range of the node's membership in each community over other fits; empty unless stability was measured."""
        row = self.nodes.row(node)
        return {c.name: c.refits.interval(row) for c in self.found if c.refits is not None}

    def as_sets(self) -> dict[str, set[Node]]:
        """The members of each community as a set of names."""
        return {c.name: set(c.members) for c in self.found}

    def labels(self) -> dict[Node, str]:
        """The community of each node: of the attracting ones it is in, the one it belongs to most.

        Nodes in none are left out.

        >>> pair = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5, typical=2.0)
        >>> Communities((pair,), "membership of at least 0.5", Nodes(["ann", "bob", "cat"]), ()).labels()
        {'ann': 'B1', 'bob': 'B1'}
        """
        best: dict[Node, tuple[float, str]] = {}
        for community in self.found:
            for name, membership in community.members.items() if community.kind == "homophilous" else ():
                if name not in best or membership > best[name][0]:
                    best[name] = membership, community.name
        return {name: best[name][1] for name in self.nodes if name in best}

    @cached_property
    def assigned(self) -> frozenset[Node]:
        """The nodes that are in at least one community."""
        return frozenset().union(*(c.members for c in self.found))

    @cached_property
    def n_unassigned(self) -> int:
        """The number of nodes in no community."""
        in_none = np.ones(len(self.nodes), dtype=bool)
        for community in self.found:
            in_none[rows_of(community.members, self.nodes)] = False
        return int(np.count_nonzero(in_none))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with one row per community; ``model.described().nodes`` has one row per node.

        >>> pair = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5, typical=2.0)
        >>> Communities((pair,), "membership of at least 0.5", Nodes(["ann", "bob", "cat"])).to_pandas()
          community         kind  strength  typical  odds_factor  threshold  size
        0        B1  homophilous       2.0      2.0     7.389056        0.5     2
        """
        return self._frame().to_pandas()

    def to_polars(self) -> Any:
        """The same as a ``polars.DataFrame``."""
        return self._frame().to_polars()

    def to_cdlib(self, graph: Graph | None = None) -> Any:
        """A ``cdlib.NodeClustering`` of the communities that have members; some of its measures need the graph as well.

        cdlib sorts communities by size and drops their names. ``graphs.as_communities`` is the way back.
        """
        members = [list(community.members) for community in self.found if len(community)]
        known = None if graph is None else graph.to_networkx()
        return library("cdlib").NodeClustering(members, known, "philia", {"rule": self.rule}, overlap=True)

    def _frame(self) -> Frame:
        columns: dict[str, list[Any]] = {
            "community": [c.name for c in self.found],
            "kind": [c.kind for c in self.found],
            "strength": [c.strength for c in self.found],
            "typical": [c.typical for c in self.found],
            "odds_factor": [c.odds_factor for c in self.found],
            "threshold": [c.threshold for c in self.found],
            "size": [len(c) for c in self.found],
        }
        if self.found and self.found[0].refits is not None:
            columns["stability"] = [c.stability for c in self.found]
        if any(c.tested for c in self.found):
            columns["z"] = [c.tested and c.tested.z for c in self.found]
            columns["error"] = [c.tested and c.tested.error for c in self.found]
        return Frame(columns)

    def __str__(self) -> str:
        lines = [str(community) for community in self.found]
        lines.append(f"{self.n_unassigned:,} of {len(self.nodes):,} nodes are in no community ({self.rule})")
        if self.left_out:
            lines.append(left_out_in_words(self.left_out))
        if self.finer:
            more = "column makes" if len(self.finer) == 1 else "columns make"
            lines.append(f"{len(self.finer)} more {more} the probabilities better, without being read as communities")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = []
        for c in self.found:
            first = ", ".join(str(name) for name in islice(c.members, 8)) + (", …" if len(c) > 8 else "")
            verb = "attracts" if c.kind == "homophilous" else "repels"
            rows.append((c.name, verb, c.effect or odds_effect(c.typical), f"{len(c):,}", first))
        below = f"{self.n_unassigned:,} of {len(self.nodes):,} nodes are in no community ({self.rule})"
        return html_table(["community", "kind", "two typical members", "size", "fullest members"], rows, below)

    @overload
    def __getitem__(self, index: int | str) -> Community: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Community]: ...
    def __getitem__(self, index: int | str | slice) -> Community | Sequence[Community]:
        """A community by its position or by its name, or several by their positions."""
        if not isinstance(index, str):
            return self.found[index]
        for community in self.found:
            if community.name == index:
                return community
        names = ", ".join(c.name for c in self.found) or "none"
        raise InvalidParameterError(f"there is no community {index!r}; there are {names}")

    def __len__(self) -> int:
        return len(self.found)

    def __contains__(self, community: object) -> bool:
        """Whether this is one of the communities, or the name of one."""
        return any(community in (one, one.name) for one in self.found)


def left_out_in_words(left_out: Mapping[str, str]) -> str:
    """What was left out, reason by reason; of many, the first, since each may have a reason of its own.

    >>> left_out_in_words({"B2": "empty", "B5": "empty", "C1": "a single member"})
    '3 left out: B2 and B5 (empty), C1 (a single member)'
    """
    names: dict[str, list[str]] = {}
    for name, reason in islice(left_out.items(), _NAMED):
        names.setdefault(reason, []).append(name)
    said = [f"{listed(alike)} ({reason})" for reason, alike in names.items()]
    said += [f"{len(left_out) - _NAMED:,} more"] if len(left_out) > _NAMED else []
    return f"{len(left_out):,} left out: {', '.join(said)}"


def odds_effect(log_odds: float) -> str:
    """What an addition to the log-odds does to the odds of a link, in words.

    >>> odds_effect(-1.5)
    'odds ÷ 4.48'
    """
    return f"odds {factor_in_words(log_odds)}"


def _says_nothing(community: Community) -> str:
    """Why a community is not worth showing on its own; "" if it is."""
    if community.tested is not None and not community.tested.real:
        return f"not distinguishable from chance, z = {community.tested.shown_z}"
    if len(community) == 1:
        return "a single member"
    return "changes no probability" if abs(community.strength) < NEGLIGIBLE else ""


def _says_nothing_new(found: Sequence[Community], nodes: Nodes, least: float) -> dict[str, str]:
    """The communities that another one of the same kind makes superfluous, with the reasons."""
    if not found:
        return {}
    rows = [rows_of(community.members, nodes) for community in found]
    ends = np.cumsum([0, *map(len, rows)])
    members = sparse.csc_array((np.ones(ends[-1], np.int64), np.concatenate(rows), ends), (len(nodes), len(found)))
    shared = (members.T @ members).tocsr()
    # Larger and stronger ones first: they stay, and the others are compared with them.
    order = sorted(range(len(found)), key=lambda c: (-len(found[c]), -abs(found[c].strength), c))
    reasons: dict[str, str] = {}
    kept: set[int] = set()
    for c in order:
        within = slice(shared.indptr[c], shared.indptr[c + 1])
        around = shared.indices[within][shared.data[within] == len(found[c])].tolist()
        wholes = [d for d in around if d in kept and found[d].kind == found[c].kind]
        same = next((d for d in wholes if len(found[d]) == len(found[c])), None)
        if same is not None:
            reasons[found[c].name] = f"the same members as {found[same].name}"
        elif wholes and abs(found[c].typical) < least:
            reasons[found[c].name] = f"part of {found[wholes[0]].name}, and adds little to it"
        else:
            kept.add(c)
    return reasons


def find_communities(
    graph: Graph,
    factors: CommunityFactors,
    rule: str | float | None = None,
    effect: Callable[[float], str] = odds_effect,
    stability: Stability | None = None,
) -> Communities:
    """The communities of fitted factors as sets of names.

    The rules are:

    - ``"links"``, the default, asks where a node's links run (``link_shares``): it is a member where a third of them
      run, and where most of them run if that is at least a tenth. The shares are the memberships. A column that is
      already a set, because all of its members have the same affinity, keeps its members. In a repelling community are
      the nodes for which it makes up half of what repels them, or more than any other, if they have at least a third of
      the affinity that is typical of the nearest set. Their memberships are the shares of their links that are missing
      because of the community (``missing_shares``).
    - ``"nearest"`` takes the set whose indicator vector has the smallest angle to the column. It needs no
      scale, and a few nodes far above all others do not make it small.
    - ``"odds"`` asks for an affinity F of at least √log 2, so that any two members have their odds of a link at least
      doubled, or halved if they repel.
    - ``"density"`` is BigClam's: F is at least √(-log(1 - density)), or, if no node reaches that, at least the column's
      mean.
    - ``"split"`` cuts the column into the two parts with the least variance inside (Otsu's rule); the upper part are
      the members. It needs no scale.
    - A number between 0 and 1 asks for that membership V; ½ is a poor rule on real graphs, because a column's largest
      entry says little about the others.

    With "odds" and "density", members of repelling communities are also above the column's mean: without a background
    those columns carry the sparsity of the graph as well, and every node has some affinity to them.

    ``Communities.tidied`` says what is left out of the answer. ``effect`` puts an addition to the score into words;
    ``stability`` is what other fits found.

    >>> from philia.datasets import classic
    >>> graph = classic("karate")
    >>> B = (graph.degrees > 8).astype(float)[:, None]
    >>> found = find_communities(graph, CommunityFactors(B, np.zeros((34, 0)), np.zeros(34)))
    >>> print(found[0])
    B1 attracts (odds × 2.72), 5 members: 2, 1, 32, 0, 33
    """
    return communities_of_columns(graph, factors, rule, effect, stability).tidied()


def communities_of_columns(
    graph: Graph,
    factors: CommunityFactors,
    rule: str | float | None = None,
    effect: Callable[[float], str] = odds_effect,
    stability: Stability | None = None,
) -> Communities:
    """The same with every column that has a member, whatever it says.

    >>> from philia import as_graph
    >>> twice = CommunityFactors.attracting(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]))
    >>> found = communities_of_columns(as_graph([(0, 1)]), twice)
    >>> found.as_sets(), found.left_out, found.tidied().left_out
    ({'B1': {0, 1}, 'B2': {0, 1}}, {'B3': 'empty'}, {'B3': 'empty', 'B2': 'the same members as B1'})
    """
    normal, chosen = normalize(factors), rule_of(rule)
    found = _read_columns(graph, factors, normal, chosen, effect)
    if stability is not None:
        found = tuple(replace(community, refits=stability.of(community.name)) for community in found)
    shown = {community.name for community in found}
    empty = {name: "empty" for name in factors.names if name not in shown}
    return Communities(found, chosen.meaning, graph.nodes, empty, shares=chosen.shares)


def _read_columns(
    graph: Graph, factors: CommunityFactors, normal: NormalizedFactors, rule: Rule, effect: Callable[[float], str]
) -> tuple[Community, ...]:
    """The columns that have a member as communities; ``normal`` holds all columns of the factors or some."""
    memberships, least = rule.memberships(graph, factors, normal), rule.thresholds(graph, normal)
    found = []
    for c, strength in enumerate(normal.strengths.tolist()):
        members = _members(graph, memberships[:, c], least[c])
        if len(members):
            typical = strength * float(np.median(normal.memberships[members.rows, c])) ** 2
            found.append(
                Community(
                    name=normal.names[c],
                    kind=normal.kinds[c],
                    strength=strength,
                    members=members,
                    threshold=float(members.memberships[-1] if rule.shares else least[c]),
                    typical=typical,
                    effect=effect(typical),
                )
            )
    return tuple(found)


def finer_structure(labels: Int64Array, graph: Graph, factors: CommunityFactors | SparseFactors) -> dict[str, str]:
    """The columns of B after those of the communities with these labels, each with the community it refines, or "".

    A column refines a community if that is where most of what it adds to the log-odds of links is.
    """
    rows, columns = graph.links
    where, count, found = labels[rows], int(labels.max(initial=-1)) + 1, {}
    together = (where == labels[columns]) & (where >= 0)
    for c in range(count, factors.counts[0]):
        added = factors.affinities(c, rows) * factors.affinities(c, columns)
        inside = np.bincount(where[together], added[together], minlength=count)
        refines = count and inside.max() > added.sum() / 2
        found[factors.names[c]] = factors.names[int(inside.argmax())] if refines else ""
    return found


def read_communities(
    level: Level, graph: Graph, factors: CommunityFactors | SparseFactors, stability: Stability | None = None
) -> Communities:
    """The communities that were read off a graph, and those of the model that repel; memberships are shares of links.

    The columns of B begin with those of the level. The others are finer structure (``finer_structure``).
    """
    finer = finer_structure(level.labels, graph, factors)
    found = _in_the_model(communities_of(level, graph), factors, finer)
    repelling: tuple[Community, ...] = ()
    if factors.counts[1]:
        columns, rule = factors.readable(), rule_of("links")
        repelling = _read_columns(graph, columns, normalize(columns).of_kind("heterophilous"), rule, odds_effect)
    everyone = (*found, *repelling)
    if stability is not None:
        everyone = tuple(replace(community, refits=stability.of(community.name)) for community in everyone)
    shown = {community.name for community in repelling}
    empty = {name: "empty" for name in factors.names[factors.counts[0] :] if name not in shown}
    rule_said = SHORTEST if factors.members is None else OVERLAPPING
    return replace(found, found=everyone, rule=rule_said, left_out=empty, finer=finer)


def _in_the_model(
    found: Communities, factors: CommunityFactors | SparseFactors, finer: Mapping[str, str]
) -> Communities:
    """The same communities with what they add in a model, finer columns that refine them included."""
    refining: dict[str, list[int]] = {}
    for column, refined in enumerate(finer.values(), start=factors.counts[0] - len(finer)):
        refining.setdefault(refined, []).append(column)
    typical = []
    for c, community in enumerate(found.found):
        rows, columns = rows_of(community.members, found.nodes), [c, *refining.get(community.name, [])]
        medians = [float(np.median(factors.affinities(column, rows))) for column in columns if len(rows)]
        typical.append(math.fsum(median**2 for median in medians))
    return replace(found, found=_with_typical(found.found, typical))


def _with_typical(found: Sequence[Community], typical: Sequence[float]) -> tuple[Community, ...]:
    return tuple(replace(c, typical=x, effect=odds_effect(x)) for c, x in zip(found, typical, strict=True))


def communities_of(level: Level, graph: Graph) -> Communities:
    """The communities of one level, all of which attract; memberships are the shares of a node's links.

    >>> from philia.datasets import classic
    >>> from philia.reading import read_levels
    >>> graph = classic("karate")
    >>> communities_of(read_levels(graph).default, graph).of(8)
    {'B1': 0.6}
    """
    found = tuple(
        Community(
            name=name,
            kind="homophilous",
            strength=float(level.strengths[c]),
            members=_sorted_members(graph, rows, np.maximum(shares, _TINY)),
            threshold=float(shares.min(initial=1.0)),
            typical=float(level.strengths[c]),
            effect=odds_effect(float(level.strengths[c])),
        )
        for c, (name, (rows, shares)) in enumerate(zip(level.names, level.columns(), strict=True))
    )
    said = f"the level with {len(level):,} {'community' if len(level) == 1 else 'communities'}"
    return Communities(found, said, graph.nodes, shares=True)


_TINY = float(np.finfo(float).tiny)
"""A member is one even if none of its links leads to the community."""


def _members(graph: Graph, memberships: Float64Array, threshold: float) -> Members:
    rows = np.flatnonzero((memberships >= threshold) & (memberships > 0))
    return _sorted_members(graph, rows, memberships[rows])


def _sorted_members(graph: Graph, rows: Int64Array, memberships: Float64Array) -> Members:
    # Many nodes have all of their links in one community: those with more links say more about it.
    order = np.lexsort((-graph.degrees[rows], -memberships))
    return Members(graph.nodes, rows[order], memberships[order])


@dataclass(frozen=True)
class RuleEffect:
    """The effect of one rule: the size of each community that is shown, the nodes in none, the communities per node.

    >>> RuleEffect("split", "", {"B1": 2, "B2": 4}, n_nodes=6, n_unassigned=1).communities_a_node
    1.0
    """

    rule: str
    said: str
    sizes: Mapping[str, int]
    n_nodes: int
    n_unassigned: int

    @classmethod
    def of(cls, rule: str, found: Communities) -> RuleEffect:
        """The effect of a rule that gave these communities."""
        sizes = {c.name: len(c) for c in found}
        return cls(rule, found.rule, sizes, len(found.nodes), found.n_unassigned)

    @property
    def communities_a_node(self) -> float:
        """The mean number of communities per node."""
        return sum(self.sizes.values()) / self.n_nodes


@dataclass(frozen=True)
class RuleComparison:
    """The effects of all rules on the same fit, as a table; the first rule is the default.

    >>> rules = RuleEffect("split", "", {"B1": 2}, 6, 4), RuleEffect("odds", "", {"B1": 3}, 6, 3)
    >>> print(RuleComparison(rules))
                          split  odds
    B1                        2     3
    nodes in none             4     3
    communities per node   0.33  0.50
    """

    effects: tuple[RuleEffect, ...]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The rows of the table: a title, then one cell per rule."""
        names = dict.fromkeys(name for effect in self.effects for name in effect.sizes)
        for name in names:
            yield name, *(f"{effect.sizes[name]:,}" if name in effect.sizes else "–" for effect in self.effects)
        yield "nodes in none", *(f"{effect.n_unassigned:,}" for effect in self.effects)
        yield "communities per node", *(f"{effect.communities_a_node:.2f}" for effect in self.effects)

    def __str__(self) -> str:
        rows = [("", *(effect.rule for effect in self.effects)), *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        ]
        return "\n".join(lines)
