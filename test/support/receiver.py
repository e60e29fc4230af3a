"""A webhook receiver that shares no code with bankapi.

    receiver.py SECRET [--status N] [--delay SECONDS] [--answer TEXT]

Prints {"port": N}, then one JSON line per request: what came, and whether the signature it recomputes over the
bytes it got agrees. Runs until it is terminated.
"""
import argparse
import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("secret")
parser.add_argument("--status", type=int, default=200)
parser.add_argument("--delay", type=float, default=0)
parser.add_argument("--answer", default="ok")
options = parser.parse_args()


def tell(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are sent in one segment: of two, the second would wait for a delayed acknowledgement.
    wbufsize = -1

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        timestamp = self.headers.get("X-LS-Webhook-Timestamp", "")
        signed = timestamp.encode("latin-1") + b"." + body
        expected = hmac.new(options.secret.encode(), signed, hashlib.sha256).hexdigest()
        candidates = [
            self.headers.get("X-LS-Webhook-Signature", ""),
            self.headers.get("X-LS-Webhook-Signature-Prev", ""),
        ]
        tell({
            "method": self.command,
            "path": self.path,
            "headers": self.headers.items(),
            "body": base64.b64encode(body).decode(),
            "agrees": any(hmac.compare_digest(expected.encode(), each.encode("latin-1")) for each in candidates),
        })
        time.sleep(options.delay)
        answer = options.answer.encode()
        self.send_response(options.status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("X-Receiver", "python")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_PUT = do_POST

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_):
        # The tests kill senders.
        pass


server = Server(("127.0.0.1", 0), Receiver)
tell({"port": server.server_address[1]})
server.serve_forever()
