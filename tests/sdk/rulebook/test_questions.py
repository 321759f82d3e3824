"""Questions of players at the table, and the sentence of the rules that answers each, in both languages."""

from __future__ import annotations

import html
import re

import pytest
from stichkampf.games import GAMES
from stichkampf.rulebook.pages import page

ANSWERS = {
    "mue": {
        "hand sizes": (
            "15 cards each with four players, 12 with five, 10 with six",
            "zu fünft 12, zu sechst 10",
        ),
        "nobody bids": ("If no player has bid at all, all score nothing", "Hat überhaupt niemand geboten"),
        "no vice": (
            "if no player but the chief has laid",
            "wenn außer dem Chef niemand eine Karte ausgelegt",
        ),
        "stalemate": ("All others score nothing", "Alle anderen bekommen nichts"),
        "next dealer": ("Either way the next player deals", "In beiden Fällen gibt der nächste"),
        "equal height": ("highest first, then the next", "die höchste zuerst, dann die nächste"),
        "empty hand": ("Who has no card left in hand passes", "Wer keine Handkarte mehr hat, passt"),
        "highest bid": ('<th scope="row">15</th> <td>58</td>', '<th scope="row">15</th> <td>58</td>'),
    },
    "njet": {
        "hand sizes": ("<td>16</td> <td>18</td>", "<td>16</td> <td>18</td>"),
        "stones": ("dealer 9, other 8", "Geber 9, der andere 8"),
        "absent players": ("absent start players are covered", "der fehlenden abgedeckt"),
        "two players": ("two players simply swap", "zu zweit tauscht man einfach"),
        "no teams": ("<b>Two players:</b> nothing to choose", "<b>Zu zweit:</b> Es gibt nichts zu wählen"),
        "discarded zeros": ("zeros among them are no player's booty", "Nullen darunter sind keine Beute"),
        "supertrump in a colour": ("it is no blue card", "ist sie keine blaue Karte"),
        "scoring": ("the difference between the two (difference)", "die Differenz (difference)"),
        "supertrump suit": ("the colour printed on it, too (own)", "zu der Farbe, die er zeigt (own)"),
    },
    "meinz": {
        "first lead": ("leads the first trick of the first round", "spielt der Spieler links von ihm"),
        "later rounds": ("left of the one who led the round before", "der linke Nachbar dessen"),
        "two tricks": ("who has two goes on playing cards", "wer sie hat, spielt weiter mit"),
        "nobody asked": ("no player is asked once only one player", "Ihm gehört der Stich ohnehin"),
        "own card": ("the card that the owner has just played", "die man gerade selbst gespielt hat"),
        "seat of the monster": ("sits as the fourth player", "sitzt als vierter Spieler"),
        "its discard": ("It puts nothing away", "Es legt nichts weg"),
        "its last card": ("keeps one unseen", "behält eine übrig"),
    },
    "was-sticht": {
        "first pick": (
            "player <em>left of the start player</em> picks first",
            "<em>links vom Startspieler</em> zuerst",
        ),
        "no colour": ("Without a trump colour", "Ohne Farbtrumpf"),
        "no number": ("without a trump number", "ohne Zahlentrumpf"),
        "two copies": ("may take both copies of a task", "auch beide Karten einer Aufgabe nehmen"),
        "card of the table": ("it counts as the last card played", "gilt sie als zuletzt gespielt"),
        "first start player": ("a start player is drawn", "wird ein Startspieler ausgelost"),
    },
    "stiche-raten": {
        "rounds": ("<td>12 rounds</td>", "<td>12 Runden</td>"),
        "passing aces": (
            "the king is the highest ordinary card",
            "ist der König die höchste gewöhnliche Karte",
        ),
        "ten": ("the 10 ranks right below the ace", "die 10 gleich unter dem Ass"),
    },
    "sixes-and-sevens": {
        "sevens": (
            "the last such 7 of the trick always takes it",
            "die letzte solche Sieben den Stich immer bekommt",
        ),
    },
}


@pytest.mark.parametrize(
    ("game", "question"), [(game, question) for game, asked in ANSWERS.items() for question in asked]
)
def test_the_rules_answer_what_a_player_asks(game, question):
    for language, answer in zip(("en", "de"), ANSWERS[game][question], strict=True):
        text = " ".join(html.unescape(page(game, language)).split())
        assert answer in text, language


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", GAMES)
def test_rulings_are_listed_and_every_option_has_a_sentence(game, language):
    text = page(game, language)
    rulings = text.partition('<h2 id="rulings">')[2].partition("<h2")[0]
    assert rulings.count("<li>") >= 4
    options = re.findall(r"{% option \"(\w+)\" %}(.+?){% endoption %}", text, re.DOTALL)
    assert [name for name, _ in options] == [option.name for option in GAMES[game].specification]
    assert all(len(sentence.split()) >= 5 for _, sentence in options)
