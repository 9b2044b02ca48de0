"""Write new entries in the style of a bibliography, and entries in other formats."""
