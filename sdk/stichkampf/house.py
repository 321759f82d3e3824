"""Entry point of `python -m stichkampf.house`, which runs the house bots (`connection.house_bots`)."""

import sys

from stichkampf.connection.house_bots import main

if __name__ == "__main__":
    sys.exit(main())
