"""`python -m tests.fake_llm [--port N]`: every bad day as a model of its name, and two that hold a conversation."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence

from tests.fake_llm.answers import Answer, InTurn, Says
from tests.fake_llm.scripts import BAD_DAYS
from tests.fake_llm.server import FakeLLM

WORDS = "".join(f"w{i:04} " for i in range(10_000))

MODELS: Mapping[str, Sequence[Answer] | InTurn] = {
    **BAD_DAYS,
    "agent": InTurn([Says("I can help you. What is your user id?"), Says("Thank you. Is there anything else?")]),
    "user": InTurn([Says("Hello, I have a question."), Says("I do not know."), Says("No, thank you. ###STOP###")]),
    "fast": [Says(WORDS, piece=6, rate=2_000)],
    "fast-fours": [Says(WORDS, piece=24, rate=500)],
}


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.fake_llm", description=__doc__)
    parser.add_argument("--port", type=int, default=8321)
    options = parser.parse_args()
    server = FakeLLM(models=MODELS, port=options.port)
    print(f"serving on http://127.0.0.1:{options.port}/v1: {', '.join(MODELS)}", flush=True)
    print(f"tau-tui --domain airline --play user --agent-llm openai/agent --agent-api-base {server.url}", flush=True)
    try:
        asyncio.run(server.serve())
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
