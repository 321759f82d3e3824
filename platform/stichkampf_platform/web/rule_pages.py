"""The rules of a game as HTML, in the reader's language, with examples drawn by the pieces of the replay."""

from __future__ import annotations

from functools import cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from stichkampf.engine.game import Game
from stichkampf.games import GAMES
from stichkampf.rulebook.examples import WorkedExample, examples
from stichkampf.rulebook.pages import EVERY_GAME, LANGUAGES, path_of, sections
from stichkampf.rulebook.text import allowed_values

from stichkampf_platform.web.games.rulebook import GameTexts, options_of
from stichkampf_platform.web.replay.action_texts import sentence
from stichkampf_platform.web.replay.replay import build_replay
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant, Text


class ExampleScene(Scene):
    """A scene of an example, whose match of one deal stands for any deal."""

    @property
    def phase(self) -> str:
        return super().phase if self.frame.phase else gettext("end of the deal")


def language() -> str:
    """Return the language of the rules for the reader: that of the page if there are rules in it."""
    chosen = (get_language() or "").partition("-")[0]
    return chosen if chosen in LANGUAGES else LANGUAGES[0]


def article(slug: str) -> SafeString:
    """Return the rules of a game; those of a game from another package come from its own description."""
    return _rendered(GAMES[slug], language(), summary=False)


def summary(slug: str) -> SafeString:
    """Return the summary of the rules on one page."""
    return _rendered(GAMES[slug], language(), summary=True)


@cache  # the same for everybody, and an example is a whole match to play
def _rendered(game: type[Game], language: str, *, summary: bool) -> SafeString:
    page = path_of(game.name, language, summary=summary)
    context = {"entry": GameTexts(game.name), "language": language}
    own = render_to_string([page, "web/rules/from-elsewhere.html"], context)
    if summary or not sections(game.name, language):
        return own
    return own + render_to_string(path_of(EVERY_GAME, language), context)


def draw_example(slug: str, name: str, caption: SafeString) -> SafeString:
    """Draw an example of a game by its name, with a caption."""
    example = examples(slug)[name]
    scene = _scene(example)
    context: dict[str, object] = {"scene": scene, "caption": caption, "game": slug, "name": name}
    if example.draws == "trick":
        trick = example.trick()
        seats = zip(trick.numbers, trick.cards, strict=True)
        context["slots"] = [
            {"order": order, "word": card, "name": scene.players[seat].name, "wins": seat == trick.seat}
            for order, (seat, card) in enumerate(seats, 1)
        ]
        context["vanishes"] = trick.seat < 0
        return render_to_string("web/rules/_trick_example.html", context)
    context["moves"] = _moves(example, scene)
    return render_to_string("web/rules/_felt_example.html", context)


def _scene(example: WorkedExample) -> ExampleScene:
    players = [SeatOccupant(name) for name in example.players]
    return ExampleScene(build_replay(example.record), example.last, players)


def _moves(example: WorkedExample, scene: Scene) -> list[tuple[str, Text]]:
    """List who did what in an example, without the cards played into tricks."""
    return [
        (scene.players[seat].name, sentence(scene.game, action))
        for step, seat, action in scene.so_far.moves()
        if example.first <= step <= example.last and not action.startswith("play ")
    ]


def draw_option(slug: str, name: str, meaning: SafeString) -> SafeString:
    """Draw the explanation of an option, with its default and the values that it may have."""
    option = next(option for option in GAMES[slug].specification if option.name == name)
    told = next(told for told in options_of(slug) if told["name"] == name)
    context = told | {"explained": meaning, "allowed": allowed_values(option, language())}
    return render_to_string("web/rules/_option.html", context)
