"""What a run found, as one typed summary, and that summary as a page, Markdown, JSON and plots."""

from eigenselect.reporting.answer import add_answer
from eigenselect.reporting.comparison import compare, summarise_comparison
from eigenselect.reporting.evaluation import add_evaluation
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.paper import add_paper
from eigenselect.reporting.provenance import Provenance
from eigenselect.reporting.ranking import add_views, summarise
from eigenselect.reporting.report import Report, report

__all__ = [
    "Fitted",
    "Provenance",
    "Report",
    "add_answer",
    "add_evaluation",
    "add_paper",
    "add_views",
    "compare",
    "report",
    "summarise",
    "summarise_comparison",
]
