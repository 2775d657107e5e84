"""A model's findings as one HTML page, for readers who have never heard of the method."""

from philia.report.html import write_report
from philia.report.payload import payload

__all__ = ["payload", "write_report"]
