"""The phrases in which a table is described, by language.

What a game alone knows (its phases, facts and verbs) it declares itself, in English, with `Game.german`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PHRASES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "you": "You are seat {seat} of {seats}; seats count from 0.",
        "options": "Options: {options}.",
        "cards": "A card is a suit letter and a rank. Suits: {suits}.",
        "scores": "Deal {number}: {scores}.",
        "totals": "Totals: {scores}.",
        "deal": "Deal {number}, dealt by {dealer}.",
        "not dealt": "No cards have been dealt yet.",
        "history": "This deal so far:",
        "trick": "trick {number}: {cards}; {winner} takes it",
        "no winner": "trick {number}: {cards}; it goes to no seat",
        "fault": "{seat} failed ({kind}), and a substitute moved:",
        "leads": "{seat} leads {card}",
        "phase": "Now: {phase} ({choice}).",
        "public": "Known to all:",
        "secret": "Known to you alone:",
        "hand": "Your hand: {cards}",
        "table": "On the table: {cards}",
        "holder": "{seat} holds the trick so far",
        "choice": "You may choose: {actions}",
        "seat": "seat {seat}",
        "own seat": "seat {seat} (you)",
        "seat of the rules": "seat {seat} (played by the rules)",
        "and": "and",
        "hidden": "a hidden card",
        "none": "none",
    },
    "de": {
        "you": "Du sitzt auf Platz {seat} von {seats}; die Plätze zählen ab 0.",
        "options": "Optionen: {options}.",
        "cards": "Eine Karte ist ein Buchstabe für die Farbe und ein Wert. Farben: {suits}.",
        "scores": "Durchgang {number}: {scores}.",
        "totals": "Gesamtstand: {scores}.",
        "deal": "Durchgang {number}, Geber ist {dealer}.",
        "not dealt": "Es sind noch keine Karten gegeben.",
        "history": "Dieser Durchgang bisher:",
        "trick": "Stich {number}: {cards}; den Stich bekommt {winner}",
        "no winner": "Stich {number}: {cards}; der Stich geht an keinen Platz",
        "fault": "{seat} versagte ({kind}), ein Ersatz zog:",
        "leads": "{seat} spielt {card} aus",
        "phase": "Jetzt: {phase} ({choice}).",
        "public": "Alle wissen:",
        "secret": "Nur du weißt:",
        "hand": "Deine Hand: {cards}",
        "table": "Auf dem Tisch: {cards}",
        "holder": "bisher bekäme den Stich {seat}",
        "choice": "Du kannst wählen: {actions}",
        "seat": "Platz {seat}",
        "own seat": "Platz {seat} (du)",
        "seat of the rules": "Platz {seat} (von den Regeln gespielt)",
        "and": "und",
        "hidden": "eine verdeckte Karte",
        "none": "keine",
    },
}

SUITS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "R": "red",
        "Y": "yellow",
        "G": "green",
        "B": "blue",
        "O": "orange",
        "V": "violet",
        "K": "black",
        "C": "clubs",
        "D": "diamonds",
        "H": "hearts",
        "S": "spades",
    },
    "de": {
        "R": "Rot",
        "Y": "Gelb",
        "G": "Grün",
        "B": "Blau",
        "O": "Orange",
        "V": "Violett",
        "K": "Schwarz",
        "C": "Kreuz",
        "D": "Karo",
        "H": "Herz",
        "S": "Pik",
    },
}
"""The suits of all games by their letters, which mean the same in each."""
