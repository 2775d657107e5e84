"""Step 5: what a fit gives, and how it is kept."""

from philia.factors.community import CommunityFactors

__all__ = ["CommunityFactors"]
