"""newsboat, a feed reader, with feeds in local files."""

import os
import re

from common import Program, run

FILE = "cache.db"


def newsboat(*arguments):
    return run("newsboat", "-C", "config", "-u", "urls", "-c", FILE, *arguments)


def version():
    return re.search(r"(\d+\.\d+)", run("newsboat", "-v")).group(1)


def feed(number, start, end, word=""):
    items = "".join(f"<item><title>Item {item} {word}</title><link>http://localhost/{number}/{item}</link>"
                    f"<guid>g{number}-{item}</guid><description>Text &lt;b&gt;{item}&lt;/b&gt; ü {word * 20}</description>"
                    f"<pubDate>Thu, 01 Jan 2026 {item // 60 % 24:02}:{item % 60:02}:00 +0000</pubDate></item>" for item in range(start, end))
    with open(f"feed{number}.xml", "w") as file:
        file.write(f'<?xml version="1.0"?><rss version="2.0"><channel><title>Feed {number}</title>'
                   f"<link>http://localhost/{number}</link><description>Feed</description>{items}</channel></rss>")


def first():
    with open("config", "w") as file:
        file.write("cleanup-on-quit yes\nreload-threads 1\n")
    with open("urls", "w") as file:
        file.writelines(f"file://{os.getcwd()}/feed{number}.xml tag{number}\n" for number in range(4))
    for number in range(4):
        feed(number, 0, 30)
    newsboat("-x", "reload")


def reload():
    for number in range(4):
        feed(number, 10, 400, "new" if number % 2 else "")
    newsboat("-x", "reload")


def read():
    newsboat("-E", "read.txt")
    with open("read.txt") as file:
        identifiers = file.readlines()
    with open("read.txt", "w") as file:
        file.writelines(identifiers[::3] + ["g2-100\n", "g3-200\n"])
    newsboat("-I", "read.txt")


def remove():
    with open("urls") as file:
        lines = file.readlines()
    with open("urls", "w") as file:
        file.writelines(lines[:3])
    feed(1, 300, 500)
    newsboat("-x", "reload")
    newsboat("-X")


def view():
    newsboat("-E", "view.txt")
    with open("view.txt") as file:
        exported = file.read()
    return exported + newsboat("-x", "print-unread") + newsboat("-e")


def more():
    feed(0, 450, 470)
    newsboat("-x", "reload")


PROGRAM = Program(
    name="newsboat", database=FILE, commands=["newsboat"], debian="newsboat", version=version,
    driven="feeds in files: reloads, articles marked as read, a feed removed, and the cache cleaned up, which uses `VACUUM`",
    first=first, steps=[reload, read, remove], view=view, more=more)
