"""The models of the comparisons, made for a given width, split and seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
    """How wide a model may be, of which kinds its columns are, its seed, and how many steps it may take.

    >>> Shape(3, 2, seed=0, iterations=200).width
    5
    """

    attracting: int
    repelling: int
    seed: int
    iterations: int

    @property
    def width(self) -> int:
        """Columns of both kinds."""
        return self.attracting + self.repelling

    @property
    def solver(self) -> LBFGSB:
        """The paper's solver."""
        return LBFGSB(iterations=self.iterations)


Make = Callable[[Shape], LinkModel]


def ours(penalty: float, start: str = "uniform", *, include_diagonal: bool = True) -> Make:
    """The paper's model, by default with its random start.

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


def bigclam(*, include_diagonal: bool) -> Make:
    """BigClam; its authors count pairs of different nodes, a reconstruction of all entries counts the diagonal too."""
    return lambda shape: BigClam(
        shape.width, include_diagonal=include_diagonal, solver=shape.solver, random_state=shape.seed
    )


def symnmf(shape: Shape) -> LinkModel:
    """SymNMF, which counts the diagonal."""
    return SymNMF(shape.width, solver=shape.solver, random_state=shape.seed)


def symnmf_off_diagonal(shape: Shape) -> LinkModel:
    """SymNMF that may do on the diagonal what it likes."""
    return SymNMF(shape.width, include_diagonal=False, solver=shape.solver, random_state=shape.seed)


def soft_clustering(shape: Shape) -> LinkModel:
    """Soft clustering."""
    return SoftClustering(shape.width, solver=shape.solver, random_state=shape.seed)


def svd(shape: Shape) -> LinkModel:
    """The best approximation of that rank."""
    return SVD(shape.width, random_state=shape.seed)


def logistic_pca(shape: Shape) -> LinkModel:
    """Logistic PCA with as many numbers a node: half as many columns, each of which a node has twice."""
    return LogisticPCA(max(1, shape.width // 2), solver=shape.solver, random_state=shape.seed)


def attract_repel(shape: Shape) -> LinkModel:
    """Attract-repel with the same split."""
    return AttractRepel(shape.attracting, shape.repelling, solver=shape.solver, random_state=shape.seed)


def vgraph(shape: Shape) -> LinkModel:
    """vGraph, with its own number of steps: they are of another kind."""
    return VGraph(shape.width, random_state=shape.seed)


def normalized_cuts(shape: Shape) -> LinkModel:
    """Normalized cuts."""
    return NormalizedCuts(shape.width, random_state=shape.seed)


def random_links(shape: Shape) -> LinkModel:
    """Coins."""
    return RandomLinks(shape.width, random_state=shape.seed)
