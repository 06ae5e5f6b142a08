"""Retention: `leasebox prune`, and the [retention] section of `leasebox run`."""
import sqlite3
import time
import unittest

from support import StoreTest, main, wait_for


class Pruning(StoreTest):
    def settle(self, event, outcome, code=0, *append):
        self.ok("append", "-d", "a", "--id", event, *append, "x")
        (claim,) = self.json_lines("claim", "--owner", "w", "--lease", "1h")
        self.json(
            "ack", "--id", claim["id"], "--owner", "w", "--generation", str(claim["generation"]),
            "--outcome", outcome, code=code,
        )

    def ids(self):
        return [event["id"] for event in self.json_lines("list")]

    def prune(self, *arguments):
        time.sleep(0.002)  # so that an age of 1ms is over
        return self.json("prune", *arguments)

    def test_only_what_was_asked_for_goes(self):
        self.settle("done", "delivered")
        self.settle("dead", "rejected")
        self.settle("blocks", "rejected", 0, "--key", "k")
        self.ok("append", "-d", "a", "--id", "waits", "--delay", "1h", "x")
        self.assertEqual(
            self.prune("--delivered-older", "1h"),
            {"matched": {"delivered": 0}, "removed": {"delivered": 0}, "protected": 0},
        )
        dry = self.prune("--delivered-older", "1ms", "--dead-older", "1ms", "--dry-run")
        self.assertEqual(dry["matched"], {"delivered": 1, "dead": 2})
        self.assertEqual(dry["removed"], {"delivered": 0, "dead": 0})
        self.assertEqual(dry["protected"], 1)
        self.assertEqual(len(self.ids()), 4)
        self.assertEqual(
            self.prune("--delivered-older", "1ms"),
            {"matched": {"delivered": 1}, "removed": {"delivered": 1}, "protected": 0},
        )
        self.assertEqual(
            self.prune("--dead-older", "1ms"),
            {"matched": {"dead": 2}, "removed": {"dead": 1}, "protected": 1},
        )
        self.assertEqual(self.ids(), ["blocks", "waits"])
        stats = self.json("stats")
        self.assertEqual(stats["events"]["delivered"], 0)
        self.assertEqual(stats["events"]["dead"], 1)
        self.assertEqual(stats["destinations"]["a"]["pruned_dead"], 1)
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])

    def test_one_destination_alone(self):
        self.settle("a1", "delivered")
        pruned = self.prune("--delivered-older", "1ms", "-d", "b")
        self.assertEqual(pruned["matched"], {"delivered": 0})
        pruned = self.prune("--delivered-older", "1ms", "-d", "a")
        self.assertEqual(pruned["removed"], {"delivered": 1})

    def test_no_age_is_a_usage_error(self):
        self.ok("init")
        for arguments in ((), ("--dry-run",), ("--dead-older", "7"), ("--dead-older", "0s")):
            done = self.run_program("prune", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("--dead-older", done.stderr)

    def test_many_events_go_and_the_file_shrinks(self):
        self.ok("init")
        with sqlite3.connect(self.store) as database:
            database.executemany(
                "INSERT INTO leasebox_event (destination, payload) VALUES ('a', ?)",
                (("x" * 2000,) for _ in range(3000)),
            )
            # What 3,000 deliveries leave behind.
            database.execute(
                "UPDATE leasebox_work SET state = 3, settled_at = appended_at, due_class = NULL,"
                " due_at = NULL"
            )
            database.execute("UPDATE leasebox_destination SET pending = 0, delivered = 3000")
        pages = self.rows("PRAGMA page_count")[0][0]
        self.assertEqual(self.prune("--delivered-older", "1ms")["removed"], {"delivered": 3000})
        self.assertLess(self.rows("PRAGMA page_count")[0][0], pages / 4)
        self.assertEqual(self.json("stats")["events"]["delivered"], 0)


class Retention(StoreTest):
    def test_run_removes_what_its_configuration_says(self):
        consumer, url = self.start_consumer()
        config = self.folder / "leasebox.toml"
        config.write_text(
            f'store = "{self.store}"\n[retention]\ndelivered = "1ms"\n'
            f'[destinations.a]\nurl = "{url}"\nallow_private = true\n'
        )
        self.ok("append", "-d", "a", "--id", "e1", "x")
        self.start("worker", "run", "--config", str(config))
        wait_for("the event to go", lambda: self.run_program("show", "e1").returncode == 5)
        self.assertEqual(self.rows("SELECT delivered FROM leasebox_destination"), [(0,)])

    def test_a_wrong_age_is_named(self):
        config = self.folder / "leasebox.toml"
        config.write_text(f'store = "{self.store}"\n[retention]\ndelivred = "7d"\n')
        done = self.run_program("run", "--config", str(config), store=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("delivred", done.stderr)


if __name__ == "__main__":
    main()
