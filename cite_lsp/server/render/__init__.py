"""Papers in words for people: cards, lists, references in a citation style."""
