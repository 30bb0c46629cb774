"""Tables and figures of gu2023, and studies of our own on its data."""
