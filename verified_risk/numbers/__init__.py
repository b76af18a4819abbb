"""Numbers: read exactly (``rational``), enclosed (``enclosure``), shown to people (``shown``)."""
