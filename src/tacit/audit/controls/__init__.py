"""Controls of the auditor: broken mechanisms that it must find, sound ones that it must let pass."""
