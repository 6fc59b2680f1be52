"""How far two colours are apart for readers with each kind of vision, by the books.

Luminance and contrast: Web Content Accessibility Guidelines 2.2. Colour blindness: G. M. Machado, M. M. Oliveira
and L. A. F. Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency", IEEE Trans.
Vis. Comput. Graph. 15(6), doi:10.1109/TVCG.2009.113, full severity. Distance: G. Sharma, W. Wu and E. N. Dalal (2005),
"The CIEDE2000 color-difference formula", Color Res. Appl. 30(1), doi:10.1002/col.20070.
"""

import numpy as np

#: what becomes of linear red, green and blue
VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
#: linear sRGB to XYZ, and the white of daylight (D65)
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour):
    """Intensities of red, green and blue of "#rrggbb"."""
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    light, dark = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour, vision="normal"):
    """L*, a* and b* of a colour as it is seen."""
    seen = XYZ @ np.clip(VISIONS[vision] @ linear(colour), 0, 1) / WHITE
    f = np.where(seen > 216 / 24389, np.cbrt(seen), (24389 / 27 * seen + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(first, second):
    """CIEDE2000 of two colours in L*, a*, b*."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25.0**7))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey = c1 * c2 == 0
    turn = 0.0 if grey else (h2 - h1 + 180) % 360 - 180
    hue = h1 + h2 if grey else (h1 + turn / 2) % 360
    d_l, d_c, d_h = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    t = 1 + sum(size * np.cos(np.radians(times * hue + shift)) for size, times, shift in waves)
    s_l = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    x, y, z = d_l / s_l, d_c / (1 + 0.045 * chroma), d_h / (1 + 0.015 * chroma * t)
    rotation = 2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    rotation *= -np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return float(np.sqrt(x**2 + y**2 + z**2 + rotation * y * z))


def distances(colours, vision):
    """Distance of every pair of colours, as a square table."""
    seen = [lab(colour, vision) for colour in colours]
    return np.array([[distance(one, other) for other in seen] for one in seen])
