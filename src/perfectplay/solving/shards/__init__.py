"""Strata in shards: tasks over files, which threads, processes and other machines can do."""
