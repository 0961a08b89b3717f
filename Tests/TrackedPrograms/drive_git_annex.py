"""git-annex, with the database of keys in which it caches the state of files."""

import os
import re

from common import Program, run

FOLDER = "annex"


def git(*arguments):
    return run("git", "-C", FOLDER, "-c", "user.name=user", "-c", "user.email=user@example.org", *arguments)


def annex(*arguments):
    return git("annex", *arguments)


def version():
    return re.search(r"version: (\S+)", run("git-annex", "version")).group(1).split("-")[0]


def write(start, end, text):
    for number in range(start, end):
        with open(f"{FOLDER}/file {number}", "w") as file:
            file.write(f"{text} {number}\n" * 20)


def first():
    os.mkdir(FOLDER)
    git("init", "--quiet")
    # The identifiers are those of the first state in both runs.
    git("config", "user.name", "user")
    git("config", "user.email", "user@example.org")
    annex("init", "here")
    write(0, 15, "content")
    annex("add", "--quiet", ".")
    annex("unlock", "--quiet", "file 1", "file 2", "file 3")
    git("commit", "--quiet", "--message", "first")


def add():
    write(15, 35, "content")
    annex("add", "--quiet", ".")
    annex("unlock", "--quiet", "file 20", "file 21", "file 22", "file 23", "file 24")
    git("commit", "--quiet", "--message", "second")


def move():
    git("mv", "file 20", "moved")
    git("rm", "--quiet", "file 21")
    annex("lock", "--quiet", "file 22")
    annex("unlock", "--quiet", "file 5", "file 6")
    write(23, 24, "changed")
    git("add", "--all")
    git("commit", "--quiet", "--message", "third")


def drop():
    annex("drop", "--quiet", "--force", "file 2", "file 6", "file 30")
    annex("fsck", "--quiet", "file 3", "moved")


def view():
    return "\n".join([annex("find"), annex("find", "--unlocked"), annex("list", "--allrepos"), git("status", "--short"),
                      annex("unused"), annex("info", "file 3")])


def more():
    write(50, 55, "more")
    annex("add", "--quiet", ".")
    annex("unlock", "--quiet", "file 50")
    git("commit", "--quiet", "--message", "more")


PROGRAM = Program(
    name="git-annex", database=FOLDER + "/.git/annex/keysdb/db", commands=["git", "git-annex"], debian="git git-annex", version=version,
    driven="files added, unlocked, moved, locked, changed, dropped and checked",
    first=first, steps=[add, move, drop], view=view, more=more)
