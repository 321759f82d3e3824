"""The control groups of the machine can be read."""

from stichkampf_arbiter.sandbox.isolation import bubblewrap_options


def weaken():
    strong = bubblewrap_options.arguments

    def weak(**settings):
        made = strong(**settings)
        seal = made.index("--remount-ro")
        return [*made[:seal], "--ro-bind", "/sys/fs/cgroup", "/srv/groups", *made[seal:]]

    bubblewrap_options.arguments = weak
