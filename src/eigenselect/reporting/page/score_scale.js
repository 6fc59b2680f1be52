// One scale of the scores, for the curve and for the bars of the table.

const orderedScores = scores.slice(0, DATA.n_ordered).filter((score) => score !== null && Number.isFinite(score));
const scoreScale = readableScale(orderedScores.slice(0, 30), orderedScores);

/** Length of the bar of a feature from 0 to 1; null where the method does not order it, or all scores are alike. */
function scoreShare(place) {
  const [low, high] = [scoreScale.place(scoreScale.low), scoreScale.place(scoreScale.high)];
  const known = place < DATA.n_ordered && scores[place] !== null && Number.isFinite(scores[place]);
  return known && high > low ? Math.min(1, Math.max(0, (scoreScale.place(scores[place]) - low) / (high - low))) : null;
}

/** Where the bar of a feature begins and ends, from 0 to 1: at zero where scores have both signs, else at the lowest. */
function scoreBar(place) {
  const share = scoreShare(place);
  if (share === null) return null;
  const [low, high] = [scoreScale.place(scoreScale.low), scoreScale.place(scoreScale.high)];
  const zero = high > 0 ? -low / (high - low) : 0;
  return { from: Math.min(zero, share), to: Math.max(zero, share), below: share < zero };
}

/** What the bars stand for, in words. */
const scaleOfBars = `Bars: from ${readable(scoreScale.low)} to ${readable(scoreScale.high)}, ${scoreScale.symmetricLog ? "logarithmic on both sides of 0" : "in proportion"}${scoreScale.low < 0 && scoreScale.high > 0 ? "; to the left from 0 where a score is below it" : ""}`;
