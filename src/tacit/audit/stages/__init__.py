"""The auditor's stages, one a file, cheap to dear: each looks for one kind of fault and says what it could see."""
