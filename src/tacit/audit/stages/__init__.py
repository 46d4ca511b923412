"""The stages of an audit, cheap to expensive: each looks for one kind of fault and reports its power."""
