"""The handlers of the scan: what each kind of command and environment says, and is made of."""
