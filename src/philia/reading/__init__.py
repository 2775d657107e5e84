"""Step 3: communities as people read them, at every level, found by the length of a graph's description."""

from philia.reading.hierarchy import (
    Hierarchy,
    Level,
    extended,
    finer_level,
    level_of,
    level_with,
    levels_from,
    read_levels,
)
from philia.reading.length import Description, DescriptionLength
from philia.reading.overlap import Overlaps, levels_above, overlapping_level, read_overlapping
from philia.reading.search import Effort, shortest

__all__ = [
    "Description",
    "DescriptionLength",
    "Effort",
    "Hierarchy",
    "Level",
    "Overlaps",
    "extended",
    "finer_level",
    "level_of",
    "level_with",
    "levels_above",
    "levels_from",
    "overlapping_level",
    "read_levels",
    "read_overlapping",
    "shortest",
]
