"""Graphs represented without error, each with a certificate that anyone can check again."""

from philia.exact.arboricity import OrientedSquares, by_arboricity, by_arboricity_as_printed
from philia.exact.certificate import Certificate, OnProgress, certify, fingerprint
from philia.exact.certified import Certified, certified, load_exact
from philia.exact.closeness import CloseFactors
from philia.exact.degeneracy import by_degeneracy, by_levels
from philia.exact.fit import FittedExactly, fit_exact, smallest_exact
from philia.exact.lower_bounds import LeastColumns, least_columns
from philia.exact.max_degree import by_max_degree, by_max_degree_one_sided
from philia.exact.methods import by_circle, exact_community, exact_logistic
from philia.exact.overlap_threshold import by_overlap_threshold, probability_scale
from philia.exact.polynomials import OneSidedPolynomials, SignPolynomials, communities, logistic
from philia.exact.products import FloatCommunities, FloatLogistic, IntegerCommunities, IntegerLogistic
from philia.exact.representation import Representation, Signs, Verdict
from philia.exact.sign_changes import Elimination, SearchProgress, by_sign_changes, eliminated, found_order

__all__ = [
    "Certificate",
    "Certified",
    "CloseFactors",
    "Elimination",
    "FittedExactly",
    "FloatCommunities",
    "FloatLogistic",
    "IntegerCommunities",
    "IntegerLogistic",
    "LeastColumns",
    "OnProgress",
    "OneSidedPolynomials",
    "OrientedSquares",
    "Representation",
    "SearchProgress",
    "SignPolynomials",
    "Signs",
    "Verdict",
    "by_arboricity",
    "by_arboricity_as_printed",
    "by_circle",
    "by_degeneracy",
    "by_levels",
    "by_max_degree",
    "by_max_degree_one_sided",
    "by_overlap_threshold",
    "by_sign_changes",
    "certified",
    "certify",
    "communities",
    "eliminated",
    "exact_community",
    "exact_logistic",
    "fingerprint",
    "fit_exact",
    "found_order",
    "least_columns",
    "load_exact",
    "logistic",
    "probability_scale",
    "smallest_exact",
]
