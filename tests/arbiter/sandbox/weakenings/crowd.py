"""All sandboxes together may have a hundred processes and threads."""

from stichkampf_arbiter.sandbox.cgroups import v1


def weaken():
    strong = v1.V1Driver.__init__

    def weak(driver, name, own):
        strong(driver, name, own)
        (driver._folders["pids"] / "pids.max").write_text("100")

    v1.V1Driver.__init__ = weak
