"""The addresses whose answers to guests may be kept, by their names; of all others none is.

A page belongs here if two guests see the same at the same moment, and if all that it shows is in the database
or in this program: no answer of the arbiter, no stream, no file of any length.
"""

from __future__ import annotations

PAGES = {
    *("home", "bots", "people", "person", "bot", "version", "versus", "bot-matches", "bot-feed", "badge"),
    *("ladders", "ladder", "pairs", "tournaments", "tournament", "schedule", "tournament-feed"),
    *("block", "deal", "replay", "replay-at", "embed", "embed-at"),
    *("games", "rules", "rules-summary", "rules-bots", "docs"),
}
FILES = {"ladder-csv", "preview", "sitemap", "sitemap-part"}
ANSWERS = {
    *("api-index", "api-schema", "api-docs", "api-games", "api-rules", "api-facts"),
    *("api-people", "api-person", "api-bots", "api-bot", "api-versions", "api-version"),
    *("api-ratings", "api-history", "api-versus", "api-matches"),
    *("api-ladders", "api-ladder", "api-ladder-csv", "api-pairs"),
    *("api-tournaments", "api-tournament", "api-standings", "api-tables", "api-blocks"),
    *("api-block", "api-deal", "api-table", "api-record"),
}
PUBLIC_PAGES = frozenset(
    {f"web:{name}" for name in PAGES} | {f"files:{name}" for name in FILES} | ANSWERS,
)
