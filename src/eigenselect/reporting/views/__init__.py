"""What a report draws, as numbers: each view is a function of a fitted selector and its data."""
