"""buku, a bookmark manager for the command line."""

import os

from common import Program

FILE = "buku/bookmarks.db"


def database():
    from buku import BukuDb

    os.makedirs("buku", exist_ok=True)
    return BukuDb(dbfile=os.path.abspath(FILE))


def add(start, end):
    store = database()
    for number in range(start, end):
        store.add_rec(f"http://localhost/{number}", f"Title {number}", f",tag{number % 9},ü,", f"A description of {number}",
                      fetch=False, delay_commit=number % 10 != 9)
    store.conn.commit()
    store.close()


def first():
    add(0, 50)


def insert():
    add(50, 350)


def change():
    store = database()
    for number in range(1, 60):
        store.update_rec(number, title_in=f"New title {number}", tags_in="+,more,")
    store.replace_tag("tag3", ["renamed", "tag4"])
    store.delete_tag_at_index(70, "tag6", chatty=False)
    store.delete_tag_at_index(79, "tag6", chatty=False)
    store.close()


def delete():
    # The last bookmark gets the number of a deleted one.
    store = database()
    for number in range(20, 40):
        store.delete_rec(number, chatty=False)
    store.delete_rec(0, 100, 120, is_range=True, chatty=False)
    store.close()


def view():
    store = database()
    result = repr((store.get_rec_all(), store.get_tag_all(), store.searchdb(["title 7"]), store.search_by_tag("renamed")))
    store.close()
    return result


def more():
    add(400, 420)


PROGRAM = Program(
    name="buku", database=FILE, packages=["buku==5.1"],
    driven="bookmarks added, changed, tagged, and deleted, which moves others to free numbers",
    first=first, steps=[insert, change, delete], view=view, more=more)
