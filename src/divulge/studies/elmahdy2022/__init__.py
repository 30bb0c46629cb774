"""elmahdy2022: token extraction from text classifiers, its tables and what goes beyond them."""
