"""What the server does unasked: diagnostics, polling of files, getting drafts ready."""
