"""Subversion, with the database of a working copy."""

import os
import re

from common import Program, run

COPY = "copy"


def svn(*arguments, folder=COPY):
    return run("svn", "--non-interactive", "--username", "user", *arguments[:1], *(
        os.path.join(folder, name[1:]) if name.startswith("/") else name for name in arguments[1:]))


def version():
    return run("svn", "--version", "--quiet").strip()


def write(name, text):
    path = os.path.join(COPY, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def first():
    run("svnadmin", "create", "repository")
    run("svn", "checkout", f"file://{os.getcwd()}/repository", COPY)
    for number in range(60):
        write(f"trunk/part{number % 6}/file{number}.txt", f"line {number}\n" * 5)
    svn("add", "/trunk")
    svn("commit", "/", "-m", "first")
    svn("update", "/")


def edit():
    for number in range(60, 160):
        write(f"trunk/part{number % 6}/ü {number}.txt", f"line {number}\n" * 5)
    svn("add", "--force", "/trunk")
    svn("propset", "svn:eol-style", "native", "/trunk", "--recursive")
    svn("commit", "/", "-m", "second")
    svn("update", "/")


def move():
    svn("copy", "/trunk", "/branch")
    svn("move", "/trunk/part1", "/trunk/moved")
    svn("delete", "/trunk/part2")
    svn("changelist", "work", "/trunk/part3/file3.txt")
    svn("revert", "--recursive", "/trunk/part2")
    svn("commit", "/", "-m", "third", "--changelist", "other")
    svn("commit", "/", "-m", "third")
    svn("update", "/")


def conflict():
    svn("update", "-r", "1", "/trunk/part4")
    write("trunk/part4/file4.txt", "conflict\n")
    svn("update", "--accept", "postpone", "/")
    svn("lock", "/trunk/part5/file5.txt")
    svn("cleanup", "/", "--vacuum-pristines")


def view():
    # The times of files and commits differ in each run.
    information = re.sub(r"(?m)^(Last Changed Date|Text Last Updated|Repository UUID|Lock Token|Lock Created).*\n", "",
                         svn("info", "--recursive", "/"))
    # The checksum of a property with the time of a move is not shown.
    return svn("status", "--verbose", "/") + information + svn("propget", "svn:eol-style", "--recursive", "/") + svn("diff", "/")


def more():
    svn("revert", "--recursive", "/")
    write("trunk/more.txt", "more\n")
    svn("add", "/trunk/more.txt")
    svn("commit", "/", "-m", "more")
    svn("cleanup", "/")


PROGRAM = Program(
    name="subversion", database=COPY + "/.svn/wc.db", commands=["svn", "svnadmin"], debian="subversion", version=version,
    driven="`svn add`, `commit`, `copy`, `move`, `delete`, `revert`, `update` with a conflict, `lock`, `cleanup`",
    first=first, steps=[edit, move, conflict], view=view, more=more)
