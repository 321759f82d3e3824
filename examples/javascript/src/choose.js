// The bot's own rules: this is the file to change.
"use strict";

const value = (card) => Number(card?.match(/\d+$/)?.[0] ?? 0);

// Return one of the legal actions: a high card to lead, a low one to follow, else the first that is possible.
function choose(table, legal) {
  const cards = legal.filter((action) => action.startsWith("play "));
  if (!cards.length) return legal[0];
  const sorted = [...cards].sort((a, b) => value(a) - value(b));
  return table.trick.length ? sorted[0] : sorted.at(-1);
}

module.exports = { choose };
