"""The lines of the SDK in a validation's log, named here so that `make messages` collects them."""

from __future__ import annotations

from django.utils.translation import gettext_noop

LOG_TEXTS = frozenset(
    {
        gettext_noop("1 line"),
        gettext_noop("It did not start: {why}"),
        gettext_noop("It may not play where it had a fault: {faults}."),
        gettext_noop("It printed {lines}; the last lines:"),
        gettext_noop("Name the games that it plays in `games`, and only those are tried."),
        gettext_noop("Not tried, after {count} games with faults: {games}. {advice}"),
        gettext_noop("The process has ended: {kind} ({code})."),
        gettext_noop(
            "Validation {number}: {games}; {move_seconds:g} s a decision, a reserve of {bank_seconds:g} s,"
            " and no fault is allowed."
        ),
        gettext_noop("every game, because it names none"),
        gettext_noop("it names none of {games}"),
        gettext_noop("it plays {games}"),
        gettext_noop("it said nothing"),
        gettext_noop("median {milliseconds:.1f} ms, longest {seconds:.2f} s"),
        gettext_noop("on the clock {spread}"),
        gettext_noop("printed: {text}"),
        gettext_noop("{cost} of {kind} time; {clock}"),
        gettext_noop("{count:,} lines"),
        gettext_noop("{game}: it printed {lines}."),
        gettext_noop(
            "{game}: played to the end without a fault, {count} matches with {seats} seats{result}."
        ),
        gettext_noop("{game}: played without a fault as long as it had time."),
        gettext_noop(
            "{game}: it thinks so long that not every match was played to the end; late decisions may"
            " be left untried."
        ),
        gettext_noop("{game}: the bot does not play this game; it names {names}."),
        gettext_noop("{game}: the last question was to choose from: {question}."),
        gettext_noop("{game}: {fault}"),
        gettext_noop("{game}: {fault}."),
        gettext_noop("{kind} at decision {decision} (deal {deal}, seat {seat} of {seats})"),
        gettext_noop("{left_out} Not tried: {games}."),
        gettext_noop("; {count} decisions, {spread}"),
        gettext_noop("{told}; {fault}"),
    }
)
