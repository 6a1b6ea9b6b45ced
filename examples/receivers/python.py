# A receiver in Python 3, with nothing to install. WEBHOOK_SECRET=whsec_... PORT=8080 python3 python.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()  # in real life: a unique column in your database


def is_genuine(headers, raw_body):
    """Standard Webhooks: a fresh timestamp, and one of the listed signatures is ours."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + raw_body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, part) for part in headers.get("webhook-signature", "").split(" "))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = is_genuine(self.headers, raw_body)
        if genuine:
            notification = json.loads(raw_body)
            if notification["id"] not in seen:
                print(notification["event"], notification["data"]["amount"], notification["data"]["asset"], flush=True)
            seen.add(notification["id"])
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *arguments):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
