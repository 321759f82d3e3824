"""Times as the site writes them, wherever Django writes one by itself: 24 hours, UTC, day before month."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = r"j M Y, H:i \U\T\C"
