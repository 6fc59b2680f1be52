// The graph that the scores used: its spectrum and its degrees.

if (DATA.views.spectrum) chart(byId("spectrum-chart"), (width) => spectrumChart(width, DATA.views.spectrum));
if (DATA.views.degrees)
  chart(byId("degree-chart"), (width) => histogram(width, DATA.views.degrees, "degree (sum of similarities)"));
