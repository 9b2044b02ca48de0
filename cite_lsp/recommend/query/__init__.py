"""What a context asks: the texts and names that are compared with papers."""
