"""Corpora made by grammars of our own from a seed: what the demo and the tests stand on."""
