"""Step 6: what the factors mean, in words that a person can check."""

from philia.explain.communities import Communities, Community, RuleComparison, RuleEffect, find_communities
from philia.explain.description import describe
from philia.explain.links import LinkExplanation, Reason, explain_link
from philia.explain.missing_links import PredictedLink, best_missing_links
from philia.explain.scores import ScoreExplanation, Term, explain_score
from philia.explain.significance import CommunitySignificance, Significance
from philia.explain.stability import CommunityStability, Interval, Stability, measure_stability
from philia.factors.community import NormalizedFactors, normalize

__all__ = [
    "Communities",
    "Community",
    "CommunitySignificance",
    "CommunityStability",
    "Interval",
    "LinkExplanation",
    "NormalizedFactors",
    "PredictedLink",
    "Reason",
    "RuleComparison",
    "RuleEffect",
    "ScoreExplanation",
    "Significance",
    "Stability",
    "Term",
    "best_missing_links",
    "describe",
    "explain_link",
    "explain_score",
    "find_communities",
    "measure_stability",
    "normalize",
]
