"""Reading the Coq sources, and the record of what they prove."""
