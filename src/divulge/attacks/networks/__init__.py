"""Networks that the adversary trains for itself; modules of torch, imported where they are used."""
