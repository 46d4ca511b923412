"""The stages of an audit, cheap to expensive: each looks for one kind of fault and says what it could see."""
