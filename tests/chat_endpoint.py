"""A language model's endpoint on this machine, which answers as a test says."""

import json
import re
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

WAITING_SECONDS = 60


def last_choice(messages):
    """Answer at length with the number of the last choice, as a talkative model does."""
    *_, last = ["1", *re.findall(r"^(\d+)\. ", messages[-1]["content"], re.MULTILINE)]
    return f"<think>1? 2? No.</think>\nI could play 1, but trump is out.\n\n**Choice: {last}**"


class ChatEndpoint:
    """A test's side of the endpoint: its answers, and the requests that came.

    :ivar answer: makes the text of an answer, or the whole body if it returns bytes, from the messages.
    :ivar statuses: statuses of the next answers, before it answers 200.
    :ivar asked: the requests so far, as (headers, body).
    """

    def __init__(self):
        self.answer = last_choice
        self.statuses = []
        self.headers = {}
        self.asked = []
        self.over = Event()
        self._running = Event()
        self._running.set()

    def pause(self):
        """Let all requests wait until `resume`."""
        self._running.clear()

    def resume(self):
        self._running.set()

    def wait(self, messages):
        """Answer nothing until the test is over."""
        self.over.wait(WAITING_SECONDS)
        return ""

    def reply(self, headers, body):
        self.asked.append((headers, body))
        self._running.wait(WAITING_SECONDS)
        if self.statuses:
            return self.statuses.pop(0), b'{"error": "not now"}'
        told = self.answer(body["messages"])
        if isinstance(told, bytes):
            return 200, told
        message = {"role": "assistant", "content": told}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return 200, json.dumps({"choices": [{"message": message}], "usage": usage}).encode()


@contextmanager
def chat_endpoint():
    """Serve an endpoint; give it and its address."""
    endpoint = ChatEndpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = endpoint.reply(dict(self.headers), body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **endpoint.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            """Say nothing of clients that went away."""

    server = Server(("127.0.0.1", 0), Handler)
    serving = Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield endpoint, f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        endpoint.over.set()
        server.shutdown()
        serving.join()
        server.server_close()
