"""Does the tasks of a graph, on this machine; knows nothing of audits. Another engine is another executor."""
