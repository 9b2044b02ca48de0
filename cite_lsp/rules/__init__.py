"""What is wrong with drafts and bibliographies, and what would mend it; no protocol, no editor."""
