"""The tables and figures of parikh2022, one file each; `setting` holds what all of them share."""
