#!/usr/bin/env python3
"""Tests the server and its feed with curl: test.py FOLDER [--seconds N] [--seed N]

FOLDER contains the programs TripServer and chronicle. For N seconds, three clients change trips and two follow the changes, while
the server and the followers are killed at random. Afterwards, one follower has each change exactly once, and the other one has
received each change at least once.
"""

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid

sys.dont_write_bytecode = True
from follow import open_copy, position

HERE = os.path.dirname(os.path.abspath(__file__))
# The longest wait for a condition. It is only reached by a failure.
PATIENCE = 60


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def wait_until(condition, text):
    end = time.monotonic() + PATIENCE
    while not condition():
        expect(time.monotonic() < end, text)
        # Other processes make the condition true.
        time.sleep(0.01)


class Server:
    def __init__(self, program, store):
        self.program, self.store, self.port = program, store, "0"
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, self.store, self.port], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        expect("http://localhost:" in line, f"the server does not start: {line}")
        self.url = line.split()[1].removesuffix("/trips")
        self.port = self.url.rsplit(":", 1)[1]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def call(self, method, path, body=None, user="alice", request=None, fields=()):
        """Returns the status and the JSON of a response; the status is 0 without a complete one."""
        arguments = ["curl", "-s", "-X", method, "-w", "\n%{http_code}", f"{self.url}{path}"]
        arguments += ["-H", "Content-Type: application/json"] if body is not None else []
        arguments += ["-d", body if isinstance(body, str) else json.dumps(body)] if body is not None else []
        arguments += ["-H", f"X-User: {user}"] if user else []
        arguments += ["-H", f"X-Request-ID: {request}"] if request else []
        for field in fields:
            arguments += ["-H", field]
        result = subprocess.run(arguments, stdout=subprocess.PIPE, text=True)
        content, _, status = result.stdout.rpartition("\n")
        # There is no response, or only a part of it.
        if result.returncode != 0:
            return 0, None
        return int(status), json.loads(content) if content else None


def test_requests(server):
    status, trip = server.call("POST", "/trips", {"name": "Rome", "destination": "Italy", "price": 900}, request="r1")
    expect(status == 201 and trip["version"] == 1, (status, trip))
    path = f"/trips/{trip['id']}"
    status, changed = server.call("PATCH", path, {"version": 1, "price": 950}, user="bob", request="r2")
    expect(status == 200 and changed == {**trip, "price": 950, "version": 2}, (status, changed))
    status, conflict = server.call("PATCH", path, {"version": 1, "price": 1})
    expect(status == 409 and conflict["trip"] == changed, (status, conflict))
    expect(server.call("DELETE", path + "?version=1")[0] == 409, "a delete of an old version")

    status, history = server.call("GET", path + "/history")
    expect(status == 200 and [entry["author"] for entry in history] == ["alice", "bob"], history)
    expect([entry["metadata"] for entry in history] == [{"request": "r1"}, {"request": "r2"}], history)
    values = history[1]["changes"][0]["values"]
    expect(values["price"] == {"before": 900, "after": 950} and "name" not in values, values)

    for moment in (history[0]["token"], history[0]["token"].split("-")[0]):
        expect(server.call("GET", f"{path}?asOf={moment}") == (200, trip), f"as of {moment}")
    for moment in ("2200-01-01", "2200-01-01T14:30:00Z", "2200-01-01T14:30:00.250Z"):
        expect(server.call("GET", f"{path}?asOf={moment}") == (200, changed), f"as of {moment}")
    status, past = server.call("GET", f"/trips?asOf={history[0]['token']}")
    expect(status == 200 and past == {"token": history[0]["token"], "trips": [trip]}, past)
    expect(server.call("GET", f"{path}?asOf=0")[0] == 404, "before the insert")
    expect(server.call("GET", f"{path}?asOf=2000-01-01")[0] == 404, "a date before the insert")

    expect(server.call("DELETE", path + "?version=2", request="r3") == (204, None), "a delete")
    expect(server.call("GET", path)[0] == 404, "a deleted trip")
    status, history = server.call("GET", path + "/history")
    expect(history[-1]["changes"][0]["kind"] == "delete" and history[-1]["metadata"]["request"] == "r3", history)
    # Another program, without an author.
    sqlite = sqlite3.connect(server.store, timeout=30)
    sqlite.execute("INSERT INTO Trip (name, destination, price, version) VALUES ('Oslo', 'Norway', 1, 1)")
    sqlite.commit()
    sqlite.close()
    status, page = server.call("GET", f"/changes?after={history[-1]['token']}")
    expect(len(page["transactions"]) == 1 and "author" not in page["transactions"][0], page)
    expect(server.call("GET", f"/changes?after={page['token']}&wait=0")[1]["transactions"] == [], "no more changes")


def test_bad_requests(server):
    new = {"name": "Rome", "destination": "Italy", "price": 900}
    cases = [
        (400, "POST", "/trips", "{", {}), (400, "POST", "/trips", "[]", {}), (400, "POST", "/trips", {"name": "Rome"}, {}),
        (400, "POST", "/trips", {**new, "price": "cheap"}, {}), (400, "POST", "/trips", {**new, "price": 1.5}, {}),
        (400, "POST", "/trips", {**new, "price": 10**30}, {}), (400, "POST", "/trips", {**new, "name": ""}, {}),
        (400, "POST", "/trips", {**new, "name": None}, {}), (400, "POST", "/trips", new, {"user": None}),
        (400, "POST", "/trips", new, {"user": "x" * 300}), (413, "POST", "/trips", "x" * 70_000, {}),
        (415, "POST", "/trips", None, {}), (400, "PATCH", "/trips/1", {"price": 1}, {}),
        (400, "PATCH", "/trips/1", {"version": 1}, {}),
        (404, "PATCH", "/trips/999", {"version": 1, "price": 1}, {}), (404, "DELETE", "/trips/999", None, {}),
        (404, "GET", "/trips/999", None, {}), (404, "GET", "/trips/999/history", None, {}),
        (404, "GET", "/trips/-1", None, {}), (404, "GET", "/trips/99999999999999999999", None, {}),
        (404, "GET", "/trips/x", None, {}), (404, "GET", "/", None, {}), (404, "GET", "/trips/1/x", None, {}),
        (405, "PATCH", "/trips", new, {}), (405, "POST", "/changes", new, {}), (405, "PUT", "/trips/1", new, {}),
        (400, "GET", "/changes?after=x", None, {}), (400, "GET", "/changes?after=-1", None, {}),
        (400, "GET", "/changes?after=1-2", None, {}), (400, "GET", "/changes?after=99999999999999999999", None, {}),
        (400, "GET", "/changes?wait=61", None, {}), (400, "GET", "/changes?wait=x", None, {}),
        (400, "GET", "/trips?asOf=yesterday", None, {}), (400, "GET", "/trips?asOf=", None, {}),
        (400, "DELETE", "/trips/2?version=x", None, {}), (403, "GET", "/trips", None, {"fields": ["Host: example.com"]}),
        (411, "POST", "/trips", new, {"fields": ["Transfer-Encoding: chunked"]}),
        # Of another store, or reverted by a backup.
        (410, "GET", "/changes?after=4-00000000deadbeef", None, {}), (410, "GET", "/changes?after=999999", None, {}),
        (410, "GET", "/trips?asOf=4-00000000deadbeef", None, {}),
    ]
    for status, method, path, body, options in cases:
        found, content = server.call(method, path, body, **options)
        expect(found == status and content["error"], f"{method} {path} {body}: {found} {content}, not {status}")
    # After a refusal as well, the events begin with a status.
    expect(server.call("GET", "/changes?after=999999", fields=["Accept: text/event-stream"])[0] == 410, "expired events")


class Writer(threading.Thread):
    """Adds, changes and deletes trips. Keeps the requests that the server has confirmed."""

    def __init__(self, server, name, seed):
        super().__init__(name=name, daemon=True)
        self.server, self.random = server, random.Random(seed)
        self.confirmed, self.sent, self.deleted, self.conflicts, self.isStopped = [], set(), set(), 0, False
        self.failure = None

    def run(self):
        try:
            while not self.isStopped:
                self.step()
        except BaseException as error:
            self.failure = error

    def step(self):
        request = f"{self.name}-{uuid.UUID(int=self.random.getrandbits(128))}"
        status, state = self.server.call("GET", "/trips")
        trips = state["trips"] if status == 200 else []
        kind = self.random.choice(["add", "change", "change", "delete"]) if trips else "add"
        trip = self.random.choice(trips) if trips else None
        self.sent.add(request)
        if kind == "add":
            new = {"name": f"Trip {request}", "destination": "Rome", "price": self.random.randrange(1000)}
            status, _ = self.server.call("POST", "/trips", new, self.name, request)
        elif kind == "change":
            change = {"version": trip["version"], "price": self.random.randrange(1000)}
            status, _ = self.server.call("PATCH", f"/trips/{trip['id']}", change, self.name, request)
        else:
            path = f"/trips/{trip['id']}?version={trip['version']}"
            status, _ = self.server.call("DELETE", path, None, self.name, request)
        expect(status in (0, 200, 201, 204, 404, 409), f"{kind}: {status}")
        if status in (200, 201):
            self.confirmed.append(request)
        elif status == 204:
            # Another writer may have deleted it at the same time.
            self.deleted.add(trip["id"])
        elif status == 409:
            self.conflicts += 1


def poll(url, folder):
    """A follower that polls, and stores its token after the effects: it receives each change at least once."""
    token_path, log_path = os.path.join(folder, "token"), os.path.join(folder, "log")
    token = open(token_path).read() if os.path.exists(token_path) else "0"
    while True:
        response = subprocess.run(["curl", "-sf", f"{url}/changes?after={token}&wait=5"], stdout=subprocess.PIPE)
        if response.returncode != 0:
            # The server is down: the next attempt.
            time.sleep(0.1)
            continue
        page = json.loads(response.stdout)
        with open(log_path, "a") as log:
            log.writelines(transaction["token"] + "\n" for transaction in page["transactions"])
        token = page["token"]
        with open(token_path + ".new", "w") as file:
            file.write(token)
        os.replace(token_path + ".new", token_path)


class Follower:
    def __init__(self, *arguments):
        self.arguments = arguments
        self.start()

    def start(self):
        # Its curl belongs to the group, and is killed with it.
        self.process = subprocess.Popen([sys.executable, *self.arguments], start_new_session=True)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def test_kills(server, folder, seconds, seed):
    choose = random.Random(seed)
    copy_path = os.path.join(folder, "copy.db")
    copy = open_copy(copy_path)
    followers = [
        Follower(os.path.join(HERE, "follow.py"), server.url, copy_path),
        Follower(os.path.abspath(__file__), "--poll", server.url, folder),
    ]
    writers = [Writer(server, name, seed + number) for number, name in enumerate(["anna", "ben", "carl"])]
    kills = 0
    try:
        wait_until(lambda: position(copy) is not None, "the copy is empty")
        before = server.call("GET", "/changes?after=0&wait=0")[1]["token"]
        copied_from = position(copy)
        for writer in writers:
            writer.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            # At any time within the stream: after some more transactions.
            count = lambda: copy.execute("SELECT count(*) FROM log").fetchone()[0]
            target = count() + choose.randrange(1, 12)
            wait_until(lambda: count() >= target or any(writer.failure for writer in writers), "the copy receives nothing")
            if choose.random() < 0.5:
                server.kill()
                server.start()
            else:
                follower = choose.choice(followers)
                follower.kill()
                follower.start()
            kills += 1
        for writer in writers:
            writer.isStopped = True
        for writer in writers:
            writer.join()
            expect(writer.failure is None, f"{writer.name}: {writer.failure}")

        # All pages from the beginning: what happened.
        transactions, token = [], "0"
        while True:
            page = server.call("GET", f"/changes?after={token}&wait=0")[1]
            transactions += page["transactions"]
            token = page["token"]
            if not page["transactions"]:
                break
        wait_until(lambda: position(copy) == token, "the copy is not complete")
        log_path = os.path.join(folder, "log")
        wait_until(lambda: open(os.path.join(folder, "token")).read() == token, "the follower that polls is not complete")
    finally:
        for follower in followers:
            follower.kill()

    # Exactly once, in order, with author and request.
    first = [transaction["token"] for transaction in transactions].index(copied_from) + 1
    expected = [
        (transaction["token"], transaction.get("author"), transaction["metadata"].get("request"), change["kind"], change["id"])
        for transaction in transactions[first:] for change in transaction["changes"]
    ]
    found = copy.execute("SELECT * FROM log ORDER BY rowid").fetchall()
    expect(found == expected, f"{len(found)} changes instead of {len(expected)}")
    trips = server.call("GET", "/trips")[1]["trips"]
    columns = ["id", "name", "destination", "price", "version"]
    rows = [dict(zip(columns, row)) for row in copy.execute("SELECT * FROM trip ORDER BY id")]
    expect(rows == trips, "the copy differs from the trips")
    # At least once.
    received = open(log_path).read().split()
    expect(list(dict.fromkeys(received)) == [transaction["token"] for transaction in transactions], "the poll lost changes")
    # What the server confirmed is there once, and nothing twice.
    requests = [transaction["metadata"].get("request") for transaction in transactions]
    for writer in writers:
        own = [transaction["metadata"]["request"] for transaction in transactions if transaction.get("author") == writer.name]
        expect(len(set(own)) == len(own) and set(writer.confirmed) <= set(own) <= writer.sent, f"{writer.name}: lost or repeated")
        expect(not writer.deleted & {trip["id"] for trip in trips}, f"{writer.name}: a deleted trip exists")
    expect(before == copied_from and kills > 0 and len(set(requests)) > 10, (before, copied_from, kills, len(requests)))
    confirmed, conflicts = (sum(len(writer.confirmed) for writer in writers), sum(writer.conflicts for writer in writers))
    print(f"{confirmed} changes, {conflicts} conflicts, {kills} kills; {len(received) - len(transactions)} repeated by polling")
    return copy, token


def test_expired(server, folder, tool, copy, token):
    """A follower whose history was deleted starts over."""
    for name in ("Later", "Last"):
        server.call("POST", "/trips", {"name": name, "destination": "Rome", "price": 1})
    subprocess.run([tool, "purge", server.store, "--max-changes", "0"], stdout=subprocess.DEVNULL, check=True)
    status, content = server.call("GET", f"/changes?after={token}")
    expect(status == 410 and "GET /trips" in content["error"], (status, content))
    follower = Follower(os.path.join(HERE, "follow.py"), server.url, os.path.join(folder, "copy.db"))
    try:
        wait_until(lambda: position(copy) != token, "the copy does not start over")
        names = [name for name, in copy.execute("SELECT name FROM trip ORDER BY id")]
        expect(names == [trip["name"] for trip in server.call("GET", "/trips")[1]["trips"]], names)
    finally:
        follower.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(os.path.join(options.folder, "TripServer"), os.path.join(folder, "trips.store"))
        try:
            test_requests(server)
            test_bad_requests(server)
            copy, token = test_kills(server, folder, options.seconds, options.seed)
            test_expired(server, folder, os.path.join(options.folder, "chronicle"), copy, token)
        finally:
            server.kill()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--poll"]:
        poll(*sys.argv[2:])
    else:
        main()
