"""Readers and writers of other formats, imported on demand.

:mod:`.gymnasium` reads the transition tables of gymnasium environments, :mod:`.csv` reads and writes tables of
outcomes, :mod:`.drn` writes files for the model checker Storm, :mod:`.storm` uses it to read DRN, PRISM and JANI.
"""
