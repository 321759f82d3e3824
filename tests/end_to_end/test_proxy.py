"""The nginx of deploy/nginx.conf before a site: nginx itself reads it, and hands requests on."""

import os
import re
import ssl
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import free_port, wait_until

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"
USER = "user root;" if os.geteuid() == 0 else ""
AROUND = "daemon off; {user} pid {folder}/pid; events {{}} http {{ access_log off; {folders} {server} }}"
FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]


@pytest.fixture
def proxy(platform, tmp_path):
    """Run nginx with the file, in which only addresses and certificates are others; yields both ports."""
    plain, secure = free_port(), free_port()
    folders = "\n".join(f"{name}_temp_path {tmp_path}/{name};" for name in FOLDERS)
    server = CONFIGURATION.read_text()
    for ours, here in (
        (r"listen 80;", f"listen 127.0.0.1:{plain};"),
        (r"listen 443 ", f"listen 127.0.0.1:{secure} "),
        (r"listen \[::\].*", ""),
        (r"/etc/letsencrypt/live/cards\.example", str(tmp_path)),
        (r"http://127\.0\.0\.1:8000", platform.installation.address.rstrip("/")),
    ):
        server, times = re.subn(ours, here, server)
        assert times, ours
    (tmp_path / "nginx.conf").write_text(
        AROUND.format(user=USER, folder=tmp_path, folders=folders, server=server)
    )
    made = ["-keyout", tmp_path / "privkey.pem", "-out", tmp_path / "fullchain.pem", "-subj", "/CN=localhost"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *made],
        check=True,
        capture_output=True,
    )
    with running(["/usr/sbin/nginx", "-c", tmp_path / "nginx.conf", "-e", tmp_path / "errors"], plain):
        yield plain, secure


@contextmanager
def running(command, port):
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr
    process = subprocess.Popen(command)
    try:
        wait_until(lambda: answer(f"http://127.0.0.1:{port}/"), goal="nginx answers")
        yield
    finally:
        process.terminate()
        process.wait()


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect."""

    def redirect_request(self, *args, **kwargs):
        return None


def answer(address, body=None):
    """Return status, headers and text of an answer; None while nothing listens."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(Stay, urllib.request.HTTPSHandler(context=trusting))
    request = urllib.request.Request(address, data=body, headers={"Host": "localhost"})
    try:
        with opener.open(request, timeout=30) as found:
            return found.status, dict(found.headers), found.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode()
    except OSError:
        return None


def test_nginx_reads_its_configuration_and_hands_requests_on(proxy):
    plain, secure = proxy
    status, headers, _ = answer(f"http://127.0.0.1:{plain}/status/")
    assert (status, headers["Location"]) == (301, "https://localhost/status/")
    status, _, page = answer(f"https://127.0.0.1:{secure}/status/")
    assert status == 200
    assert "Stichkampf" in page
    # 2 MB are more than nginx takes by itself; what is too much is the site's to say
    status, _, said = answer(f"https://127.0.0.1:{secure}/api/v1/tokens/", body=b" " * 2_000_000)
    assert status in (400, 401, 403, 404, 405)
    assert "nginx" not in said
