"""From files on disk to a Library, again only where a file has changed."""
