"""Table 3 of the trace ratio paper (AAAI 2008). Its figures print no numbers."""

from __future__ import annotations

#: classes, samples, training samples, features
SIZES = {
    "vehicle": (4, 846, 120, 18),
    "ionosphere": (2, 351, 60, 34),
    "heart": (2, 270, 60, 13),
    "german": (2, 1000, 60, 20),
    "crx": (2, 690, 60, 15),
    "australian": (2, 690, 60, 14),
    "AT&T": (40, 400, 200, 644),
    "UMIST": (20, 575, 100, 644),
}
#: rounds that the iteration needs "in most cases"
ROUNDS = (3, 5)
#: share of the time that the diagonals of B and E take, at least
SHARE_OF_SCATTERS = 0.95
