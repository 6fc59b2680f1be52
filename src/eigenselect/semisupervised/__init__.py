"""Agreement of features with the labels of a few samples."""
