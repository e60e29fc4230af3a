"""A webhook sender that shares no code with bankapi: the service's side of the wire, for tests.

    sender.py SECRET URL COUNT [SEED]

POSTs COUNT deliveries with random bodies (bytes of every value, JSON, line ends of every kind), each on the same
connection, and prints one JSON line per delivery: {"event_id", "sha256", "status"}.
"""
import hashlib
import hmac
import http.client
import json
import random
import sys
import time
from urllib.parse import urlsplit

secret, url, count = sys.argv[1], urlsplit(sys.argv[2]), int(sys.argv[3])
source = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)


def body(event_id):
    kind = source.randrange(4)
    if kind == 0:
        return bytes(source.randrange(256) for _ in range(source.randrange(2000)))
    text = "".join(source.choice(["a", "é", "銀", "🦉", "\r\n", "\n", " ", "\t", "\\", '"', "\x1b[2J"]) for _ in range(50))
    event = {"event_id": event_id, "type": "webhook.test", "livemode": False, "data": {"text": text}}
    if kind == 1:
        return json.dumps(event).encode()
    if kind == 2:
        return json.dumps(event, ensure_ascii=False, indent=2).encode() + b"\r\n "
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()


connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
for number in range(count):
    event_id = "evt_%d" % number
    payload = body(event_id)
    timestamp = str(int(time.time()))
    signature = hmac.new(secret.encode(), timestamp.encode() + b"." + payload, hashlib.sha256).hexdigest()
    connection.request("POST", url.path or "/", payload, {
        "Content-Type": "application/json",
        "X-LS-Webhook-Event-Id": event_id,
        "X-LS-Webhook-Event-Type": "webhook.test",
        "X-LS-Webhook-Timestamp": timestamp,
        "X-LS-Webhook-Signature": signature,
    })
    response = connection.getresponse()
    response.read()
    print(json.dumps({"event_id": event_id, "sha256": hashlib.sha256(payload).hexdigest(), "status": response.status}))
