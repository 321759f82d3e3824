"use strict";

const test = require("node:test");
const assert = require("node:assert");
const { Table } = require("./table");
const { choose } = require("./choose");

const start = { game: "sticheln", options_json: "{}", seat: 0, seats: 4 };

test("a high card leads and a low one follows", () => {
  const table = new Table(start);
  const legal = ["play R3", "play B11", "play G7"];
  assert.equal(choose(table, legal), "play B11");
  table.follow({ kind: "EVENT_KIND_MOVE", seat: 3, text: "play G2" });
  assert.deepEqual(table.trick, [[3, "G2"]]);
  assert.equal(choose(table, legal), "play R3");
  table.follow({ kind: "EVENT_KIND_TRICK", seat: 3, cards: [], numbers: [] });
  assert.equal(choose(table, legal), "play B11");
});

test("where no card is to be played, the first possible action is chosen", () => {
  assert.equal(choose(new Table(start), ["bid 0", "bid 1"]), "bid 0");
});
