"""What the commands take: their options, names of corpora, drafts with their settings."""
