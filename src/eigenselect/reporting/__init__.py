"""What a run found, as one dict, and that dict as HTML, Markdown and JSON."""

from eigenselect.reporting.comparison import compare, compared
from eigenselect.reporting.report import Report, report

__all__ = ["Report", "compare", "compared", "report"]
