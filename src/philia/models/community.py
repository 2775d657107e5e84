"""The community model of the paper: sigmoid(B Bᵀ - C Cᵀ) with nonnegative B and C."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import LinkExplanation, NormalizedFactors, explain_link, normalize
from philia.explain.communities import odds_effect
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.initialization import Start, choose_start
from philia.models.checks import check_counts, check_search
from philia.models.factorization import Factorization
from philia.objective import CrossEntropy, Freedom, Group, Recipe
from philia.objective.mixing import attracting, blocks, both_ways, repelling
from philia.solvers import Solver

Background = Literal["none", "constant", "popularity"]
_BACKGROUNDS = {"constant": Freedom.SHARED, "popularity": Freedom.EVERY_NODE}


class CommunityModel(Factorization):
    """Communities that attract and communities that repel, fitted to all pairs of nodes.

    The probability of a link between nodes i and j is sigmoid(b_i·b_j - c_i·c_j): each column of B is a homophilous
    community, which raises the odds of a link between its members, each column of C a heterophilous one, which lowers
    them.

    Parameters
    ----------
    n_homophilous, n_heterophilous
        The number of columns of B and of C.
    penalty
        The weight of |B|² + |C|²; 10 in the paper. Smaller values follow the data more closely.
    background
        What every pair gets before any community speaks: "none" (even odds, the paper), "constant" (one number for all
        pairs) or "popularity" (a_i + a_j, one number a node); neither is penalised or bounded.
    start
        "spectral" (from leading eigenvectors) or "uniform" (the paper's random start), or a function like those.
    solver
        "lbfgsb" (SciPy's, 200 iterations, the paper's), "floor" (faster on large graphs), or a solver object such as
        ``LBFGSB(iterations=500)``.
    include_diagonal
        Whether a node's missing link to itself counts, as in the paper.
    random_state
        A seed: the same one gives the same factors to the last bit, whatever the number of threads.
    dtype
        "float64", or "float32" for about half the time at seven digits.
    n_jobs
        The number of threads; all cores by default, or with -1.

    Examples
    --------
    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
    >>> print(model.communities()[0].kind, model.predict_proba([(0, 1)]).shape)
    homophilous (1,)
    """

    loss = CrossEntropy()
    factors_: CommunityFactors

    def __init__(
        self,
        n_homophilous: int = 8,
        n_heterophilous: int = 4,
        *,
        penalty: float = 10.0,
        background: Background = "none",
        start: str | Start = "spectral",
        solver: str | Solver = "lbfgsb",
        include_diagonal: bool = True,
        random_state: Any = None,
        dtype: str = "float64",
        n_jobs: int | None = None,
    ) -> None:
        self.n_homophilous = n_homophilous
        self.n_heterophilous = n_heterophilous
        self.penalty = penalty
        self.background = background
        self.start = start
        self.solver = solver
        self.include_diagonal = include_diagonal
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs

    def explain(self, u: Node, v: Node) -> LinkExplanation:
        """Why the two nodes are, or are not, predicted to be linked."""
        check_is_fitted(self)
        return explain_link(self.graph_, self.factors_, u, v)

    def normalized(self) -> NormalizedFactors:
        """Memberships V in [0, 1] and signed strengths W of the fitted communities."""
        check_is_fitted(self)
        return normalize(self.factors_)

    def _recipe(self) -> Recipe:
        k_B, k_C = self.n_homophilous, self.n_heterophilous
        groups = [Group("homophilous", k_B, lower_bound=0.0), Group("heterophilous", k_C, lower_bound=0.0)]
        mixing = [attracting(k_B), repelling(k_C)]
        if self.background != "none":
            groups.append(Group("ones", 1, freedom=Freedom.ONES, penalized=False))
            groups.append(Group("background", 1, freedom=_BACKGROUNDS[self.background], penalized=False))
            mixing.append(both_ways())
        return Recipe(tuple(groups), blocks(*mixing), self.loss)

    def _start(self, graph: Graph, recipe: Recipe, rng: np.random.Generator) -> Float64Array:
        density = np.clip(graph.density, 1e-12, 1 - 1e-12)
        logit = float(np.log(density / (1 - density)))
        own = choose_start(self.start)(
            graph, self.n_homophilous, self.n_heterophilous, logit if self.background == "none" else 0.0, rng
        )
        return self._columns(CommunityFactors(*own, np.full(graph.n_nodes, logit / 2)))

    def _columns(self, factors: CommunityFactors) -> Float64Array:
        parts = [factors.homophilous, factors.heterophilous]
        if self.background != "none":
            parts += [np.ones((factors.n_nodes, 1)), factors.background[:, None]]
        return np.hstack(parts)

    def _factors(self, F: Float64Array, recipe: Recipe) -> CommunityFactors:
        background = recipe.columns_of("background", F)
        return CommunityFactors(
            recipe.columns_of("homophilous", F),
            recipe.columns_of("heterophilous", F),
            background[:, 0].copy() if background.size else np.zeros(len(F)),
        )

    def _effect(self, strength: float) -> str:
        return odds_effect(strength)

    def _check_parameters(self) -> None:
        check_counts(self, "n_homophilous", "n_heterophilous", least=0)
        check_search(self)
        if self.n_homophilous + self.n_heterophilous == 0 and self.background == "none":
            raise InvalidParameterError(
                "both numbers of communities are 0 and there is no background; ask for at least one"
            )
        if self.background not in ("none", *_BACKGROUNDS):
            raise InvalidParameterError(f"background is {self.background!r}; use 'none', 'constant' or 'popularity'")
