"""Reading Markdown drafts: pandoc, R Markdown, Quarto, MyST, Jekyll."""
