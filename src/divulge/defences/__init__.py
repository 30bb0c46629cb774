"""The defences."""
