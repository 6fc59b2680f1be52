"""Verbs for AnnData with the manners of scanpy and squidpy, reached as ``eigenselect.pp``, ``gr`` and ``pl``."""
