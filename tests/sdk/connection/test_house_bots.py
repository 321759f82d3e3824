from stichkampf.connection import house_bots


def test_the_process_ends_where_its_arbiter_is_gone(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(house_bots, "CONNECT_SECONDS", 0.2)
    assert house_bots.main(["--socket", str(tmp_path / "gone.sock")]) == 1
    assert "no arbiter answered at unix:" in capsys.readouterr().err
