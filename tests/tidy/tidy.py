#!/usr/bin/env python3
"""Holds what the compiler cannot: who may include whom, sizes, and patterns that g++ 12 gets wrong.

Usage: tidy.py ROOT. Prints each violation with its file and line, and fails if there is any.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])

# A room may include itself and these. Ports (store.hpp, sink.hpp, …) belong to no room.
PORTS = {"store.hpp", "sink.hpp", "observer.hpp", "clock.hpp", "version.hpp"}
ROOMS = {
    "core": set(),
    "dispatch": {"core"},
    "sqlite": {"core"},
    "http": {"core"},
    "inbox": {"core"},
    "log": {"core"},
    "testing": {"core"},
    "apps": {"core", "dispatch", "sqlite", "http", "inbox", "log"},
}
# Public headers that stand beside the ports and belong to a room.
PUBLIC = {"dispatcher.hpp": "dispatch", "inbox.hpp": "inbox"}

# The only files that may ask a kernel for the time or wait for it to pass.
TIME = {"src/dispatch/system_clock.cpp"}

problems = []


def complain(path, line, what):
    problems.append(f"{path.relative_to(ROOT)}:{line}: {what}")


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".hpp", ".cpp"}:
                yield path


def room_of(path):
    """The room of a file of ours, or None for a port."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "src":
        return parts[1]
    if len(parts) > 3:
        return parts[2]
    return PUBLIC.get(parts[2])


def room_of_include(name):
    name = name.removeprefix("leasebox/")
    head, _, rest = name.partition("/")
    if rest:
        return head if head in ROOMS else None
    return PUBLIC.get(head)


def check_includes():
    for path in sources("include/leasebox", "src"):
        room = room_of(path)
        if path.name == "leasebox.hpp":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#include "([^"]+)"', line)
            if not match:
                continue
            name = match.group(1)
            target = room_of_include(name)
            if target is None or target == room:
                continue
            if room is None:
                if target != "core":
                    complain(path, number, f"a port may include core only, not {name}")
            elif target not in ROOMS.get(room, set()):
                complain(path, number, f"{room} may not include {name}")


def check_core_is_plain():
    for path in sources("include/leasebox/core", "src/core"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"#include <(boost/asio|sqlite3|SQLiteCpp|thread|mutex)", line):
                complain(path, number, "core knows no Asio, no SQL and no threads")


def check_sizes():
    for path in sources("include", "src", "examples", "tests"):
        lines = path.read_text().splitlines()
        limit = 800 if path.relative_to(ROOT).parts[0] == "tests" else 500
        if len(lines) > limit:
            complain(path, len(lines), f"more than {limit} lines")
        for number, line in enumerate(lines, 1):
            if len(line) > 100 and '"' not in line:
                complain(path, number, "more than 100 columns")


def check_awaited_temporaries():
    """g++ 12 destroys a non-trivial aggregate temporary of a co_await expression twice."""
    for path in sources("include", "src", "examples", "tests"):
        text = path.read_text()
        for match in re.finditer(r"co_await[^;]*?;", text, re.S):
            expression = match.group(0)
            number = text.count("\n", 0, match.start()) + 1
            if re.search(r"[(,]\s*\{", expression) or re.search(r"\{\s*\.\w+\s*=", expression):
                complain(path, number, "an aggregate temporary inside a co_await expression")
            if re.search(r"\[\s*(=|[a-z_]\w*\s*[,\]=])", expression) and "[&" not in expression:
                if re.search(r"\[[^\]]*\]\s*(\([^)]*\))?\s*(mutable)?\s*(->[^{]*)?\{", expression):
                    complain(path, number, "a capturing lambda inside a co_await expression")


def check_time():
    pattern = re.compile(
        r"clock_gettime|gettimeofday|steady_clock::now|system_clock::now|sleep_for|sleep_until|"
        r"\btime\(nullptr\)|::sleep\(|usleep|expires_after"
    )
    for path in sources("include", "src"):
        name = str(path.relative_to(ROOT))
        # Programs may wait for other processes; the library may not.
        if name in TIME or name.startswith("src/apps/"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if pattern.search(line.split("//")[0]):
                complain(path, number, "only the clock may read or wait for the time")


def check_no_detached():
    for path in sources("include", "src", "examples"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\basio::detached\b", line):
                complain(path, number, "a detached coroutine swallows its exception")


def check_readme():
    readme = ROOT / "README.md"
    example = (ROOT / "examples/outbox.cpp").read_text()
    text = readme.read_text()
    if f"```cpp\n{example}```" not in text:
        complain(readme, 1, "its program is not examples/outbox.cpp, byte for byte")
    lines = text.splitlines()
    if len(lines) > 150:
        complain(readme, 150, "more than 150 lines")
    before = text.split("```cpp")[0]
    if len(before.split()) > 100:
        complain(readme, 1, "more than 100 words before the program")


for check in (
    check_includes,
    check_core_is_plain,
    check_sizes,
    check_awaited_temporaries,
    check_time,
    check_no_detached,
    check_readme,
):
    check()
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
