"""Slots of which the greediest address gives one up."""

import pytest
from stichkampf_platform.serving.connections import CONNECTIONS
from stichkampf_platform.serving.fair_slots import FairSlots


def taken(slots, *holders):
    """Take a slot for each holder, such as `a1` of the address `a`; return who had to go each time."""
    gone = []
    for holder in holders:
        goes = slots.take(holder, holder[0].strip("-"))
        if goes is not None:
            slots.leave(goes)
        gone.append(goes)
    return gone


def test_the_newest_of_the_greediest_address_goes_for_another():
    slots = FairSlots(4)
    assert taken(slots, "a1", "a2", "b1", "a3") == [None] * 4
    assert taken(slots, "c1", "d1") == ["a3", "a2"]
    assert len(slots) == 4


def test_of_addresses_with_equally_many_the_newcomers_own_goes():
    slots = FairSlots(4)
    assert taken(slots, "a1", "a2", "b1", "b2") == [None] * 4
    assert taken(slots, "b3", "a3") == ["b3", "a3"]


def test_one_address_may_have_all_while_no_other_wants_one():
    slots = FairSlots(3)
    assert taken(slots, "a1", "a2", "a3", "a4") == [None, None, None, "a4"]


def test_two_hundred_visitors_of_one_address_all_have_a_connection_beside_a_crowd():
    slots = FairSlots(CONNECTIONS)
    assert set(taken(slots, *(f"{chr(200 + number)}" for number in range(CONNECTIONS - 200)))) == {None}
    assert set(taken(slots, *(f"a{number}" for number in range(200)))) == {None}


@pytest.mark.parametrize(
    ("sites", "keeps_out"), [(1, False), (CONNECTIONS, True)], ids=["one site", "a site each"]
)
def test_the_networks_of_one_site_do_not_keep_a_visitor_out(sites, keeps_out):
    slots = FairSlots(CONNECTIONS)
    networks = [f"2001:db8:{number % sites:x}:{number:x}::/64" for number in range(CONNECTIONS)]
    assert {slots.take(network, network) for network in networks} == {None}
    for holder in ("browser 1", "browser 2", "browser 3"):
        gone = slots.take(holder, "192.0.2.7")
        assert (gone == holder) == keeps_out
        slots.leave(gone)
    late = "2001:db8:0:ffff::/64"
    assert slots.refuses(late)
    assert slots.take(late, late) == late


def test_who_stands_for_many_does_not_go_for_one():
    """A connection of a trusted proxy, which has no address of its own."""
    slots = FairSlots(3)
    assert taken(slots, "-1", "-2", "a1", "-3") == [None, None, None, "a1"]
    assert taken(slots, "-4") == ["-4"]


def test_a_slot_is_given_back_once():
    slots = FairSlots(1)
    taken(slots, "a1")
    slots.leave("a1")
    slots.leave("a1")
    assert taken(slots, "b1") == [None]


def test_who_would_have_to_go_is_known_beforehand():
    slots = FairSlots(4)
    taken(slots, "a1", "a2", "a3")
    assert not slots.refuses("a")
    taken(slots, "b1")
    assert slots.refuses("a")
    assert not slots.refuses("b")
    assert not slots.refuses("c")
