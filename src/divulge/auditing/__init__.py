"""The only place where all parts meet: resolve a spec, plan it into tasks, do a task, measure what came of it."""
