"""What a run found, as one typed summary, and that summary as a page, Markdown, JSON and plots."""

from eigenselect.reporting.comparison import compare, summarise_comparison
from eigenselect.reporting.evaluation import add_evaluation
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.ranking import add_views, summarise
from eigenselect.reporting.report import Report, report

__all__ = [
    "Fitted",
    "Report",
    "add_evaluation",
    "add_views",
    "compare",
    "report",
    "summarise",
    "summarise_comparison",
]
