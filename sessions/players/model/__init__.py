"""Players that are language models: how they are asked, in which words, and what becomes of their replies."""
