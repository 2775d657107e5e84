"""The constructions: each one is a file with its theorem, and a line here."""

from __future__ import annotations

from philia.exact.arboricity import ARBORICITY, ARBORICITY_AS_PRINTED
from philia.exact.degeneracy import CIRCLE, DEGENERACY, LEVELS
from philia.exact.max_degree import MAX_DEGREE, MAX_DEGREE_ONE_SIDED
from philia.exact.overlap_threshold import OVERLAP_THRESHOLD
from philia.exact.representation import Construction, Representation, Theorem
from philia.exact.sign_changes import SIGN_CHANGES

CONSTRUCTIONS: dict[str, Construction] = {
    construction.name: construction
    for construction in (
        CIRCLE,
        SIGN_CHANGES,
        DEGENERACY,
        LEVELS,
        MAX_DEGREE,
        MAX_DEGREE_ONE_SIDED,
        ARBORICITY,
        ARBORICITY_AS_PRINTED,
        OVERLAP_THRESHOLD,
    )
}
"""By name, in the order in which ``philia exact --help`` lists them."""

_NO_THEOREM = Theorem("no bound is known beforehand", lambda _graph, _found: None, lambda _found: True, with_loops=True)


def theorem_of(representation: Representation, *, has_loops: bool = False) -> Theorem:
    """The theorem of the construction that a representation names, if the representation has the theorem's form.

    No bound is known beforehand for numbers of another form, or for numbers from elsewhere, such as a fit.

    >>> import numpy as np
    >>> from philia.exact import IntegerCommunities
    >>> two = IntegerCommunities(np.array([[1, 1], [1, 1]]), np.array([2, -1]), "overlap threshold")
    >>> theorem_of(two, has_loops=True).statement
    'k + 1 columns for a graph made by k binary communities and a threshold, with the loops of its rule'
    >>> other = IntegerCommunities(np.array([[1, 3], [1, 3]]), np.array([2, -1]), "overlap threshold")
    >>> theorem_of(other, has_loops=True).statement
    'no bound is known beforehand'
    """
    named = CONSTRUCTIONS.get(representation.construction)
    if named is None or not named.theorem.has_form(representation) or (has_loops and not named.theorem.with_loops):
        return _NO_THEOREM
    return named.theorem
