"""A bot that asks a language model."""

from __future__ import annotations

from time import monotonic, sleep
from typing import Final

from stichkampf.bots.bot import Bot, Note, decide
from stichkampf.bots.registry import house_bot
from stichkampf.lab.language_model.answers import choice_in
from stichkampf.lab.language_model.endpoint import Completion, Endpoint, EndpointAway, EndpointError
from stichkampf.lab.language_model.prompt import asked_again, conversation
from stichkampf.lab.language_model.spending import Spending
from stichkampf.match.table import Table

TRIES: Final = 2
LONGEST_SECONDS: Final = 600.0
"""The longest wait for an answer where a decision has no time limit."""
RESERVE: Final = 0.1
"""The share of a decision's time that is kept for the way of the answer to the table."""
LEAST_SECONDS: Final = 1.0
"""With less time than this left, the model is not asked any more."""
PAUSE: Final = 0.5
"""The shortest pause, in seconds, before an endpoint that was away is tried again."""
NOTED_CHARACTERS: Final = 500


class LanguageModelBot(Bot):
    """A player whose choices a language model makes.

    A single legal action is played without asking. Where the model does not answer in time, or not so that
    its choice can be told in two tries, the house bot `thumb` chooses: no hand is lost to the form of an
    answer.

        from stichkampf.lab.language_model import Endpoint, LanguageModelBot

        class Mine(LanguageModelBot):
            def __init__(self):
                super().__init__(Endpoint("http://127.0.0.1:8080/v1", "my-model"))

    :param spending: counts the requests of several tables together, and may limit them.
    """

    def __init__(self, endpoint: Endpoint, spending: Spending | None = None) -> None:
        self._endpoint = endpoint
        self._spending = spending or Spending()
        self._thumb = house_bot("thumb")()

    def choose(self, table: Table) -> str | tuple[str, Note | str]:
        if len(table.legal) == 1:
            return table.legal[0]
        chosen = None if self._spending.is_spent else self._asked(table)
        if chosen is not None:
            return chosen
        action, _ = decide(self._thumb, table)
        return action, "no answer of the model: a rule of thumb"

    def _asked(self, table: Table) -> tuple[str, Note] | None:
        """Ask the model, a second time if need be; None where there is no answer that can be understood."""
        messages = conversation(table)
        for _ in range(TRIES):
            seconds = _seconds_left(table)
            if seconds < LEAST_SECONDS or self._spending.is_spent:
                return None
            try:
                reply = self._endpoint.ask(messages, seconds)
            except EndpointError as error:
                self._note(table, "no answer", str(error))
                if not isinstance(error, EndpointAway):
                    return None
                sleep(min(max(error.pause, PAUSE), max(_seconds_left(table) / 2, 0)))
                continue
            self._spending.add(reply)
            action = choice_in(reply.text, table.legal)
            self._note(table, action or "not understood", reply.text, reply)
            if action is not None:
                return action, Note(" ".join(reply.text.split())[-200:])
            messages = asked_again(messages, reply.text, len(table.legal))
        return None

    def _note(self, table: Table, outcome: str, said: str, reply: Completion | None = None) -> None:
        spent = {}
        if reply is not None:
            spent = {
                "prompt_tokens": reply.prompt_tokens,
                "completion_tokens": reply.completion_tokens,
                "seconds": round(reply.seconds, 3),
            }
        self._spending.note(
            game=table.game.name,
            seat=table.seat,
            deal=table.deal_number,
            choices=len(table.legal),
            outcome=outcome,
            **spent,
            said=said[-NOTED_CHARACTERS:],
        )


def _seconds_left(table: Table) -> float:
    """Tell the seconds for which an answer may be waited for."""
    if table.deadline is None or table.seconds is None:
        return LONGEST_SECONDS
    return table.deadline - monotonic() - RESERVE * table.seconds
