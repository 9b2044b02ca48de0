"""Papers as people read them in an editor: cards, lists, references in a citation style."""
