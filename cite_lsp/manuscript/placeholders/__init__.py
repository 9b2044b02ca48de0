r"""What writers leave where a citation is still to come: `[?]`, `\todo{cite}`."""
