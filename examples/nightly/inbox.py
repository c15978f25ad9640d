#!/usr/bin/env python3
"""Receives one webhook on this machine: prints its address, waits in the
background for up to ten minutes, and writes the message to message.txt."""
import http.server
import json
import os


class Inbox(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open("message.txt", "w") as file:
            file.write(body["text"].rstrip() + "\n")
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Inbox)
server.timeout = 600
print("http://127.0.0.1:%d" % server.server_port, flush=True)
if os.fork() == 0:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    server.handle_request()
