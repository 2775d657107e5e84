"""How a fit runs: what it records on the way, and how it resumes."""

from philia.fitting.checkpoint import Checkpoint

__all__ = ["Checkpoint"]
