"""diskcache, a cache in SQLite with its own triggers, whose tables count the entries and their size."""

from common import Program

FOLDER = "cache"


def cache():
    import diskcache

    # Files of large values have random names; a limit above the size of all values keeps them in the database.
    return diskcache.Cache(FOLDER, disk_min_file_size=1 << 20, statistics=True, tag_index=True,
                           eviction_policy="least-frequently-used", size_limit=1 << 24, cull_limit=0)


def value(number):
    return {"number": number, "text": "x" * (number % 60)} if number % 2 else f"value {number}"


def first():
    with cache() as store:
        for number in range(200):
            store.set(f"key {number}", value(number), tag=f"tag {number % 5}")


def insert():
    with cache() as store:
        for start in range(200, 1500, 100):
            with store.transact():
                for number in range(start, start + 100):
                    store.set(("tuple", number), value(number), tag=f"tag {number % 5}")
        for number in range(300):
            store.set(f"key {number}", b"\0bytes" * (number % 9))
        store.set("long", "y" * 100_000)


def change():
    with cache() as store:
        for number in range(200):
            store.incr("counter", number)
            store.get(f"key {number}")
            store.get("absent")
        for number in range(100):
            store.push(f"element {number}")
        for number in range(30):
            store.pull()
        store.add("key 1", "ignored")
        store.set("long", "z" * 100_000)


def delete():
    with cache() as store:
        for number in range(0, 150):
            del store[f"key {number}"]
        store.evict("tag 3")
        store.set("expired", 1, expire=-1)
        store.expire()


def view():
    with cache() as store:
        return repr((len(store), store.stats(), sorted((repr(key), repr(store.get(key))) for key in store),
                     store.check() and "warnings", len(list(store.iterkeys()))))


def more():
    with cache() as store:
        for number in range(50):
            store[f"more {number}"] = number
        store.check(fix=True)


PROGRAM = Program(
    name="diskcache", database=FOLDER + "/cache.db", packages=["diskcache==5.6.3"],
    driven="sets, counters, a queue, tags, expiry and statistics of a cache; its own triggers count entries",
    first=first, steps=[insert, change, delete], view=view, more=more)
