#!/usr/bin/env python3
"""Runs real programs with and without `chronicle track`: run.py [--tool CHRONICLE] [--repeat N] [NAME ...]

Prints the rows of the table in Documentation/TrackedPrograms.md. `fast` selects the programs that take a few seconds. The exit status
is 1 if a program is not exact. Programs that are missing are skipped.
"""

import argparse
import glob
import os
import sys
import time

sys.dont_write_bytecode = True
import common

FAST = ["alembic", "diskcache", "django", "huey", "peewee", "persist-queue"]


def names():
    files = glob.glob(os.path.join(common.HERE, "drive_*.py"))
    return sorted(os.path.basename(file)[len("drive_"):-len(".py")].replace("_", "-") for file in files)


def main():
    if sys.argv[1:2] == ["--call"]:
        name, function, output = sys.argv[2:]
        return common.called(common.load(name), function, output)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default=os.environ.get("CHRONICLE", "chronicle"), help="the program chronicle")
    parser.add_argument("--repeat", type=int, default=1, help="measure the slowdown several times, and print the least")
    parser.add_argument("name", nargs="*", help="fast, or names of programs; all if omitted")
    options = parser.parse_args()
    selected = [other for name in options.name for other in (FAST if name == "fast" else [name])] or names()
    unknown = set(selected).difference(names())
    if unknown:
        parser.error(f"unknown program {unknown.pop()}; the programs are {', '.join(names())}")
    print("| program | version | driven by | exact | exceptions, and how they are reported | slowdown |\n"
          "| --- | --- | --- | --- | --- | ---: |", flush=True)
    failed, skipped = [], []
    start = time.monotonic()
    for name in selected:
        program = common.load(name).PROGRAM
        try:
            result = common.check(program, options.tool, options.repeat)
        except common.Skipped as error:
            skipped.append(name)
            print(f"skipped: {name}: {error}", flush=True)
        except AssertionError as error:
            failed.append(name)
            print(f"failed: {name}: {error}", flush=True)
        else:
            print(f"| {name} | {result.version} | {result.driven} | {result.exact} | {result.exceptions} | "
                  f"×{result.factor:.2f} |", flush=True)
    count = len(selected) - len(failed) - len(skipped)
    print(f"{count} exact, {len(failed)} failed, {len(skipped)} skipped, after {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
