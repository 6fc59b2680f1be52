"""Shares of scikit-learn's working memory."""

import sklearn

from eigenselect.matrix.bounds import LEAST, band_bytes, read_bytes, working_bytes


def test_the_setting_of_scikit_learn_bounds_bands_and_reads():
    with sklearn.config_context(working_memory=64):
        assert (working_bytes(), band_bytes(), read_bytes()) == (2**26, 2**23, 2**20)
    with sklearn.config_context(working_memory=1024):
        assert (band_bytes(), read_bytes()) == (2**27, 2**24)


def test_a_tiny_setting_still_reads():
    with sklearn.config_context(working_memory=0):
        assert band_bytes() == read_bytes() == LEAST
