"""Reading Org drafts: one scan, and their prose."""
