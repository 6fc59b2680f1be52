"""The door of the preprocessing verbs."""

import eigenselect
from eigenselect.pp import spectral_features


def test_the_door_shows_the_verbs():
    assert eigenselect.pp.__all__ == ["spectral_features"]
    assert eigenselect.pp.spectral_features is spectral_features
