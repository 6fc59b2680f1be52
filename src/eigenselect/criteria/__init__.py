"""The theorem: a criterion is a (similarity, normalisation, spectral function) triple.

``table`` can be imported without numpy; ``criterion`` and ``quadratic`` cannot, so nothing is imported here.
"""
