"""Small pictures as PNG: decoded again by another library."""

import base64
import io

import numpy as np
import pytest

from eigenselect.reporting.picture import HIGH, LOW, MIDDLE, heat_png, palette


def pixels(address):
    image = pytest.importorskip("matplotlib.image")
    head, _, content = address.partition(",")
    assert head == "data:image/png;base64"
    return np.rint(255 * image.imread(io.BytesIO(base64.b64decode(content)))).astype(int)


def test_pixels_have_the_colours_of_their_values():
    shown = pixels(heat_png(np.array([[-25, 0, 25], [-99, 99, -128]]), 25, -128))
    assert shown.shape == (2, 3, 4)
    assert [tuple(pixel[:3]) for pixel in shown[0]] == [LOW, MIDDLE, HIGH]
    assert [tuple(pixel[:3]) for pixel in shown[1, :2]] == [LOW, HIGH]  # beyond the limit: its colour
    assert shown[..., 3].tolist() == [[255] * 3, [255, 255, 0]]  # what is missing is transparent


def test_larger_values_have_other_colours_in_order():
    row = pixels(heat_png(np.arange(-25, 26)[None], 25, -128))[0, :, :3]
    np.testing.assert_array_equal(row, palette()[:-1])
    assert (np.diff(row[:, 0]) != 0).sum() > 40  # hardly any two neighbours look the same
