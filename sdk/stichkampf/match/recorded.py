"""The record of a match as a value: the JSON that it is, which notebooks draw as its replay."""

from __future__ import annotations

from stichkampf.engine.deal import Json


class Record(dict[str, Json]):
    """The record of a match: a dictionary of JSON, as `record.schema.json` describes it.

    `Record(json.loads(line))` makes one of a line of a file of records, unchecked.

    >>> record = Record({"game": "mue", "seats": [{"bot": "karl"}], "scores": [7], "ranks": [1]})
    >>> record["scores"], record == dict(record)
    ([7], True)
    """

    def _repr_html_(self) -> str:
        """Draw the replay of the site for a notebook; without the site's templates a table of the scores."""
        # reading records needs no drawings
        from stichkampf.drawing import record_html

        return record_html(self)
