"""The adversary: attacks on releases, and an auditor that tests what a mechanism claims."""
