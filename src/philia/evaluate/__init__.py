"""How good a result is, compared with the truth and with baselines that need no model."""

from typing import TYPE_CHECKING, NoReturn

from philia._text import no_such_name
from philia.evaluate.comparison import Compared, compare_models
from philia.evaluate.covers import (
    CommunityScores,
    Cover,
    as_cover,
    best_match_f1,
    compare_communities,
    omega_index,
    overlapping_nmi,
    trivial_covers,
)
from philia.evaluate.link_prediction import (
    EstimatedLinkScores,
    LinkScores,
    estimated_likelihood,
    estimated_link_scores,
    evaluate_links,
    link_scores,
)
from philia.evaluate.matching import Match, Matching, compare
from philia.evaluate.pair_classifier import LabelledPairs, PairClassifier, labelled_pairs
from philia.evaluate.predictors import PREDICTORS
from philia.evaluate.reconstruction import Reconstruction, reconstruction
from philia.pairs.calibration import Calibration
from philia.pairs.sample import Estimate

__all__ = [
    "PREDICTORS",
    "Calibration",
    "CommunityScores",
    "Compared",
    "Cover",
    "Estimate",
    "EstimatedLinkScores",
    "LabelledPairs",
    "LinkScores",
    "Match",
    "Matching",
    "PairClassifier",
    "Reconstruction",
    "as_cover",
    "best_match_f1",
    "compare",
    "compare_communities",
    "compare_models",
    "estimated_likelihood",
    "estimated_link_scores",
    "evaluate_links",
    "labelled_pairs",
    "link_scores",
    "omega_index",
    "overlapping_nmi",
    "reconstruction",
    "trivial_covers",
]

_HABITS = {
    "modularity": "networkx.community.modularity(G, model.communities()) computes it",
    **dict.fromkeys(
        ("f1", "f1_score", "nmi", "omega", "omega_score"), "compare_communities(found, known) has F1, omega and NMI"
    ),
    **dict.fromkeys(
        ("auc", "roc_auc", "average_precision"), "evaluate_links(model) has both, of a fit with held_out=0.1"
    ),
    **dict.fromkeys(
        ("cross_validate", "cross_val_score", "train_test_split"),
        "labelled_pairs(graph) has pairs with which scikit-learn's functions work",
    ),
}
"""What users write from habit, and what there is instead."""

if not TYPE_CHECKING:  # type checkers should know that there are no such names

    def __getattr__(name: str) -> NoReturn:
        raise no_such_name(__name__, name, _HABITS)
