// What a seat knows of its table, kept from the events of the wire.
"use strict";

class Table {
  constructor(start) {
    this.game = start.game;
    this.options = JSON.parse(start.options_json);
    this.seat = start.seat;
    this.seats = start.seats;
    this.phase = "";
    this.hand = [];
    this.facts = {};
    this.trick = []; // [seat, card] in the order played
    this.history = []; // [seat, action]
    this.totals = Array(start.seats).fill(0);
  }

  follow(event) {
    switch (event.kind) {
      case "EVENT_KIND_DEAL":
        this.hand = event.cards;
        this.facts = {};
        this.trick = [];
        break;
      case "EVENT_KIND_PHASE":
        this.phase = event.text;
        break;
      case "EVENT_KIND_FACTS":
        Object.assign(this.facts, JSON.parse(event.facts_json));
        break;
      case "EVENT_KIND_MOVE": {
        this.history.push([event.seat, event.text]);
        const [verb, card] = event.text.split(" ");
        if (verb === "play") this.trick.push([event.seat, card]);
        break;
      }
      case "EVENT_KIND_TRICK":
        this.trick = [];
        break;
      case "EVENT_KIND_SCORE":
        this.totals = JSON.parse(event.facts_json).totals;
        break;
    }
  }
}

module.exports = { Table };
