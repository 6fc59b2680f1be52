// One scale of the scores, for the curve and for the bars of the table.

const orderedScores = scores.slice(0, DATA.n_ordered).filter((score) => score !== null && Number.isFinite(score));
const scoreScale = readableScale(orderedScores.slice(0, 30), orderedScores);

/** How long the bar of a score is, from 0 to 1; null where there is no score, or all are alike. */
function scoreShare(score) {
  const [low, high] = [scoreScale.place(scoreScale.low), scoreScale.place(scoreScale.high)];
  if (score === null || !Number.isFinite(score) || !(high > low)) return null;
  return Math.min(1, Math.max(0, (scoreScale.place(score) - low) / (high - low)));
}
