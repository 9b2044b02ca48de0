"""The protocol: messages, standard input and output, what a client can do."""
