"""How good the topics are that methods find, on webs whose topics are known."""
