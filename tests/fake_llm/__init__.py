"""A real HTTP server on loopback that speaks the OpenAI chat completions protocol from scripts.

In a test: `with FakeLLM(Says("Hello")) as server`, then litellm with `api_base=server.url`. By hand:
`python -m tests.fake_llm`.
"""

from tests.fake_llm.answers import Answer, Hangs, Says, Sends
from tests.fake_llm.server import FakeLLM, closed_port

__all__ = ["Answer", "FakeLLM", "Hangs", "Says", "Sends", "closed_port"]
