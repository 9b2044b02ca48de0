"""Text in bibliographies: LaTeX and HTML decoded, people, journals, how a paper is shown."""
