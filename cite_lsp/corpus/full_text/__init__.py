"""Papers with their full texts: JATS, TEI, PDF, and what they cite in which words."""
