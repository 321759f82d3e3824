"""Sandboxes for strangers' bots: one process of its own uid for each, and nothing in reach.

The arbiter starts a `client.Launcher` before it imports gRPC and gives up root, and asks it for bots::

    launcher = await Launcher.start(SandboxSettings.from_environment())
    bot = await launcher.launch(BotSpec(digest, archive_path, socket_path))
    report = await bot.wait()

Nothing is imported here: the launcher and its guardian are processes of this package too, and stay small.
"""
