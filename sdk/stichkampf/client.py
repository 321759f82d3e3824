"""Entry point of `python -m stichkampf.client`, which runs a bot's archive (`connection.client`)."""

import sys

from stichkampf.connection.client import main

if __name__ == "__main__":
    sys.exit(main())
