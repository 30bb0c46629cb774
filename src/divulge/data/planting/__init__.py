"""The life of a canary in a user's own files: planted into a copy, noted byte by byte, taken out again."""
