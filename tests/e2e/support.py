"""What the end-to-end tests have in common: the program, temporary stores, and processes.

Nothing here sleeps for a fixed time: wait_for() looks for a fact until a deadline.
"""
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["LEASEBOX_BIN"]


def wait_for(what, reached, seconds=30):
    """Returns the first true value of reached(); fails with `what` after the deadline."""
    limit = time.monotonic() + seconds
    while True:
        value = reached()
        if value:
            return value
        if time.monotonic() > limit:
            raise AssertionError(f"waited too long for {what}")
        time.sleep(0.01)


class StoreTest(unittest.TestCase):
    """A test with a directory, a store in it, and processes that are ended by their ids."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="leasebox-e2e-"))
        self.store = str(self.folder / "app.db")
        self.processes = []

    def tearDown(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_program(self, command, *arguments, store=True, **options):
        words = [PROGRAM, command, *arguments]
        if store:
            words[2:2] = ["--store", self.store]
        return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)

    def ok(self, command, *arguments, **options):
        done = self.run_program(command, *arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def json(self, command, *arguments, code=0):
        done = self.run_program(command, "--json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def json_lines(self, command, *arguments):
        return [json.loads(line) for line in self.ok(command, "--json", *arguments).splitlines()]

    def start(self, name, *arguments):
        log = open(self.folder / f"{name}.log", "w", encoding="utf-8")
        out = open(self.folder / f"{name}.out", "w", encoding="utf-8")
        process = subprocess.Popen([PROGRAM, *arguments], stdout=out, stderr=log)
        log.close()
        out.close()
        self.processes.append(process)
        return process

    def lines(self, name):
        """The JSON lines that a started process has written to stdout."""
        text = (self.folder / f"{name}.out").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def start_consumer(self, *arguments, name="consumer"):
        """Starts `receive`; returns the process and its URL."""
        inbox = str(self.folder / f"{name}-inbox.db")
        process = self.start(
            name, "receive", "--listen", "127.0.0.1:0", "--inbox", inbox, "--json", *arguments
        )
        first = wait_for("the consumer", lambda: self.lines(name) or process.poll() is not None)
        self.assertTrue(isinstance(first, list), self.log(name))
        return process, first[0]["url"]

    def start_dispatcher(self, name, *arguments):
        return self.start(name, "run", "--store", self.store, "--log-json", *arguments)

    def rows(self, sql, *values):
        with sqlite3.connect(self.store, timeout=30) as database:
            return database.execute(sql, values).fetchall()

    def append_many(self, count, destination="a"):
        with sqlite3.connect(self.store, timeout=30) as database:
            database.executemany(
                "INSERT INTO leasebox_event (destination, payload) VALUES (?, ?)",
                ((destination, json.dumps({"n": at})) for at in range(count)),
            )


def main():
    unittest.main(verbosity=1)
