"""Fossil, a version control system, with its repository."""

import os
import re

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


def rebuild(tracked):
    """`fossil rebuild` drops the tables of the history; the triggers remain."""
    run("fossil", "rebuild", tracked.file, environment=tracked.variables, status=None)
    for command in ("verify", "untrack"):
        print(command, run(tracked.tool, command, tracked.file, status=None))
    tracked.track()
    return ("disables triggers: `verify` and `stats` count the rows without a record, and `track --reconcile` records them")


def more():
    write(40, 45, "more")
    commit("more", 20)


PROGRAM = Program(
    name="fossil", database=FILE, commands=["fossil"], debian="fossil", version=version,
    driven="commits, a branch, a merge, a tag, a user; then `fossil rebuild`",
    first=first, steps=[edit, branch], view=view, more=more, reconciles=True, exception=rebuild)
