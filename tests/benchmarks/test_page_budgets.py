"""The loading of a page on a phone: its bytes, requests and first paint."""

from __future__ import annotations

import importlib.util
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import sync_playwright

FILE = Path(__file__).parents[2] / "benchmarks" / "page_budgets.py"
PAGE = "<!doctype html><title>x</title><script src=x.js defer></script><link rel=icon href=data:><p>Cards"


@pytest.fixture
def page_budgets(monkeypatch):
    monkeypatch.syspath_prepend(FILE.parent)
    specification = importlib.util.spec_from_file_location("page_budgets", FILE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path):
    """A site of a page and a script of 30 kB, which fetches a file."""
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "x.js").write_text(f"fetch('ahead.txt'); // {'x' * 30_000}")
    (tmp_path / "ahead.txt").write_text("ahead")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_phone_loads_a_page_over_a_slow_line(page_budgets, site):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=page_budgets.CHROMIUM, args=["--no-sandbox"])
        found = page_budgets.loaded(browser, site)
        with pytest.raises(SystemExit, match="nowhere cannot be shown: 404"):
            page_budgets.loaded(browser, f"{site}nowhere")
        browser.close()
    assert found.requests == 2
    assert found.raw == found.sent == len(PAGE) + found.scripts
    assert found.scripts > 30_000
    assert found.first_paint >= page_budgets.LINE["latency"] / 1000


def test_a_median_above_its_bound_is_missed(page_budgets):
    load = page_budgets.medians([page_budgets.Load(1, 2, 3, 4, seconds) for seconds in (0.5, 1.5, 9.0)])
    budget = page_budgets.Budget("replay", "/", (1, 1, None, 4, 1.0))
    found = list(page_budgets.rows(budget, load))
    assert [fits for _, fits in found] == [True, False, True, False]
    assert found[-1][0] == "| replay | first paint | 1.50 | 1.00 |"
