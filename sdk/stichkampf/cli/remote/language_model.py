"""The options of `stichkampf connect` for a language model, and the bot that they describe."""

from __future__ import annotations

import argparse
import math
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from stichkampf.bots.bot import Bot
from stichkampf.cli.configuration import ConfigurationError
from stichkampf.cli.parser import CommandParser, positive
from stichkampf.lab.language_model import Endpoint, LanguageModelBot, Spending

KEY_VARIABLE: Final = "STICHKAMPF_LLM_KEY"
OPTIONS: Final = ("model", "token_limit", "prices", "log")


def add_options(parser: CommandParser) -> None:
    """Add the options that say which model, and what it may cost."""
    group = parser.add_argument_group(
        "language model", f"A model chooses in place of BOT. Its key, if it needs one, is in {KEY_VARIABLE}."
    )
    group.add_argument(
        "--llm",
        metavar="URL",
        help="an endpoint of the usual chat-completions form, such as http://127.0.0.1:8080/v1",
    )
    group.add_argument("--model", metavar="NAME", help="the model's name at the endpoint")
    group.add_argument(
        "--token-limit",
        metavar="N",
        type=positive,
        help="stop when prompts and answers together have taken as many tokens (default: no limit)",
    )
    group.add_argument(
        "--prices",
        metavar="SENT,RECEIVED",
        type=_prices,
        help="what a million tokens cost, of prompts and of answers, such as 0.5,1.5; shown when it ends",
    )
    group.add_argument(
        "--log", metavar="FILE", type=Path, help="add a line of JSON to this file for each request"
    )


def check_options(args: argparse.Namespace) -> None:
    """Refuse options that do not go together.

    :raises ConfigurationError: neither or both of a bot and a model are named, or only a part of a model.
    """
    if args.llm is None:
        without = [name for name in OPTIONS if getattr(args, name) is not None]
        if without:
            option = without[0].replace("_", "-")
            raise ConfigurationError(
                f"--{option} is about a language model; name its endpoint too: --llm URL"
            )
        if args.bot is None:
            raise ConfigurationError(
                "name a bot: a file, folder, archive or program, or --llm URL --model NAME"
            )
    elif args.bot is not None:
        raise ConfigurationError(f"{args.bot} and --llm are two bots; name one of them")
    elif not args.model:
        raise ConfigurationError("name the model at the endpoint: --model NAME")


@contextmanager
def model_of(
    args: argparse.Namespace, environ: Mapping[str, str], say: Callable[[str], None]
) -> Iterator[Callable[[], Bot]]:
    """Try the model once, and give a function that makes a bot of it for a table.

    When the limit of tokens is reached, the program is interrupted as by Ctrl-C: the open tables end by rules
    of thumb.

    :raises EndpointError: the endpoint does not answer, or refuses.
    :raises ConfigurationError: the log cannot be written.
    """
    endpoint = Endpoint(args.llm, args.model, environ.get(KEY_VARIABLE, ""))
    try:
        spending = Spending(
            token_limit=args.token_limit,
            prices=args.prices,
            log=args.log,
            when_spent=lambda: _stop(say),
            when_unlogged=lambda reason: say(f"{args.log} cannot be written: {reason}; play goes on"),
        )
    except OSError as error:
        raise ConfigurationError(f"cannot write the log {args.log}: {error.strerror}") from None
    with spending:
        endpoint.probe()
        say(f"{endpoint.model} answers at {endpoint.url}")
        try:
            yield lambda: LanguageModelBot(endpoint, spending)
        finally:
            say(f"{endpoint.model}: {spending}")


def _stop(say: Callable[[str], None]) -> None:
    say("the limit of tokens is reached; open tables end by rules of thumb")
    os.kill(os.getpid(), signal.SIGINT)


def _prices(text: str) -> tuple[float, float]:
    try:
        sent, received = (float(part) for part in text.split(","))
    except ValueError:
        sent = received = math.nan
    if not (0 <= sent < math.inf and 0 <= received < math.inf):
        raise argparse.ArgumentTypeError(f"{text!r} is not two prices, such as 0.5,1.5")
    return sent, received
