"""Networks that probes train on vectors; each module is about torch alone and imported where it is used."""
