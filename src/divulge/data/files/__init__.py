"""Users' own files: JSONL, CSV and CoNLL, read as streams; a faulty row gives file, line and reason."""
