"""A model's findings as one HTML page, for readers who have never heard of the method."""

from philia.report.attributes import read_attributes
from philia.report.html import payload, write_report

__all__ = ["payload", "read_attributes", "write_report"]
