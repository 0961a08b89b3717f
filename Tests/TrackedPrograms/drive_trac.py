"""Trac, a project manager with a wiki and tickets."""

import re

from common import Program, run

FOLDER = "project"


def version():
    import trac

    return trac.__version__


def admin(*arguments):
    return run("trac-admin", FOLDER, *arguments)


def tickets(start, end):
    from trac.ticket.model import Ticket
    from trac.util.datefmt import to_datetime

    for number in range(start, end):
        ticket = Ticket(environment())
        ticket.populate({"summary": f"Summary {number} ü", "description": "Text\n" * (number % 7), "reporter": "user", "status": "new",
                         "component": f"component{1 + number % 2}", "keywords": f"key{number % 5}"})
        ticket.insert(when=to_datetime(1_700_000_000 + number))


def environment():
    from trac.env import open_environment

    return open_environment(FOLDER, use_cache=True)


def first():
    admin("initenv", "Project", "sqlite:db/trac.db")
    tickets(0, 20)


def add():
    tickets(20, 120)
    for number in range(2):
        admin("milestone", "add", f"release {number}", "2031-01-01")
        admin("permission", "add", f"user{number}", "TICKET_ADMIN", "WIKI_MODIFY")


def change():
    from trac.ticket.model import Component, Ticket
    from trac.util.datefmt import to_datetime
    from trac.wiki.model import WikiPage

    env = environment()
    for number in range(1, 60):
        ticket = Ticket(env, number)
        ticket["status"] = "closed" if number % 2 else "accepted"
        ticket["milestone"] = f"release {number % 2}"
        ticket.save_changes("user", f"Comment {number}", when=to_datetime(1_800_000_000 + number))
    for number in range(40):
        page = WikiPage(env, f"Page{number % 8}")
        page.text = f"= Version {number} =\n"
        page.save("user", "a comment", t=to_datetime(1_800_000_000 + number))
    component = Component(env, "component1")
    component.name = "renamed"
    component.update()


def delete():
    from trac.ticket.model import Ticket
    from trac.util.datefmt import to_datetime
    from trac.wiki.model import WikiPage

    env = environment()
    for number in range(50, 80):
        Ticket(env, number).delete()
    WikiPage(env, "Page1").delete()
    WikiPage(env, "Page2").rename("Moved")
    Ticket(env, 5).delete_change(cnum=1, when=to_datetime(1_900_000_000))
    admin("milestone", "rename", "release 1", "release 1.1")
    admin("permission", "remove", "user1", "WIKI_MODIFY")


def view():
    from trac.ticket.model import Ticket
    from trac.ticket.query import Query
    from trac.wiki.model import WikiPage

    env = environment()
    found = sorted(row["id"] for row in Query.from_string(env, "status=!none&max=0").execute())
    result = [[Ticket(env, number).values["summary"], Ticket(env, number).values["component"], Ticket(env, number).values.get("milestone"),
               [repr(entry[1:]) for entry in Ticket(env, number).get_changelog()]] for number in found]
    pages = [[entry[0], entry[2:]] for name in ("Page0", "Moved") for entry in WikiPage(env, name).get_history()]
    lists = admin("permission", "list") + admin("milestone", "list") + admin("component", "list")
    # The pages of the help were imported a while ago.
    names = re.findall(r"(?m)^(\S+) +\d+", admin("wiki", "list"))
    return repr((found, result, pages, lists, names))


def more():
    tickets(200, 210)
    admin("version", "add", "9.0")


PROGRAM = Program(
    name="trac", database=FOLDER + "/db/trac.db", packages=["Trac==1.6", "setuptools==80.9.0"], version=version,
    driven="tickets and their comments, versions of wiki pages, milestones and permissions; renames and deletes",
    first=first, steps=[add, change, delete], view=view, more=more)
