"""peewee, an object-relational mapper, with an FTS5 index that the program maintains."""

import json

from common import Program

FILE = "notes.db"


def models():
    from peewee import (BlobField, BooleanField, CharField, CompositeKey, FloatField, ForeignKeyField, Model, SqliteDatabase,
                        TextField)
    from playhouse.sqlite_ext import FTS5Model, RowIDField, SearchField

    database = SqliteDatabase(FILE, pragmas={"journal_mode": "wal", "foreign_keys": 1})

    class Base(Model):
        class Meta:
            pass

    Base._meta.set_database(database)

    class Notebook(Base):
        name = CharField(unique=True)

    class Note(Base):
        notebook = ForeignKeyField(Notebook, backref="notes", on_delete="CASCADE")
        title = CharField(index=True)
        body = TextField()
        score = FloatField(default=0)
        pinned = BooleanField(default=False)
        picture = BlobField(null=True)

    class Label(Base):
        name = CharField(primary_key=True)

    class NoteLabel(Base):
        note = ForeignKeyField(Note, on_delete="CASCADE")
        label = ForeignKeyField(Label, on_delete="CASCADE", on_update="CASCADE")

        class Meta:
            primary_key = CompositeKey("note", "label")

    class NoteIndex(FTS5Model):
        rowid = RowIDField()
        title = SearchField()
        body = SearchField()

        class Meta:
            options = {"tokenize": "porter"}

    tables = [Notebook, Note, Label, NoteLabel, NoteIndex]
    for model in tables:
        model._meta.set_database(database)
    return database, tables


def add(database, tables, start, end):
    Notebook, Note, Label, NoteLabel, NoteIndex = tables
    with database.atomic():
        for number in range(start, end):
            notebook = Notebook.get_or_create(name=f"notebook {number % 12}")[0]
            note = Note.create(notebook=notebook, title=f"title {number}", body=f"the body of note {number} runs and is running",
                               score=number / 3, picture=bytes([number % 256]) * (number % 50) if number % 4 else None)
            NoteIndex.create(rowid=note.id, title=note.title, body=note.body)
            NoteLabel.create(note=note, label=Label.get_or_create(name=f"label {number % 7}")[0])


def first():
    database, tables = models()
    database.create_tables(tables)
    add(database, tables, 0, 200)
    database.close()


def insert():
    database, tables = models()
    for start in range(200, 1000, 100):
        add(database, tables, start, start + 100)
    database.close()


def change():
    database, (Notebook, Note, Label, NoteLabel, NoteIndex) = models()
    with database.atomic():
        Note.update(score=Note.score + 1, pinned=True).where(Note.id % 3 == 0).execute()
        for note in Note.select().where(Note.id % 11 == 0):
            note.body += " and swims"
            note.save()
            NoteIndex.update(body=note.body).where(NoteIndex.rowid == note.id).execute()
        Label.update(name="renamed").where(Label.name == "label 3").execute()
    try:
        with database.atomic():
            Note.delete().execute()
            raise ValueError
    except ValueError:
        pass
    database.close()


def delete():
    database, (Notebook, Note, Label, NoteLabel, NoteIndex) = models()
    with database.atomic() as transaction:
        doomed = [note.id for note in Note.select().join(Notebook).where(Notebook.name == "notebook 5")]
        Notebook.delete().where(Notebook.name == "notebook 5").execute()
        NoteIndex.delete().where(NoteIndex.rowid.in_(doomed)).execute()
        with database.savepoint() as savepoint:
            Note.delete().where(Note.id < 50).execute()
            savepoint.rollback()
        Notebook.replace(id=1, name="notebook 0").execute()
        transaction.commit()
    database.close()


def view():
    database, (Notebook, Note, Label, NoteLabel, NoteIndex) = models()
    result = [list(Notebook.select().order_by(Notebook.id).tuples()),
              [[str(value) for value in row] for row in Note.select().order_by(Note.id).tuples()],
              list(NoteLabel.select().order_by(NoteLabel.note, NoteLabel.label).tuples()),
              [row.rowid for row in NoteIndex.search_bm25("swim")], [row.rowid for row in NoteIndex.search_bm25("run title")][:50]]
    database.close()
    return json.dumps(result)


def more():
    database, tables = models()
    add(database, tables, 2000, 2050)
    database.close()


PROGRAM = Program(
    name="peewee", database=FILE, packages=["peewee==4.5.3"],
    driven="models with cascades, composite keys, savepoints and an FTS5 index",
    first=first, steps=[insert, change, delete], view=view, more=more)
