"""What other fits said about a model, as the arrays and the header of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from philia.explain import CommunityStability, Stability


def stability_arrays(stability: Stability | None) -> dict[str, npt.NDArray[Any]]:
    """Likenesses (fits × k) and the ends of the intervals (n × k); nothing if nobody asked for other fits."""
    if stability is None or not stability.communities:
        return {}
    seen = stability.communities
    return {
        "stability_likenesses": np.column_stack([c.likenesses for c in seen]),
        "stability_lower": np.column_stack([c.lower for c in seen]),
        "stability_upper": np.column_stack([c.upper for c in seen]),
    }


def stability_header(stability: Stability | None) -> dict[str, Any] | None:
    """The rest: the number of fits, the threshold, and the names of the communities."""
    if stability is None:
        return None
    return {
        "fits": stability.fits,
        "threshold": stability.threshold,
        "names": [community.name for community in stability.communities],
    }


def read_stability(
    arrays: Mapping[str, npt.NDArray[Any]], header: dict[str, Any] | None, n_nodes: int
) -> Stability | None:
    """What ``stability_arrays`` and ``stability_header`` kept; files once held neither."""
    if header is None:
        return None
    fits, threshold, names = header["fits"], header["threshold"], header["names"]
    if type(fits) is not int or fits < 1 or type(threshold) not in (int, float):
        raise ValueError(f"the stability is that of {fits!r} fits with a threshold of {threshold!r}")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("the communities of the stability must have text for names")
    if not names:
        return Stability(fits, threshold, ())
    k = len(names)
    parts = []
    for name, rows in (("likenesses", fits), ("lower", n_nodes), ("upper", n_nodes)):
        found = arrays[f"stability_{name}"]
        if found.dtype != np.float64 or found.shape != (rows, k) or not np.isfinite(found).all():
            raise ValueError(f"stability_{name} is not {rows:,} × {k} finite numbers")
        parts.append(found)
    likenesses, lower, upper = parts
    communities = tuple(
        CommunityStability(name, likenesses[:, c], threshold, lower[:, c], upper[:, c]) for c, name in enumerate(names)
    )
    return Stability(fits, threshold, communities)
