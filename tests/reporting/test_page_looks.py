"""What holds of every card of a ranking's page, wide and narrow, light and dark: words fit, and can be read and hit."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting.kinds import classes, hostile, maps, nothing, unscaled

#: (width, colour scheme) of the windows
WINDOWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
#: everything that is measured of an opened page at once; `plainColour` is the page's own
MEASURE = """() => {
  const boxOf = (e) => e.getBoundingClientRect();
  const told = (e) =>
    `${e.closest(".card, header, footer, nav")?.id ?? ""} ${e.tagName}: ${e.textContent.slice(0, 50)}`;
  const pictures = [...document.querySelectorAll('main svg')].filter((svg) => svg.checkVisibility());
  const textsOf = (svg) => [...svg.querySelectorAll('text')].filter((t) => t.textContent.trim() && boxOf(t).width);
  const inside = (box, outer) => box.left >= outer.left - 1.5 && box.right <= outer.right + 1.5
    && box.top >= outer.top - 1.5 && box.bottom <= outer.bottom + 1.5;
  const outside = pictures.flatMap((svg) => textsOf(svg).filter((t) => !inside(boxOf(t), boxOf(svg))).map(told));

  const level = (t) => !/rotate\\(-50/.test(t.getAttribute('transform') ?? '');  // boxes of slanted names always meet
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;  // lines of letters have room above and below
  const overlapping = pictures.flatMap((svg) => {
    const texts = textsOf(svg).filter(level).map((t) => [t, boxOf(t)]);
    return texts.flatMap(([t, box], i) =>
      texts.slice(i + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${told(t)} | ${other.textContent}`));
  });

  const rgb = (text) => {
    const { colour, opacity } = plainColour(text);
    return [...[1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)), opacity];
  };
  const groundOf = (e) => {
    if (e.matches('.on-cell')) return rgb(getComputedStyle(e.previousElementSibling).fill);
    for (let at = e; at; at = at.parentElement) {
      const ground = rgb(getComputedStyle(at).backgroundColor);
      if (ground[3] === 1) return ground;
    }
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const inks = new Map();
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      || e.matches('script, style, title, option') || e.closest('[aria-disabled=true], .unseen, .skip')) continue;
    const look = getComputedStyle(e);
    const pair = [rgb(e instanceof SVGElement ? look.fill : look.color), groundOf(e)];
    if (!inks.has(String(pair))) inks.set(String(pair), [pair, told(e)]);
  }

  const pressed = [...document.querySelectorAll('a[href], button, select, input, summary')]
    .filter((e) => e.checkVisibility() && !e.matches('.skip'))
    .map((e) => (e.type === 'checkbox' ? e.closest('label') : e))
    .map((e) => [told(e), boxOf(e).width, boxOf(e).height]);
  const sticking = [...document.querySelectorAll('main > * *')]
    .filter((e) => e.checkVisibility() && !e.closest('.scroll, svg, .unseen, .unheard')
      && boxOf(e).right > boxOf(e.closest('.card') ?? document.body).right + 1)
    .map(told);
  const cards = [...document.querySelectorAll('main .card')].map((card) => card.id);
  return { outside, overlapping, inks: [...inks.values()], pressed, sticking, cards,
           n_pictures: pictures.length, wide: document.documentElement.scrollWidth };
}"""


KINDS = (classes, hostile, nothing, maps, unscaled)


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__)
def html(request, two_groups):
    return request.param(*two_groups).to_html()


def luminance(colour):
    parts = np.array(colour[:3]) / 255
    return float(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])


def contrast(ink, ground):
    mixed = [ink[3] * a + (1 - ink[3]) * b for a, b in zip(ink, ground, strict=True)]
    low, high = sorted(map(luminance, (mixed, ground)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_of_every_card(open_page, html, width, scheme):
    page = open_page(html, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.locator("button.choose").nth(1).click()
    page.wait_for_timeout(150)  # charts of what was folded are painted
    seen = page.evaluate(MEASURE)
    assert {"answer", "alerts", "features", "chosen", "how-many", "heat-map", "samples"} <= set(seen["cards"])
    assert seen["n_pictures"] > 6
    assert seen["wide"] <= width
    assert seen["sticking"] == []
    assert seen["outside"] == []
    assert seen["overlapping"] == []
    assert [told for told, wide, high in seen["pressed"] if min(wide, high) < 24] == []
    assert len(seen["inks"]) > 4
    assert [(told, pair) for pair, told in seen["inks"] if contrast(*pair) < 4.5] == []


def test_the_formula_of_contrast():
    assert contrast([0, 0, 0, 1], [255, 255, 255, 1]) == pytest.approx(21)
    assert contrast([0x76, 0x76, 0x76, 1], [255, 255, 255, 1]) == pytest.approx(4.54, abs=0.01)
    assert contrast([0, 0, 0, 0], [255, 255, 255, 1]) == pytest.approx(1)
