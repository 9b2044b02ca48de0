"""Drawing figures as SVG: systems compared, curves, trade-offs."""
