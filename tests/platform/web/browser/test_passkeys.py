"""Passkeys in Chromium, whose virtual authenticator holds them; pages of second factors."""

from __future__ import annotations

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import expect

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

PASSWORD = "correct horse battery"


@pytest.fixture
def phone(visit):
    """A narrow tab with an authenticator that knows its holder, as a telephone has one."""
    tab = visit(width=390)
    tools = tab.context.new_cdp_session(tab.page)
    tools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
    }
    made = tools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    tab.tools, tab.authenticator = tools, made["authenticatorId"]
    return tab


def sign_in(tab):
    tab.go("/login/")
    tab.page.fill("#id_username", "ada")
    tab.page.fill("#id_password", PASSWORD)
    tab.page.click("main button:has-text('Sign in'):not(:has-text('passkey'))")


def confirm(tab):
    tab.page.fill("#id_password", PASSWORD)
    tab.page.click("button:has-text('Confirm')")


def looked_at(tab):
    assert tab.overflow == 0
    assert list(tab.barriers()) == []


def test_a_passkey_is_added_signs_in_alone_and_is_the_second_factor(phone, ada):
    sign_in(phone)
    phone.go("/account/two-factor/")
    looked_at(phone)
    phone.page.click("a:has-text('Add a passkey')")
    looked_at(phone)
    confirm(phone)
    phone.page.fill("#id_name", "my phone")
    looked_at(phone)
    phone.page.click("button:has-text('Add a passkey')")
    expect(phone.page.locator("h2#fresh")).to_have_text("Your new codes")
    looked_at(phone)
    assert Authenticator.objects.filter(user=ada, type="webauthn").count() == 1

    phone.context.clear_cookies()
    phone.go("/login/?next=/account/sessions/")
    looked_at(phone)
    phone.page.click("button:has-text('Sign in with a passkey')")
    expect(phone.page.locator("h1")).to_have_text("Where you are signed in")
    looked_at(phone)
    assert ada.open_sessions.latest("began_at").credential == "passkey"

    phone.context.clear_cookies()
    sign_in(phone)
    expect(phone.page.locator("h1")).to_have_text("Second factor")
    looked_at(phone)
    phone.page.click("button:has-text('Use a passkey')")
    expect(phone.page.locator("h1")).not_to_have_text("Second factor")

    phone.go("/de/account/two-factor/")
    phone.page.click("li a:has-text('my phone'), li a[href*='remove']")
    looked_at(phone)
    phone.tools.send(
        "WebAuthn.setUserVerified", {"authenticatorId": phone.authenticator, "isUserVerified": False}
    )
    phone.context.clear_cookies()
    phone.go("/login/")
    phone.page.click("button:has-text('Sign in with a passkey')")
    expect(phone.page.locator("[data-passkey-note]")).to_have_text("No passkey came back. Try again.")
    assert phone.complaints == []
    assert phone.outside == []


def test_an_app_is_set_up_on_a_page_without_barriers(visit, ada):
    tab = visit()
    sign_in(tab)
    tab.go("/account/two-factor/app/")
    confirm(tab)
    looked_at(tab)
    secret = re.sub(r"\s", "", tab.page.inner_text("code.secret"))
    code = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
    tab.page.fill("#id_code", code)
    tab.page.click("button:has-text('Set up')")
    expect(tab.page.locator("h2#fresh")).to_have_text("Your new codes")
    for address in ("codes/", "codes/new/", "app/remove/"):
        tab.go(f"/account/two-factor/{address}")
        looked_at(tab)
    assert tab.complaints == []
