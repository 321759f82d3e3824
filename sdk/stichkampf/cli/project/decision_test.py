"""A decision of a record as a test in a bot's project."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from stichkampf.cli.whole_files import whole_file
from stichkampf.engine.deal import Json
from stichkampf.errors import BotError
from stichkampf.local_play.programs import LocalProgram
from stichkampf.local_play.repeated_decisions import AskedAgain
from stichkampf.match.records import dump

TEMPLATE: Final = '''\
"""Decision {number} of {record}: {game}, seat {seat}; {made} in the match."""

from pathlib import Path

from stichkampf.testing import decide_again

HERE = Path(__file__).parent


def test_{name}() -> None:
    word = decide_again(HERE / "{record}", {number}, HERE{entry})
'''
OTHERWISE: Final = '    assert word != {word!r}, "as in the match; say here what would be better"\n'


def write_test(record: Json, question: AskedAgain, program: LocalProgram, bot: Path, stem: str) -> list[Path]:
    """Write the record and the test beside the bot; returns the files.

    :param stem: the beginning of their names.
    :raises BotError: there is no folder for them, or they are there already.
    """
    if program.house or not (bot.is_dir() or bot.suffix == ".py"):
        raise BotError(f"--test writes into the folder of a bot's files; {program.name} has none")
    folder = bot if bot.is_dir() else bot.parent
    name = f"{stem}_{question.number}"
    copy, test = folder / f"{name}.json", folder / f"test_{name}.py"
    made = (
        f"thumb played {question.move.word!r} after its fault ({question.move.fault})"
        if question.move.fault
        else (f"it chose {question.move.word!r}")
    )
    text = TEMPLATE.format(
        number=question.number,
        record=copy.name,
        game=record["game"],
        seat=question.seat + 1,
        made=made,
        name=name,
        entry="" if bot.is_dir() else f' / "{bot.name}"',
    )
    if not question.move.fault and len(question.legal) > 1:
        text += OTHERWISE.format(word=question.move.word)
    for file in (copy, test):
        if file.exists():
            raise BotError(f"{file} is there already; remove it to have it written again")
    # one inside the other: without the test there is no record
    with whole_file(copy) as stream, whole_file(test) as other:
        stream.write(dump(record).encode() + b"\n")
        other.write(text.encode())
        stream.flush()
        other.flush()
    return [copy, test]
