"""Reading LaTeX drafts: one scan that stops at commands, and what reads each kind of them."""
