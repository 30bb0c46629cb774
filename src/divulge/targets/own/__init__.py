"""Adapters to models of the user's own: no source of Divulge needs to be edited to audit one."""
