"""What `mcp` answers: its tools, the files they may name, and the entry that one writes."""
