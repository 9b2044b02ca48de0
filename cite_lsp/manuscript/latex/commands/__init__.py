"""What the commands of a LaTeX draft do: those of packages, and the definitions of its own."""
