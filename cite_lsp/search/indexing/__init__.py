"""Building a corpus from its sources, updating, checking and exporting it."""
