// Correlations of the best features.

chart(byId("redundancy-chart"), (width) =>
  heatMap(width, DATA.views.redundancy.features, DATA.views.redundancy.correlation, {
    signed: true,
    label: "Correlations of the best features.",
  }),
);
