"""How well hidden pairs are told apart, judged on a sample of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from philia.models import CommunityModel

_SAMPLE = 100_000


def held_out_scores(model: CommunityModel) -> dict[str, Any]:
    """Mean log-likelihood and area under the ROC curve on at most 100,000 pairs drawn from those the fit did not see.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(100, cities=2, random_state=0)
    >>> model = CommunityModel(2, 2, penalty=1, random_state=0).fit(app.graph, held_out=0.2)
    >>> 0.5 < held_out_scores(model)["auc"] < 1
    True
    """
    import numpy as np
    from sklearn.metrics import roc_auc_score

    rows, columns = _sample(model)
    if not len(rows):
        return {"pairs": 0, "links": 0, "mean_log_likelihood": None, "auc": None}
    linked = model.graph_.linked(rows, columns)
    logits = model.factors_.scores(rows, columns)
    both = linked.any() and not linked.all()
    return {
        "pairs": len(rows),
        "links": int(linked.sum()),
        "mean_log_likelihood": float(np.mean(linked * logits - np.logaddexp(0, logits))),
        "auc": float(roc_auc_score(linked, logits)) if both else None,
    }


def _sample(model: CommunityModel) -> tuple[Any, Any]:
    """Row numbers of hidden pairs: all of a small graph's, else as many as random draws hit."""
    import numpy as np

    n, hidden = model.graph_.n_nodes, model.held_out_
    assert hidden is not None
    if n * (n - 1) // 2 <= 20 * _SAMPLE:
        rows, columns = np.triu_indices(n, k=1)
    else:
        rng = np.random.default_rng(0)
        rows, columns = rng.integers(n, size=(2, 20 * _SAMPLE))
    kept = np.flatnonzero(hidden.contains(rows, columns))
    kept = kept if len(kept) <= _SAMPLE else np.random.default_rng(0).choice(kept, _SAMPLE, replace=False)
    return rows[kept], columns[kept]
