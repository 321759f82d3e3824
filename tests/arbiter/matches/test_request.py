"""Moves with which a match begins."""

import json

import pytest
from stichkampf.errors import StichkampfError
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_arbiter.matches.request import moves_of, new_match, read_request


def request(moves, **more):
    return pb.StartMatchRequest(
        game="meinz",
        seats=[pb.Seat(bot="house/thumb", house="thumb")] * 3,
        seed=bytes(range(32)),
        moves_json=moves if isinstance(moves, str) else json.dumps(moves),
        **more,
    )


def test_a_match_begun_again_from_its_moves_stands_where_it_stood():
    match = new_match(read_request(request([])))
    while not match.over:
        again = new_match(read_request(request(moves_of(match))))
        assert again.played[-1].moves == match.played[-1].moves
        assert [again.legal(seat) for seat in range(3)] == [match.legal(seat) for seat in range(3)]
        for _ in range(12):
            for seat in match.to_act():
                match.play(seat, match.legal(seat)[-1])
    ended = new_match(read_request(request(moves_of(match))))
    assert ended.over
    assert ended.log == match.log


@pytest.mark.parametrize(
    ("moves", "told"),
    [
        ("[", "moves_json is not JSON"),
        ('{"a": 1}', "moves_json must be a list of at most 20,000 moves"),
        ([[0, "play R1"], 7], "moves_json[1] must be a seat and a word, not 7"),
        ([[True, "play R1"]], "moves_json[0] must be a seat and a word"),
        ([[0, "play nothing"]], "moves_json[0]: "),
        ([[9, "quiet"]], "moves_json[0]: seat 9 is not to act"),
    ],
)
def test_moves_that_cannot_be_made_are_refused(moves, told):
    with pytest.raises(StichkampfError) as refused:
        read_request(request(moves))
    assert told in str(refused.value)


def test_a_seat_of_no_person_says_so_by_leaving_it_out():
    seats = [pb.Seat(bot="guest", person=False)] * 3
    wrong = pb.StartMatchRequest(game="meinz", seats=seats, seed=bytes(32))
    with pytest.raises(StichkampfError, match="has person false; leave it out"):
        read_request(wrong)
