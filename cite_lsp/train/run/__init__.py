"""What every training shares: checkpoints, progress, export, publishing."""
