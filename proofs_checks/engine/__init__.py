"""Claims and statements, the search for counterexamples, certificates, and the audit."""
