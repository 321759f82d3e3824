"""Entry point of `python -m stichkampf.client`, which runs a bot's archive (`connection.client`).

Importing it is most of what a sandbox with a cheap bot costs. Meanwhile the collector rests, as nothing that
is imported is garbage, nor ever becomes it; and `hashlib` does without OpenSSL, as where Python was built
without it. A bot that imports `hashlib` gets the whole of it.
"""

import gc
import sys

gc.disable()
_loaded = "hashlib" in sys.modules
if not _loaded:
    sys.modules["_hashlib"] = None  # type: ignore[assignment]
try:
    from stichkampf.connection.client import main
finally:
    if not _loaded:
        del sys.modules["_hashlib"]
        sys.modules.pop("hashlib", None)
    gc.freeze()
    gc.enable()

if __name__ == "__main__":
    sys.exit(main())
