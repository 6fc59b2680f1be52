"""What a run found, as one typed summary, and that summary as a page, Markdown, JSON and plots."""

from eigenselect.reporting.answers.answer import add_answer
from eigenselect.reporting.comparing.comparison import compare, summarise_comparison
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.papers.paper import add_paper
from eigenselect.reporting.papers.provenance import Provenance
from eigenselect.reporting.ranking import add_views, summarise
from eigenselect.reporting.refitting.evaluation import add_evaluation
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
