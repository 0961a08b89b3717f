"""Django: models with a JSONField, and migrations that rebuild tables."""

import json
import os

from common import Program

FILE = "site.db"
MODELS = {
    1: '''
class Author(models.Model):
    name = models.CharField(max_length=60, unique=True)
    born = models.DateField(null=True)


class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    title = models.CharField(max_length=80, db_index=True)
    data = models.JSONField(default=dict)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    readers = models.ManyToManyField("auth.User")
''',
    2: '''
class Author(models.Model):
    full_name = models.CharField(max_length=60, unique=True)
    born = models.DateField(null=True)
    settings = models.JSONField(null=True)


class Publisher(models.Model):
    code = models.CharField(max_length=8, primary_key=True)
    country = models.CharField(max_length=2)


class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    publisher = models.ForeignKey(Publisher, null=True, on_delete=models.SET_NULL)
    title = models.CharField(max_length=80, db_index=True)
    data = models.JSONField(default=dict)
    price = models.DecimalField(max_digits=9, decimal_places=3, default=0)
    readers = models.ManyToManyField("auth.User")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["author", "title"], name="once"),
                       models.CheckConstraint(condition=models.Q(price__gte=0), name="price")]
''',
}
MIGRATION = '''
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0001_initial")]
    operations = [
        migrations.RenameField("author", "name", "full_name"),
        migrations.AddField("author", "settings", models.JSONField(null=True)),
        migrations.CreateModel("Publisher", [("code", models.CharField(max_length=8, primary_key=True, serialize=False)),
                                             ("country", models.CharField(max_length=2))]),
        migrations.AddField("book", "publisher", models.ForeignKey("library.publisher", null=True, on_delete=models.SET_NULL)),
        migrations.AlterField("book", "price", models.DecimalField(max_digits=9, decimal_places=3, default=0)),
        migrations.AddConstraint("book", models.UniqueConstraint(fields=["author", "title"], name="once")),
        migrations.AddConstraint("book", models.CheckConstraint(condition=models.Q(price__gte=0), name="price")),
    ]
'''


def setup(version):
    """Configures Django with the app `library` in one of its versions."""
    import sys

    os.makedirs("library/migrations", exist_ok=True)
    for name in ("library/__init__.py", "library/migrations/__init__.py"):
        open(name, "w").close()
    with open("library/models.py", "w") as file:
        file.write("from django.db import models\n\n" + MODELS[version])
    if version == 2:
        with open("library/migrations/0002_more.py", "w") as file:
            file.write(MIGRATION)
    sys.path.insert(0, os.getcwd())
    import django
    from django.conf import settings

    settings.configure(
        SECRET_KEY="tracked",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "library"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FILE}}, USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])
    django.setup()


def latest():
    return 2 if os.path.exists("library/migrations/0002_more.py") else 1


def add(start, end):
    import datetime

    from django.contrib.auth.models import User
    from django.db import transaction
    from library.models import Author, Book

    name = "full_name" if latest() == 2 else "name"
    with transaction.atomic():
        users = [User.objects.get_or_create(username=f"user {number}", defaults={"date_joined": datetime.datetime(
            2026, 1, 1, tzinfo=datetime.timezone.utc)})[0] for number in range(5)]
        for number in range(start, end):
            author = Author.objects.get_or_create(**{name: f"author {number % 30}"})[0]
            book = Book.objects.create(author=author, title=f"title {number}", price=number,
                                       data={"pages": number, "tags": ["a", "ü"] * (number % 3), "nested": {"deep": None}})
            book.readers.add(*users[:number % 4])


def first():
    setup(1)
    from django.core.management import call_command

    if not os.path.exists("library/migrations/0001_initial.py"):
        call_command("makemigrations", "library", verbosity=0)
    call_command("migrate", verbosity=0)
    add(0, 60)


def fill():
    setup(1)
    from django.contrib.sessions.backends.db import SessionStore
    from library.models import Book

    add(60, 250)
    Book.objects.filter(data__pages__lt=20).update(data={"pages": 0})
    Book.objects.filter(id__gt=240).delete()
    for number in range(5):
        SessionStore(session_key=f"session{number}").save(must_create=True)


def migrate():
    setup(2)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def change():
    setup(2)
    from django.db import transaction
    from django.db.models import F
    from library.models import Author, Book, Publisher

    add(300, 350)
    Publisher.objects.bulk_create([Publisher(code=f"p{number}", country="de") for number in range(20)])
    Publisher.objects.bulk_create([Publisher(code=f"p{number}", country="fr") for number in range(10, 30)], update_conflicts=True,
                                  update_fields=["country"], unique_fields=["code"])
    Book.objects.filter(id__lte=100).update(price=F("price") + 1, publisher="p3")
    Author.objects.filter(full_name="author 4").delete()
    Author.objects.filter(id__lt=10).update(settings={"theme": [1, 2.5, None]})
    Publisher.objects.filter(code="p3").delete()
    with transaction.atomic():
        Book.objects.all().delete()
        transaction.set_rollback(True)


def view():
    setup(latest())
    from django.core import serializers
    from django.contrib.auth.models import User
    from django.contrib.sessions.models import Session
    from library import models

    result = [serializers.serialize("json", model.objects.order_by("pk")) for model in (models.Author, models.Book, models.Publisher)]
    return json.dumps([result, list(User.objects.order_by("pk").values_list("pk", "username")),
                       sorted(session.pk for session in Session.objects.all()),
                       models.Book.objects.filter(data__nested__has_key="deep").count()], indent=0)


def more():
    setup(2)
    add(400, 420)


PROGRAM = Program(
    name="django", database=FILE, packages=["Django==5.2.19"],
    driven="models with JSON, users and sessions, and a migration that rebuilds two tables and adds constraints",
    first=first, steps=[fill, migrate, change], view=view, more=more, migrates=True,
    gap="positions before the migration are refused, because the rebuilt tables have rows from before tracking",
    renamed={"library_author.full_name": "name"})
