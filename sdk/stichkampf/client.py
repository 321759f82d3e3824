"""Entry point of `python -m stichkampf.client`, which runs a bot's archive (`connection.client`).

Importing it is most of what a sandbox with a cheap bot costs. Meanwhile the collector rests, as nothing that
is imported is garbage, and asyncio does without `ssl`, as where Python was built without it: a sandbox has no
network.
"""

import gc
import sys

gc.disable()
_has_ssl = "ssl" in sys.modules
if not _has_ssl:
    sys.modules["ssl"] = None  # type: ignore[assignment]
try:
    from stichkampf.connection.client import main
finally:
    gc.enable()
    if not _has_ssl:
        del sys.modules["ssl"]

if __name__ == "__main__":
    sys.exit(main())
