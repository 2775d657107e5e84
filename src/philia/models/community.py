"""The community model of the paper: sigmoid(B Bᵀ - C Cᵀ) with nonnegative B and C."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any, Final, Literal, Self

import numpy as np

from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import LinkExplanation, NormalizedFactors, explain_link, normalize
from philia.explain.communities import Communities, finer_structure, odds_effect, read_communities
from philia.explain.rules import DOUBLED, rule_names
from philia.explain.significance import Significance, measure_significance, significance_folds, with_background
from philia.factors import CommunityFactors, Factors, SparseFactors
from philia.factors.sparse import MOST_ENTRIES
from philia.fitting import AllPairs, CommunityParametrization, Problem, solver_for
from philia.fitting.community import BACKGROUNDS, Background
from philia.fitting.estimator import AUTO, check_counts, check_is_fitted
from philia.fitting.journal import Journal
from philia.fitting.sparse import SparseColumns
from philia.fitting.warm_starts import FromFactors, FromModel
from philia.graphs import Graph, as_graph
from philia.graphs.graph import grown
from philia.initialization import Start, WholeStart
from philia.initialization.starts import AcrossSides
from philia.models.factorization import Factorization, check_search
from philia.models.files import KeptModel
from philia.models.link_model import OnFit
from philia.models.placement import Neighbours, Placement, placed_by_links, rows_of_neighbours
from philia.objective import CrossEntropy
from philia.objective.fold_in import fold_in
from philia.pairs import HeldOut, PairSample, RandomPairs, seen
from philia.pairs.names import two_names
from philia.pairs.sample import Estimate
from philia.reading import (
    Effort,
    Hierarchy,
    Level,
    Overlaps,
    extended,
    level_of,
    level_with,
    levels_above,
    levels_from,
    overlapping_level,
    read_levels,
    shortest,
)
from philia.reading.length import tidied
from philia.reading.sides import real_sides
from philia.selection import Selection, choose, choose_sparse
from philia.selection.forecast import Forecast
from philia.selection.plan import MOST_HOMOPHILOUS
from philia.selection.sparse import unweighed
from philia.solvers import AnySolver, OnIteration, Progress, Solution, shortened
from philia.solvers.catalog import settling

Count = int | Literal["auto"]

_RESAMPLED: Final = 0.1
"""The share of pairs that each refit of ``stability`` does not see. Reading communities off the same links would find
the same communities again, and say nothing."""

_STAGES: Final = {
    "reading communities": 0.0,
    "reading what overlaps": 0.3,
    "reading communities without the hidden links": 0.5,
    "reading the members of each community": 0.95,
}
"""The stages of a sparse fit, and the share of the time that has passed at the beginning of each: estimates, not
measured."""

_INSIDE: Final = 0.25
"""The least share of links inside communities for which a model stores these alone: it knows nothing about the links
between communities but popularity and common neighbours. Where nodes are in two or three communities, those that are
read first have 40 % of the links (generated graphs). In slashdot they have 9 %, and a dense model predicts better."""

_USUAL: Final = 20
"""Columns of a kind to expect where their number is open, to decide whether all pairs can be looked at."""


def _on_sides(factors: CommunityFactors, sides: Int64Array) -> CommunityFactors:
    """The factors with each node's repulsion in the column of its side: a trial may not see how parts are connected."""
    C = factors.heterophilous
    own = np.maximum(C.max(axis=1), np.median(C.max(axis=1)))
    across = np.stack([np.where(sides == c, own, 0.0) for c in (0, 1)], axis=1)
    return replace(factors, heterophilous=np.where(sides[:, None] < 0, C, across))


def _stages(on_iteration: OnIteration | None) -> Callable[[str], None]:
    """Tells of the stages of reading, which has no iterations to count."""
    began = time.perf_counter()

    def told(stage: str) -> None:
        if on_iteration is not None:
            at, seconds = list(_STAGES).index(stage), time.perf_counter() - began
            on_iteration(Progress(at, len(_STAGES), math.nan, seconds, stage, _STAGES[stage]))

    return told


def _read_anew(graph: Graph) -> Overlaps:
    """The communities of a part of the links, after fewer tries than the whole graph."""
    return Overlaps(graph, shortest(graph, np.random.default_rng(0), Effort(1, 0)))


class CommunityModel(Factorization):
    """Attracting and repelling communities, fitted to all pairs of nodes.

    The probability of a link between nodes i and j is sigmoid(b_i·b_j - c_i·c_j + a_i + a_j). Each column of B is a
    homophilous community, which raises the odds of a link between its members; each column of C is a heterophilous
    one, which lowers them. a is the background.

    Parameters
    ----------
    n_homophilous
        The number of columns of B, or "auto": the attracting communities with which the links have the shortest
        description (``philia.reading``), and the fewest columns beside them that predict validation pairs of the graph
        as well as more would, within one standard error.
    n_heterophilous
        The number of columns of C, or "auto", chosen by validation pairs as well. ``CommunityModel(2)`` leaves this one
        open: two communities attract, and the fit chooses how many repel. ``CommunityModel(2, 0)`` has two and no
        others.
    penalty
        Regularization strength, the weight of |B|² + |C|²; 10 in the paper. Smaller values fit the data more closely.
        "auto" takes the value that predicts validation pairs best. ``selection_`` says what was chosen, and why.
    background
        Baseline log-odds of a pair, before any community is counted: "popularity" (a_i + a_j, one number per node,
        shrunk gently toward the mean), "constant" (one number for all pairs, not penalized) or "none" (even odds, as
        in the paper).
    storage
        How B is stored: "dense", a number for each node and column; "sparse", only for members, which allows thousands
        of communities; or "auto": sparse if more communities are read off the graph than an automatic choice of dense
        columns would have, 48, and at least a quarter of the links are inside them. A sparse model needs both numbers
        of communities and the penalty left open, and the background "popularity". Its probabilities also count common
        neighbours.
    start
        "spectral" (from leading eigenvectors), "uniform" (the paper's random start), "background", "neighbourhoods"
        (of least conductance), "signed" or "logistic" (from short unconstrained fits), or a function with the same
        signature. Warm starts:
        ``FromModel(earlier)`` continues from an earlier model, ``FromFactors.converted(logistic.factors_, k)`` from a
        fitted logistic PCA.
    n_starts
        How many starts compete; the worse half drops out every 25 iterations. An automatic choice uses one.
    solver
        "auto" uses L-BFGS-B while n² times the number of columns is at most 5e9 (11,000 nodes with 40 columns): until
        the gradient vanishes on small graphs, for at most 200 iterations on larger ones. Beyond that it uses Adam.
        "lbfgsb" is SciPy's, with its own tolerances and 200 iterations, as in the paper; "floor" is faster; "adam"
        counts every link but samples the other pairs, so it scales to millions of nodes, and stops where a few
        validation pairs are predicted best. Or a solver object such as ``LBFGSB(iterations=500)``. The trials of an
        automatic choice use a solver of their own.
    include_diagonal
        Whether a node's missing link to itself counts, as in the paper.
    random_state
        A seed. The same seed gives the same factors to the last bit, with any number of threads.
    dtype
        "float64", or "float32", which takes about half the time and keeps seven digits.
    n_jobs
        The number of threads; None or -1 uses all cores.
    executor
        Where to compute: a ``distributed.Client``, the address of a Dask scheduler ("tcp://10.0.0.1:8786"; connected
        only while computing), a ``DaskCluster``, or any object whose ``map`` returns results in order. The default is
        the threads of this machine. Files, pickles and copies of the model do not keep it.

    Examples
    --------
    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
    >>> print(model.communities()[0].kind, model.predict_proba([(0, 1)]).shape)
    homophilous (1,)
    >>> CommunityModel(random_state=0).fit(app.graph).selection_.n_homophilous
    3
    """

    loss = CrossEntropy()
    telling = DOUBLED
    factors_: CommunityFactors | SparseFactors
    penalty_: float
    selection_: Selection | None = None
    read_: Int64Array | None = None
    significance_: Significance | None = None
    sparse_: SparseColumns | None = None
    heterophily_: Estimate | None = None
    _beside: CommunityParametrization | None = None
    """The columns of a refit whose communities are given; of no model that a user makes."""

    def __init__(
        self,
        n_homophilous: Count = AUTO,
        n_heterophilous: Count = AUTO,
        *,
        penalty: float | Literal["auto"] = AUTO,
        background: Background = "popularity",
        storage: Literal["auto", "dense", "sparse"] = AUTO,
        start: str | Start = "spectral",
        n_starts: int = 1,
        solver: str | AnySolver = "auto",
        include_diagonal: bool = False,
        random_state: Any = None,
        dtype: str = "float64",
        n_jobs: int | None = None,
        executor: Any = None,
    ) -> None:
        self.n_homophilous = n_homophilous
        self.n_heterophilous = n_heterophilous
        self.penalty = penalty
        self.background = background
        self.storage = storage
        self.start = start
        self.n_starts = n_starts
        self.solver = solver
        self.include_diagonal = include_diagonal
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.executor = executor

    def communities(self, rule: str | float | None = None, *, everything: bool = False) -> Communities:
        """The communities as overlapping sets of node names; memberships are shares of a node's links.

        In an attracting community that is the share of the links it has that run through the community; in a repelling
        one, the share of the links it would have that are missing because of it.

        If the fit chose their number, they are those with which the links have the shortest description: the default
        level of ``hierarchy()``. Otherwise they are the columns of B and C, read by the rule "links". ``rule`` reads
        the columns by that rule in either case: one of ``rules`` or a membership such as 0.5. ``find_communities``
        explains the rules; ``compare_rules`` shows what each gives for this model. A sparse model has no
        rules.

        ``left_out`` of the answer names what is not worth showing: what has the same members as another community, for
        example, or after ``significance`` what is not distinguishable from chance. ``everything`` shows that as well,
        as far as it has members. A sparse model shows everything, since each membership was tested by what it explains.
        """
        check_is_fitted(self)
        tested = self.factors_.members is not None and self.significance_ is None
        return super().communities(rule, everything=everything or tested)

    def _read(self, rule: str | float | None) -> Communities:
        level = self.level()
        if rule is not None and self.factors_.members is not None:
            raise InvalidParameterError(
                f"the rule is {rule!r}, and the model has {self.factors_.counts[0]:,} communities of which it stores "
                "only the members; a rule chooses members from columns with a number for every node, so leave it out, "
                "or fit a given number of communities"
            )
        if rule is not None or level is None:
            found = super()._read(rule)
        else:
            found = read_communities(level, self.graph_, self.factors_, self.stability_)
        return found if self.significance_ is None else found.tested(self.significance_)

    def level(self) -> Level | None:
        """The communities that were read off the graph before the fit; None if their number was given."""
        check_is_fitted(self)
        if self.read_ is None:
            return None
        kept: tuple[Any, Level] | None = vars(self).get("_level")
        if kept is None or kept[0] is not self.read_:
            level = overlapping_level(seen(self.graph_, self.held_out_), self.read_, self.factors_.members)
            kept = self._level = self.read_, level
        return kept[1]

    def hierarchy(self) -> Hierarchy:
        """The communities of the graph at every level, from the finest to one; held-out links do not count.

        This needs no model: it is ``philia.reading.read_levels(graph)``. If the fit chose the number of communities,
        the default level holds the communities of ``communities()``.

        >>> from philia import CommunityModel
        >>> from philia.datasets import classic
        >>> print(CommunityModel(random_state=0).fit(classic("karate")).hierarchy())
        2 communities (default): 8 nats saved
        1 community: no shorter than none
        """
        check_is_fitted(self)
        members = self.factors_.members
        if members is None or self.read_ is None:
            return self._levels_of(self.graph_)
        kept: tuple[Any, Hierarchy] | None = vars(self).get("_above")
        if kept is None or kept[0] is not self.factors_:
            known = seen(self.graph_, self.held_out_)
            kept = self._above = self.factors_, levels_above(known, self.read_, members)
        return kept[1]

    def __getstate__(self) -> dict[str, Any]:
        """Everything except what can be read off the graph again."""
        again = ("_level", "_hierarchy", "_leaves", "_above")
        return {name: value for name, value in super().__getstate__().items() if name not in again}

    def _levels_of(self, graph: Graph) -> Hierarchy:
        """The levels of a graph without its held-out links; those of the last graph are kept."""
        kept: tuple[Any, Any, Hierarchy] | None = vars(self).get("_hierarchy")
        if kept is None or kept[0] is not graph or kept[1] is not self.held_out_:
            known, finest = seen(graph, self.held_out_), self._finest(graph)
            levels = read_levels(known) if finest is None else levels_from(known, finest)
            kept = self._hierarchy = graph, self.held_out_, levels
            self._leaves = graph, self.held_out_, levels.finest
        return kept[2]

    def _finest(self, graph: Graph) -> Int64Array | None:
        """The main communities of the finest level, if they were read before; finding them takes longest."""
        kept: tuple[Any, Any, Int64Array] | None = vars(self).get("_leaves")
        return kept[2] if kept is not None and kept[0] is graph and kept[1] is self.held_out_ else None

    def significance(self, folds: int = 10, *, on_fit: OnFit | None = None) -> Significance:
        """Whether each community is there at all: its strength on pairs that it was not found from, and z.

        All links are hidden once, in ``folds`` parts. Each time the same number of communities is found anew without
        them and matched with those of the model. Their strengths are then estimated on the hidden pairs, against a
        background in which only popularity counts. The result is kept in ``significance_`` and in files;
        ``communities`` shows it from then on, and leaves out what is not distinguishable from chance.

        A small z means that hidden pairs do not confirm a community, not that they refute it: a small one has few
        hidden pairs.

        >>> from philia import CommunityModel
        >>> from philia.datasets import dating_app
        >>> app = dating_app(n=120, cities=3, random_state=0)
        >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
        >>> [community.real for community in model.significance(folds=3).communities]
        [True, True, True, True, True]
        """
        check_is_fitted(self)
        _check_folds(folds)
        own = self.read_columns()  # too many are refused before any refit
        found: list[CommunityFactors] = []
        parts: list[tuple[Graph, PairSample]] = []
        with self._working():
            for sample, hidden in self._hidden_in(folds):
                found.append(self._communities_without(hidden))
                parts.append((seen(self.graph_, hidden), sample))
                if on_fit is not None:
                    on_fit(len(found), folds)
        self.significance_ = measure_significance(own, list(zip(found, with_background(parts), strict=True)))
        return self.significance_

    def heterophily(self, folds: int = 3, *, on_fit: OnFit | None = None) -> Estimate:
        """How heterophilous the network is: what repelling communities add to the log-likelihood of hidden links.

        All links are hidden once, in ``folds`` parts, together with pairs that are not linked. The model is fitted
        without them, with the repelling communities that it has and with none. The answer is the difference between the
        log-likelihoods of the hidden pairs, per hidden link, with its interval; 0 if the model has none. It is kept in
        ``heterophily_`` and in files.

        >>> from philia import CommunityModel
        >>> from philia.datasets import dating_app
        >>> app = dating_app(n=120, cities=3, random_state=0)
        >>> CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph).heterophily().lower > 0
        True
        """
        check_is_fitted(self)
        _check_folds(folds)
        gained, variance, links, done = 0.0, 0.0, 0, 0
        with self._working():
            for sample, hidden in self._hidden_in(folds if self.factors_.counts[1] else 0):
                level = self._level_without(hidden)
                both, plain = (
                    sample.of_factors(self._factors_without(hidden, level, count))
                    for count in (self.factors_.counts[1], 0)
                )
                gained += float((both - plain).sum())
                variance += sample.variance(both - plain)
                links, done = links + sample.n_links, done + 1
                if on_fit is not None:
                    on_fit(done, folds)
        self.heterophily_ = Estimate.from_variance(gained / max(1, links), variance / max(1, links) ** 2)
        return self.heterophily_

    def _hidden_in(self, folds: int) -> Iterator[tuple[PairSample, HeldOut]]:
        """The pairs that each fold hides, always the same."""
        return significance_folds(self.graph_, self.held_out_, folds, np.random.default_rng(0)) if folds else iter(())

    def _communities_without(self, hidden: HeldOut) -> CommunityFactors:
        """As many communities as the model has, found without some pairs."""
        level, k_C = self._level_without(hidden), self.factors_.counts[1]
        if level is None:
            return self._factors_without(hidden, None, k_C)
        read = CommunityFactors.attracting(level.memberships.multiply(level.affinities).toarray())
        if not k_C:
            return read
        return replace(self._factors_without(hidden, level, k_C), homophilous=read.homophilous)

    def _level_without(self, hidden: HeldOut) -> Level | None:
        own = self.level()
        return None if own is None else level_with(seen(self.graph_, hidden), len(own))

    def _factors_without(self, hidden: HeldOut, level: Level | None, n_heterophilous: int) -> CommunityFactors:
        """The factors of the same fit without some pairs, beside this level, with so many columns that repel."""
        other = self._settled().set_params(n_heterophilous=n_heterophilous, random_state=0)
        if isinstance(other.start, WholeStart):  # it has seen the hidden pairs
            other.set_params(start="spectral")
        own = self.level()
        if level is not None and own is not None and self.selection_ is not None:
            finer = other.parametrization().resized(self.factors_.counts[0] - len(own), n_heterophilous)
            other._beside = replace(finer, given=level).weighed(self.selection_.weight)
        return other._fitted_whole(self.graph_, hidden).factors_.readable()

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of all membership rules; the first is the default."""
        return rule_names()

    def explain(self, u: Any, v: Node | None = None) -> LinkExplanation:
        """Why a link between two nodes is likely or unlikely: the part of each community in its log-odds.

        The nodes are two names, or a pair of them: ``explain("ann", "bob")`` or ``explain(("ann", "bob"))``.
        """
        check_is_fitted(self)
        u, v = two_names(u, v)
        finer = None if self.read_ is None else finer_structure(tidied(self.read_), self.graph_, self.factors_)
        return explain_link(self.graph_, self.factors_, u, v, self.stability_, finer)

    def normalized(self) -> NormalizedFactors:
        """Memberships V in [0, 1] and signed strengths W of the fitted communities."""
        check_is_fitted(self)
        return normalize(self.factors_.readable())

    def place(self, neighbours: Neighbours, unknown: Neighbours | None = None) -> Placement:
        """Fold new nodes into the fitted model, given their links; nothing is refitted.

        ``neighbours`` maps each new node to the fitted nodes it is linked with, ``{"zoe": ["ann", "bob"]}``; for a
        single node it may be just the list. Every other fitted node counts as not linked, except those that
        ``unknown`` names in the same form, whose pairs are left out. Links between new nodes are not considered.

        A new row minimizes the model's objective with all fitted rows fixed and the diagonal left out. This is a convex
        problem, solved to a residual of 1e-8. Entries without a penalty get one of a millionth, so that a node without
        links has a unique place too.

        >>> from philia import CommunityModel
        >>> from philia.datasets import dating_app
        >>> app = dating_app(n=120, cities=3, random_state=0)
        >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
        >>> placed = model.place({"zoe": app.graph.neighbours(0)}, unknown={"zoe": [0]})
        >>> placed.predict_proba([("zoe", 1)]).round(1) == model.predict_proba([(0, 1)]).round(1)
        array([ True])
        """
        check_is_fitted(self)
        links, left_out, nodes = rows_of_neighbours(self.graph_.nodes, neighbours, unknown)
        level = self.level()
        if self.sparse_ is not None and level is not None:
            known = seen(self.graph_, self.held_out_)
            return Placement(nodes, placed_by_links(self.sparse_, known, level, links), links, 0.0, copy(self))
        columns = self._settled().parametrization()
        F = columns.columns(self.factors_.readable())
        with self._working():
            placed, residuals = fold_in(
                columns.recipe, F, links, left_out, penalty=self.penalty_, executor=self._executor()
            )
        return Placement(nodes, columns.factors(placed), links, float(residuals.max()), copy(self))

    def partial_fit(
        self, X: Any, y: Any = None, *, iterations: int = 20, on_iteration: OnIteration | None = None
    ) -> Self:
        """Add links and new nodes to the fitted graph, and continue the fit for a few iterations.

        The search starts from the fitted factors, with new nodes folded in; ``solution_`` describes these iterations
        only. Existing rows keep their order and new nodes follow. Communities that were read off the graph keep their
        members, and a new node joins the one that most of its links lead to. Held-out pairs stay held out; if they are
        a random share, pairs of new nodes are held out as well. An unfitted model is fitted as by ``fit``, and so is a
        sparse one, which takes as long as the first fit: its communities are read anew.

        >>> from philia import CommunityModel
        >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
        >>> model.partial_fit([("zoe", "ann"), ("zoe", "bob")]).graph_
        Graph(4 nodes, 4 links)
        """
        if not hasattr(self, "factors_"):
            return self.fit(X, on_iteration=on_iteration)
        if iterations < 1:
            raise InvalidParameterError(f"iterations is {iterations!r}; it must be a whole number, 1 or more")
        before = self.graph_
        after = grown(before, as_graph(X, weights=before.weights is not None))
        if self.sparse_ is not None:
            return self.fit(after, held_out=self.held_out_, on_iteration=on_iteration)
        following = self._settled()
        solver = solver_for(self.solver, after, following.recipe(), self.held_out_)
        following.set_params(start=FromModel(self), solver=shortened(solver, iterations))
        following.fit(after, held_out=self.held_out_, on_iteration=on_iteration)
        following.selection_ = self.selection_  # what was chosen stays
        following.read_ = None if self.read_ is None else extended(self.read_, before, seen(after, self.held_out_))
        for name in [name for name in vars(following) if name.endswith("_")]:
            setattr(self, name, getattr(following, name))
        return self

    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        self.selection_ = self.read_ = self.significance_ = self.heterophily_ = self.sparse_ = None
        if AUTO not in (self.n_homophilous, self.n_heterophilous, self.penalty):
            self.penalty_ = float(self.penalty)
            if self._beside is None:
                return super()._learn(graph, rng, journal, on_iteration)
            problem, solver = self._posed(self._beside, self.penalty_, graph, rng, journal, on_iteration)
            solution = problem.search(solver, self.n_starts)
            return self._beside.whole.factors(solution.point), solution
        ahead = Forecast(on_iteration)
        given = graph, rng, journal, ahead.watching
        columns = self.columns_at_most(_USUAL, _USUAL)
        usual, _ = self._posed(columns, 0.0, *given)
        if self._reads(usual):
            told = _stages(on_iteration)
            told("reading communities")
            if self._sparse(self._levels_of(graph).default, graph):
                return self._learn_sparse(graph, rng, told)
        if self._reads(usual) and isinstance(usual, AllPairs):
            read = self._levels_of(graph).default
            self.read_, columns = read.labels, replace(columns, given=read)
            usual = replace(usual, parametrization=columns)
        settings: Any = (self.n_homophilous, self.n_heterophilous, self.penalty)
        n_B, n_C, penalty = (None if setting == AUTO else setting for setting in settings)
        sides = self._sides(usual)
        if sides is not None:
            n_C, start = 2, AcrossSides(self.start)
            usual = replace(usual, parametrization=replace(columns, begin=start))
        self.selection_, factors = choose(usual, n_B, n_C, penalty, ahead)
        if sides is not None:
            self.selection_, factors = replace(self.selection_, sides=True), _on_sides(factors, sides)
        if self.read_ is not None:
            levels = self._levels_of(graph)
            others = tuple(len(level) for level in levels.equally_good if len(level) != len(levels.default))
            self.selection_ = replace(self.selection_, as_short=others, shortest=len(levels.best))
        self.penalty_ = self.selection_.penalty if self.penalty == AUTO else float(self.penalty)
        begin = replace(columns.resized(*factors.counts), begin=FromFactors(factors)).weighed(self.selection_.weight)
        ahead.enter("last")
        problem, solver = self._posed(begin, self.penalty_, *given)
        if not self.selection_.interrupted:
            with suppress(KeyboardInterrupt):
                solution = problem.settle(settling(self.solver, solver))
                if len(solution.history):
                    return begin.whole.factors(solution.point), solution
        # After Ctrl-C nothing more is searched for, but what was chosen needs a loss.
        solution = problem.search(shortened(solver, 0.0))
        return begin.whole.factors(solution.point), replace(solution, reason="interrupted", converged=False)

    def _reads(self, problem: Problem) -> bool:
        """Whether communities are read off the graph first, by the length of its description.

        They are where their number is open, nodes may differ in popularity, as descriptions assume, and links have no
        weights, which descriptions do not know.
        """
        open_to_it = self.n_homophilous == AUTO and self.background == "popularity"
        return (
            open_to_it and problem.graph.weights is None and (isinstance(problem, AllPairs) or self.storage != "dense")
        )

    def _sides(self, problem: Problem) -> Int64Array | None:
        """The two sides of the links, if they run across only, and their number is not given or begun otherwise."""
        if not self._reads(problem) or self.n_heterophilous != AUTO or isinstance(self.start, WholeStart):
            return None
        return real_sides(problem.known)

    def _sparse(self, read: Level, graph: Graph) -> bool:
        """Whether B is stored sparsely: if asked for, or if many links are in communities, too many for a dense one."""
        others_open = (self.n_heterophilous, self.penalty) == (AUTO, AUTO)
        if self.storage != AUTO or not others_open or len(read) <= MOST_HOMOPHILOUS:
            return self.storage == "sparse"
        rows, columns = graph.links
        inside = (read.labels[rows] == read.labels[columns]) & (read.labels[rows] >= 0)
        return float(inside.mean()) >= _INSIDE

    def _learn_sparse(
        self, graph: Graph, rng: np.random.Generator, told: Callable[[str], None]
    ) -> tuple[Factors, Solution]:
        """Communities that overlap, read off the graph, and the numbers that say how much they count.

        Ctrl-C ends the stage it comes in: without overlaps, every node has one community; without hidden links,
        strengths count as they were read.
        """
        began, interrupted = time.perf_counter(), False
        known, first = seen(graph, self.held_out_), self._levels_of(graph).shortest
        level = level_of(known, first.labels)
        try:
            told("reading what overlaps")
            overlaps = Overlaps(known, first)
            level = overlaps.level(singles=True)
            told("reading communities without the hidden links")
            choice = choose_sparse(graph, self.held_out_, _read_anew, rng)
            told("reading the members of each community")
            level = level if choice.singles else overlaps.level(singles=False)
        except KeyboardInterrupt:
            interrupted, choice = True, unweighed(graph, self.held_out_, level, rng)
        steps = tuple(replace(step, n_homophilous=len(level)) for step in choice.selection.steps)
        self.selection_ = replace(choice.selection, steps=steps, read=len(level))  # trials saw fewer links
        self.sparse_, self.read_, self.penalty_ = choice.columns, level.labels, 0.0
        loss = -self.selection_.choice.log_likelihood * graph.n_nodes * (graph.n_nodes - 1) / 2
        seconds, reason = time.perf_counter() - began, "interrupted" if interrupted else "converged"
        found = Solution(np.empty((len(level.labels), 0)), loss, np.array([loss]), 1, seconds, reason, not interrupted)
        return self.sparse_.factors(known, level), found

    def parametrization(self) -> CommunityParametrization:
        """F = [B C] and the background, for a model that leaves neither number of communities open."""
        if AUTO in (self.n_homophilous, self.n_heterophilous):
            raise InvalidParameterError("the numbers of communities are chosen by fit; give both to know the columns")
        return self.columns_at_most(0, 0)

    def columns_at_most(self, n_homophilous: int, n_heterophilous: int) -> CommunityParametrization:
        """The columns of F, with these numbers of communities where the settings leave them open."""
        k_B = n_homophilous if self.n_homophilous == AUTO else int(self.n_homophilous)
        k_C = n_heterophilous if self.n_heterophilous == AUTO else int(self.n_heterophilous)
        return CommunityParametrization(k_B, k_C, self.background, self.start, self.loss)

    def read_columns(self) -> CommunityFactors:
        """The columns that are read as communities, without finer structure, as factors."""
        level, (n, k) = self.level(), self.factors_.homophilous.shape
        if self.sparse_ is not None and n * k > MOST_ENTRIES:
            raise InvalidParameterError(
                f"refits are matched column by column, and {k:,} communities of {n:,} nodes would take {n * k:,} "
                "numbers, nearly all of them 0; fit the graph again with held_out=0.1, and compare the communities of "
                "both fits with philia.evaluate.best_match_f1"
            )
        columns = self.factors_.readable()
        if level is None or self.sparse_ is not None:
            return columns
        return replace(columns, homophilous=level.memberships.multiply(level.affinities).toarray())

    def _popularity(self) -> Float64Array:
        return self.factors_.background

    def _refitted(self, seed: int) -> CommunityFactors:
        """A refit repeats the choice where the fit chose, since another choice may find other communities."""
        if self.read_ is None:
            return super()._refitted(seed)
        resampled = RandomPairs(_RESAMPLED, seed)
        held_out = resampled if self.held_out_ is None else self.held_out_.with_random(_RESAMPLED, seed)
        other = self.__sklearn_clone__().set_params(random_state=seed)
        return other._fitted_whole(self.graph_, held_out).read_columns()

    def _with_findings(self, kept: KeptModel) -> KeptModel:
        finest = self._finest(self.graph_) if self.factors_.members is None else None
        tested = replace(kept, significance=self.significance_, heterophily=self.heterophily_)
        return replace(tested, read=self.read_, finest=finest)

    def _chosen(self) -> dict[str, Any]:
        selection, sparse = self.selection_ and self.selection_.to_dict(), self.sparse_ and self.sparse_.to_dict()
        return {"penalty": self.penalty_, "selection": selection, **({"sparse": sparse} if sparse else {})}

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = super()._restored(kept)
        for name, count in zip(("homophilous", "heterophilous"), model.factors_.counts, strict=True):
            if getattr(model, f"n_{name}") not in (AUTO, count):
                raise ValueError(f"n_{name} is {getattr(model, f'n_{name}')}, and there are {count} columns")
        if model.factors_.members is not None:
            if kept.read is None:
                raise ValueError("the communities are sparse, and it does not say which are the main ones")
            model.sparse_ = SparseColumns.from_dict(kept.chosen["sparse"])
        model.selection_, model.read_ = None, kept.read
        model.significance_, model.heterophily_ = kept.significance, kept.heterophily
        for tested in () if kept.significance is None else kept.significance.communities:
            if tested.name not in model.factors_.names:
                raise ValueError(f"the significance of {tested.name[:40]!r} is known, and there is no such community")
        if kept.read is not None and kept.read.max(initial=-1) >= model.factors_.counts[0]:
            raise ValueError(f"community {kept.read.max() + 1} was read, and there are {model.factors_.counts[0]}")
        if kept.finest is not None:
            model._leaves = model.graph_, model.held_out_, kept.finest
        if kept.chosen.get("selection"):
            model.selection_ = Selection.from_dict(kept.chosen["selection"])
        return model

    def _settled(self) -> Self:
        fresh = super()._settled()
        k_B, k_C = self.factors_.counts
        fresh.set_params(n_homophilous=k_B, n_heterophilous=k_C, penalty=self.penalty_)
        return fresh

    def _effect(self, typical: float) -> str:
        return odds_effect(typical)

    def _check_parameters(self) -> None:
        check_counts(self, "n_homophilous", "n_heterophilous", least=0, auto=True)
        check_counts(self, "n_starts", least=1)
        check_search(self, auto=True)
        if (self.n_homophilous, self.n_heterophilous, self.background) == (0, 0, "none"):
            raise InvalidParameterError(
                "both numbers of communities are 0 and there is no background; ask for at least one"
            )
        if self.storage not in (AUTO, "dense", "sparse"):
            raise InvalidParameterError(f"storage is {self.storage!r}; use 'auto', 'dense' or 'sparse'")
        open_to_it = (self.n_homophilous, self.n_heterophilous, self.penalty, self.background) == (
            AUTO, AUTO, AUTO, "popularity",
        )  # fmt: skip
        if self.storage == "sparse" and not open_to_it:
            raise InvalidParameterError(
                "storage is 'sparse', and a number of communities, the penalty or the background was given; a sparse "
                "model reads its communities off the graph, so leave these settings as they are"
            )
        if self.background not in BACKGROUNDS:
            raise InvalidParameterError(f"background is {self.background!r}; use 'none', 'constant' or 'popularity'")


def _check_folds(folds: Any) -> None:
    if type(folds) is not int or folds < 2:
        raise InvalidParameterError(f"folds is {folds!r}; it must be a whole number, 2 or more")
