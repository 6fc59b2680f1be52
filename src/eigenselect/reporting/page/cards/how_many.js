// How many features: the falling scores.

const knee = DATA.significance ? 0 : DATA.scores.knee; // noise has one, too, and q-values say more
chart(byId("score-chart"), (width) => scoreCurve(width, scores.slice(0, DATA.n_ordered), cut, knee, selected));
