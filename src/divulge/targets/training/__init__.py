"""How targets are trained: one signature, `fit(model, training, validation, recipe, rng)`, one file per way."""
