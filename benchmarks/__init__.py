"""Speed as ratios of versions that are measured side by side in one run; see README.md in this folder."""
