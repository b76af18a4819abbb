"""Readers and writers of other formats, imported on demand.

:mod:`.gymnasium` reads the transition tables of gymnasium environments, :mod:`.csv` reads and writes tables of
outcomes, :mod:`.storm` reads and writes files of the model checker Storm.
"""
