# A consumer of the feed in Python 3, with nothing to install. Each event counts exactly once, however often it is killed.
# URL=http://127.0.0.1:3000 API_KEY=cb_... DATABASE=credits.sqlite python3 python.py
import http.client, json, os, re, sqlite3, sys, time, urllib.error, urllib.parse, urllib.request

WAIT_S = 30
LONGEST_PAUSE_S = 30


def open_database(path):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE IF NOT EXISTS place (consumer TEXT PRIMARY KEY, cursor TEXT NOT NULL)")
    database.execute("CREATE TABLE IF NOT EXISTS credit (id TEXT PRIMARY KEY, event TEXT, amount TEXT, asset TEXT)")
    return database


def cursor_in(database):
    row = database.execute("SELECT cursor FROM place WHERE consumer = 'me'").fetchone()
    return row[0] if row else None


def commit(database, lines, cursor):
    """The effects and the cursor in one transaction. An id that is there already changes nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        for line in lines:
            notification = json.loads(line)
            if not notification["event"].startswith("transaction."):
                continue  # events may be added
            data = notification["data"]
            credit = (notification["id"], notification["event"], data["amount"], data["asset"])
            if database.execute("INSERT OR IGNORE INTO credit VALUES (?, ?, ?, ?)", credit).rowcount == 1:
                print(*credit[1:], flush=True)
        database.execute("INSERT OR REPLACE INTO place VALUES ('me', ?)", (cursor,))
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


def ask(url, key, cursor):
    """The status, the next cursor and the bodies, one a line."""
    query = {"wait": WAIT_S, **({"after": cursor} if cursor else {})}
    address = f"{url}/notifications/feed?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(address, headers={"x-api-key": key})
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S + 15) as answer:
            body = answer.read().decode()
            return answer.status, answer.headers["chainbell-cursor"], body.split("\n")[:-1]
    except urllib.error.HTTPError as error:
        return error.code, error.headers["chainbell-cursor"], [error.read().decode()]


def consume(url, key, database):
    failures = 0
    while True:
        cursor = cursor_in(database)
        try:
            status, following, lines = ask(url, key, cursor)
        except (OSError, http.client.HTTPException) as error:
            status, following, lines = 503, None, [str(error)]
        if status == 200:
            failures = 0
            if following != cursor:
                commit(database, lines, following)
        elif status in (409, 410):
            # 409: the database was restored, and what is here already is left out. 410: retention was faster.
            print("gap" if status == 410 else "restored", file=sys.stderr, flush=True)
            commit(database, [], following)
        elif status in (408, 429) or status >= 500:
            failures += 1
            pause = min(2 ** min(failures - 1, 10), LONGEST_PAUSE_S)
            print(f"{status}, asked again in {pause} s: {lines[0]}", file=sys.stderr, flush=True)
            time.sleep(pause)
        else:
            sys.exit(f"refused with {status}: {lines[0]}")


if __name__ == "__main__":
    key = os.environ.get("API_KEY") or sys.exit("Set API_KEY to a key with the scope read.")
    url = os.environ.get("URL", "http://127.0.0.1:3000").rstrip("/")
    if not re.match("https?://[^/]", url):
        sys.exit("Set URL to the address of Chainbell's API, such as http://127.0.0.1:3000.")
    try:
        database = open_database(os.environ.get("DATABASE", "credits.sqlite"))
    except sqlite3.Error as error:
        sys.exit(f"Set DATABASE to a file that can be written: {error}.")
    try:
        consume(url, key, database)
    except sqlite3.Error as error:
        sys.exit(f"This consumer cannot go on: {error}.")
    except KeyboardInterrupt:
        pass
