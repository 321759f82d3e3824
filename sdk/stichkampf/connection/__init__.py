"""The bot's end of the wire: hosted bots, house bots, and remote bots, which connect and reconnect.

A remote bot decides on a thread of its own, or on several, so that the arbiter's pings are answered while it
thinks: what the arbiter measures is the network, not the bot.
"""
