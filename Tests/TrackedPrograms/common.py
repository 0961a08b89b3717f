"""Runs a program with and without `chronicle track`, and compares everything that the two runs leave.

A script describes a program with `Program`. Its functions run in a process of their own, in the folder that contains the database, so
that the same program code runs in both cases. `check` owns the comparison.
"""

import base64
import collections
import importlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.environ.get("TRACKED_CACHE") or os.path.join(HERE, "..", "..", ".build", "tracked-programs")
# The recorder does not store longer values.
LONGEST_VALUE = 65_536


class Skipped(Exception):
    """The program cannot run here; the message says why."""


class Program:
    """What to run.

    first, steps, more: functions that create the database, change it, and change it once more after tracking was removed.
    view: a function that returns what the program shows of its content, without times and random names.
    packages: requirements for pip. commands: programs that must exist, and their Debian package.
    migrates: `chronicle track` runs after each step, as the guide advises for programs that change their schema.
    reconciles: the program disables triggers: after each step, `verify` must say so, and `chronicle track --reconcile` runs.
    unknown: columns, as `table.column`, whose earlier values the history cannot contain, and why.
    converted: columns whose earlier numbers are shown in the present type.
    gap: if the first steps are followed by a gap in the history, which the tool has to report, its description for the table.
    renamed: names of tables and columns before the steps, by their present names.
    exception: a function that shows, with a `Run`, what the tool reports; returns the text of the table.
    """

    def __init__(self, name, database, driven, first, steps, view, more, packages=(), commands=(), debian="", version="",
                 migrates=False, reconciles=False, unknown=(), converted=(), gap="", renamed=None, exception=None):
        self.name, self.database, self.driven = name, database, driven
        self.first, self.steps, self.view, self.more = first, steps, view, more
        self.packages, self.commands, self.debian, self.version = packages, commands, debian, version
        self.reconciles = reconciles
        self.migrates, self.unknown, self.renamed = migrates, unknown, renamed or {}
        self.converted, self.gap, self.exception = converted, gap, exception


Result = collections.namedtuple("Result", "name version driven exact exceptions factor")


def run(*arguments, text=None, environment=None, status=0, separate=False):
    """Runs a program and returns its output, with that of standard error unless `separate`."""
    result = subprocess.run(arguments, input=text, stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})},
                            stderr=subprocess.PIPE if separate else subprocess.STDOUT)
    if status is not None and result.returncode != status:
        raise AssertionError(f"{' '.join(arguments[:6])} exits with {result.returncode}: {result.stdout}{result.stderr or ''}")
    return result.stdout


# The environment of a program

# Options of pip. Without a network, only the first program waits for it.
patience = ["--retries", "1", "--timeout", "15"]


def install(packages):
    """Returns a folder with packages of PyPI."""
    if not packages:
        return None
    folder = os.path.abspath(os.path.join(CACHE, re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(packages))))
    if not os.path.exists(folder):
        os.makedirs(CACHE, exist_ok=True)
        part = tempfile.mkdtemp(dir=CACHE)
        try:
            run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *patience,
                "--target", part, *packages)
        except AssertionError:
            shutil.rmtree(part)
            patience[:] = ["--retries", "0", "--timeout", "3"]
            raise Skipped(f"{' '.join(packages)} could not be installed with pip")
        os.rename(part, folder)
    return folder


def environment(program, root):
    missing = [name for name in program.commands if shutil.which(name) is None]
    if missing:
        raise Skipped(f"{missing[0]} is missing; type: sudo apt-get install {program.debian}")
    folder = install(program.packages)
    home = os.path.join(root, "home")
    os.makedirs(home, exist_ok=True)
    result = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home, "TZ": "UTC",
              "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
    result.pop("TMPDIR", None)
    if folder:
        result["PYTHONPATH"] = folder
        result["PATH"] = os.path.join(folder, "bin") + os.pathsep + result["PATH"]
    return result


def call(program, function, work, variables):
    """Calls a function of a script in a process of its own, and returns its result and its duration in seconds."""
    output = work + ".json"
    result = subprocess.run([sys.executable, "-B", os.path.join(HERE, "run.py"), "--call", program.name, function.__name__, output],
                            cwd=work, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise AssertionError(f"{function.__name__} fails: {result.stdout[-3000:]}")
    with open(output) as file:
        return json.load(file)


def called(module, function, output):
    """The other end of `call`. Imports, and the start of the interpreter, are not measured."""
    start = time.perf_counter()
    result = getattr(module, function)()
    seconds = time.perf_counter() - start
    with open(output, "w") as file:
        json.dump([result, seconds], file)


# The content of a database

def connect(path):
    connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    connection.text_factory = bytes
    return connection


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def schema(path):
    """The schema without the recorder, byte for byte."""
    connection = connect(path)
    try:
        return connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name, tbl_name, sql").fetchall()
    finally:
        connection.close()


def without_recorder(entries):
    return [entry for entry in entries if not entry[1].startswith(b"chronicle_") and not entry[2].startswith(b"chronicle_")]


def rows(path, tables):
    """The columns and rows of tables, as {table: (columns, rows)}. Values keep their storage class."""
    connection = connect(path)
    try:
        present = {row[0].decode() for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        result = {}
        for table in sorted(present.intersection(tables)):
            names = [row[1].decode() for row in connection.execute(f"PRAGMA table_info({quoted(table)})")]
            columns = ", ".join(f"typeof({quoted(name)}), {quoted(name)}" for name in names)
            found = connection.execute(f"SELECT {columns} FROM {quoted(table)}").fetchall()
            result[table] = (names, [tuple(zip(row[::2], row[1::2])) for row in found])
        return result
    finally:
        connection.close()


def differences(expected, actual, title, renamed={}, unknown=(), converted=()):
    """How two contents differ, in the columns that both have. A value may be missing if it is too long or listed in `unknown`.
    The storage class of numbers is ignored in the columns of `converted`."""
    result = []
    reverse = {before: after for after, before in renamed.items()}
    for table, (names, values) in expected.items():
        present = reverse.get(table, table)
        if present not in actual:
            result.append(f"{title}: {table} is missing")
            continue
        now, found = actual[present]
        pairs = [(index, now.index(reverse.get(f"{present}.{name}", name))) for index, name in enumerate(names)
                 if reverse.get(f"{present}.{name}", name) in now]
        numbers = {column for column, (index, _) in enumerate(pairs) if f"{table}.{names[index]}" in converted}

        def same(row):
            return tuple((b"number", value[1]) if column in numbers else value for column, value in enumerate(row))

        left = [same(tuple(row[index] for index, _ in pairs)) for row in values]
        right = [same(tuple(row[index] for _, index in pairs)) for row in found]
        if collections.Counter(left) == collections.Counter(right):
            continue
        free = {column for column, (index, _) in enumerate(pairs) if f"{table}.{names[index]}" in unknown}

        def hide(row):
            return tuple((b"null", None) if column in free or (isinstance(value[1], bytes) and len(value[1]) > LONGEST_VALUE)
                         else value for column, value in enumerate(row))

        left, right = collections.Counter(map(hide, left)), collections.Counter(map(hide, right))
        if left != right:
            missing, other = list((left - right).elements()), list((right - left).elements())
            result.append(f"{title}: {len(missing)} rows of {table} differ or are missing, such as {str(missing[:1])[:300]}; "
                          f"{len(other)} others, such as {str(other[:1])[:300]}")
    return result


# The check

class Run:
    """A tracked run of a program: its file, the tool, and the functions of the program."""

    def __init__(self, program, tool, work, variables):
        self.program, self.tool, self.work, self.variables = program, tool, work, variables
        self.file = os.path.join(work, program.database)
        self.exceptions, self.factor = [], None

    def chronicle(self, *arguments, status=0):
        """The output of the tool; `status` is the expected exit status, or None."""
        return run(self.tool, *arguments, status=status, separate=True)

    def call(self, function):
        return call(self.program, function, self.work, self.variables)

    def track(self, *options):
        lines = self.chronicle("track", "--json", *options, self.file).splitlines()
        return [json.loads(line) for line in lines]

    def position(self):
        return json.loads(self.chronicle("stats", "--json", self.file))["currentToken"]

    def past(self, position):
        """The path of a copy as of a position."""
        path = os.path.join(os.path.dirname(self.work), "past.db")
        if os.path.exists(path):
            os.remove(path)
        # Without the option, tables that are not recorded are an error.
        self.chronicle("at", self.file, position, "--unknown", "null", "-o", path)
        return path

    def expect(self, condition, text):
        if not condition:
            raise AssertionError(text)


def check(program, tool, repeat=1):
    """Returns the row of a program in the table. Throws `Skipped`, or `AssertionError` if the program is not exact."""
    root = tempfile.mkdtemp(prefix="tracked.")
    try:
        return compare(program, tool, root, repeat)
    finally:
        # Some programs write-protect their files.
        subprocess.run(["chmod", "-R", "u+w", root], check=False)
        shutil.rmtree(root, ignore_errors=True)


def compare(program, tool, root, repeat):
    variables = environment(program, root)
    # The path is the same in both runs, because some programs store it.
    work, first = os.path.join(root, "work"), os.path.join(root, "first")
    home = variables["HOME"]
    os.mkdir(work)
    version = (call(program, program.version, work, variables)[0] if program.version
               else ", ".join(package.split("==")[1] for package in program.packages))
    call(program, program.first, work, variables)
    for source, copy in ((work, first), (home, first + ".home")):
        shutil.copytree(source, copy, symlinks=True)

    def restore():
        for source, copy in ((work, first), (home, first + ".home")):
            subprocess.run(["chmod", "-R", "u+w", source], check=False)
            shutil.rmtree(source)
            shutil.copytree(copy, source, symlinks=True)

    plain, slower = [], []
    for number in range(repeat):
        restore()
        plain.append([call(program, step, work, variables)[1] for step in program.steps])
        if number == 0:
            # Twice, because a view may change the database, such as statistics of reads.
            plain_view, second_view = (call(program, program.view, work, variables)[0] for _ in range(2))
            plain_schema = schema(os.path.join(work, program.database))
            call(program, program.more, work, variables)
            plain_more = call(program, program.view, work, variables)[0]
        restore()
        tracked = Run(program, tool, work, variables)
        slower.append(tracked_steps(tracked, check_all=number == 0))
        if number == 0:
            check_history(tracked)
            check_view(tracked.call(program.view)[0], plain_view, "with tracking")
            if program.exception:
                tracked.exceptions.append(program.exception(tracked))
            check_removal(tracked, plain_schema)
            check_view(tracked.call(program.view)[0], second_view, "after tracking was removed")
            tracked.call(program.more)
            check_view(tracked.call(program.view)[0], plain_more, "with one more step after tracking was removed")
            result = tracked
    # Of each step the fastest run, because other processes only add to a duration.
    factor = sum(map(min, zip(*slower))) / sum(map(min, zip(*plain)))
    if os.environ.get("TRACKED_STEPS"):
        print(program.name, *(f"{step.__name__} {min(a):.3f} {min(b):.3f}" for step, a, b in zip(program.steps, zip(*plain), zip(*slower))),
              sep="\n    ")
    return Result(program.name, version, program.driven, "yes", "; ".join(result.exceptions) or "none", factor)


def tracked_steps(tracked, check_all):
    """Tracks the database, runs the steps, and returns their durations."""
    program = tracked.program
    tracked.before = schema(tracked.file)
    states = tracked.track()
    tracked.recorded = {state["table"] for state in states if state["state"] == "recorded"}
    tracked.expect(tracked.recorded, f"nothing can be recorded: {states}")
    tracked.expect(without_recorder(schema(tracked.file)) == tracked.before, "track changes the schema of the program")
    if check_all:
        note_unrecorded(tracked, states)
        tracked.snapshots = [("start", rows(tracked.file, tracked.recorded))]
    seconds = []
    for step in program.steps:
        seconds.append(tracked.call(step)[1])
        if program.reconciles:
            output = tracked.chronicle("verify", tracked.file, status=1)
            tracked.expect("without a record; use `chronicle track --reconcile" in output, f"verify: {output}")
            tracked.track("--reconcile")
        if program.migrates:
            after = tracked.track("--new-tables")
            tracked.recorded = {state["table"] for state in after if state["state"] == "recorded"}
        if check_all:
            tracked.snapshots.append((tracked.position(), rows(tracked.file, tracked.recorded)))
    return seconds


def note_unrecorded(tracked, states):
    # `track` says why a table cannot be recorded. `stats` does so for ordinary tables.
    reasons = collections.Counter(re.split("[;,]", state["reason"])[0].removeprefix("it ") for state in states
                                  if state["state"] != "recorded")
    for reason, count in reasons.items():
        commands = "`track` lists" if "virtual table" in reason or "view" in reason else "`track` and `stats` list"
        tracked.exceptions.append(f"{commands} {count} {'table' if count == 1 else 'tables'}: “it {reason}”")


def check_history(tracked):
    program = tracked.program
    output = tracked.chronicle("verify", tracked.file, status=None)
    tracked.expect("The file is valid." in output, f"verify: {output}")
    found = []
    usable = [(number, *snapshot) for number, snapshot in enumerate(tracked.snapshots)]
    if program.gap:
        usable = after_gap(tracked, usable)
    for number, position, expected in usable:
        past = rows(tracked.past(position), tracked.recorded)
        # After a change of the schema, earlier states have the present form.
        found += differences(expected, past, f"at {position} (after step {number})",
                             program.renamed, program.unknown, program.converted)
    last = tracked.snapshots[-1][1]
    found += differences(last, rows(tracked.past("now"), tracked.recorded), "at now")
    found += check_replay(tracked, *usable[0][1:], last)
    tracked.expect(not found, "; ".join(found))


def after_gap(tracked, snapshots):
    """Checks that the tool refuses each position before a gap, and returns the snapshots after it."""
    result, refused = [], 0
    for number, position, expected in snapshots[1:]:
        path = os.path.join(os.path.dirname(tracked.work), "gap.db")
        tool = subprocess.run([tracked.tool, "at", tracked.file, position, "--unknown", "null", "-o", path], capture_output=True, text=True)
        if tool.returncode == 0:
            os.remove(path)
            result.append((number, position, expected))
        else:
            tracked.expect("were not recorded" in tool.stderr and not result, f"at {position}: {tool.stderr}")
            refused += 1
    tracked.expect(refused and result, "there is no gap")
    tracked.exceptions.append(tracked.program.gap)
    return result


def check_replay(tracked, position, start, expected):
    """Applies each change after a position to the rows at the position, and compares the result with the rows at the end."""
    file = connect(tracked.file)
    keys = {}
    for table in tracked.recorded:
        columns = file.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
        keys[table] = [name.decode() for number, name in sorted((row[5], row[1]) for row in columns) if number > 0]

    def row_key(table, names, row):
        return tuple(row[names.index(name)] for name in keys[table])

    # A change of the schema alters the form of the first rows, which `at` shows.
    first = rows(tracked.past(position), tracked.recorded) if tracked.program.migrates else start
    state = {table: {row_key(table, names, row): dict(zip(names, row)) for row in found}
             for table, (names, found) in first.items()}
    log = tracked.chronicle("log", "--json", "--after", position, tracked.file, status=None).splitlines()
    for line in reversed(log):
        for change in json.loads(line)["changes"]:
            table, _, literal = change["model"].partition("/")
            key = tuple(literal_value(value) for value in file.execute(
                f"SELECT {literal.removeprefix('(').removesuffix(')')}").fetchone())
            found = state.setdefault(table, {})
            if change["kind"] == "insert":
                if key in found:
                    return [f"replayed history: {change['model']} is inserted twice"]
                found[key] = {**dict(zip(keys[table], key)), **{name: json_value(value) for name, value in change.get("values", {}).items()}}
            elif key not in found:
                return [f"replayed history: {change['model']} does not exist before its {change['kind']}"]
            elif change["kind"] == "delete":
                del found[key]
            else:
                found[key].update({name: json_value(value) for name, value in change["new"].items()})
    file.close()
    result = {}
    for table, (names, _) in expected.items():
        result[table] = (names, [tuple(row.get(name, (b"null", None)) for name in names)
                                 for row in state.get(table, {}).values()])
    return differences(expected, result, "replayed history", unknown=tracked.program.unknown)


def literal_value(value):
    kind = {bytes: b"text", int: b"integer", float: b"real", type(None): b"null"}[type(value)]
    return kind, value


def json_value(value):
    """A value of `chronicle log --json` as `rows` returns it."""
    if isinstance(value, dict) and "base64" in value:
        return b"blob", base64.b64decode(value["base64"])
    if isinstance(value, dict):
        return b"real", float(value["number"])
    return literal_value(value.encode() if isinstance(value, str) else value)


def check_view(actual, expected, title):
    if actual != expected:
        lines = [(a, e) for a, e in zip(str(actual).splitlines(), str(expected).splitlines()) if a != e]
        raise AssertionError(f"the program shows something else {title}: {str(lines[:3] or (actual, expected))[:1500]}")


def check_removal(tracked, plain_schema):
    tracked.chronicle("untrack", "--delete-history", tracked.file)
    after = schema(tracked.file)
    tracked.expect(after == plain_schema, f"the schema differs from that without tracking: {set(after) ^ set(plain_schema)}")
    if not tracked.program.migrates:
        tracked.expect(after == tracked.before, f"the schema differs from that before tracking: {set(after) ^ set(tracked.before)}")


def load(name):
    return importlib.import_module("drive_" + name.replace("-", "_"))
