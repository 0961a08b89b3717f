"""SQLAlchemy and Alembic: models, and batch migrations that rebuild tables."""

import json
import os

from common import Program

FILE = "shop.db"
REVISIONS = {
    "r1": ("None", """
    op.create_table("customer", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.String(60)),
                    sa.Column("email", sa.String(60), unique=True), sa.Column("note", sa.Text))
    op.create_table("purchase", sa.Column("id", sa.Integer, primary_key=True),
                    sa.Column("customer_id", sa.Integer, sa.ForeignKey("customer.id", ondelete="CASCADE"), nullable=False),
                    sa.Column("price", sa.Float), sa.Column("data", sa.JSON))
    op.create_table("rate", sa.Column("currency", sa.String(3), primary_key=True), sa.Column("day", sa.Date, primary_key=True),
                    sa.Column("value", sa.Numeric(10, 4)))
    op.create_index("purchase_customer", "purchase", ["customer_id"])"""),
    "r2": ("'r1'", """
    op.add_column("customer", sa.Column("level", sa.Integer, server_default="1"))
    with op.batch_alter_table("purchase") as batch:
        batch.alter_column("price", type_=sa.Integer)
        batch.add_column(sa.Column("state", sa.String(10), server_default="open"))
        batch.create_check_constraint("price_positive", "price >= 0")
    op.execute("UPDATE purchase SET state = 'paid' WHERE id % 2 = 0")"""),
    "r3": ("'r2'", """
    op.create_table("tag", sa.Column("name", sa.String(20), primary_key=True), sa.Column("weight", sa.Integer))
    op.execute("INSERT INTO tag VALUES ('new', 1), ('old', 2)")
    with op.batch_alter_table("customer") as batch:
        batch.alter_column("name", new_column_name="full_name")
        batch.create_unique_constraint("customer_name", ["full_name", "email"])
    op.rename_table("rate", "exchange_rate")"""),
}
SCRIPT = '''
import sqlalchemy as sa
from alembic import op

revision = "{name}"
down_revision = {down}


def upgrade():{body}


def downgrade():
    pass
'''
ENVIRONMENT = '''
import sqlalchemy as sa
from alembic import context

with sa.create_engine("sqlite:///shop.db").connect() as connection:
    context.configure(connection=connection, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
'''


def migrate(revision):
    from alembic import command
    from alembic.config import Config

    os.makedirs("migrations/versions", exist_ok=True)
    with open("migrations/env.py", "w") as file:
        file.write(ENVIRONMENT)
    for name, (down, body) in REVISIONS.items():
        with open(f"migrations/versions/{name}.py", "w") as file:
            file.write(SCRIPT.format(name=name, down=down, body=body))
    config = Config()
    config.set_main_option("script_location", "migrations")
    config.set_main_option("path_separator", "os")
    command.upgrade(config, revision)


def tables():
    import sqlalchemy as sa
    from sqlalchemy.ext.automap import automap_base

    engine = sa.create_engine(f"sqlite:///{FILE}")
    base = automap_base()
    base.prepare(autoload_with=engine)
    return engine, base.classes


def add(start, end, **values):
    import datetime

    from sqlalchemy.orm import Session

    engine, classes = tables()
    name = "full_name" if hasattr(classes.customer, "full_name") else "name"
    rate = classes.rate if hasattr(classes, "rate") else classes.exchange_rate
    with Session(engine) as session:
        for number in range(start, end):
            customer = classes.customer(email=f"c{number}@example.org", note="ü" * (number % 9), **{name: f"customer {number}"})
            session.add(customer)
            session.flush()
            for part in range(number % 4):
                session.add(classes.purchase(customer_id=customer.id, price=number + part, data={"part": part, "of": [number]}, **values))
            session.add(rate(currency=f"C{number % 26:02}", day=datetime.date(2026, 1, 1) + datetime.timedelta(number),
                             value=number / 8))
        session.commit()


def first():
    import datetime

    import sqlalchemy as sa

    migrate("r1")
    engine, classes = tables()
    # The migrations rebuild the other tables: a rebuilt table has no gap if the history contains the values of all rows.
    with engine.begin() as connection:
        connection.execute(sa.insert(classes.rate), [{"currency": "EUR", "day": datetime.date(2026, 1, 1 + number), "value": number / 7}
                                                     for number in range(28)])


def fill():
    from sqlalchemy.orm import Session

    add(0, 500)
    engine, classes = tables()
    with Session(engine) as session:
        for customer in session.query(classes.customer).filter(classes.customer.id % 7 == 0):
            customer.note = "changed"
        session.commit()
        session.query(classes.purchase).filter(classes.purchase.id % 5 == 0).delete()
        session.rollback()


def second():
    migrate("r2")


def change():
    import sqlalchemy as sa

    add(500, 600, state="sent")
    engine, classes = tables()
    with engine.begin() as connection:
        connection.execute(sa.update(classes.purchase).where(classes.purchase.id < 100).values(state="paid", price=classes.purchase.price * 2))
        connection.execute(sa.delete(classes.purchase).where(classes.purchase.id % 6 == 0))


def third():
    migrate("r3")


def last():
    import sqlalchemy as sa

    add(600, 650)
    engine, classes = tables()
    with engine.begin() as connection:
        connection.execute(sa.update(classes.customer).where(classes.customer.id < 30).values(full_name="renamed"))
        connection.execute(sa.delete(classes.tag).where(classes.tag.name == "old"))
        connection.execute(sa.delete(classes.exchange_rate).where(classes.exchange_rate.currency == "C03"))


def view():
    import sqlalchemy as sa

    engine, _ = tables()
    metadata = sa.MetaData()
    metadata.reflect(engine)
    with engine.connect() as connection:
        return json.dumps([[table.name, [str(column.type) for column in table.columns],
                            [[str(value) for value in row] for row in connection.execute(sa.select(table).order_by(*table.primary_key))]]
                           for table in metadata.sorted_tables if not table.name.startswith("chronicle_")])


def renamed_column(tracked):
    """A column that a rebuild renames is a new one, without values before."""
    output = tracked.chronicle("at", "--json", "-n", "1", tracked.file, tracked.snapshots[1][0], "customer")
    tracked.expect(json.loads(output)["values"]["full_name"] is None, output)
    changes = tracked.chronicle("log", tracked.file)
    for text in ("table rebuilt: customer", "column added: customer.full_name", "column added: customer.level"):
        tracked.expect(text in changes, changes[-3000:])
    return "`log` shows a column that a rebuild renamed as an added one, without values before"


def more():
    add(700, 720)


PROGRAM = Program(
    name="alembic", database=FILE, packages=["SQLAlchemy==2.1.9", "alembic==1.20.1"],
    driven="models, and three migrations: a table rebuilt with another type, columns added and renamed, a table renamed",
    first=first, steps=[fill, second, change, third, last], view=view, more=more, migrates=True,
    renamed={"exchange_rate": "rate", "customer.full_name": "name"}, unknown=["customer.name"],
    converted=["purchase.price"], exception=renamed_column)
