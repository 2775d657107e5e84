"""BigClam: a link exists if at least one shared community makes it."""

from __future__ import annotations

from philia.explain.links import factor_in_words
from philia.models.nonnegative import NonnegativeFactorization
from philia.objective import NoisyOr


class BigClam(NonnegativeFactorization):
    """Overlapping attracting communities: the probability of a link is 1 - exp(-f_i·f_j).

    Yang and Leskovec, "Overlapping community detection at scale: a nonnegative matrix factorization approach", WSDM
    2013. The likelihood of all pairs is exact and takes O(links · k): a non-link costs f_i·f_j, and the sum of these
    over all pairs is a product of column sums. Like theirs, the default solver visits one node after another; it
    minimizes over each of the node's entries in turn, where theirs moves along the gradient. Graphs with weights, and
    fits with held-out pairs, are solved by L-BFGS-B. Parameters are those of ``NonnegativeFactorization``.

    >>> from philia import BigClam
    >>> from philia.datasets import dating_app
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> print(BigClam(3, random_state=0).fit(app.graph).communities()[0].kind)
    homophilous
    """

    loss = NoisyOr()

    def _effect(self, strength: float) -> str:
        return f"chance of no link {factor_in_words(-strength)}"
