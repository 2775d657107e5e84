"""How much memory a fit will take, told before it begins, and what to do if that is too much.

The numbers are measured peaks of this program, with a tenth added, on graphs of 100,000 and 1,000,000 nodes with ten
times as many links (sampled pairs), and of 6,000 nodes (all pairs). A change that holds one more array of the size of
F or of the links must change them; the test that fits within the promised bound notices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from philia.exceptions import NotEnoughMemoryError
from philia.graphs import Graph
from philia.models.choosing import AUTO
from philia.models.community import CommunityModel
from philia.models.factorization import Factorization
from philia.models.sampled_search import AN_ENTRY
from philia.models.searching import solver_for
from philia.selection.plan import MOST_HETEROPHILOUS, MOST_HOMOPHILOUS
from philia.solvers import Adam
from philia.storage import MemoryBound, in_words, private_memory
from philia.storage.arrays import OnDisk, storage_of

_AT_REST: Final = 250 * 10**6
"""What Python, the libraries and the compiled loops hold, whatever the graph."""

_LOADING: Final = 100 * 10**6
"""What the compiled loops of a fit take when they are not there yet, even if they are compiled for the first time."""

_LINK_IN_MEMORY: Final = 10
"""Bytes of a link in the adjacency: two entries of a column and a one."""

_READING: Final = 110 * 10**6
_SAVING: Final = 50 * 10**6
"""For the blocks that are worked on at a time."""

_NODE_READ: Final = 150
_LINK_READ: Final = 56
"""Bytes for the table of names, and for each link if all are in memory while a graph is made of them."""


@dataclass(frozen=True)
class SearchCosts:
    """What a way of search takes beside the graph: bytes for each entry of F, for each node, and for each link.

    Those for a link are needed to begin, before most of the others.
    """

    an_entry: int
    a_node: int
    a_link: int


ALL_PAIRS: Final = SearchCosts(an_entry=580, a_node=100, a_link=90)
SAMPLED_PAIRS: Final = SearchCosts(an_entry=AN_ENTRY, a_node=100, a_link=20)

_CHOOSING: Final = 60
"""Bytes for each entry of F that the trials of an automatic choice hold beside the search that is under way."""

_START: Final = 36
"""Bytes for each entry of F while a start is made."""

_RESULT: Final = 16
"""Bytes for each entry of F once it is found: the factors, and the solver's vector."""


@dataclass(frozen=True)
class FitSize:
    """How large a fit is: nodes, links, and the columns of F with those of the background.

    >>> FitSize(1_000_000, 10_000_000, 35).peaks(SAMPLED_PAIRS, held=300_000_000, mapped=True).search
    1660000000
    """

    n_nodes: int
    n_links: int
    n_columns: int

    def peaks(self, costs: SearchCosts, held: int, *, mapped: bool) -> MemoryPlan:
        """The most that each stage will hold, with the links in memory or mapped from disk.

        ``held`` is what the process holds without the links. Beside the graph there are up to two without the links
        that are held out or hidden.
        """
        entries, links = self.n_nodes * self.n_columns, 0 if mapped else _LINK_IN_MEMORY * self.n_links
        return MemoryPlan(
            reading=held + _READING + _NODE_READ * self.n_nodes + (0 if mapped else _LINK_READ * self.n_links),
            start=held + 3 * links + max(costs.a_link * self.n_links, _START * entries),
            search=held + 3 * links + costs.an_entry * entries + costs.a_node * self.n_nodes,
            saving=held + links + _RESULT * entries + _SAVING,
            mapped=mapped,
        )

    def __str__(self) -> str:
        return f"{self.n_columns:,} columns on {self.n_nodes:,} nodes with {self.n_links:,} links"


@dataclass(frozen=True)
class MemoryPlan:
    """The most that each stage of a fit will hold, in bytes, and whether its links are to be mapped from disk."""

    reading: int
    start: int
    search: int
    saving: int
    mapped: bool

    @property
    def peak(self) -> int:
        """The most that is held at any time once the graph is there; ``read_graph`` keeps to a bound by itself."""
        return max(self.start, self.search, self.saving)


def plan_fit(size: FitSize, costs: SearchCosts, memory: MemoryBound, held: int = _AT_REST) -> MemoryPlan:
    """The way to fit within a bound of memory: links in memory if they fit, else mapped; an error if neither will do.

    >>> plan_fit(FitSize(100_000, 1_000_000, 35), SAMPLED_PAIRS, MemoryBound.of("1G")).mapped
    False
    >>> plan_fit(FitSize(10_000_000, 100_000_000, 35), SAMPLED_PAIRS, MemoryBound.of("4G"))
    Traceback (most recent call last):
    philia.exceptions.NotEnoughMemoryError: 35 columns on 10,000,000 nodes with 100,000,000 links need 13.9G, ...
    """
    plans = [size.peaks(costs, held, mapped=mapped) for mapped in (False, True)]
    fitting = next((plan for plan in plans if plan.peak <= memory.size), None)
    if fitting is not None:
        return fitting
    raise NotEnoughMemoryError(
        f"{size} need {in_words(plans[1].peak)}, but {in_words(memory.size)} are allowed; "
        + ", or ".join(_ways_out(size, costs, memory, held, plans[1].peak))
    )


def _ways_out(size: FitSize, costs: SearchCosts, memory: MemoryBound, held: int, peak: int) -> Iterator[str]:
    yield f"allow at least {in_words(peak)}"
    if costs is not SAMPLED_PAIRS and size.peaks(SAMPLED_PAIRS, held, mapped=True).peak <= memory.size:
        yield 'take the solver "adam", which needs less'
    rest = memory.size - held - costs.a_node * size.n_nodes
    columns = rest // (costs.an_entry * max(1, size.n_nodes))
    if columns > 0 and FitSize(size.n_nodes, size.n_links, columns).peaks(costs, held, mapped=True).peak <= memory.size:
        yield f"ask for {columns:,} columns at most"


def plan_for(model: Factorization, graph: Graph, memory: MemoryBound) -> MemoryPlan:
    """The way to fit a model to a graph that is there already; what this process holds now is counted in.

    >>> from philia import as_graph
    >>> plan_for(CommunityModel(2, 1), as_graph([("ann", "bob"), ("bob", "cat")]), MemoryBound.of("100G")).mapped
    False
    """
    recipe = _widest(model)._recipe()
    costs = SAMPLED_PAIRS if isinstance(solver_for(model.solver, graph, recipe, None), Adam) else ALL_PAIRS
    if isinstance(model, CommunityModel) and AUTO in (model.n_homophilous, model.n_heterophilous, model.penalty):
        costs = replace(costs, an_entry=costs.an_entry + _CHOOSING)
    there = isinstance(storage_of(graph.adjacency.indices), OnDisk)
    held = private_memory() + _LOADING - (0 if there else _LINK_IN_MEMORY * graph.n_links)
    size = FitSize(graph.n_nodes, graph.n_links, len(recipe.mixing))
    return plan_fit(size, costs, memory, held)


def _widest(model: Factorization) -> Factorization:
    """The model with as many columns as its own choice may try."""
    if not isinstance(model, CommunityModel):
        return model
    most = (MOST_HOMOPHILOUS, MOST_HETEROPHILOUS)
    asked = (model.n_homophilous, model.n_heterophilous)
    k_B, k_C = (limit if count == AUTO else int(count) for count, limit in zip(asked, most, strict=True))
    return model._with(k_B, k_C, penalty=0.0)
