"""For every test: programs that a test starts hear Ctrl-C."""

import signal

# A script's background jobs ignore it, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
