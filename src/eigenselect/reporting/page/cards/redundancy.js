// Correlations of the best features, in the order of the heat map, with groups of near-copies.

chart(byId("redundancy-chart"), (width) => {
  const { features, place, correlation, groups: copies } = DATA.views.redundancy;
  return heatMap(Math.min(width, 720), features, correlation, {
    signed: true,
    key: "correlation",
    label: `Correlations of ${features.length} features; the list has the groups of near-copies.`,
    blocks: copies
      .filter(({ shown }) => shown && shown[1] - shown[0] > 1)
      .map(({ number, shown }) => [...shown, `group ${number}`]),
    onPick: (i) => choose(place[i]),
  });
});
