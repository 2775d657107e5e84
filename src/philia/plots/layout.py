"""Where things are in a drawing of a network: nodes, communities on a map, and the outlines around members.

Positions come from igraph's force-directed layout (Fruchterman and Reingold). It starts from a spiral, so nothing is
random, and the same graph is always drawn the same way.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import contourpy
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.ndimage import distance_transform_edt
from scipy.spatial import KDTree

from philia._types import Float64Array, Int64Array
from philia.exceptions import MissingDependencyError
from philia.graphs import Graph

_LINKS, _TOGETHER, _CENTER = 4.0, 2.0, 0.1
"""How hard a node is pulled by all its links, by the centers of its communities, and by the center of the drawing.

Compared by eye on the karate club, political books and a Facebook neighbourhood: without the second, communities mix at
their borders; with less of the third, separate components drift out of sight; with more, they are pushed together.
"""

_ITERATIONS = 300
"""Steps of the layout: 500, igraph's default, look the same."""

_QUICK = 1000
"""Up to this many nodes all steps are taken; beyond it fewer, as each takes time that grows with the square."""

_STEPS = 100
"""The least number of steps; nodes are in the right community by then, and only move inside it."""

_GRID = 160
"""Cells along the width of the drawing, in which outlines are found."""

_SQUEEZED, _SQUEEZED_ON_MAPS = 0.6, 0.2
"""Distances from the middle to this power, where they are large: a few nodes far outside would leave the rest a dot. Of
the circles of a map, those without links to others are far outside, and a name has to fit into each of the rest."""

_FAR = 2.0
"""Circles of a map farther out than this many times the median are drawn in: they would leave half of it empty."""

_AIR = 0.35
"""The space between two circles of a map, in radii of the smaller one: room for a name."""

_PUSHES = 200
"""Steps in which overlapping circles are pushed apart; some dozens are enough for 48 of them."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions (n × 2) inside a box of width 1 and height ``height``, with y upwards, and a radius for each of them.

    >>> from philia.datasets import classic
    >>> layout = Layout.of_nodes(classic("karate"), sparse.csr_array((34, 0)))
    >>> layout.positions.shape, bool((layout.positions.max(axis=0) <= [1, layout.height]).all())
    ((34, 2), True)
    """

    positions: Float64Array
    radii: Float64Array
    height: float

    @classmethod
    def of_nodes(cls, graph: Graph, shares: sparse.csr_array) -> Layout:
        """The nodes of a graph; ``shares`` (n × communities) is how much each belongs to each community.

        Every link pulls its ends together, the more the fewer links they have, and up to three times as much if they
        are in the same communities; every community pulls its members to a center of its own.
        """
        n, k = graph.n_nodes, int(shares.shape[1])
        rows, columns = graph.links
        degrees = graph.degrees.astype(np.float64)
        alike = _alike(shares, rows, columns)
        pull = _LINKS * (1 + 2 * alike) / np.sqrt(degrees[rows] * degrees[columns])
        members = sparse.coo_array(shares)
        ends = [
            np.column_stack([rows, columns]),
            np.column_stack([members.row, n + members.col]),
            np.column_stack([np.arange(n), np.full(n, n + k)]),
        ]
        weights = np.concatenate([pull, _TOGETHER * members.data, np.full(n, _CENTER)])
        steps = max(_STEPS, int(_ITERATIONS * min(1.0, (_QUICK / max(n, 1)) ** 2)))
        points = _forced(n + k + 1, np.concatenate(ends), weights, steps)[:n]
        positions, height = _into_box(_squeezed(_lying(points), _SQUEEZED))
        return cls(positions, _node_radii(positions, degrees), height)

    @classmethod
    def of_communities(cls, links: Float64Array, sizes: Int64Array) -> Layout:
        """A map: communities (k) as circles whose areas are their sizes, close to those they have many links with.

        ``links`` (k × k) counts links between them. What counts is how many there are for the sizes of both.

        >>> layout = Layout.of_communities(np.array([[9, 3, 0], [3, 9, 1], [0, 1, 9]]), np.array([8, 8, 8]))
        >>> near, far = (np.linalg.norm(layout.positions[1] - layout.positions[other]) for other in (0, 2))
        >>> bool(near < far)
        True
        """
        k = len(sizes)
        between = links / np.sqrt(np.outer(np.maximum(sizes, 1), np.maximum(sizes, 1)))
        one, other = np.nonzero(np.triu(between, 1))
        pull = between[one, other] / max(between[one, other].max(initial=0.0), 1e-12)
        ends = np.concatenate([np.column_stack([one, other]), np.column_stack([np.arange(k), np.full(k, k)])])
        points = _forced(k + 1, ends, np.concatenate([_LINKS * pull, np.full(k, _CENTER)]), _ITERATIONS)[:k]
        radii = np.sqrt(np.maximum(sizes, 1) / max(int(np.sum(sizes)), 1))
        points = _pushed_apart(_scaled(_squeezed(_lying(points), _SQUEEZED_ON_MAPS), radii), radii)
        far = np.linalg.norm(points - np.median(points, axis=0), axis=1)
        alone = between.sum(axis=1) - between.diagonal() <= 0
        points = _drawn_in(points, radii, alone | (far > _FAR * np.median(far)))
        low, high = (
            (points - radii[:, None]).min(axis=0, initial=0),
            (points + radii[:, None]).max(axis=0, initial=1e-9),
        )
        width, height = (high - low).tolist()
        size = max(width, height)  # a map that is higher than wide is in the middle of a square
        places = (points - low + [(size - width) / 2, 0]) / size
        return cls(np.asarray(places), radii / size, height / size)

    def around(self, rows: Int64Array) -> list[Float64Array]:
        """The outlines around some nodes, as closed polygons (points × 2): every node with some air, gaps bridged.

        This is a closing, as in image processing: all points near a member, without those that a disc can cover that
        touches none of them. A member far from all others gets an outline of its own.
        """
        if not len(rows):
            return []
        cell = 1.0 / _GRID
        near = max(1.9 * float(np.median(self.radii)), 2.5 * cell)
        bridge = max(4.0 * float(np.median(self.radii)), 0.03)
        edge = near + bridge + 3 * cell
        shape = (int((self.height + 2 * edge) / cell) + 2, int((1 + 2 * edge) / cell) + 2)
        y, x = (np.arange(size) * cell - edge for size in shape)
        apart = KDTree(self.positions[rows]).query(np.stack(np.meshgrid(x, y), axis=-1), distance_upper_bound=2 * edge)[
            0
        ]
        inside = distance_transform_edt(apart <= near + bridge) * cell
        lines: Any = contourpy.contour_generator(x, y, inside).lines(bridge)
        return [np.asarray(line, dtype=np.float64) for line in lines if len(line) > 3]


def _alike(shares: sparse.csr_array, rows: Int64Array, columns: Int64Array) -> Float64Array:
    """How much the ends of each link share communities, from 0 to 1."""
    if not shares.shape[1] or not len(rows):
        return np.zeros(len(rows))
    both = np.asarray(shares[rows].multiply(shares[columns]).sum(axis=1)).ravel()
    return np.asarray(np.minimum(both, 1.0))


def _forced(count: int, ends: Int64Array, weights: Float64Array, steps: int) -> Float64Array:
    """igraph's layout of weighted links, from points on a spiral."""
    if not count:
        return np.zeros((0, 2))
    around = np.arange(count)
    angle = around * np.pi * (3 - np.sqrt(5))  # the golden angle, as in a sunflower
    start = np.column_stack([np.cos(angle), np.sin(angle)]) * np.sqrt(around + 0.5)[:, None]
    made = _igraph().Graph(n=count, edges=ends.tolist())
    with _own_randomness():
        found = made.layout_fruchterman_reingold(
            weights=np.maximum(weights, 1e-6).tolist(), seed=start.tolist(), niter=steps, grid="nogrid"
        )
    return np.array(found.coords, dtype=np.float64).reshape(count, 2)


def _igraph() -> Any:
    try:
        import igraph
    except ModuleNotFoundError:
        raise MissingDependencyError(
            "a drawing of a network needs the package igraph for its layout, which is not installed; "
            "pip install 'philia[report]'"
        ) from None
    return igraph


@contextmanager
def _own_randomness() -> Iterator[None]:
    """Where two nodes coincide, igraph draws from Python's generator: it is seeded here, and put back."""
    before = random.getstate()
    random.seed(0)
    try:
        yield
    finally:
        random.setstate(before)


def _lying(points: Float64Array) -> Float64Array:
    """The same points around 0, turned so that the drawing is wider than high, as pages are."""
    middle = points - points.mean(axis=0) if len(points) else points
    if len(points) < 3:
        return np.asarray(middle)
    _, axes = np.linalg.eigh(middle.T @ middle)
    turned = middle @ axes[:, ::-1]
    return np.asarray(turned * np.where(turned[0] < 0, 1.0, -1.0))  # the first node is at the upper left or lower left


def _squeezed(points: Float64Array, power: float) -> Float64Array:
    """Points with those far outside moved in; directions and the order of distances from the middle stay."""
    far = np.linalg.norm(points, axis=1, keepdims=True)
    typical = float(np.median(far)) if len(far) else 0.0
    if typical <= 0:
        return points
    ratio = np.maximum(far / (2 * typical), 1.0)
    return np.asarray(points * ratio ** (power - 1))


def _into_box(points: Float64Array) -> tuple[Float64Array, float]:
    """Points in a box of width 1, and its height; a single point is in the middle of a square."""
    low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
    width, height = (high - low).tolist() if len(points) else (0.0, 0.0)
    largest = max(width, height)
    if largest <= 1e-9:
        return np.full_like(points, 0.5), 1.0
    if height > width:  # rarely, as the points lie on their side
        return np.asarray((points - low + [(height - width) / 2, 0]) / height), 1.0
    return np.asarray((points - low) / width), max(height / width, 1e-3)


def _node_radii(positions: Float64Array, degrees: Float64Array) -> Float64Array:
    """Radii that let most nodes be seen: less than half of the distance to the nearest one, larger with more links."""
    if len(positions) < 2:
        return np.full(len(positions), 0.05)
    nearest = KDTree(positions).query(positions, k=2)[0][:, 1]
    typical = float(np.clip(0.45 * np.median(nearest), 0.004, 0.02))
    return np.asarray(typical * (0.7 + 0.7 * np.sqrt(degrees / max(degrees.max(), 1.0))))


def _scaled(points: Float64Array, radii: Float64Array) -> Float64Array:
    """Points scaled so that about the closest circles touch: the rest is left to pushing."""
    if len(points) < 2:
        return points
    nearest, who = (found[:, 1] for found in KDTree(points).query(points, k=2))
    room = (radii + radii[who.astype(np.int64)]) / np.maximum(nearest, 1e-9)
    return np.asarray(points * float(np.median(room)))


def _pushed_apart(points: Float64Array, radii: Float64Array) -> Float64Array:
    """Circles moved until none overlaps another, each pair by half of what is missing."""
    touching = radii[:, None] + radii[None] + _AIR * np.minimum(radii[:, None], radii[None])
    np.fill_diagonal(touching, 0.0)
    for _ in range(_PUSHES):
        apart = points[:, None] - points[None]
        far = np.linalg.norm(apart, axis=2)
        missing = np.maximum(touching - far, 0.0)
        if missing.max(initial=0.0) <= 1e-6:
            break
        direction = apart / np.maximum(far, 1e-9)[:, :, None]
        points = points + 0.5 * (missing[:, :, None] * direction).sum(axis=1)
    return points


def _drawn_in(points: Float64Array, radii: Float64Array, alone: npt.NDArray[np.bool_]) -> Float64Array:
    """Circles ``alone``, with hardly a link to others, moved towards the middle until they are beside one of the rest.

    >>> points, radii = np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([1.0, 1.0])
    >>> _drawn_in(points, radii, np.array([False, True])).tolist()
    [[0.0, 0.0], [2.35, 0.0]]
    """
    points, placed = points.copy(), ~alone
    if not placed.any():
        return points
    middle = points[placed].mean(axis=0)
    far = np.linalg.norm(points - middle, axis=1)
    for i in np.flatnonzero(alone)[np.argsort(far[alone], kind="stable")]:
        towards = (points[i] - middle) / max(far[i], 1e-9)
        apart = radii[placed] * (1 + _AIR) + radii[i]
        others = points[placed] - middle
        along = others @ towards
        beyond = apart**2 - ((others**2).sum(axis=1) - along**2)  # where the way passes a circle, squared half chords
        stops = along[beyond > 0] + np.sqrt(beyond[beyond > 0])
        points[i] = middle + towards * min(far[i], max(stops.max(initial=0.0), 0.0))
        placed[i] = True
    return points
