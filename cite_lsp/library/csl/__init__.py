"""CSL in JSON and YAML, Hayagriva, and items of Zotero, all brought to CSL items."""
