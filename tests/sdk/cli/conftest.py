"""A site for the commands, which answers as a test says."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from stichkampf.cli.server import site as client


class Answers(BaseHTTPRequestHandler):
    """Answers every request with what the test wants; notes what was asked."""

    def _answer(self):
        self.server.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.server.asked.append((self.command, self.path, self.headers["Authorization"]))
        status, headers, text = self.server.answers[min(len(self.server.asked), len(self.server.answers)) - 1]
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_PATCH = do_DELETE = _answer

    def log_message(self, *_):
        pass


@pytest.fixture
def serve(monkeypatch, tmp_path):
    """Start a site with these answers, the last one for ever, and log in there; returns the server."""
    servers = []
    monkeypatch.setattr(client.time, "sleep", lambda seconds: None)
    monkeypatch.setenv("STICHKAMPF_CONFIG", str(tmp_path / "config.toml"))

    def start(*answers):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        server.answers, server.asked, server.bodies = answers, [], []
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        monkeypatch.setenv("STICHKAMPF_SITE", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("STICHKAMPF_API_TOKEN", "sk_right")
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
