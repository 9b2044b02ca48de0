"""What is wrong with drafts and bibliographies."""
