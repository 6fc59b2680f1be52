"""The door of the graph verbs, which can stand where squidpy.gr stood in an import."""

import eigenselect
from eigenselect.gr import spatial_autocorr


def test_the_door_shows_the_verbs():
    assert eigenselect.gr.__all__ == ["spatial_autocorr"]
    assert eigenselect.gr.spatial_autocorr is spatial_autocorr
