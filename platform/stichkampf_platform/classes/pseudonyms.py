"""Names of accounts that say nothing of the person: they stay in records when the class is over."""

from __future__ import annotations

import secrets

from stichkampf_platform.people.models import User

COLOUR_WORDS = """
amber azure bronze cherry copper coral cream crimson golden hazel indigo ivory jade lemon lilac lime maroon
mint olive orange pearl pink plum purple ruby russet rusty sandy scarlet silver teal violet
"""
ANIMAL_WORDS = """
badger beaver bison crane curlew deer dolphin eagle falcon finch fox gecko goose hare hawk heron ibex ibis jay
kiwi koala lark lemur lynx magpie marten merlin mole moose newt orca osprey otter owl panda petrel plover
puffin quail raven robin salmon seal shrew skink sparrow squid stoat stork swan swift tapir tern thrush tiger
toucan trout viper vole walrus weasel whale wolf wombat wren zebra
"""
COLOURS, ANIMALS = COLOUR_WORDS.split(), ANIMAL_WORDS.split()
NUMBERS = range(10, 100)
ROUNDS = 20


def free_pseudonyms(how_many: int) -> list[str]:
    """Return names such as `teal-otter-42` that no account has."""
    found: list[str] = []
    for _ in range(ROUNDS):
        fresh = {_pseudonym() for _ in range(how_many - len(found))} - set(found)
        taken = set(User.objects.filter(username__in=fresh).values_list("username", flat=True))
        found += sorted(fresh - taken)
        if len(found) == how_many:
            return found
    raise RuntimeError(f"of the names of accounts, {how_many} more are hard to find")


def _pseudonym() -> str:
    return f"{secrets.choice(COLOURS)}-{secrets.choice(ANIMALS)}-{secrets.choice(NUMBERS)}"
