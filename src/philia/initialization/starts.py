"""Starts: B and C before the first step, at random, from the spectrum or from a simpler fit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
import scipy
from scipy import sparse

from philia._types import Float64Array, FloatArray, Int64Array
from philia.exceptions import InvalidParameterError
from philia.execution import Executor, LocalThreads, one_blas_thread
from philia.factors import CommunityFactors, LogisticFactors
from philia.graphs import Graph
from philia.graphs.spectrum import leading_ends
from philia.objective import CrossEntropy, Freedom, Group, Recipe, exact_objective
from philia.objective.recipe import attracting, blocks, meeting_ones, one_way, repelling
from philia.reading.sides import two_sides
from philia.solvers import LBFGSB
from philia.solvers.catalog import is_cheap


def uniform(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,  # noqa: ARG001  (part of every start's signature)
    rng: np.random.Generator,
) -> tuple[Float64Array, Float64Array]:
    """B from Unif(0, 1/√k_B) and C from Unif(0, 1/√k_C), so that every score starts between -1 and 1."""
    n = graph.n_nodes
    B = rng.uniform(0, 1 / np.sqrt(max(1, n_homophilous)), size=(n, n_homophilous))
    C = rng.uniform(0, 1 / np.sqrt(max(1, n_heterophilous)), size=(n, n_heterophilous))
    return B, C


def background(
    graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """The uniform start with the first column of C raised by √-baseline, so that all nodes repel each other.

    Pairs then start near the graph's density instead of at even odds. If the model has a background, the baseline is 0
    and this is the uniform start.

    >>> from philia import as_graph
    >>> B, C = background(as_graph([(0, 1), (1, 2)]), 1, 2, -4.0, np.random.default_rng(0))
    >>> bool((C[:, 0] >= 2).all()), bool((C[:, 1] < 1).all())
    (True, True)
    """
    B, C = uniform(graph, n_homophilous, n_heterophilous, baseline, rng)
    C[:, :1] += np.sqrt(max(-baseline, 0.0))
    return B, C


_TELLING = 50_000
"""Rows that are enough to find the rotation of all."""

_ROUNDING = 1e-6
"""Entries below this share of a column's largest are zeros up to rounding."""

_Bits = TypeVar("_Bits", bound=np.floating[Any])


def spectral(
    graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """B from rotated leading eigenvectors, C from the two sides of the most negative ones, on top of the uniform start.

    Leading positive eigenvalues of the adjacency matrix belong to groups that attract, negative ones to groups that
    repel. Their eigenvectors span the groups' indicators but mix them; a varimax rotation, which makes columns as
    sparse as they can be, unmixes them (Rohe and Zeng, "Vintage factor analysis with varimax performs statistical
    inference", 2023). A negative eigenvector has one group on each side of zero, so it gives two columns.

    The random part stays because the leading eigenvectors of a sparse graph may be zero at most of its nodes, and the
    gradient vanishes there.

    A baseline of zero means that the model has a background, which already explains the degrees. Then the eigenvectors
    are those of the degree-normalized matrix, and small, so that they do not disturb the background.
    """
    B, C = uniform(graph, n_homophilous, n_heterophilous, baseline, rng)
    counts = n_homophilous, max(n_heterophilous - 1, min(1, n_heterophilous))
    upper, lower = leading_ends(graph, *counts, rng, scaled=baseline == 0, run=LocalThreads().map)
    together = _skewed(varimax(_sized(*upper, counts[0])))
    np.maximum(together, 0, out=together)
    sides = _sides(_sized(-lower[0], lower[1], counts[1]), n_heterophilous)
    if baseline == 0:
        B += _scaled(together, 0.5)
        C += _scaled(sides, 0.5)
        return B, C
    depth = np.sqrt(-np.log(np.clip(graph.density, 1e-12, 0.5)))
    everybody = 0.8 * np.sqrt(max(-baseline, 0.0) / max(1, n_heterophilous))
    B += _scaled(together, 1.0)
    C += _scaled(sides, depth / 2)
    C += everybody
    return B, C


def _sides(X: npt.NDArray[_Bits], count: int) -> npt.NDArray[_Bits]:
    """The groups (n × count) that are apart along ``count`` - 1 negative eigenvectors, or the side of a single one.

    In these coordinates the groups are the corners of a simplex around zero. With one more coordinate, the same for
    all nodes, the corners are at right angles, and a rotation unmixes them.
    """
    if count <= 2:
        opposing = _skewed(X)
        return np.hstack([np.maximum(opposing, 0), np.maximum(-opposing, 0)])[:, :count]
    size = np.sqrt((X**2).mean(axis=0, dtype=np.float64).max(initial=0.0))
    groups = _skewed(varimax(np.hstack([X, np.full_like(X[:, :1], size)])))
    return np.asarray(np.maximum(groups, 0))


def varimax(X: npt.NDArray[_Bits], iterations: int = 100, tolerance: float = 1e-6) -> npt.NDArray[_Bits]:
    """X rotated so that its columns are as sparse as possible (Kaiser's criterion).

    For many rows the rotation is found from the longest rows, which dominate the criterion, and as many others at even
    distances.

    >>> groups = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> mixed = groups @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    >>> np.abs(varimax(mixed)).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    n, k = X.shape
    if k < 2 or n == 0:
        return X
    telling = X if n <= _TELLING else X[_telling_rows(X)]
    rotation = _rotation(telling.astype(np.float64, copy=False), iterations, tolerance)
    return np.asarray(X @ rotation.astype(X.dtype, copy=False))


def _telling_rows(X: FloatArray) -> Int64Array:
    """The longest rows and as many others at even distances."""
    half = _TELLING // 2
    longest = np.argpartition(np.einsum("ij,ij->i", X, X), len(X) - half)[-half:]
    return np.union1d(longest, np.linspace(0, len(X) - 1, half).astype(np.int64))


def _rotation(X: Float64Array, iterations: int, tolerance: float) -> Float64Array:
    turned, reached = X, -np.inf
    squares = X * X
    for _ in range(iterations):
        means = squares.mean(axis=0)
        # The last term is constant over rotations but makes the criterion convex, so that every step to the polar
        # factor of the gradient is an ascent.
        U, _, Vt = scipy.linalg.svd(X.T @ (turned * (squares - means + means.max())))
        rotation = np.asarray(U @ Vt)
        turned = X @ rotation
        squares = turned * turned
        spread = float(squares.var(axis=0).sum())
        if spread <= reached * (1 + tolerance):
            break
        reached = spread
    return rotation


def _sized(values: Float64Array, vectors: FloatArray, count: int) -> FloatArray:
    """Eigenvectors times the roots of their eigenvalues; zeros where they are negative or run out."""
    columns = np.zeros((len(vectors), count), vectors.dtype)
    np.multiply(vectors, np.sqrt(np.maximum(values, 0)), out=columns[:, : len(values)], casting="same_kind")
    return columns


def _skewed(X: npt.NDArray[_Bits]) -> npt.NDArray[_Bits]:
    """Each column, in place, with the sign that makes its few large entries positive."""
    X *= np.where((X**3).sum(axis=0, dtype=np.float64) < 0, -1, 1).astype(X.dtype)
    return X


def _scaled(X: npt.NDArray[_Bits], size: float) -> npt.NDArray[_Bits]:
    """Columns, in place, scaled so that their positive entries have this root mean square."""
    zero = _ROUNDING * X.max(axis=0, initial=0.0)
    positive = np.maximum((zero < X).sum(axis=0), 1)
    norms = np.sqrt((X**2).sum(axis=0, dtype=np.float64) / positive)
    X *= (size / np.where(norms > 0, norms, 1.0)).astype(X.dtype)
    return X


_FEW = 5
"""A neighbourhood of fewer nodes is never a center: a link more or less would decide its conductance."""

_BY_CHANCE = 10
"""Members of a column for which no neighbourhood is left."""


def neighbourhoods(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,
    rng: np.random.Generator,
) -> tuple[Float64Array, Float64Array]:
    """B from the nodes that, together with their neighbours, have the least conductance; C from the uniform start.

    A column is one for a node and its neighbours and zero elsewhere; no two of these nodes are linked. That is the
    start of BigClam (Yang and Leskovec, 2013), after Gleich and Seshadhri, "Vertex neighborhoods, low conductance cuts,
    and good seeds for local community methods", 2012. It takes as long as counting triangles.

    >>> from philia import as_graph
    >>> two = [(i, j) for own in (range(5), range(5, 10)) for i in own for j in own if i < j]
    >>> B, C = neighbourhoods(as_graph([*two, (0, 5)]), 2, 0, 0.0, np.random.default_rng(0))
    >>> sorted(np.flatnonzero(column).tolist() for column in B.T)
    [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    """
    n, (starts, ends) = graph.n_nodes, (graph.adjacency.indptr, graph.adjacency.indices)
    _, C = uniform(graph, 0, n_heterophilous, baseline, rng)
    B, taken, column = np.zeros((n, n_homophilous)), graph.degrees + 1 < _FEW, 0
    for node in np.argsort(_conductances(graph), kind="stable").tolist():
        if column == n_homophilous:
            break
        if not taken[node]:
            around = np.append(ends[starts[node] : starts[node + 1]], node)
            taken[around], B[around, column] = True, 1.0
            column += 1
    for rest in range(column, n_homophilous):
        B[rng.choice(n, min(n, _BY_CHANCE), replace=False), rest] = 1.0
    return B, C


def _conductances(graph: Graph) -> Float64Array:
    """The share of the links of each node's neighbourhood, the node included, that leave it."""
    degrees = graph.degrees.astype(np.float64)
    volume = degrees + graph.adjacency @ degrees
    within = 2 * degrees + 2 * _triangles(graph)
    smaller = np.minimum(volume, 2 * graph.n_links - volume)
    return np.asarray((volume - within) / np.maximum(1, smaller))


def _triangles(graph: Graph) -> Float64Array:
    """The number of triangles at each node.

    Each link points to its end of higher degree, so that no node has many links away from it, and each triangle is
    counted by its link between the two nodes of highest degree and by the link between the other two.
    """
    rows, columns = graph.links
    order = np.empty(graph.n_nodes, np.int64)
    order[np.argsort(graph.degrees, kind="stable")] = np.arange(graph.n_nodes)
    swap = order[rows] > order[columns]
    tails, heads = np.where(swap, columns, rows), np.where(swap, rows, columns)
    away = sparse.csr_array((np.ones(len(rows)), (tails, heads)), shape=(graph.n_nodes, graph.n_nodes))
    last, first = (away.T @ away).multiply(away), (away @ away).multiply(away)
    return np.asarray(last.sum(axis=1) + last.sum(axis=0) + first.sum(axis=1))


_PENALTY = 1.0
"""The penalty of the unconstrained fit; a start does not know the model's own."""

_CHANCE = 0.1
"""The share of the uniform start that is added, because the gradient at a zero column vanishes."""


def signed(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,
    rng: np.random.Generator,
    *,
    iterations: int = 15,
    executor: Executor | None = None,
) -> tuple[Float64Array, Float64Array]:
    """B and C from a short fit of sigmoid(P Pᵀ - N Nᵀ), whose columns may have any sign.

    It begins at the spectral start; from a random one it would merge groups that the spectrum separates. A baseline of
    0 means that the model has a background, so this fit gets one too: a level and a popularity per node.

    >>> from philia.datasets import dating_app
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> B, C = signed(app.graph, 3, 2, -2.0, np.random.default_rng(0))
    >>> B.shape, C.shape, bool(B.min() >= 0)
    ((120, 3), (120, 2), True)
    """
    n, k_B, k_C = graph.n_nodes, n_homophilous, n_heterophilous
    groups, mixing = [Group("positive", k_B), Group("negative", k_C)], [attracting(k_B), repelling(k_C)]
    begin = list(spectral(graph, k_B, k_C, baseline, rng))
    if baseline == 0:
        groups += [
            Group("ones", 1, freedom=Freedom.FIXED, penalized=False),
            Group("level", 1, freedom=Freedom.SHARED, penalized=False),
            Group("popularity", 1),
        ]
        mixing.append(meeting_ones(2))
        begin += [np.ones((n, 1)), np.full((n, 1), _logit(graph.density) / 2), np.zeros((n, 1))]
    recipe = Recipe(tuple(groups), blocks(*mixing), CrossEntropy())
    F = _fitted(graph, recipe, np.hstack(begin), iterations, executor)
    B = strongest_sides(recipe.columns_of("positive", F), k_B)
    C = strongest_sides(recipe.columns_of("negative", F), k_C)
    return _with_chance(graph, B, C, rng)


def logistic(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,
    rng: np.random.Generator,
    *,
    iterations: int = 25,
    executor: Executor | None = None,
) -> tuple[Float64Array, Float64Array]:
    """B and C from a short fit of logistic PCA: the eigenvectors of its logits, after a varimax rotation.

    Logistic PCA has no background, so its most negative eigenvector encodes that most pairs are not linked. Where the
    baseline is 0 the model's background does that, and this eigenvector is left out.

    >>> from philia.datasets import dating_app
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> B, C = logistic(app.graph, 3, 2, -2.0, np.random.default_rng(0))
    >>> B.shape, C.shape, bool(B.min() >= 0)
    ((120, 3), (120, 2), True)
    """
    k = n_homophilous + n_heterophilous
    size = 1 / np.sqrt(max(1, k))
    recipe = Recipe((Group("left", k), Group("right", k)), one_way(2 * k), CrossEntropy())
    F = _fitted(graph, recipe, size * rng.uniform(-1, 1, (graph.n_nodes, 2 * k)), iterations, executor)
    found = LogisticFactors(recipe.columns_of("left", F), recipe.columns_of("right", F)).signed()
    told = 1 if baseline == 0 else 0
    B = strongest_sides(varimax(found.positive[:, :n_homophilous]), n_homophilous)
    C = strongest_sides(varimax(found.negative[:, told : told + n_heterophilous]), n_heterophilous)
    return _with_chance(graph, B, C, rng)


def strongest_sides(X: Float64Array, count: int) -> Float64Array:
    """The ``count`` strongest positive and negative parts of the columns (n × count), strongest first.

    With x = p - q split into its positive part p and negative part q, x xᵀ = p pᵀ + q qᵀ - (p qᵀ + q pᵀ). Only the
    first two terms are kept, which is nearly everything if each column is a group with one large side. Keeping all of
    it, as 2 p pᵀ + 2 q qᵀ - |x| |x|ᵀ, takes three columns for one and is a worse start when there is no room for them.
    Missing columns are zero.

    >>> strongest_sides(np.array([[1.0, 0.0], [-3.0, 0.0], [0.0, 2.0]]), 2)
    array([[0., 0.],
           [3., 0.],
           [0., 2.]])
    """
    sides = np.hstack([np.maximum(X, 0), np.maximum(-X, 0)])
    order = np.argsort(-(sides**2).sum(axis=0), kind="stable")[:count]
    found = np.zeros((len(X), count))
    found[:, : len(order)] = sides[:, order]
    return found


def _fitted(
    graph: Graph, recipe: Recipe, begin: Float64Array, iterations: int, executor: Executor | None
) -> Float64Array:
    """The columns after a few iterations: in double precision on small graphs, where rounding could decide."""
    n = graph.n_nodes
    if recipe.size(n) == 0:
        return begin
    dtype = np.float64 if is_cheap(n, n * n * len(recipe.mixing)) else np.float32
    objective = exact_objective(graph, recipe, penalty=_PENALTY, dtype=dtype, executor=executor)
    with one_blas_thread():
        solution = LBFGSB(iterations).minimize(
            objective.value_and_gradient, recipe.point(begin), recipe.lower_bounds(n)
        )
    if solution.reason == "interrupted":  # after Ctrl-C the search must not begin
        raise KeyboardInterrupt
    return recipe.factors(solution.point, n)


def _with_chance(
    graph: Graph, B: Float64Array, C: Float64Array, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    chance_B, chance_C = uniform(graph, B.shape[1], C.shape[1], 0.0, rng)
    return B + _CHANCE * chance_B, C + _CHANCE * chance_C


def _logit(density: float) -> float:
    inside = float(np.clip(density, 1e-12, 1 - 1e-12))
    return float(np.log(inside / (1 - inside)))


class Start(Protocol):
    """A function that chooses B and C before the first step."""

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B and C; ``baseline`` is the log-odds that they should give two nodes without a common group."""
        ...


class WholeStart(ABC):
    """A start that sets the background as well as B and C.

    >>> from philia.models import FromModel
    >>> issubclass(FromModel, WholeStart)
    True
    """

    @abstractmethod
    def factors(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, rng: np.random.Generator
    ) -> CommunityFactors:
        """B, C and the background for the nodes of a graph."""

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B and C alone, as other starts return them."""
        found = self.factors(graph, n_homophilous, n_heterophilous, rng)
        return found.homophilous, found.heterophilous

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # immutable, so copies of a model's settings may share it


class AcrossSides:
    """Another start with C at the two sides of the links that it is given, for a graph whose links only run across.

    >>> from philia import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> AcrossSides("uniform")(path, 0, 2, 0.0, np.random.default_rng(0))[1].tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """

    def __init__(self, others: str | Start) -> None:
        self.others = choose_start(others)

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B of the other start, and C."""
        B, C = self.others(graph, n_homophilous, n_heterophilous, baseline, rng)
        sides = two_sides(graph) if n_heterophilous == 2 else None
        return B, C if sides is None else np.stack([sides == 0, sides == 1], axis=1).astype(np.float64)


STARTS: dict[str, Start] = {
    "spectral": spectral,
    "uniform": uniform,
    "background": background,
    "neighbourhoods": neighbourhoods,
    "signed": signed,
    "logistic": logistic,
}


def choose_start(start: str | Start) -> Start:
    """The start with a name; a function is returned as it is.

    >>> choose_start("uniform").__name__
    'uniform'
    """
    names = ", ".join(map(repr, STARTS))
    if not isinstance(start, str):
        if not callable(start):
            raise InvalidParameterError(
                f"start is a {type(start).__name__}; use {names}, a function, or, to begin where a fitted model ended, "
                "philia.models.FromModel(model)"
            )
        return start
    if start not in STARTS:
        raise InvalidParameterError(f"there is no start {start!r}; use {names}, or a function")
    return STARTS[start]
