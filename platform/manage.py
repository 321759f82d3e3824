#!/usr/bin/env python3
"""Django's command line for the platform."""

import sys

from stichkampf_platform.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
