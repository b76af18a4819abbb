"""Pages, tables and pictures made from the ledger."""
