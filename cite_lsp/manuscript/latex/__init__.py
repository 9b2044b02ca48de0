"""LaTeX drafts: a pattern stops at commands of interest, and handlers say where to go on."""
