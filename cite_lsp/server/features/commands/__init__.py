"""The commands of the server, `citeLsp.*`: one file for those that belong together."""
