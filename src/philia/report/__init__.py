"""One page about a network: what a model found in it, for people who have never heard of it."""

from philia.report.contents import payload
from philia.report.writing import write_report

__all__ = ["payload", "write_report"]
