"""Fossil, a version control system, with its repository."""

import contextlib
import os
import re
import shutil
import sqlite3

from common import Program, run

FILE = "repository.fossil"


def fossil(*arguments, folder="checkout"):
    return run("fossil", *arguments, *(["--chdir", folder] if folder else []), environment={"USER": "user"})


def version():
    return re.search(r"version (\S+)", run("fossil", "version")).group(1)


def write(start, end, text):
    for number in range(start, end):
        with open(f"checkout/file{number}.txt", "w") as file:
            file.write(f"{text} {number}\n" * 10)


def commit(message, day):
    fossil("addremove")
    fossil("commit", "--comment", message, "--no-warnings", "--date-override", f"2026-01-{day:02} 12:00:00", "--user-override", "user",
           "--nosign")


def first():
    fossil("init", FILE, "--admin-user", "user", "--date-override", "2025-12-31 12:00:00", folder=None)
    os.mkdir("checkout")
    fossil("open", "../" + FILE)
    fossil("settings", "autosync", "off")
    # Files of the same size change within a second.
    fossil("settings", "mtime-changes", "off")
    write(0, 20, "first")
    commit("first", 1)


def edit():
    for day in range(2, 8):
        write(day * 2, day * 2 + 20, f"day {day}")
        commit(f"commit of day {day}", day)


def branch():
    fossil("branch", "new", "other", "trunk", "--date-override", "2026-01-09 12:00:00")
    fossil("update", "other")
    write(0, 3, "other")
    commit("on the branch", 10)
    fossil("tag", "add", "release", "trunk", "--date-override", "2026-01-11 12:00:00")
    fossil("update", "trunk")
    fossil("merge", "other")
    commit("merged", 12)
    fossil("user", "new", "guest", "A guest", "secret")


def view():
    def stable(text):
        # Check-ins of one second are named after a hash; users have random secrets.
        return re.sub(r"\[?[0-9a-f]{10,64}\]?", "HASH", text)

    return stable("\n".join([fossil("timeline", "-n", "100", "-t", "ci"), fossil("ls", "-r", "trunk"), fossil("ls", "-r", "other"),
                             fossil("tag", "list"), fossil("branch", "list"), fossil("cat", "file1.txt", "-r", "trunk"),
                             fossil("user", "list"), fossil("test-integrity")]))


def execute(path, statement):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def rebuild(tracked):
    """`fossil rebuild` drops the tables of the history; the triggers remain."""
    copy = os.path.join(os.path.dirname(tracked.work), "rebuilt.fossil")
    shutil.copyfile(tracked.file, copy)
    run("fossil", "rebuild", copy, environment=tracked.variables)
    message = tracked.chronicle("verify", copy, status=1)
    tracked.expect("which another program dropped" in message and "use `chronicle untrack" in message, message)
    # Fossil itself can write, because it disables triggers. Another program cannot, until the file is repaired.
    statement = "UPDATE user SET info = 'changed'"
    try:
        execute(copy, statement)
        raise AssertionError("the write succeeds")
    except sqlite3.OperationalError as error:
        tracked.expect("no such table" in str(error), str(error))
    tracked.chronicle("untrack", copy)
    execute(copy, statement)
    run("fossil", "rebuild", copy, environment=tracked.variables)
    os.remove(copy)
    return ("disables triggers: `verify` and `stats` count the rows without a record, and `track --reconcile` records them, except new values "
            "of a row from before tracking, such as the time of a setting; `fossil rebuild` drops the history: `verify` says so, writes of "
            "other programs fail, and `untrack` or `track` repairs the file")


def more():
    write(40, 45, "more")
    commit("more", 20)


PROGRAM = Program(
    name="fossil", database=FILE, commands=["fossil"], debian="fossil", version=version,
    driven="commits, a branch, a merge, a tag, a user; then `fossil rebuild`",
    first=first, steps=[edit, branch], view=view, more=more, reconciles=True, exception=rebuild,
    # The time of a row from before tracking changes without a trigger: the history has no value to compare it with.
    unknown=["config.mtime"])
