"""How sure: the distribution of a score when the values of a feature are permuted over the samples."""
