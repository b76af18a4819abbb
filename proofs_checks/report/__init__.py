"""The ledger as people read it: pages, tables, pictures."""
