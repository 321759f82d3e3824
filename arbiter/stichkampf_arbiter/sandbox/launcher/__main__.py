"""`python -m stichkampf_arbiter.sandbox.launcher`, which the arbiter starts: see `launcher.main`."""

from stichkampf_arbiter.sandbox.launcher.main import main

if __name__ == "__main__":
    main()
