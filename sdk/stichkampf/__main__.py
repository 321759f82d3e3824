"""`python -m stichkampf`: the same as the command `stichkampf`."""

import sys

from stichkampf.cli import main

sys.exit(main())
