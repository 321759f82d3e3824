import csv
import io
import json
import sys
from pathlib import Path
from random import Random

import pytest
from stichkampf.cli import main
from stichkampf.errors import installing
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.records import dump
from stichkampf.schedule import seatings

HEADER = "rank,bot,elo,plus_minus,blocks,comparisons,rank_best,rank_worst"


@pytest.fixture
def rate(tmp_path: Path, capsys):
    """Rate a text with some options; gives exit status, standard output and standard error."""

    def run(text: str, *options: str) -> tuple[int, str, str]:
        file = tmp_path / "results"
        file.write_bytes(text.encode())
        status = main(["rate", str(file), *options])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def lines(first: str, second: str, won: int, lost: int) -> str:
    return "".join(
        f"{first}{second}{game},0,{bot},{int((game < won) == (bot == first))}\n"
        for game in range(won + lost)
        for bot in (first, second)
    )


TRIANGLE = (
    "block,hand,bot,score\n" + lines("a", "b", 75, 25) + lines("b", "c", 75, 25) + lines("a", "c", 90, 10)
)


def test_csv_has_the_promised_header_and_four_decimals(rate):
    status, out, err = rate(TRIANGLE, "--prior", "0", "--anchor", "none", "--format", "csv")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        HEADER,
        "1,a,190.8485,44.1679,200,200,1,1",
        "2,b,0.0000,37.3559,200,200,2,2",
        "3,c,-190.8485,44.1679,200,200,3,3",
    ]


def test_the_default_anchor_is_all_bots_and_the_default_prior_one(rate):
    _, out, _ = rate("block,hand,bot,score\n" + lines("x", "y", 5, 0), "--format", "csv")
    assert [row["elo"] for row in csv.DictReader(io.StringIO(out))] == ["1739.4009", "1260.5991"]


def test_anchors_are_named_between_commas(rate):
    _, out, _ = rate(TRIANGLE, "--prior", "0", "--anchor", "b, c", "--format", "csv")
    assert [row["elo"] for row in csv.DictReader(io.StringIO(out))] == ["1786.2728", "1595.4243", "1404.5757"]


def test_a_name_with_a_comma_is_quoted_in_input_anchor_and_output(rate):
    text = 'block,hand,bot,score\n1,0,"Meier, Jo",1\n1,0,b,2\n2,0,"Meier, Jo",1\n2,0,b,1\n'
    _, out, _ = rate(text, "--anchor", '"Meier, Jo",b', "--format", "csv")
    assert [row["bot"] for row in csv.DictReader(io.StringIO(out))] == ["b", "Meier, Jo"]


def test_json_has_the_same_fields_as_numbers_with_four_decimals(rate):
    _, out, _ = rate(TRIANGLE, "--prior", "0", "--anchor", "none", "--format", "json")
    assert json.loads(out)[0] == {
        "rank": 1,
        "bot": "a",
        "elo": 190.8485,
        "plus_minus": 44.1679,
        "blocks": 200,
        "comparisons": 200,
        "rank_best": 1,
        "rank_worst": 1,
    }
    assert '"elo": 0.0000' in out


def test_with_one_block_plus_minus_is_empty(rate):
    text = "block,hand,bot,score\n1,0,a,2\n1,0,b,1\n1,1,b,2\n1,1,a,2\n"
    _, out, _ = rate(text, "--format", "csv")
    assert [row["plus_minus"] for row in csv.DictReader(io.StringIO(out))] == ["", ""]
    _, out, _ = rate(text, "--format", "json")
    assert [row["plus_minus"] for row in json.loads(out)] == [None, None]
    _, out, _ = rate(text, "--matrix")
    assert "likelihood" in out


def test_the_table_is_for_people_and_marks_the_provisional(rate):
    _, out, _ = rate(TRIANGLE)
    assert out.splitlines()[0].split() == [
        "rank",
        "bot",
        "Elo",
        "±",
        "(95%)",
        "blocks",
        "comparisons",
        "rank",
        "range",
    ]
    assert "provisional" not in out
    _, out, _ = rate("block,hand,bot,score\n" + lines("x", "y", 3, 2))
    assert "? provisional: fewer than 20 blocks\n" in out


def test_the_matrix_gives_the_likelihood_that_one_bot_is_stronger_than_another(rate):
    text = "block,hand,bot,score\n" + lines("x", "y", 6, 4)
    _, out, _ = rate(text, "--format", "csv", "--matrix")
    ratings, matrix = out.split("\n\n")
    assert ratings.startswith(HEADER)
    cells = list(csv.reader(io.StringIO(matrix)))
    assert cells[0] == ["bot", "x", "y"]
    assert float(cells[1][2]) + float(cells[2][1]) == pytest.approx(1)
    assert 0.6 < float(cells[1][2]) < 0.9
    assert cells[1][1] == cells[2][2] == ""
    _, out, _ = rate(text, "--format", "json", "--matrix")
    assert json.loads(out)[0]["superiority"] == {"y": float(cells[1][2])}
    _, out, _ = rate(text, "--matrix")
    assert cells[1][2] in out


def test_column_order_blank_lines_and_a_byte_order_mark_do_not_matter(rate):
    plain = "block,hand,bot,score\n1,0,a,2\n1,0,b,1\n2,0,a,-1.5\n2,0,b,+2e0\n"
    other = "\ufeffscore, bot ,hand,block\r\n2,a,0,1\r\n\r\n1, b,0,1\r\n-1.5,a,0,2\r\n2,b,0,2\r\n"
    assert rate(plain, "--format", "csv") == rate(other, "--format", "csv")


def test_equal_bots_are_in_order_of_name_and_share_a_rank(rate):
    text = "block,hand,bot,score\n1,0,zoe,1\n1,0,ann,1\n1,0,moe,1\n"
    _, out, _ = rate(text, "--format", "csv")
    assert [row[:3] for row in csv.reader(io.StringIO(out))][1:] == [
        ["1", "ann", "1500.0000"],
        ["1", "moe", "1500.0000"],
        ["1", "zoe", "1500.0000"],
    ]


def test_every_malformed_row_is_named_with_its_line(rate):
    text = "block,hand,bot,score\n1,0,a\n1,0,,3\n\n1,0,b,nan\n1,,b,3\n"
    text += "1,0,b,\n1,0,b,1_0\n1,0,b,1,2\n,0,b,1\n1,0,b,3\n"
    status, out, err = rate(text)
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "stichkampf: line 2: the score is missing",
        "line 3: the bot is missing",
        "line 5: the score must be a number, not 'nan'",
        "line 6: the hand is missing",
        "line 7: the score is missing",
        "line 8: the score must be a number, not '1_0'",
        "line 9: 5 fields under 4 headings",
        "line 10: the block is missing",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("block,hand,player,score\n1,0,a,1\n", "line 1: the header must be block,hand,bot,score"),
        ("1,0,a,1\n1,0,b,2\n", "line 1: the header must be"),
        ("block,hand,bot,score\n", "no results"),
        ('block,hand,bot,score\n1,0,"a,1\n', "line 2: a quotation mark opens there and does not close"),
        ("block,hand,bot,score\n1,0,a,1e999\n", "line 2: the score must be a number"),
        (
            "block,hand,bot,score\n1,0,a,1\n1,1,b,2\n",
            "`stichkampf duel` with --records FILE plays such blocks",
        ),
        ("block,hand,bot,score\n1,0,a,1\n1,0,a,2\n", "nothing to compare"),
        ("block,hand,bot,score,Bot\n1,0,a,1,b\n", "'Bot' names a column that there is already"),
        ("block;hand;bot;score\n1;0;a;1,2,3\n", "line 2: the score must be a number, not '1,2,3'"),
        ('{"game": "sticheln"', "line 1: not JSON"),
        ("[]", "no match record"),
        ("[3]", "line 1: a match record is a JSON object"),
    ],
)
def test_a_file_that_cannot_be_rated_says_why(rate, text, words):
    status, out, err = rate(text)
    assert (status, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\r\nBlock;Hand;Bot;Punkte;;\r\n1;0;Müller;1,5;;\r\n1;0;b;0,5;;\r\n;;;;;\r\n".encode("cp1252"),
        "BOT\tscore\tBLOCK\thand\nMüller\t1.5\t1\t0\nb\t.5\t1\t0\n".encode("utf-16"),
        "\ufeffblock,hand,bot,score\n,,,\n1,0,\u200bMu\u0308ller,1.5\n\n1,0,b,0.5\n".encode(),
    ],
)
def test_results_are_read_as_spreadsheets_save_them(tmp_path, capsys, content):
    file = tmp_path / "results.csv"
    file.write_bytes(content)
    assert main(["rate", str(file), "--format", "json"]) == 0
    assert [row["bot"] for row in json.loads(capsys.readouterr().out)] == ["Müller", "b"]


def test_a_workbook_is_refused_and_further_columns_are_left_out_with_a_word(tmp_path, capsys):
    file = tmp_path / "results.xlsx"
    file.write_bytes(b"PK\x03\x04")
    assert main(["rate", str(file)]) == 2
    assert "save the table as CSV" in capsys.readouterr().err
    file.write_text("date,block,hand,bot,score\nMonday,1,0,a,2\nMonday,1,0,b,1\n")
    assert main(["rate", str(file)]) == 0
    assert "left out: the columns date" in capsys.readouterr().err


def test_a_missing_file_is_named(tmp_path, capsys):
    assert main(["rate", str(tmp_path / "nowhere.csv")]) == 2
    assert "nowhere.csv: No such file" in capsys.readouterr().err


def test_a_dash_reads_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TRIANGLE.encode())))
    assert main(["rate", "-", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith(HEADER)


def test_without_a_prior_the_unrateable_are_named(rate):
    status, _, err = rate("block,hand,bot,score\n" + lines("x", "y", 5, 0), "--prior", "0")
    assert status == 2
    assert "x: unbeaten" in err
    assert "y: winless" in err
    status, _, err = rate(
        "block,hand,bot,score\n" + lines("x", "y", 2, 2) + lines("p", "q", 2, 2), "--prior", "0"
    )
    assert status == 2
    assert "p, q; x, y" in err


def test_with_a_prior_groups_that_never_met_are_rated_with_a_remark(rate):
    status, out, err = rate(
        "block,hand,bot,score\n" + lines("x", "y", 2, 2) + lines("p", "q", 3, 1), "--format", "csv"
    )
    assert status == 0
    assert len(out.splitlines()) == 5
    assert "2 groups of bots were never compared with each other" in err


def test_an_unknown_anchor_is_named(rate):
    status, _, err = rate(TRIANGLE, "--anchor", "a,zoe")
    assert status == 2
    assert "zoe" in err


@pytest.mark.parametrize(
    "options", [["--prior", "-1"], ["--prior", "nan"], ["--prior", "x"], ["--anchor", "a,,b"]]
)
def test_impossible_options_end_with_status_two(rate, capsys, options):
    with pytest.raises(SystemExit) as stop:
        rate(TRIANGLE, *options)
    assert stop.value.code == 2


def test_without_numpy_one_line_says_what_to_install(rate, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("stichkampf.rating")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "stichkampf.cli.local.rate_output", raising=False)
    monkeypatch.setitem(sys.modules, "numpy", None)
    status, out, err = rate(TRIANGLE)
    assert (status, out) == (2, "")
    assert err == f"stichkampf: rating needs numpy and scipy: {installing('rating')}\n"


# Match records ------------------------------------------------------------------------------------------


def record(bots: str, scores: list[int], *, deal: int = 0, options: dict | None = None, **more) -> dict:
    """A record of the fixed fields; `deal` tells first deals apart, a bot is a letter."""
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    hands = [[f"R{(seat + deal) % 9}", f"B{seat}"] for seat in range(len(bots))]
    return {
        "format": "stichkampf-record/1",
        "game": "sticheln",
        "options": options or {"edition": "short"},
        "seats": [{"bot": bot} for bot in bots],
        "deals": [{"dealer": 0, "hands": hands, "moves": [], "scores": scores}],
        "faults": [],
        "scores": scores,
        "ranks": ranks,
    } | more


def json_lines(*records: dict) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


def rated(out: str) -> dict[str, tuple[int, int]]:
    """Blocks and comparisons of each bot."""
    return {
        row["bot"]: (int(row["blocks"]), int(row["comparisons"])) for row in csv.DictReader(io.StringIO(out))
    }


def test_records_of_one_deal_form_a_block_and_a_seat_is_a_hand(rate):
    text = json_lines(
        record("abc", [9, 5, 1]),
        record("bca", [8, 4, 0]),
        record("cab", [7, 3, 2]),
        record("abc", [1, 2, 3], deal=1),
    )
    status, out, _ = rate(text, "--format", "csv")
    assert status == 0
    assert rated(out) == {"a": (1, 6), "b": (1, 6), "c": (1, 6)}
    expected = "block,hand,bot,score\n" + "".join(
        f"1,{hand},{bot},{score}\n"
        for bots, scores in (("abc", (9, 5, 1)), ("bca", (8, 4, 0)), ("cab", (7, 3, 2)))
        for hand, (bot, score) in enumerate(zip(bots, scores, strict=True))
    )
    assert out == rate(expected, "--format", "csv")[1]


@pytest.mark.parametrize("form", ["array", "indented", "lines"])
def test_records_may_stand_in_an_array_or_on_lines(rate, form):
    records = [
        record("ab", [2, 1]),
        record("ba", [5, 4]),
        record("ab", [2, 1], deal=1),
        record("ba", [1, 4], deal=1),
    ]
    text = {
        "array": json.dumps(records),
        "indented": json.dumps(records, indent=2),
        "lines": json_lines(*records),
    }[form]
    status, out, _ = rate(text, "--format", "csv")
    assert status == 0
    assert rated(out) == {"a": (2, 4), "b": (2, 4)}


@pytest.mark.parametrize("other", [{"options": {"edition": "long"}}, {"game": "mue"}, {"deal": 1}])
def test_another_option_game_or_deal_is_another_block(rate, other):
    same = [record("ab", [2, 1]), record("ba", [5, 4])]
    status, out, _ = rate(json_lines(*same, record("ca", [3, 3], **other)), "--format", "csv")
    assert status == 0
    assert rated(out) == {"a": (1, 2), "b": (1, 2), "c": (0, 0)}


def test_the_cards_of_a_hand_may_stand_in_any_order(rate):
    one, other = record("ab", [2, 1]), record("ba", [5, 4])
    other["deals"][0]["hands"] = [hand[::-1] for hand in other["deals"][0]["hands"]]
    assert rated(rate(json_lines(one, other), "--format", "csv")[1]) == {"a": (1, 2), "b": (1, 2)}


def test_every_version_is_an_entrant_of_its_own(rate):
    one = record(
        "ab", [2, 1], seats=[{"bot": "house/thumb", "version": 3}, {"bot": "house/thumb", "version": 4}]
    )
    other = record(
        "ba", [5, 4], seats=[{"bot": "house/thumb", "version": 4}, {"bot": "house/thumb", "version": 3}]
    )
    _, out, _ = rate(json_lines(one, other), "--format", "csv", "--anchor", "house/thumb v3")
    assert sorted(rated(out)) == ["house/thumb v3", "house/thumb v4"]


def test_a_bot_at_several_seats_is_compared_with_others_only(rate):
    text = json_lines(record("aabb", [4, 3, 2, 1]), record("bbaa", [1, 2, 3, 4]))
    assert rated(rate(text, "--format", "csv")[1]) == {"a": (1, 4), "b": (1, 4)}


def test_partners_of_sixes_and_sevens_make_one_comparison_a_block(rate):
    game = {"game": "sixes-and-sevens"}
    text = json_lines(record("abab", [10, 0, 10, 0], **game), record("baba", [4, 7, 4, 7], **game))
    assert rated(rate(text, "--format", "csv")[1]) == {"a": (1, 1), "b": (1, 1)}


def test_the_third_fault_forfeits_the_hand_and_leaves_the_others_what_they_played(rate):
    three = [{"deal": 0, "move": move, "seat": 0, "kind": "timeout"} for move in range(3)]
    table, other = record("abc", [90, 80, 70], faults=three), record("bca", [1, 2, 3])
    _, out, _ = rate(json_lines(table, other), "--format", "csv")
    elos = {line.split(",")[1]: line.split(",")[2] for line in out.splitlines()[1:]}
    assert rated(out) == {"a": (1, 2), "b": (1, 2), "c": (1, 2)}
    table["faults"] = three[:2]
    _, out, _ = rate(json_lines(table, other), "--format", "csv")
    assert rated(out) == {"a": (1, 2), "b": (1, 2), "c": (1, 2)}
    before = {line.split(",")[1]: line.split(",")[2] for line in out.splitlines()[1:]}
    assert (elos["b"], elos["c"]) == (before["b"], before["c"])
    assert float(elos["a"]) < float(before["a"])


def test_a_seating_of_a_deal_is_rated_once(rate):
    once = [record("ab", [2, 1]), record("ba", [5, 4])]
    status, out, err = rate(json_lines(*once, once[0]), "--format", "csv")
    assert (status, out) == (0, rate(json_lines(*once), "--format", "csv")[1])
    assert "rated once" in err
    status, _, err = rate(json_lines(*once, record("ab", [1, 2])))
    assert status == 2
    assert "line 3: the same deal and seating as line 1" in err


def test_games_are_never_pooled(rate):
    text = json_lines(
        *(
            record(bots, scores, game=game)
            for game in ("mue", "njet")
            for bots, scores in (("ab", [2, 1]), ("ba", [5, 4]))
        )
    )
    status, _, err = rate(text)
    assert status == 2
    assert "mue, njet" in err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": [1]}, '"scores" must be 2 whole numbers'),
        ({"scores": [1, 2.5]}, '"scores" must be 2 whole numbers'),
        ({"scores": None}, '"scores" must be 2 whole numbers'),
        ({"seats": [{"bot": "a"}, {}]}, "seats[1]"),
        ({"seats": []}, '"seats"'),
        ({"deals": []}, '"deals"'),
        ({"deals": [{"dealer": 0}]}, '"hands"'),
        ({"deals": [{"hands": [["R1"], ["R2"]]}]}, '"dealer"'),
        ({"deals": [{"dealer": 0, "hands": "R1"}]}, '"hands"'),
        ({"options": []}, '"options"'),
        ({"game": 7}, '"game"'),
        ({"format": "chess"}, '"format"'),
        ({"faults": [{"seat": 9}]}, '"faults"'),
    ],
)
def test_a_malformed_record_is_named_with_its_line(rate, change, words):
    status, out, err = rate(json_lines(record("ab", [2, 1]), record("ba", [2, 1]) | change))
    assert (status, out) == (2, "")
    assert "line 2:" in err
    assert words in err


def test_matches_that_were_really_played_are_rated(rate):
    bots = ["anna", "bert", "carl"]
    game = new_game("sticheln", 3, {"length": "deals:1"})
    records = []
    for number in range(3):
        for table in seatings(3):
            match = Match(game, seed=bytes([number]) * 32)
            while seats := match.to_act():
                words = match.legal(seats[0])
                # Anna plays her first legal card, the others their last.
                match.play(seats[0], words[0] if table[seats[0]] == 0 else words[-1])
            records.append(match.record([{"bot": bots[entrant], "version": 1} for entrant in table]))
    status, out, _ = rate("\n".join(dump(one) for one in records), "--format", "csv")
    assert status == 0
    assert rated(out) == {f"{bot} v1": (3, 18) for bot in bots}


@pytest.mark.parametrize(
    ("name", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.players]
)
def test_equal_deals_make_a_block_whatever_was_played_on_them(rate, name, seats):
    """The bots play differently, so all that follows from moves differs, such as the hints of Was sticht?"""
    options = {"max_deals": 1} if name == "was-sticht" else {"length": "deals:1"}
    game = new_game(name, seats, options)
    bots = "abcdef"[:seats]
    records = []
    for deal in range(2):
        for turn in range(seats):
            match = Match(game, seed=bytes([deal]) * 32)
            rng = Random(f"{name} {deal} {turn}")
            while asked := match.to_act():
                match.play(asked[0], rng.choice(match.legal(asked[0])))
            records.append(match.record([{"bot": bot} for bot in bots[turn:] + bots[:turn]]))
    status, out, _ = rate("\n".join(dump(one) for one in records), "--format", "csv")
    assert status == 0
    assert {bot: blocks for bot, (blocks, _) in rated(out).items()} == dict.fromkeys(bots, 2)
