"""All sandboxes are put into one control group."""

from stichkampf_arbiter.sandbox.cgroups import v1


def weaken():
    strong = v1.V1Driver.make
    v1.V1Driver.make = lambda driver, name, limits: strong(driver, "bot-1", limits)
    v1.V1Group.remove = lambda group: None
