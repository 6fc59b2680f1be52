"""Every estimator, one file each; import them from `eigenselect`."""
