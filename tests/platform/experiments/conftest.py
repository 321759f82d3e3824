import pytest
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.running import due_steps


@pytest.fixture
def play_blocks(land, played_record):
    """Play the blocks of an experiment that are drawn; versions in `faulting` fault at every move."""

    def play(experiment, faulting=()):
        for block in experiment.tournament.blocks.filter(over_at=None):
            for table in leases.take(block_id=block.pk, owner="w1"):
                seats = {seat.number for seat in table.seats.all() if seat.entrant.version in faulting}
                assert land(table, played_record(table, faulting=seats))
        due_steps.advance_tournaments()
        experiment.tournament.refresh_from_db()

    return play
