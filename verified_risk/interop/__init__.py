"""Readers and writers of other formats, imported only when asked for.

:mod:`.gymnasium` reads the transition tables of gymnasium environments, :mod:`.csv` reads and writes tables of
outcomes, :mod:`.drn` writes files for the model checker Storm, :mod:`.storm` reads DRN, PRISM and JANI with its help.
"""
