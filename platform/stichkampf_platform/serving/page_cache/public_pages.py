"""The addresses whose answers to guests may be kept, by their names; of all others none is.

A page belongs here if two guests see the same at the same moment, and if all that it shows is in the database
or in this program: no answer of the arbiter, no stream, no file of any length.
"""

from __future__ import annotations

PAGES = {
    *("home", "bots", "people", "person", "bot", "version", "versus", "bot-matches", "bot-feed", "badge"),
    *("ladders", "ladder", "pairs", "tournaments", "tournament", "schedule", "tournament-feed"),
    *(
        "block",
        "deal",
        "replay",
        "replay-at",
        "embed",
        "embed-at",
        "embed-bot",
        "embed-ladder",
        "embed-tournament",
    ),
    *("games", "rules", "rules-summary", "rules-bots", "docs"),
}
FILES = {
    "ladder-csv",
    "preview",
    "bot-picture",
    "ladder-picture",
    "tournament-picture",
    "sitemap",
    "sitemap-part",
}
ANSWERS = {
    *("api-index", "api-schema", "api-docs", "api-game-list", "api-game-rules", "api-game-facts"),
    *("api-person-list", "api-person-detail", "api-bots-list", "api-bot-detail", "api-version-list"),
    *("api-version-detail", "api-bot-ratings-ratings", "api-bot-ratings-history", "api-bot-ratings-versus"),
    *("api-bot-matches-matches", "api-ladders-list", "api-ladder-detail", "api-ladder-csv"),
    *("api-ladder-pairs", "api-tournament-list", "api-tournament-detail", "api-tournament-standings"),
    *("api-tournament-tables", "api-tournament-blocks", "api-block-detail", "api-deal"),
    *("api-table-detail", "api-table-record"),
}
PUBLIC_PAGES = frozenset(
    {f"web:{name}" for name in PAGES} | {f"files:{name}" for name in FILES} | ANSWERS,
)
