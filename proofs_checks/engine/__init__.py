"""What a claim is, how cases are searched, how a refutation is kept, and the audit that runs them all."""
