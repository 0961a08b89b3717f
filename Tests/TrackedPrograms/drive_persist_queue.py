"""persist-queue, queues on disk: FIFO, LIFO, unique, with acknowledgement, and a dictionary."""

from common import Program

FOLDER = "queues"


def queues():
    import persistqueue

    options = {"path": FOLDER, "multithreading": False, "auto_commit": True}
    return (persistqueue.FIFOSQLiteQueue(name="fifo", **options), persistqueue.FILOSQLiteQueue(name="filo", **options),
            persistqueue.UniqueQ(name="unique", **options), persistqueue.SQLiteAckQueue(name="ack", **options),
            persistqueue.PDict(FOLDER, "dict"))


def first():
    fifo, filo, unique, ack, table = queues()
    for number in range(50):
        for queue in (fifo, filo, unique, ack):
            queue.put({"number": number, "text": "x" * number})
        table[f"key {number}"] = number


def put():
    fifo, filo, unique, ack, table = queues()
    for number in range(120):
        for queue in (fifo, filo, ack):
            queue.put(("put", number, b"\0" * (number % 5)))
        unique.put(number % 40)
        table[f"key {number % 60}"] = [number]


def get():
    fifo, filo, unique, ack, table = queues()
    for number in range(90):
        fifo.get(block=False)
        filo.get(block=False)
        item = ack.get(block=False)
        if number % 3 == 0:
            ack.ack(item)
        elif number % 3 == 1:
            ack.nack(item)
        else:
            ack.ack_failed(item)
    for number in range(30):
        unique.get(block=False)
        del table[f"key {number}"]
    ack.clear_acked_data(keep_latest=10, max_delete=1000)


def view():
    fifo, filo, unique, ack, table = queues()
    return repr((len(fifo), len(filo), len(unique), ack.size, ack.active_size(), ack.acked_count(), ack.ack_failed_count(),
                 len(table), sorted((f"key {number}", table.get(f"key {number}")) for number in range(100)),
                 [[row["data"] for row in queue.queue()] for queue in (fifo, filo, unique, ack)]))


def more():
    fifo, filo, unique, ack, table = queues()
    fifo.put("more")
    filo.get(block=False)
    table["more"] = fifo.get(block=False)


PROGRAM = Program(
    name="persist-queue", database=FOLDER + "/data.db", packages=["persist-queue==1.1.0"],
    driven="five queues and dictionaries in one file: put, get, acknowledge, clear",
    first=first, steps=[put, get], view=view, more=more)
