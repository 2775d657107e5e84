"""How a fit runs: what it records, and how it resumes."""

from philia.fitting.checkpoint import Checkpoint, Record, description, differences
from philia.fitting.journal import CheckpointLike, Journal, KeptJournal, NoJournal, ResumableFit, minimized

__all__ = [
    "Checkpoint",
    "CheckpointLike",
    "Journal",
    "KeptJournal",
    "NoJournal",
    "Record",
    "ResumableFit",
    "description",
    "differences",
    "minimized",
]
