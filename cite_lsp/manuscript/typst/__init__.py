"""Reading Typst drafts: one scan, their prose, and the metadata in calls of templates."""
