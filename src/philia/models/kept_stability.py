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


def read_stability(arrays: Mapping[str, npt.NDArray[Any]], header: dict[str, Any] | None) -> Stability | None:
    """What ``stability_arrays`` and ``stability_header`` kept; files once held neither."""
    if header is None:
        return None
    threshold = float(header["threshold"])
    communities = tuple(
        CommunityStability(
            name,
            arrays["stability_likenesses"][:, c],
            threshold,
            arrays["stability_lower"][:, c],
            arrays["stability_upper"][:, c],
        )
        for c, name in enumerate(header["names"])
    )
    return Stability(int(header["fits"]), threshold, communities)
