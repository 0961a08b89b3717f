"""huey, a task queue, with its storage in SQLite."""

import datetime
import os

from common import Program

FILE = "tasks.db"


def queue():
    from huey import SqliteHuey

    huey = SqliteHuey("app", filename=FILE, fsync=False)

    @huey.task(name="add")
    def add(a, b):
        return a + b

    @huey.task(name="fail", retries=1)
    def fail(number):
        raise ValueError(number)

    return huey, add, fail


def work(huey, count):
    import logging

    logging.getLogger("huey").setLevel(logging.CRITICAL)
    for _ in range(count):
        task = huey.dequeue()
        if task is None:
            break
        huey.execute(task)


def first():
    huey, add, _ = queue()
    for number in range(100):
        add(number, 1)


def enqueue():
    huey, add, fail = queue()
    for number in range(500):
        add(number, number)
    for number in range(40):
        fail(number)
        add.schedule((number, 2), eta=datetime.datetime(2031, 1, 1 + number % 28))
        add.s(number, 3).then(add, 1)


def execute():
    huey, _, _ = queue()
    work(huey, 400)
    huey.put("state", {"done": 400})
    huey.put_if_empty("state", "ignored")


def read():
    huey, add, _ = queue()
    results = sorted(huey.all_results())
    for key in results[:len(results) // 2]:
        huey.get(key if isinstance(key, str) else key.decode())
    huey.read_schedule(datetime.datetime(2031, 1, 10))
    with huey.lock_task("report"):
        work(huey, 50)


def view():
    huey, _, _ = queue()
    return repr((len(huey), [repr(task.args) for task in huey.pending()], huey.scheduled_count(),
                 sorted(repr(task.args) for task in huey.scheduled()), huey.result_count(), huey.get("state", peek=True),
                 sorted(repr(value) for key, value in huey.all_results().items() if b"lock" not in key)
                 if os.environ.get("HUEY_RESULTS") else None))


def more():
    huey, add, _ = queue()
    add(1, 1)
    work(huey, 5)


PROGRAM = Program(
    name="huey", database=FILE, packages=["huey==3.5.4"],
    driven="tasks that are queued, scheduled, executed and retried, and results that are read",
    first=first, steps=[enqueue, execute, read], view=view, more=more)
