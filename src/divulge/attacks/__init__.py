"""The attacks."""
