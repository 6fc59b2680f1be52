"""What a run found, as one typed summary, and that summary as a page, Markdown, JSON and plots."""

from typing import Any

from eigenselect.reporting.comparison import compare, summarise_comparison
from eigenselect.reporting.ranking import summarise
from eigenselect.reporting.report import Report, report

#: what the command calls until it asks `summarise_comparison`
compared: Any = summarise_comparison

__all__ = ["Report", "compare", "report", "summarise", "summarise_comparison"]
