"""The community model of the paper: sigmoid(B Bᵀ - C Cᵀ) with nonnegative B and C."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import LinkExplanation, NormalizedFactors, explain_link, normalize
from philia.explain.communities import odds_effect
from philia.explain.rules import rule_names
from philia.factors import CommunityFactors, Factors
from philia.graphs import Graph
from philia.initialization import Start, choose_start
from philia.models.checks import check_counts, check_search
from philia.models.choosing import AUTO, choose
from philia.models.continued import fitted_with
from philia.models.factorization import Factorization
from philia.models.files import KeptModel
from philia.models.fitted_starts import FITTED_STARTS
from philia.models.neighbourhoods import Neighbours
from philia.models.placement import Placement, place
from philia.models.searching import solver_for
from philia.models.whole_starts import FromFactors, WholeStart
from philia.objective import CrossEntropy, Freedom, Group, Recipe
from philia.objective.mixing import attracting, blocks, meeting_ones, repelling
from philia.selection import Selection
from philia.solvers import AnySolver, OnIteration, Solution, shortened

Background = Literal["none", "constant", "popularity"]
Count = int | Literal["auto"]

_BACKGROUNDS = ("none", "constant", "popularity")
_SPREAD = 1.0
"""What the square of a node's own popularity is charged: as if log-odds were spread by one around their mean."""


class CommunityModel(Factorization):
    """Communities that attract and communities that repel, fitted to all pairs of nodes.

    The probability of a link between nodes i and j is sigmoid(b_i·b_j - c_i·c_j): each column of B is a homophilous
    community, which raises the odds of a link between its members, each column of C a heterophilous one, which lowers
    them.

    Parameters
    ----------
    n_homophilous, n_heterophilous
        The number of columns of B and of C, or "auto": the fewest that predict hidden pairs of the graph as well as
        more would, within one standard error.
    penalty
        The weight of |B|² + |C|²; 10 in the paper. Smaller values follow the data more closely; "auto" takes the one
        that predicts hidden pairs best. What was chosen, and why, is in ``selection_``.
    background
        What every pair gets before any community speaks: "popularity" (a_i + a_j, one number a node, drawn gently
        towards their mean), "constant" (one number for all pairs, free) or "none" (even odds, the paper).
    start
        "spectral" (from leading eigenvectors), "uniform" (the paper's random start), "background", "signed" or
        "logistic" (from short fits without bounds), a function like those, ``FromModel(earlier)`` to begin where an
        earlier model ended, or ``FromFactors.converted(logistic.factors_, k)`` to begin at a fitted logistic PCA.
    n_starts
        How many starts compete: the worse half leaves after every 25 iterations. Where settings are chosen
        automatically, there is one.
    solver
        "auto" is L-BFGS-B while n² times columns is at most 5e9 (11,000 nodes with 40 columns), until the gradient
        vanishes on small graphs and for at most 200 iterations on others; Adam beyond. Or "lbfgsb" (SciPy's with its
        own tolerances, 200 iterations, the paper's), "floor" (faster), "adam" (counts links, but samples other
        pairs, so that a million nodes are no obstacle; ends where a few hidden pairs are predicted best), or a solver
        object such as ``LBFGSB(iterations=500)``. The trials of an automatic choice have their own.
    include_diagonal
        Whether a node's missing link to itself counts, as in the paper.
    random_state
        A seed: the same one gives the same factors to the last bit, whatever the number of threads.
    dtype
        "float64", or "float32" for about half the time at seven digits.
    n_jobs
        The number of threads; all cores by default, or with -1.
    executor
        Where to compute: a ``distributed.Client``, the address of a Dask scheduler ("tcp://10.0.0.1:8786") that is
        connected to while something is computed, a ``DaskCluster``, or anything with a ``map`` that gives results in
        order. By default the threads of this machine. It is not kept in files, pickles and copies.

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
    factors_: CommunityFactors
    penalty_: float
    selection_: Selection | None = None

    def __init__(
        self,
        n_homophilous: Count = AUTO,
        n_heterophilous: Count = AUTO,
        *,
        penalty: float | Literal["auto"] = AUTO,
        background: Background = "popularity",
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
        self.start = start
        self.n_starts = n_starts
        self.solver = solver
        self.include_diagonal = include_diagonal
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.executor = executor

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of all membership rules; the first is the default."""
        return rule_names()

    def explain(self, u: Node, v: Node) -> LinkExplanation:
        """Why the two nodes are, or are not, predicted to be linked."""
        check_is_fitted(self)
        return explain_link(self.graph_, self.factors_, u, v, self.stability_)

    def normalized(self) -> NormalizedFactors:
        """Memberships V in [0, 1] and signed strengths W of the fitted communities."""
        check_is_fitted(self)
        return normalize(self.factors_)

    def place(self, neighbours: Neighbours, unknown: Neighbours | None = None) -> Placement:
        """Where nodes that were not in the graph belong, given whom they are linked with; nothing is fitted again.

        ``neighbours`` has the names of the fitted nodes that each new node is linked with, ``{"zoe": ["ann", "bob"]}``,
        or is one such list for a single node. All other fitted nodes count as not linked with it, but for those named
        in ``unknown`` in the same form, whose pairs are left out. Links between two new nodes are not considered.

        The place is the one that minimises the model's objective with all fitted rows fixed, the diagonal left out: a
        convex problem, solved to a residual of 1e-8. Entries that the model does not penalise are charged a millionth
        of their square, so that a node without links has a place as well.

        >>> from philia import CommunityModel
        >>> from philia.datasets import dating_app
        >>> app = dating_app(n=120, cities=3, random_state=0)
        >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
        >>> placed = model.place({"zoe": app.graph.neighbours(0)}, unknown={"zoe": [0]})
        >>> placed.predict_proba([("zoe", 1)]).round(1) == model.predict_proba([(0, 1)]).round(1)
        array([ True])
        """
        check_is_fitted(self)
        with self._working():
            return place(self, neighbours, unknown)

    def partial_fit(
        self, X: Any, y: Any = None, *, iterations: int = 20, on_iteration: OnIteration | None = None
    ) -> Self:
        """Add links, and the nodes they bring, to the fitted graph, and go on fitting for a few iterations.

        The search begins at the fitted factors, new nodes at their places; ``solution_`` is about these iterations.
        Rows stay what they were, new nodes follow, and pairs that were held out still are; with a random share, pairs
        of new nodes are held out as well. A model that was not fitted yet is fitted as by ``fit``.

        >>> from philia import CommunityModel
        >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
        >>> model.partial_fit([("zoe", "ann"), ("zoe", "bob")]).graph_
        Graph(4 nodes, 4 links)
        """
        if not hasattr(self, "factors_"):
            return self.fit(X, on_iteration=on_iteration)
        following = fitted_with(self, X, iterations, on_iteration)
        following.selection_ = self.selection_  # what was chosen stays
        for name in [name for name in vars(following) if name.endswith("_")]:
            setattr(self, name, getattr(following, name))
        return self

    def _learn(
        self, graph: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        self.selection_ = None
        if AUTO not in (self.n_homophilous, self.n_heterophilous, self.penalty):
            self.penalty_ = float(self.penalty)
            return super()._learn(graph, rng, on_iteration)
        self.selection_, factors = choose(self, graph, rng, on_iteration)
        chosen = self.selection_.choice
        self.penalty_ = chosen.penalty if self.penalty == AUTO else float(self.penalty)
        settled = self._with(chosen.n_homophilous, chosen.n_heterophilous, self.penalty_)
        settled.set_params(start=FromFactors(factors), n_starts=1)
        settled.held_out_, settled._journal = self.held_out_, self._journal
        solver = solver_for(self.solver, graph, settled._recipe(), self.held_out_)
        if not self.selection_.interrupted:
            # The search ended near the end of this fit: half of the iterations are plenty.
            settled.set_params(solver=shortened(solver, 0.5))
            with suppress(KeyboardInterrupt):
                found, solution = settled._learn(graph, rng, on_iteration)
                if len(solution.history):
                    return found, solution
        # Who pressed Ctrl-C wants no more, but what was chosen needs a loss.
        settled.set_params(solver=shortened(solver, 0.0))
        found, solution = settled._learn(graph, rng, on_iteration)
        return found, replace(solution, reason="interrupted", converged=False)

    def _chosen(self) -> dict[str, Any]:
        return {"penalty": self.penalty_, "selection": self.selection_ and self.selection_.to_dict()}

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = super()._restored(kept)
        for name, columns in (
            ("homophilous", model.factors_.homophilous),
            ("heterophilous", model.factors_.heterophilous),
        ):
            if getattr(model, f"n_{name}") not in (AUTO, columns.shape[1]):
                raise ValueError(f"n_{name} is {getattr(model, f'n_{name}')}, and there are {columns.shape[1]} columns")
        model.selection_ = None
        if kept.chosen.get("selection"):
            model.selection_ = Selection.from_dict(kept.chosen["selection"])
        return model

    def _with(self, n_homophilous: int, n_heterophilous: int, penalty: float) -> Self:
        """An unfitted model with these numbers in place of its own."""
        fresh: Self = clone(self)
        fresh.set_params(n_homophilous=n_homophilous, n_heterophilous=n_heterophilous, penalty=penalty)
        return fresh

    def _counts(self) -> tuple[int, int]:
        """The numbers of columns of a model that leaves neither open."""
        return int(self.n_homophilous), int(self.n_heterophilous)

    def _settled(self) -> Self:
        return self._with(*self.factors_.counts, self.penalty_)

    def _recipe(self) -> Recipe:
        k_B, k_C = self._counts()
        groups = [Group("homophilous", k_B, lower_bound=0.0), Group("heterophilous", k_C, lower_bound=0.0)]
        mixing = [attracting(k_B), repelling(k_C)]
        own = []
        if self.background != "none":
            own.append(Group("level", 1, freedom=Freedom.SHARED, penalized=False))
        if self.background == "popularity":
            own.append(Group("popularity", 1, penalized=False, own_penalty=_SPREAD))
        if own:
            groups += [Group("ones", 1, freedom=Freedom.ONES, penalized=False), *own]
            mixing.append(meeting_ones(len(own)))
        return Recipe(tuple(groups), blocks(*mixing), self.loss)

    def _start(self, graph: Graph, recipe: Recipe, rng: np.random.Generator) -> Float64Array:
        if isinstance(self.start, WholeStart):  # it knows the background too
            return self._columns(self.start.factors(graph, *self._counts(), rng))
        density = np.clip(graph.density, 1e-12, 1 - 1e-12)
        logit = float(np.log(density / (1 - density)))
        start = choose_start(self.start, FITTED_STARTS)
        B, C = start(graph, *self._counts(), logit if self.background == "none" else 0.0, rng)
        background = np.full(graph.n_nodes, logit / 2)
        if self.background == "popularity":  # as if a link were as likely as the product of the two degrees
            shares = graph.degrees + 1.0
            background = np.log(shares / np.sqrt(shares.sum()))
            background -= ((B.mean(axis=0) ** 2).sum() - (C.mean(axis=0) ** 2).sum()) / 2
        return self._columns(CommunityFactors(B, C, background))

    def _columns(self, factors: CommunityFactors) -> Float64Array:
        own, level = factors.background[:, None], factors.background.mean()
        parts = [factors.homophilous, factors.heterophilous]
        if self.background != "none":
            parts += [np.ones_like(own), np.full_like(own, level)]
        if self.background == "popularity":
            parts.append(own - level)
        return np.hstack(parts)

    def _factors(self, F: Float64Array, recipe: Recipe) -> CommunityFactors:
        background = np.hstack([recipe.columns_of("level", F), recipe.columns_of("popularity", F)])
        return CommunityFactors(
            recipe.columns_of("homophilous", F), recipe.columns_of("heterophilous", F), background.sum(axis=1)
        )

    def _effect(self, strength: float) -> str:
        return odds_effect(strength)

    def _check_parameters(self) -> None:
        check_counts(self, "n_homophilous", "n_heterophilous", least=0, auto=True)
        check_counts(self, "n_starts", least=1)
        check_search(self, auto=True)
        if (self.n_homophilous, self.n_heterophilous, self.background) == (0, 0, "none"):
            raise InvalidParameterError(
                "both numbers of communities are 0 and there is no background; ask for at least one"
            )
        if self.background not in _BACKGROUNDS:
            raise InvalidParameterError(f"background is {self.background!r}; use 'none', 'constant' or 'popularity'")
