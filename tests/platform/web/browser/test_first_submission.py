"""A stranger's way through the pages: join, token, submit."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from stichkampf_platform.bots.models import LogLine, Submission
from stichkampf_platform.bots.services import write
from support import archive

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

BOT = """
from stichkampf import Bot

class Mine(Bot):
    def choose(self, table):
        return table.legal[0]
"""


def test_from_the_front_page_to_a_growing_validation_log(visit):
    tab = visit(width=390)
    page = tab.page
    tab.go("/")
    page.click(".foot >> text=Submit a bot")
    page.click("main >> text=Join")
    page.fill("#id_username", "ada")
    page.fill("#id_password", "correct horse battery")
    page.click("button:has-text('Create account')")
    page.fill("#id_slug", "karl")
    page.set_input_files("#id_archive", {"name": "bot.zip", "mimeType": "application/zip", "buffer": b"torn"})
    page.click("button:has-text('Submit')")
    expect(page.locator(".errorlist")).to_be_visible()
    page.set_input_files(
        "#id_archive", {"name": "bot.zip", "mimeType": "application/zip", "buffer": archive(BOT)}
    )
    page.click("button:has-text('Submit')")
    expect(page.locator(".log")).to_contain_text("the archive is valid")
    write(Submission.objects.get(), "It plays.", LogLine.Level.GOOD)
    expect(page.locator(".log")).to_contain_text("It plays.")
    tab.go("/account/tokens/")
    page.fill("#id_name", "laptop")
    page.click("button:has-text('Make a token')")
    expect(page.locator("#token")).to_contain_text("sk_")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("button:has-text('Copy the token')")
    expect(page.locator("button[data-copy=token]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.text_content("#token")
    expect(page.locator("button[data-copy=token]")).to_have_text("Copy the token")
    page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('refused') } }")
    page.click("button:has-text('Copy the token')")
    assert page.evaluate("String(getSelection())") == page.text_content("#token")
    assert tab.outside == []
