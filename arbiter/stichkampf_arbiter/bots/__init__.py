"""Where bots come from: house bots, hosted bots in sandboxes, and remote bots that dial in."""
