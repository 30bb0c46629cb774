"""The networks behind the targets, and what it takes to keep them: modules of torch, one file each."""
