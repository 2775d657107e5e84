"""How good a result is: beside the truth, and beside what anybody could have said without a model."""

from philia.evaluate.best_match import best_match_f1
from philia.evaluate.communities import CommunityScores, compare_communities
from philia.evaluate.comparison import Compared, compare_models
from philia.evaluate.covers import Cover, as_cover, trivial_covers
from philia.evaluate.estimated_links import EstimatedLinkScores, estimated_likelihood, estimated_link_scores
from philia.evaluate.link_prediction import LinkScores, evaluate_links, link_scores
from philia.evaluate.mutual_information import overlapping_nmi
from philia.evaluate.omega import omega_index
from philia.evaluate.predictors import PREDICTORS
from philia.evaluate.reconstruction import Reconstruction, reconstruction
from philia.pairs.calibration import Calibration
from philia.pairs.estimate import Estimate

__all__ = [
    "PREDICTORS",
    "Calibration",
    "CommunityScores",
    "Compared",
    "Cover",
    "Estimate",
    "EstimatedLinkScores",
    "LinkScores",
    "Reconstruction",
    "as_cover",
    "best_match_f1",
    "compare_communities",
    "compare_models",
    "estimated_likelihood",
    "estimated_link_scores",
    "evaluate_links",
    "link_scores",
    "omega_index",
    "overlapping_nmi",
    "reconstruction",
    "trivial_covers",
]
