"""After a crash: who is taken for dead, who is convicted, and how long it takes."""
import collections
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from support import StoreTest, main, wait_for

POISON_WORKER = os.environ["LEASEBOX_POISON_WORKER"]


class Poison(StoreTest):
    def supervise(self):
        """Restarts the worker at once, as a supervisor would; returns how often it was killed."""
        kills = 0
        while True:
            done = subprocess.run(
                [POISON_WORKER, self.store, str(self.folder / "log")],
                capture_output=True, text=True, timeout=60,
            )
            if done.returncode == 0:
                return kills
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            kills += 1
            self.assertLess(kills, 50)

    def check(self, poisons):
        self.ok("init")
        with sqlite3.connect(self.store) as database:
            for at in range(500):
                database.execute(
                    "INSERT INTO leasebox_event (id, destination, payload) VALUES (?, 'a', ?)",
                    (f"e{at}", "poison" if at in poisons else "good"),
                )
        kills = self.supervise()
        self.assertLessEqual(kills, 3 * len(poisons))
        for at, (event, state, reason, expiries, attempts) in enumerate(
            self.rows("SELECT id, state, reason, expiries, attempts FROM leasebox_status "
                      "ORDER BY seq")
        ):
            if at in poisons:
                self.assertEqual((state, reason, expiries), ("dead", "expiries", 3), event)
            else:
                self.assertEqual(state, "delivered", event)
                self.assertLessEqual(attempts, 3, event)
        runs = collections.Counter(
            line.split()[0] for line in (self.folder / "log").read_text().splitlines()
        )
        for at in poisons:
            # One that died beside another before its own turn came has run once less.
            self.assertIn(runs[f"e{at}"], range(1, 4))
        return kills

    def test_one_poison_event_is_convicted_and_nobody_else(self):
        self.assertEqual(self.check({250}), 3)
        log = (self.folder / "log").read_text().splitlines()
        self.assertEqual(sum(line.startswith("e250 ") for line in log), 3)

    def test_two_poison_events_are_both_convicted_and_nobody_else(self):
        self.check({100, 120})


class Recovery(StoreTest):
    ARGUMENTS = (
        "--owner", "api-1", "--lease", "10m", "--attempt-timeout", "5m", "--backoff-first", "1ms",
    )

    def test_a_killed_dispatchers_claims_are_taken_over_in_well_under_a_second(self):
        _, url = self.start_consumer("--hang", "4")
        self.ok("init")
        self.append_many(4)
        arguments = ("--to", f"a={url}", *self.ARGUMENTS)
        killed = self.start_dispatcher("killed", *arguments)
        wait_for("four claims", lambda: self.json("stats")["in_flight"] == 4)
        wait_for("four requests", lambda: len(self.lines("consumer")) >= 5)
        self.start_dispatcher("other", *arguments)
        wait_for("the other one", lambda: "dispatcher started" in self.log("other"))
        killed.kill()
        killed.wait()
        began = time.monotonic()
        wait_for("delivery", lambda: self.json("stats")["events"]["delivered"] == 4, seconds=5)
        self.assertLess(time.monotonic() - began, 1.0)
        outcomes = self.rows("SELECT outcome FROM leasebox_attempts ORDER BY generation, event_id")
        self.assertEqual([row[0] for row in outcomes], ["expired"] * 4 + ["delivered"] * 4)

    def test_a_stopped_dispatcher_is_not_taken_for_dead(self):
        consumer, url = self.start_consumer("--hang", "2")
        self.ok("init")
        self.append_many(2)
        arguments = ("--to", f"a={url}", *self.ARGUMENTS)
        stopped = self.start_dispatcher("stopped", *arguments)
        wait_for("two claims", lambda: self.json("stats")["in_flight"] == 2)
        wait_for("two requests", lambda: len(self.lines("consumer")) >= 3)
        stopped.send_signal(signal.SIGSTOP)
        other = self.start_dispatcher("other", *arguments)
        self.ok("append", "-d", "a", "--id", "later", "x")
        wait_for("the other one", lambda: self.json("show", "later")["state"] == "delivered")
        # It has looked for the dead before its first claim, and several times a second since.
        self.assertEqual(self.json("stats")["in_flight"], 2)
        self.assertIsNone(other.poll())


if __name__ == "__main__":
    main()
