"""The models that are compared, for given settings, number of columns, split and seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from philia.models import (
    SVD,
    AttractRepel,
    BigClam,
    CommunityModel,
    LinkModel,
    LogisticPCA,
    NormalizedCuts,
    RandomLinks,
    SoftClustering,
    SymNMF,
    VGraph,
)
from philia.solvers import LBFGSB


@dataclass(frozen=True)
class Shape:
    """How many columns of each kind a model has, its seed, and how many iterations it may take.

    >>> Shape(3, 2, seed=0, iterations=200).width
    5
    """

    attracting: int
    repelling: int
    seed: int
    iterations: int

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.attracting + self.repelling

    def split(self, kinds: tuple[int, int]) -> Shape:
        """The same with other numbers of columns that attract and that repel.

        >>> Shape(3, 2, seed=0, iterations=200).split((1, 4)).repelling
        4
        """
        return replace(self, attracting=kinds[0], repelling=kinds[1])

    @property
    def solver(self) -> LBFGSB:
        """The paper's solver."""
        return LBFGSB(iterations=self.iterations)


Make = Callable[[Shape], LinkModel]


@dataclass(frozen=True)
class Settings:
    """What two readings of a comparison differ in: the penalty, and where a search starts.

    >>> Settings(1.0, "spectral") in GRID
    True
    """

    penalty: float
    start: str = "uniform"

    def __str__(self) -> str:
        return f"{self.penalty:g}, {self.start}"


Family = Callable[[Settings], Make]

SAME = Settings(10.0)
"""The paper's: a penalty of 10 and a random start."""

GRID = tuple(Settings(penalty, start) for start in ("uniform", "spectral") for penalty in (0.0, 0.1, 1.0, 10.0))
"""Settings that a method may choose from."""


def ours(penalty: float, start: str = "uniform", *, include_diagonal: bool = True) -> Make:
    """The paper's model, by default with the paper's random start.

    >>> ours(10)(Shape(3, 2, seed=0, iterations=200)).penalty
    10
    """
    return lambda shape: CommunityModel(
        shape.attracting,
        shape.repelling,
        penalty=penalty,
        background="none",
        start=start,
        solver=shape.solver,
        include_diagonal=include_diagonal,
        random_state=shape.seed,
    )


def bigclam(penalty: float = 0.0, start: str = "spectral", *, include_diagonal: bool) -> Make:
    """BigClam; its authors count pairs of different nodes, but a reconstruction of all entries has a diagonal too."""
    return lambda shape: BigClam(
        shape.width,
        penalty=penalty,
        start=start,
        include_diagonal=include_diagonal,
        solver=shape.solver,
        random_state=shape.seed,
    )


def symnmf(penalty: float = 0.0, start: str = "spectral", *, include_diagonal: bool = True) -> Make:
    """SymNMF, which counts the diagonal."""
    return lambda shape: SymNMF(
        shape.width,
        penalty=penalty,
        start=start,
        include_diagonal=include_diagonal,
        solver=shape.solver,
        random_state=shape.seed,
    )


FAMILIES: dict[str, Family] = {
    "CommunityModel": lambda settings: ours(settings.penalty, settings.start),
    "BigClam": lambda settings: bigclam(settings.penalty, settings.start, include_diagonal=False),
    "SymNMF": lambda settings: symnmf(settings.penalty, settings.start),
}
"""The paper's factor models, which all have a penalty and a start."""

OWN = ", own settings"
"""What follows the name of a model that has its own best settings instead of the same as all others."""


def soft_clustering(shape: Shape) -> LinkModel:
    """Soft clustering, with the same number of columns."""
    return SoftClustering(shape.width, solver=shape.solver, random_state=shape.seed)


def svd(shape: Shape) -> LinkModel:
    """The best approximation of this rank in squared error."""
    return SVD(shape.width, random_state=shape.seed)


def logistic_pca(shape: Shape) -> LinkModel:
    """Logistic PCA with as many numbers per node: half as many columns, on each of its two sides."""
    return LogisticPCA(max(1, shape.width // 2), solver=shape.solver, random_state=shape.seed)


def attract_repel(shape: Shape) -> LinkModel:
    """Attract-repel with the same split."""
    return AttractRepel(shape.attracting, shape.repelling, solver=shape.solver, random_state=shape.seed)


def vgraph(shape: Shape) -> LinkModel:
    """vGraph, with its own number of iterations, which are of another kind."""
    return VGraph(shape.width, random_state=shape.seed)


def smooth_vgraph(shape: Shape) -> LinkModel:
    """vGraph with its smoothness term, which its authors call vGraph+, weighted by 100; the paper gives no weight."""
    return VGraph(shape.width, smoothness=100.0, random_state=shape.seed)


def normalized_cuts(shape: Shape) -> LinkModel:
    """Normalized cuts, with as many parts as columns."""
    return NormalizedCuts(shape.width, random_state=shape.seed)


def random_links(shape: Shape) -> LinkModel:
    """A coin toss for every pair."""
    return RandomLinks(shape.width, random_state=shape.seed)
