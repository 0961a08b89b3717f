#!/usr/bin/env python3
"""Keeps a copy of the trips of a TripServer in an SQLite file: follow.py URL FILE

The token of each transaction is stored together with its effect, in one transaction of the copy. Whenever the server, the
connection or this program is interrupted, it continues after that token: nothing is lost, and nothing is applied twice.
"""

import json
import sqlite3
import subprocess
import sys
import time


def open_copy(path):
    copy = sqlite3.connect(path, isolation_level=None, timeout=30)
    copy.executescript("""
        CREATE TABLE IF NOT EXISTS trip (id INTEGER PRIMARY KEY, name, destination, price, version);
        CREATE TABLE IF NOT EXISTS log (token, author, request, kind, id);
        CREATE TABLE IF NOT EXISTS position (one INTEGER PRIMARY KEY CHECK (one = 1), token);
        """)
    return copy


def position(copy):
    row = copy.execute("SELECT token FROM position").fetchone()
    return row[0] if row else None


def save(copy, token, apply):
    copy.execute("BEGIN IMMEDIATE")
    try:
        apply()
        copy.execute("INSERT OR REPLACE INTO position VALUES (1, ?)", (token,))
        copy.execute("COMMIT")
    except BaseException:
        copy.execute("ROLLBACK")
        raise


def start(copy, url):
    """Replaces the copy by the present trips, of which the server sends the token."""
    response = subprocess.run(["curl", "-sf", f"{url}/trips"], stdout=subprocess.PIPE)
    # The next attempt follows.
    if response.returncode != 0:
        return
    state = json.loads(response.stdout)

    def apply():
        copy.execute("DELETE FROM trip")
        for trip in state["trips"]:
            copy.execute("INSERT INTO trip VALUES (:id, :name, :destination, :price, :version)", trip)

    save(copy, state["token"], apply)


def apply_changes(copy, transaction):
    for change in transaction["changes"]:
        if change["kind"] == "delete":
            copy.execute("DELETE FROM trip WHERE id = ?", (change["id"],))
        else:
            copy.execute("INSERT OR IGNORE INTO trip (id) VALUES (?)", (change["id"],))
            for name, values in change["values"].items():
                # The names are those of the columns above.
                assert name in ("name", "destination", "price", "version")
                copy.execute(f"UPDATE trip SET {name} = ? WHERE id = ?", (values.get("after"), change["id"]))
        request = transaction["metadata"].get("request")
        row = (transaction["token"], transaction.get("author"), request, change["kind"], change["id"])
        copy.execute("INSERT INTO log VALUES (?, ?, ?, ?, ?)", row)


def follow(copy, url):
    """Applies the events of one connection. Returns whether the history after the position is gone, or lacks a value."""
    curl = ["curl", "-sSNf", "-H", "Accept: text/event-stream", "-H", f"Last-Event-ID: {position(copy)}"]
    with subprocess.Popen(curl + [f"{url}/changes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace") as stream:
        fields = {}
        for line in stream.stdout:
            line = line.rstrip("\n")
            if line:
                name, _, value = line.partition(":")
                fields[name] = value.removeprefix(" ")
            else:
                # An event is complete with the empty line; what is incomplete when the connection ends is sent again.
                if "id" in fields:
                    transaction = json.loads(fields["data"])
                    if any("missing" in change for change in transaction["changes"]):
                        stream.kill()
                        return True
                    save(copy, fields["id"], lambda: apply_changes(copy, transaction))
                fields = {}
        return "error: 410" in stream.stderr.read()


def main():
    url, path = sys.argv[1:]
    copy = open_copy(path)
    while True:
        if position(copy) is None or follow(copy, url):
            start(copy, url)
        # The server is down, or has just ended: the next attempt.
        time.sleep(0.1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
