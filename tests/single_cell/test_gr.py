import eigenselect
from eigenselect.single_cell.spatial_autocorr import spatial_autocorr


def test_the_door_shows_the_verbs():
    assert eigenselect.gr.__all__ == ["spatial_autocorr"]
    assert eigenselect.gr.spatial_autocorr is spatial_autocorr
