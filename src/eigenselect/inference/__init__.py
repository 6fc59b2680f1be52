"""What a score can be trusted for: why a feature has it, and how likely chance would give it."""

from eigenselect.inference.explanation import Explanation

__all__ = ["Explanation"]
