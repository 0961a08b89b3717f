"""sqlite-utils, a command-line tool for SQLite files."""

import json

from common import Program, run

FILE = "dogs.db"


def tool(*arguments, text=None):
    return run("sqlite-utils", *arguments, text=text)


def lines(start, end, **values):
    return "\n".join(json.dumps({"id": number, "name": f"dog {number}", "age": number % 17, "weight": number / 8,
                                 "owner": {"name": f"owner {number % 5}", "since": 2000 + number % 20}, **values})
                     for number in range(start, end))


def first():
    tool("insert", FILE, "dogs", "-", "--pk", "id", "--nl", text=lines(0, 500))
    tool("create-table", FILE, "events", "kind", "text", "number", "integer", "note", "text", "--pk", "kind", "--pk", "number")
    tool("insert", FILE, "events", "-", "--pk", "kind", "--pk", "number", text=json.dumps(
        [{"kind": kind, "number": number, "note": None} for kind in ("walk", "food") for number in range(20)]))
    tool("create-index", FILE, "dogs", "age")
    tool("enable-fts", FILE, "dogs", "name", "--create-triggers")


def insert():
    tool("insert", FILE, "dogs", "-", "--pk", "id", "--nl", text=lines(500, 3000))
    tool("insert", FILE, "events", "-", "--pk", "kind", "--pk", "number", text=json.dumps(
        [{"kind": "vet", "number": number, "note": "ünïcode\n" * (number % 4)} for number in range(200)]))


def upsert():
    tool("upsert", FILE, "dogs", "-", "--pk", "id", "--nl", text=lines(400, 700, age=99))
    tool("insert", FILE, "dogs", "-", "--pk", "id", "--nl", "--replace", text=lines(690, 720, weight=None))
    tool("insert", FILE, "dogs", "-", "--pk", "id", "--nl", "--ignore", text=lines(0, 30, age=-1))


def change():
    tool(FILE, "UPDATE dogs SET age = age + 1 WHERE id % 3 = 0")
    tool(FILE, "DELETE FROM dogs WHERE id % 10 = 7")
    tool(FILE, "UPDATE events SET number = number + 1000 WHERE kind = 'food'")
    tool("convert", FILE, "dogs", "name", "value.upper() if value.endswith('3') else value")


def view():
    return "\n".join([tool("rows", FILE, "dogs"), tool("rows", FILE, "events"), tool("search", FILE, "dogs", "dog 13"),
                      tool("indexes", FILE, "dogs")])


def triggers(tracked):
    """Shows that the program lists the triggers of the recorder among its own."""
    listed = run("sqlite-utils", "triggers", tracked.file, environment=tracked.variables)
    tracked.expect("chronicle_" in listed, listed)
    return "`sqlite-utils triggers` lists the recorder's triggers, too"


def more():
    tool("insert", FILE, "dogs", "-", "--pk", "id", "--nl", text=lines(5000, 5010))
    tool("rebuild-fts", FILE)


PROGRAM = Program(
    name="sqlite-utils", database=FILE, packages=["sqlite-utils==4.2.1"],
    driven="its commands `insert`, `upsert`, `convert` and SQL, with full-text search",
    first=first, steps=[insert, upsert, change], view=view, more=more, exception=triggers)
