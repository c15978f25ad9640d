"""The official Python client of the Model Context Protocol, driven by lines.

    python3 client.py PROGRAM [ARG…]

The protocol of its lines is that of client.mjs.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def say(value):
    print(value if isinstance(value, str) else json.dumps(value), flush=True)


async def answer(request):
    try:
        say((await request).model_dump_json(by_alias=True, exclude_none=True))
    except Exception as e:  # whatever the client does not accept is a finding
        say({"broken": repr(e)})


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ), cwd=os.getcwd())
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await answer(session.list_tools())
        while line := await asyncio.to_thread(sys.stdin.readline):
            call = json.loads(line)
            await answer(session.call_tool(call["tool"], call["arguments"]))


asyncio.run(main())
