"""Times as the German pages write them: 24 hours, UTC, in the order and with the points of German dates."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j.n.Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = r"j.n.Y, H:i \U\T\C"
