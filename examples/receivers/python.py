# A receiver in Python 3, with nothing to install. WEBHOOK_SECRET=whsec_... PORT=8080 python3 python.py
import base64, hashlib, hmac, json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY_BYTES = 262_144
seen = set()  # in real life: a unique column in your database


def key_of(secret):
    """The key of whsec_ and base64. Raises ValueError for anything shorter than 24 bytes."""
    if not secret.startswith("whsec_"):
        raise ValueError("the secret does not begin with whsec_")
    key = base64.b64decode(secret[len("whsec_"):], validate=True)
    if len(key) < 24:
        raise ValueError("the secret is too short")
    return key


def is_genuine(key, headers, raw_body, now=None, tolerance=300):
    """Standard Webhooks: a fresh timestamp, and one of the listed signatures is ours."""
    timestamp = headers.get("webhook-timestamp") or ""
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + raw_body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = (headers.get("webhook-signature") or "").split(" ")
    return any(hmac.compare_digest(expected.encode(), part.encode()) for part in given)


def said(notification):
    """None: the event is of no transaction, such as that of a low balance. Such a body has no amount."""
    if not notification["event"].startswith("transaction."):
        return None
    return f"{notification['data']['amount']} {notification['data']['asset']}"


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds: a sender that stops in the middle is given up

    def do_POST(self):
        length = self.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(413)
        raw_body = self.rfile.read(int(length))
        if not is_genuine(self.server.key, self.headers, raw_body):
            return self.answer(401)
        try:
            notification = json.loads(raw_body)
        except ValueError:
            return self.answer(400)
        if notification["id"] not in seen:
            print(notification["event"], said(notification) or raw_body.decode(), flush=True)
        seen.add(notification["id"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    try:
        key = key_of(os.environ.get("WEBHOOK_SECRET", ""))
    except ValueError as error:
        sys.exit(f"Set WEBHOOK_SECRET to the secret that was shown at registration: {error}.")
    try:
        server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
    except (OSError, OverflowError, ValueError) as error:
        sys.exit(f"Set PORT to a free port: {str(error).rstrip('.')}.")
    server.key = key
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
