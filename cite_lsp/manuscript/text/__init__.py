"""What the formats of drafts share: plain text, sentences, words, front matter."""
