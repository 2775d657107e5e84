"""A normalizing flow: a density over rows, learned from them, with its slopes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array

_LAYERS = 4
"""Every column is changed by two layers."""

_HIDDEN = 16
"""Hidden units of a layer: enough for densities with a few modes, few beside the rows they are learned from."""

_STEEPEST = 2.0
"""The largest logarithm of a layer's scaling, so that no step of the training blows up."""

_STEPS, _RATE = 200, 1e-2
"""Steps of Adam in a training, and their size."""


@dataclass(frozen=True, eq=False)
class Flow:
    """Affine coupling layers that turn rows into a standard normal distribution (RealNVP; Dinh et al., 2017).

    Each layer leaves every other column x as it is and makes y · exp(s(x)) + t(x) of the rest, with s and t from a
    small network. The density of a row is that of what it becomes, times the scalings.

    >>> flow = Flow.untrained(2, np.random.default_rng(0))
    >>> flow.log_density(np.zeros((3, 2)))[0].shape
    (3,)
    """

    width: int
    point: Float64Array

    @classmethod
    def untrained(cls, width: int, rng: np.random.Generator) -> Flow:
        """A flow that changes nothing yet; its hidden units are at random."""
        parts = []
        for first, second in (_halves(width, layer) for layer in range(_LAYERS)):
            parts += [rng.standard_normal(len(first) * _HIDDEN) / np.sqrt(max(1, len(first))), np.zeros(_HIDDEN)]
            parts += [np.zeros(_HIDDEN * 2 * len(second)), np.zeros(2 * len(second))]
        return cls(width, np.concatenate(parts))

    def log_density(self, X: Float64Array) -> tuple[Float64Array, Float64Array]:
        """The log-density of each row (n), and the slopes of their sum by the rows (n × width)."""
        values, by_rows, _ = self._slopes(X)
        return values, by_rows

    def trained(self, X: Float64Array, noise: float, rng: np.random.Generator) -> Flow:
        """The flow after some steps of Adam towards the density of the rows.

        Rows get ``noise``, anew in each step. Without it the density would grow without bound where many rows have the
        same entries, as on the boundary of a cone.
        """
        point, mean, square = self.point.copy(), np.zeros_like(self.point), np.zeros_like(self.point)
        for done in range(1, _STEPS + 1):
            shaken = X + noise * rng.standard_normal(X.shape)
            slopes = -Flow(self.width, point)._slopes(shaken)[2] / len(X)
            mean += 0.1 * (slopes - mean)
            square += 0.001 * (slopes**2 - square)
            point -= _RATE * (mean / (1 - 0.9**done)) / (np.sqrt(square / (1 - 0.999**done)) + 1e-8)
        return Flow(self.width, point)

    def _slopes(self, X: Float64Array) -> tuple[Float64Array, Float64Array, Float64Array]:
        """The log-densities, and the slopes of their sum by the rows and by the point."""
        y, kept, scaling, weights = X.copy(), [], np.zeros(len(X)), self._weights()
        for layer, (W, a, V, b) in enumerate(weights):
            first, second = _halves(self.width, layer)
            h = np.tanh(y[:, first] @ W + a)
            raw, t = np.split(h @ V + b, 2, axis=1)
            bent = np.tanh(raw)
            before, stretch = y[:, second], np.exp(_STEEPEST * bent)
            kept.append((y[:, first], h, bent, before, stretch))
            y = y.copy()
            y[:, second] = before * stretch + t
            scaling += _STEEPEST * bent.sum(axis=1)
        values = scaling - 0.5 * (y**2).sum(axis=1) - 0.5 * self.width * np.log(2 * np.pi)
        slope, by_point = -y, list[Float64Array]()
        for layer in reversed(range(_LAYERS)):
            (W, _, V, _), (x, h, bent, before, stretch) = weights[layer], kept[layer]
            first, second = _halves(self.width, layer)
            out = slope[:, second]
            by_raw = np.hstack([_STEEPEST * (1 - bent**2) * (out * before * stretch + 1), out])
            by_h = (by_raw @ V.T) * (1 - h**2)
            slope = slope.copy()
            slope[:, second] = out * stretch
            slope[:, first] += by_h @ W.T
            parts = (x.T @ by_h).ravel(), by_h.sum(axis=0), (h.T @ by_raw).ravel(), by_raw.sum(axis=0)
            by_point.append(np.concatenate(parts))
        return values, slope, np.concatenate(by_point[::-1])

    def _weights(self) -> list[tuple[Float64Array, Float64Array, Float64Array, Float64Array]]:
        found, at = [], 0
        for layer in range(_LAYERS):
            first, second = _halves(self.width, layer)
            shapes = (len(first), _HIDDEN), (_HIDDEN,), (_HIDDEN, 2 * len(second)), (2 * len(second),)
            parts = []
            for shape in shapes:
                size = int(np.prod(shape))
                parts.append(self.point[at : at + size].reshape(shape))
                at += size
            found.append((parts[0], parts[1], parts[2], parts[3]))
        return found


def _halves(width: int, layer: int) -> tuple[list[int], list[int]]:
    """The columns that a layer reads and those that it changes."""
    return list(range((layer + 1) % 2, width, 2)), list(range(layer % 2, width, 2))
