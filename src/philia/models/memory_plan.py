"""The memory that a fit will need, estimated before it starts, and what to do if that is too much.

The constants are measured peaks plus a tenth, on graphs of 100,000 and 1,000,000 nodes with ten times as many links
(sampled pairs) and of 6,000 nodes (all pairs). A change that holds one more array of the size of F or of the links must
change them; the test that fits a model within the promised bound would notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from philia.exceptions import NotEnoughMemoryError
from philia.fitting import Parametrization, solver_for
from philia.fitting.estimator import AUTO
from philia.fitting.sampled_pairs import AN_ENTRY
from philia.graphs import Graph
from philia.models.community import CommunityModel
from philia.models.factorization import Factorization
from philia.selection.plan import MOST_HETEROPHILOUS, MOST_HOMOPHILOUS
from philia.solvers import Adam
from philia.storage import MemoryBound, in_words, private_memory
from philia.storage.arrays import OnDisk, storage_of

_AT_REST: Final = 250 * 10**6
"""Bytes that Python, the libraries and the compiled kernels hold for any graph."""

_LOADING: Final = 100 * 10**6
"""Bytes for loading the compiled kernels of a fit, even if they are compiled for the first time."""

_LINK_IN_MEMORY: Final = 10
"""Bytes per link in the adjacency: two entries, each with a column of 4 bytes and a value of 1."""

_READING: Final = 110 * 10**6
_SAVING: Final = 50 * 10**6
"""Bytes for the blocks in which files are read and written."""

_NODE_READ: Final = 150
_LINK_READ: Final = 56
"""Bytes per node in the table of names, and per link if all links are in memory while the graph is built."""


@dataclass(frozen=True)
class SearchCosts:
    """Bytes that a search needs besides the graph: per entry of F, per node and per link.

    Those per link are needed at the start, before most of the others.
    """

    an_entry: int
    a_node: int
    a_link: int


ALL_PAIRS: Final = SearchCosts(an_entry=580, a_node=100, a_link=90)
SAMPLED_PAIRS: Final = SearchCosts(an_entry=AN_ENTRY, a_node=100, a_link=20)

_CHOOSING: Final = 60
"""Bytes per entry of F that the trials of an automatic choice hold besides the current search."""

_START: Final = 36
"""Bytes per entry of F while the start is computed."""

_RESULT: Final = 16
"""Bytes per entry of F after the search: the factors and the solution."""


@dataclass(frozen=True)
class FitSize:
    """The size of a fit: nodes, links, and columns of F including the background.

    >>> FitSize(1_000_000, 10_000_000, 35).peaks(SAMPLED_PAIRS, held=300_000_000, mapped=True).search
    1660000000
    """

    n_nodes: int
    n_links: int
    n_columns: int

    def peaks(self, costs: SearchCosts, held: int, *, mapped: bool) -> MemoryPlan:
        """The peak memory of each stage, with the links in memory or memory-mapped.

        ``held`` is what the process holds without the links. Besides the graph there may be two copies of it without
        held-out and validation links.
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
    """The peak memory of each stage of a fit in bytes, and whether its links are memory-mapped."""

    reading: int
    start: int
    search: int
    saving: int
    mapped: bool

    @property
    def peak(self) -> int:
        """The peak once the graph is loaded; ``read_graph`` keeps to a bound by itself."""
        return max(self.start, self.search, self.saving)


def plan_fit(size: FitSize, costs: SearchCosts, memory: MemoryBound, held: int = _AT_REST) -> MemoryPlan:
    """How to fit within a memory bound: links in memory if they fit, else memory-mapped; an error if neither fits.

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
        yield 'use the solver "adam", which needs less'
    rest = memory.size - held - costs.a_node * size.n_nodes
    columns = rest // (costs.an_entry * max(1, size.n_nodes))
    if columns > 0 and FitSize(size.n_nodes, size.n_links, columns).peaks(costs, held, mapped=True).peak <= memory.size:
        yield f"ask for {columns:,} columns at most"


def plan_for(model: Factorization, graph: Graph, memory: MemoryBound) -> MemoryPlan:
    """How to fit a model to a graph that is already loaded, counting what this process holds now.

    >>> from philia import as_graph
    >>> plan_for(CommunityModel(2, 1), as_graph([("ann", "bob"), ("bob", "cat")]), MemoryBound.of("100G")).mapped
    False
    """
    recipe = _widest(model).recipe
    costs = SAMPLED_PAIRS if isinstance(solver_for(model.solver, graph, recipe, None), Adam) else ALL_PAIRS
    if isinstance(model, CommunityModel) and AUTO in (model.n_homophilous, model.n_heterophilous, model.penalty):
        costs = replace(costs, an_entry=costs.an_entry + _CHOOSING)
    there = isinstance(storage_of(graph.adjacency.indices), OnDisk)
    held = private_memory() + _LOADING - (0 if there else _LINK_IN_MEMORY * graph.n_links)
    size = FitSize(graph.n_nodes, graph.n_links, len(recipe.mixing))
    return plan_fit(size, costs, memory, held)


def _widest(model: Factorization) -> Parametrization:
    """The columns of the model, as many as its own choice may try."""
    if isinstance(model, CommunityModel):
        return model.columns_at_most(MOST_HOMOPHILOUS, MOST_HETEROPHILOUS)
    return model.parametrization()
