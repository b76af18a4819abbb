"""Numbers: reading them exactly (``rational``), enclosing them (``enclosure``), formatting them (``format``)."""
