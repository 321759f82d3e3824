"""The declared texts of each game in German, in the games' own words, by the English ones.

A text with `{}` has its arguments there, any other before them.
"""

from __future__ import annotations

from typing import Final

_TRICKS: Final = {
    "tricks": "Stiche",
    "tricks won": "gewonnene Stiche",
    "plays": "spielt",
    "Play a card": "Spiel eine Karte",
}
_IN_TURN: Final = _TRICKS | {"each seat in turn plays a card": "reihum spielt jeder eine Karte"}

STICHELN: Final = _IN_TURN | {
    "Every colour that was not led is trump, and one colour hurts.": (
        "Jede Farbe außer der Startfarbe ist Trumpf, und eine Farbe schmerzt."
    ),
    "dealer": "Geber",
    "pain": "Ärger",
    "points": "Punkte",
    "None until all have chosen": "None, bis alle gewählt haben",
    "from the own choice until all have chosen": "ab der eigenen Wahl, bis alle gewählt haben",
    "pain cards, all at once": "Ärgerkarten, alle gleichzeitig",
    "pain cards": "Ärgerkarten",
    "all seats at once choose a hand card as pain card": (
        "alle wählen gleichzeitig eine Handkarte als Ärgerkarte"
    ),
    "pain card": "Ärgerkarte",
    "points so far": "Punkte bisher",
    "own pain card": "eigene Ärgerkarte",
    "lays down the pain card": "legt {} als Ärgerkarte aus",
    "edition": "Regel",
    "edition: long": "lang",
    "edition: short": "kurz",
    "sets the defaults of zero_trick and length": (
        "bestimmt, was für zero_trick und length gilt, wenn sie nicht angegeben sind"
    ),
    "zero trick": "Stich aus Nullen",
    "zero trick: leader": "wer ausgespielt hat",
    "zero trick: nobody": "niemand",
    "who takes a trick that has zeros only": "wer einen Stich aus lauter Nullen bekommt",
    "length": "Länge",
    "when a match ends": "wann eine Partie endet",
    "max deals": "Durchgänge höchstens",
    "a match ends in any case after this number of deals, where it is played for points": (
        "spätestens nach so vielen Durchgängen endet eine Partie, die auf Punkte gespielt wird"
    ),
    "Choose your pain card": "Wähl deine Ärgerkarte",
    "Cards of its colour that you take will cost their value.": (
        "Karten dieser Farbe, die du nimmst, kosten ihren Wert."
    ),
}

STICHE_RATEN: Final = _IN_TURN | {
    "Bid your tricks; the dealer may not make the bids add up.": (
        "Stiche ansagen; beim Geber darf die Summe nicht aufgehen."
    ),
    "dealer": "Geber",
    "none": "keiner",
    "trump": "Trumpf",
    "turned up": "aufgedeckt",
    "None until the seat has bid": "None, bis der Platz angesagt hat",
    "None in the last round, after a pass card, and until a suit is named": (
        "None in der letzten Runde, nach einer Passen-Karte und bis eine Farbe genannt ist"
    ),
    "None in the last round": "None in der letzten Runde",
    "a grab card was turned up": "eine Greifen-Karte wurde aufgedeckt",
    "naming trump": "Trumpf nennen",
    "the seat left of the dealer names a suit, where a grab card was turned up": (
        "der Spieler links vom Geber nennt eine Farbe, weil eine Greifen-Karte aufgedeckt wurde"
    ),
    "bidding": "Ansagen",
    "each seat in turn bids a number of tricks": "reihum sagt jeder eine Zahl von Stichen an",
    "tricks bid": "angesagte Stiche",
    "cards each": "Karten für jeden",
    "trump suit": "Trumpffarbe",
    "card turned up for trump": "für den Trumpf aufgedeckte Karte",
    "names as trump": "nennt als Trumpf",
    "bids": "sagt an:",
    "deck": "Karten",
    "the number of cards: two packs of 32, or one of 52": (
        "die Zahl der Karten: zwei Blätter mit 32 oder eines mit 52"
    ),
    "length": "Länge",
    "when a match ends": "wann eine Partie endet",
    "length: full": "alle Runden",
    "greifen passen": "Greifen und Passen",
    "the variant with cards that grab or pass on a trick": "die Variante mit Karten, die greifen oder passen",
    "hook": "Summe darf nicht aufgehen",
    "the dealer may not make the bids add up": "beim Geber darf die Summe der Ansagen nicht aufgehen",
    "ten high": "Zehn hoch",
    "the ten ranks above the king": "die Zehn steht über dem König",
    "Name the trump suit": "Nenn die Trumpffarbe",
    "How many tricks will you take?": "Wie viele Stiche machst du?",
}

SIXES_AND_SEVENS: Final = _IN_TURN | {
    "Sevens change trump, sixes turn tricks upside down.": (
        "Siebenen wechseln den Trumpf, Sechsen stellen den Stich auf den Kopf."
    ),
    "dealer": "Geber",
    "none yet": "noch keiner",
    "side points": "Punkte",
    "trump": "Trumpf",
    "None before the first seven": "None vor der ersten Sieben",
    "points of the two sides": "Punkte der beiden Parteien",
    "trump suit": "Trumpffarbe",
    "length": "Länge",
    "when a match ends": "wann eine Partie endet",
    "off suit seven": "fremde Sieben",
    "off suit seven: normal": "normal",
    "off suit seven: absolute": "absolut",
    "whether a seven of another suit may be beaten, or always takes the trick": (
        "ob eine Sieben einer anderen Farbe geschlagen werden kann oder den Stich immer bekommt"
    ),
    "max deals": "Durchgänge höchstens",
    "a match ends in any case after this number of deals, where it is played for points": (
        "spätestens nach so vielen Durchgängen endet eine Partie, die auf Punkte gespielt wird"
    ),
}

MUE: Final = _IN_TURN | {
    "Bid with open cards, name two trumps, find a partner.": (
        "Mit offenen Karten bieten, zwei Trümpfe nennen, einen Partner finden."
    ),
    "dealer": "Geber",
    "card points": "Kartenpunkte",
    "may still lay": "darf noch auslegen",
    "target": "Ziel",
    "None in the auction": "None in der Versteigerung",
    "None until it is named; none is the word none": "None, bis er genannt ist; für keinen das Wort none",
    "without those played since": "ohne die seither gespielten",
    "of the seat to act; None after the auction": (
        "des Platzes, der an der Reihe ist; None nach der Versteigerung"
    ),
    "None until named": "None, bis er genannt ist",
    "None in the auction, and in a deal without a vice": "None in der Versteigerung und ohne Vize",
    "None until it is named, and in a deal without a vice": "None, bis er genannt ist, und ohne Vize",
    "auction, at the start of a turn": "Versteigerung, wenn man an die Reihe kommt",
    "auction, later in a turn": "Versteigerung, wenn man schon ausgelegt hat",
    "trumps, the vice first": "Trümpfe, der Vize zuerst",
    "auction": "Versteigerung",
    "each seat in turn lays cards open or passes": "reihum legt jeder Karten aus oder passt",
    "vice's trump": "Trumpf des Vize",
    "the vice names a colour or digit of his own laid cards": (
        "der Vize nennt eine Farbe oder Ziffer seiner ausgelegten Karten"
    ),
    "chief's trump": "Trumpf des Chefs",
    "the chief names a colour or digit of his own laid cards, or none": (
        "der Chef nennt eine Farbe oder Ziffer seiner ausgelegten Karten, oder keine"
    ),
    "partner": "Partner",
    "the chief picks a partner": "der Chef wählt einen Partner",
    "card points won": "gewonnene Kartenpunkte",
    "chief": "Chef",
    "the chief's trump": "Trumpf des Chefs",
    "cards laid in the auction": "ausgelegte Karten",
    "cards that may still be laid": "Karten, die noch ausgelegt werden dürfen",
    "the chief's partner": "Partner des Chefs",
    "target of the chief's side, in card points": "Ziel des Chefs und seines Partners, in Kartenpunkten",
    "vice": "Vize",
    "the vice's trump": "Trumpf des Vize",
    "passes": "passt",
    "lays": "legt {} aus",
    "stops bidding": "beendet sein Gebot",
    "names as trump": "nennt als Trumpf",
    "picks as partner": "wählt als Partner",
    "length": "Länge",
    "when a match ends": "wann eine Partie endet",
    "bonus cap": "höchster Bonus",
    "bonus cap: none": "ohne Grenze",
    "the most that a fulfilled contract is rewarded with": "der höchste Bonus für ein erfülltes Ziel",
    "allow same trump": "gleicher Trumpf erlaubt",
    "the chief may name the same trump as the vice": "der Chef darf auch den Trumpf des Vize nennen",
    "max deals": "Durchgänge höchstens",
    "a match ends in any case after this number of deals": (
        "spätestens nach so vielen Durchgängen endet eine Partie"
    ),
    "Bid: lay cards open": "Biete: Leg Karten offen aus",
    "One press, one card. Whoever has laid most becomes chief.": (
        "Jeder Druck legt eine Karte. Wer am meisten ausgelegt hat, wird Chef."
    ),
    "Pass": "Passen",
    "Lay another card, or end your bid": "Leg noch eine Karte aus oder beende dein Gebot",
    "Done": "Fertig",
    "Name your trump": "Nenn deinen Trumpf",
    "A colour or a number among your open cards.": "Eine Farbe oder Zahl deiner offenen Karten.",
    "Pick your partner": "Wähl deinen Partner",
}

NJET: Final = _IN_TURN | {
    "Cross out what you do not want before a card is played.": (
        "Streichen, was man nicht will, bevor eine Karte fällt."
    ),
    "dealer": "Geber",
    "2, no 0": "2 ohne 0",
    "a trick or zero counts": "Stich und Null zählen",
    "away": "abgelegt",
    "booty": "Beute",
    "monster \N{MULTIPLICATION SIGN}2": "Monster \N{MULTIPLICATION SIGN}2",
    "none": "keine",
    "pass 2": "2 geben",
    "passed on": "gegeben",
    "received": "erhalten",
    "start": "Start",
    "super": "Super",
    "None until it is known, and with two or four seats": (
        "None, bis es vergeben ist, und zu zweit und zu viert"
    ),
    "None until all stones are laid": "None, bis alle Steine liegen",
    "empty until it is named": "leer, bis es genannt ist",
    "from the first card put away, to the end of the deal": (
        "ab der ersten abgelegten Karte bis zum Ende des Durchgangs"
    ),
    "from the first card chosen, to the end of the deal": (
        "ab der ersten gewählten Karte bis zum Ende des Durchgangs"
    ),
    "in the tricks, where cards were passed on": "in den Stichen, wenn Karten weitergegeben wurden",
    "monster, with five players": "Monster, zu fünft",
    "cards, all at once, one by one": "Karten, alle gleichzeitig, eine nach der anderen",
    "stones": "Njet-Steine",
    "each seat in turn crosses out a field of the board": "reihum streicht jeder ein Feld der Tafel",
    "teams": "Teams",
    "the start player names the partners": "der Startspieler nennt seine Partner",
    "monster": "Monster",
    "the start player says which seat of the pair holds the monster, with five seats": (
        "der Startspieler sagt, wer im Zweierteam das Monster bekommt"
    ),
    "discarding": "Ablegen",
    "all seats at once put away or pass on cards, one by one": (
        "alle legen gleichzeitig Karten ab oder geben sie weiter, eine nach der anderen"
    ),
    "free fields of the board": "freie Felder der Tafel",
    "captured zeros": "Beute",
    "holder of the monster": "Besitzer des Monsters",
    "start player": "Startspieler",
    "the start player's team": "Team des Startspielers",
    "own cards put away": "selbst abgelegt",
    "own cards passed on": "selbst weitergegeben",
    "cards received": "erhalten",
    "crosses out": "streicht",
    "forms a team with": "bildet ein Team mit",
    "gives the monster to": "gibt das Monster an",
    "discards": "legt {} ab",
    "passes on": "gibt {} weiter",
    "supertrump": "Supertrumpf",
    "discard": "Ablegen",
    "trump": "Trumpf",
    "points": "Punkte",
    "1 card": "1 Karte",
    "2 cards": "2 Karten",
    "2 cards, no zeros": "2 Karten, keine Nullen",
    "pass 2 to the right": "2 nach rechts geben",
    "alone": "niemandem",
    "length": "Länge",
    "when a match ends": "wann eine Partie endet",
    "scoring": "Wertung",
    "scoring: full": "voll",
    "scoring: difference": "Differenz",
    "winners score all of their points, or only the difference": (
        "die Gewinner bekommen alle ihre Punkte oder nur die Differenz"
    ),
    "supertrump suit": "Farbe der Supertrümpfe",
    "supertrump suit: trump": "nur Trumpf",
    "supertrump suit: own": "auch die eigene",
    "a supertrump is of the trump suit alone, or follows its own suit too": (
        "ein Supertrumpf gehört nur zur Trumpffarbe oder bedient auch seine eigene Farbe"
    ),
    "Cross out a field": "Streich ein Feld",
    "What is left in each row will be played.": "Was in jeder Zeile übrig bleibt, wird gespielt.",
    "Choose your team": "Wähl dein Team",
    "Who gets the monster?": "Wer bekommt das Monster?",
    "Its tricks and booty count twice.": "Seine Stiche und seine Beute zählen doppelt.",
    "Put a card away": "Leg eine Karte weg",
    "Nobody sees it.": "Niemand sieht sie.",
    "Pass a card to the right": "Gib eine Karte nach rechts",
}

MEINZ: Final = _TRICKS | {
    "Two tricks each: claim one while it grows, swap a card.": (
        "Zwei Stiche für jeden: einen fordern, solange er wächst, und eine Karte tauschen."
    ),
    "Meinz!": "Meinz!",
    "dealer": "Geber",
    "away": "weggelegt",
    "quiet": "nein",
    "sum": "Summe",
    "from a call to the end of that trick": "vom Ruf „Meinz“ bis zum Ende des Stichs",
    "cards of a hand that all know from exchanges": "Handkarten, die alle vom Tauschen kennen",
    "from the own choice to the end of the deal": "ab der eigenen Wahl bis zum Ende der Runde",
    "putting away, all at once": "Weglegen, alle gleichzeitig",
    "is it Meinz?": "gefragt, ob „Meinz“",
    "the trick's owner": "wer den Stich hat",
    "putting away": "Weglegen",
    "all seats at once put a card away": "alle legen gleichzeitig eine Karte weg",
    "the seats play cards, say whether the trick is theirs, and may swap a card with it": (
        "reihum spielt jeder eine Karte oder sagt „Meinz“; wer den Stich hat, darf eine Karte tauschen"
    ),
    "the trick is called by": "„Meinz“ gesagt hat",
    "known cards": "bekannte Karten",
    "sum of its numbers": "Summe der Zahlen",
    "own card put away": "selbst weggelegt",
    "puts away": "legt {} weg",
    "calls “Meinz”": "sagt „Meinz“",
    "stays quiet": "sagt nichts",
    "swaps": "tauscht",
    "for": "gegen",
    "swaps nothing": "tauscht nicht",
    "length": "Länge",
    "when a match ends": "wann eine Partie endet",
    "Put a card away": "Leg eine Karte weg",
    "It stays hidden to the end.": "Sie bleibt bis zum Schluss verdeckt.",
    "Is it Meinz?": "Ist es Meinz?",
    "Take the trick as it lies, or let it grow.": "Nimm den Stich, wie er liegt, oder lass ihn wachsen.",
    "Quiet: let it grow": "Still: wachsen lassen",
    "Swap a card with the trick?": "Tauschst du eine Karte mit dem Stich?",
    "Same colour for same colour.": "Gleiche Farbe gegen gleiche Farbe.",
    "Keep: swap nothing": "Nichts tauschen",
}

WAS_STICHT: Final = _IN_TURN | {
    "Draft your hand while only one player knows the trumps.": (
        "Das Blatt wählen, solange nur einer die Trümpfe kennt."
    ),
    "none": "keine",
    "start player": "Startspieler",
    "secret trumps": "geheime Trümpfe",
    "no-tricks": "kein Stich",
    "no-red": "kein Rot",
    "no-yellow": "kein Gelb",
    "no-green": "kein Grün",
    "no-blue": "kein Blau",
    "exactly-1": "genau 1",
    "exactly-2": "genau 2",
    "exactly-3": "genau 3",
    "exactly-4": "genau 4",
    "last-trick": "letzter Stich",
    "most-tricks": "meiste Stiche",
    "fewest-tricks": "wenigste Stiche",
    "empty but while tasks are chosen": "leer, außer wenn Aufgaben gewählt werden",
    "without those played since": "ohne die seither gespielten",
    "one for each row drafted; table where the table would win it": (
        "einer für jede gewählte Reihe; table, wo der Tisch sie bekäme"
    ),
    "empty while tasks are chosen": "leer, solange Aufgaben gewählt werden",
    "None until all have chosen; always None for the start player": (
        "None, bis alle gewählt haben; beim Startspieler immer None"
    ),
    "None until the draft is over; none is the word none": (
        "None, bis alle Karten gewählt sind; für keinen das Wort none"
    ),
    "from the own choice until all have chosen": "ab der eigenen Wahl, bis alle gewählt haben",
    "the start player's, during the draft": "des Startspielers, solange Karten gewählt werden",
    "showing a task, all at once": "Aufgaben zeigen, alle gleichzeitig",
    "start player's discard": "Ablage des Startspielers",
    "choosing tasks": "Aufgaben wählen",
    "each seat in turn takes a task from the display, before the first round": (
        "reihum nimmt jeder eine Aufgabe aus der Auslage"
    ),
    "draft": "Karten wählen",
    "each seat in turn takes a card of the open row": "reihum nimmt jeder eine Karte der offenen Reihe",
    "showing tasks": "Aufgaben zeigen",
    "all seats but the start player at once choose one of their tasks": (
        "alle außer dem Startspieler wählen gleichzeitig eine ihrer Aufgaben"
    ),
    "discarding a task": "Aufgabe ablegen",
    "the start player discards a task": "der Startspieler legt eine Aufgabe ab",
    "tasks on display": "ausliegende Aufgaben",
    "cards drafted": "genommene Karten",
    "hints: the seat whose card would win each row": "Hinweise: wer die Reihe als Stich bekäme",
    "rows of the draft": "ausgelegte Reihen",
    "task shown": "gezeigte Aufgabe",
    "tasks": "Aufgaben",
    "trump colour and number": "Farbtrumpf und Zahlentrumpf",
    "own task to show": "eigene gewählte Aufgabe",
    "table": "Tisch",
    "chooses the task": "wählt die Aufgabe",
    "takes": "nimmt",
    "shows the task": "zeigt die Aufgabe",
    "drops the task": "legt die Aufgabe {} ab",
    "task deck": "Aufgaben",
    "the tasks to choose from": "die Aufgaben, aus denen gewählt wird",
    "tasks per player": "Aufgaben für jeden",
    "how many tasks each player takes": "wie viele Aufgaben jeder nimmt",
    "distinct tasks": "lauter verschiedene Aufgaben",
    "no player takes two copies of one task": "niemand nimmt dieselbe Aufgabe zweimal",
    "dummy in hint": "Tisch zählt im Hinweis",
    "with three players the table counts as fourth in the hint": (
        "zu dritt zählt der Tisch im Hinweis als vierter Spieler"
    ),
    "max deals": "Durchgänge höchstens",
    "a match ends in any case after this number of deals": (
        "spätestens nach so vielen Durchgängen endet eine Partie"
    ),
    "Take a task": "Nimm eine Aufgabe",
    "Be the first to be rid of all of yours.": "Wer alle los ist, gewinnt.",
    "Take a card of this row": "Nimm eine Karte dieser Reihe",
    "Which task will you play for?": "Welche Aufgabe spielst du?",
    "Discard a task": "Leg eine Aufgabe ab",
}
