"""What every ranking is built of: the model of a recommendation, pools, columns, rankers."""
