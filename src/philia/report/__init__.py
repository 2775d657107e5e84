"""A model's findings as one HTML page, for readers who have never heard of the method."""

from philia.report.html import payload, write_report

__all__ = ["payload", "write_report"]
