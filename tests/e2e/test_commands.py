"""The commands that need only a store."""
import json
import os
import sqlite3
import subprocess
import unittest

from support import PROGRAM, StoreTest, main, wait_for


class Appending(StoreTest):
    def test_a_plain_append_prints_the_id_and_makes_the_store(self):
        event = self.ok("append", "-d", "billing", '{"n":1}').strip()
        shown = self.json("show", event)
        self.assertEqual(shown["id"], event)
        self.assertEqual(shown["state"], "pending")
        self.assertEqual(shown["destination"], "billing")
        self.assertEqual(shown["attempts"], [])

    def test_every_option_arrives(self):
        self.ok(
            "append", "-d", "billing", "--id", "e1", "--key", "k", "--type", "order.placed",
            "--content-type", "text/plain", "--header", "x-a=1", "--header", "x-b=2=3",
            "--delay", "1h", "--lifetime", "2h", "--attempts-max", "3", "hello",
        )
        row = self.rows(
            "SELECT key, type, content_type, headers, attempts_max, payload FROM leasebox_event"
        )[0]
        self.assertEqual(row[:3], ("k", "order.placed", "text/plain"))
        self.assertEqual(json.loads(row[3]), {"x-a": "1", "x-b": "2=3"})
        self.assertEqual(row[4:], (3, "hello"))
        shown = self.json("show", "e1")
        self.assertEqual(shown["not_before"] - shown["appended_at"], 3_600_000)
        self.assertEqual(shown["deadline"] - shown["appended_at"], 7_200_000)

    def test_stdin_and_files_are_payloads(self):
        file = self.folder / "payload"
        file.write_bytes(b"\x00\xff")
        self.ok("append", "-d", "a", "--file", str(file))
        self.ok("append", "-d", "a", "-", input="from stdin")
        found = [row[0] for row in self.rows("SELECT payload FROM leasebox_event ORDER BY seq")]
        self.assertEqual(found, [b"\x00\xff", "from stdin"])

    def test_an_empty_file_is_an_empty_payload_and_a_folder_is_none(self):
        file = self.folder / "empty"
        file.write_bytes(b"")
        self.ok("append", "-d", "a", "--file", str(file))
        self.ok("append", "-d", "a", "-", input="")
        self.assertEqual(
            self.rows("SELECT length(payload) FROM leasebox_event ORDER BY seq"), [(0,), (0,)]
        )
        done = self.run_program("append", "-d", "a", "--file", str(self.folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn("can't be read", done.stderr)

    def test_a_payload_of_json_lines_is_kept_as_it_is_written(self):
        payloads = (
            '{"n":1.10,"big":123456789012345678901234567890}', "[ 1.0 , {} ]", "1e400", "null",
            '{"text":"} , ]\\" \\\\"}', "[" * 200 + "]" * 200, "-0.0",
        )
        lines = [f' {{ "destination" : "a", "payload" : {each} , "key":null }} ' for each in payloads]
        lines.append('{"destination":"a","payload":1,"pay\\u006coad":2.50}')
        self.ok("append", "--jsonl", "-", input="\n".join(lines))
        found = [row[0] for row in self.rows("SELECT payload FROM leasebox_event ORDER BY seq")]
        self.assertEqual(found, [*payloads, "2.50"])

    def test_an_empty_value_is_not_taken_for_none(self):
        self.ok("init")
        for option in ("--id", "--key", "--type", "--content-type", "-d"):
            done = self.run_program("append", "-d", "a", option, "", "x")
            self.assertEqual(done.returncode, 2, option)
            self.assertIn(option, done.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM leasebox_event"), [(0,)])
        for command in (("list",), ("claim", "--owner", "w")):
            self.assertEqual(self.run_program(*command, "-d", "").returncode, 2)

    def test_ids_that_nobody_can_read_undo_the_append(self):
        self.ok("init")
        words = [PROGRAM, "append", "--store", self.store, "-d", "a"]
        for more in (["x"], ["--jsonl", "-"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(
                    words + more, stdout=full, stderr=subprocess.PIPE, text=True,
                    input='{"payload":1}\n', timeout=120,
                )
            self.assertEqual(done.returncode, 1)
            self.assertIn("nothing was appended", done.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM leasebox_event"), [(0,)])

    def test_a_store_that_is_no_file_is_refused(self):
        for place in (":memory:", "sqlite:", "sqlite::memory:", "file:app.db?mode=memory"):
            done = subprocess.run(
                [PROGRAM, "append", "--store", place, "-d", "a", "x"], capture_output=True,
                text=True, cwd=self.folder, timeout=120,
            )
            self.assertEqual(done.returncode, 2, place)
            self.assertIn("--store", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_json_lines_are_all_or_nothing_and_a_bad_line_is_named(self):
        good = self.folder / "good.jsonl"
        good.write_text('{"destination":"a","payload":{"n":1}}\n\n{"payload":"text","id":"e2"}\n')
        ids = self.ok("append", "-d", "b", "--jsonl", str(good)).split()
        self.assertEqual(ids[1], "e2")
        self.assertEqual(
            self.rows("SELECT destination, payload FROM leasebox_event ORDER BY seq"),
            [("a", '{"n":1}'), ("b", "text")],
        )
        for bad, sentence in (
            ('{"destination":"a","payload":1}\n{"destination":"a","payload":1\n', "line 2"),
            ('{"destination":"a","payload":1}\n\n{"destination":"a b","payload":1}\n', "line 3"),
            ('{"destination":"a"}\n', "payload"),
            ('{"destination":"a","payload":1,"colour":1}\n', "colour"),
            ('{"destination":"a","payload":1,"attempts_max":0}\n', "attempts_max"),
            ('[]\n', "object"),
        ):
            done = self.run_program("append", "--jsonl", "-", input=bad)
            self.assertEqual(done.returncode, 1, bad)
            self.assertIn(sentence, done.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM leasebox_event"), [(2,)])

    def test_a_refused_event_names_the_column(self):
        for arguments, sentence in (
            (("-d", "a b", "x"), "destination:"),
            (("-d", "a", "--id", "x.y", "x"), "id:"),
            (("-d", "a", "--header", "a=1\r\nhost: evil", "x"), "headers:"),
        ):
            done = self.run_program("append", *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(sentence, done.stderr)
        self.ok("append", "-d", "a", "--id", "e1", "x")
        done = self.run_program("append", "--json", "-d", "a", "--id", "e1", "x")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stderr)["error"]["code"], "duplicate_id")

    def test_plain_sql_from_python_and_sqlite3_is_enough(self):
        self.ok("init")
        insert = "INSERT INTO leasebox_event (destination, payload) VALUES ('a', '{\"n\":1}')"
        for trusted in ("on", "off"):
            with sqlite3.connect(self.store) as database:
                database.execute(f"PRAGMA trusted_schema = {trusted}")
                database.execute(insert)
            subprocess.run(
                ["sqlite3", self.store, f"PRAGMA trusted_schema = {trusted}; {insert}"], check=True
            )
        self.assertEqual(self.json("stats")["events"]["pending"], 4)


class Claiming(StoreTest):
    def claim(self, *arguments):
        return self.json_lines("claim", *arguments)

    def ack(self, claim, outcome, code, owner=None, generation=None):
        return self.json(
            "ack", "--id", claim["id"], "--owner", owner or claim["owner"], "--generation",
            str(generation or claim["generation"]), "--outcome", outcome, code=code,
        )

    def test_a_shell_worker_claims_and_acknowledges(self):
        self.ok("append", "-d", "a", "--key", "k", '{"n":1}')
        (claim,) = self.claim("--owner", "shell-1")
        self.assertEqual(claim["owner"], "shell-1")
        self.assertEqual(claim["payload"], '{"n":1}')
        self.assertEqual((claim["attempt"], claim["key"], claim["lane_seq"]), (1, "k", 1))
        self.assertEqual(self.claim("--owner", "shell-2"), [])
        self.assertEqual(self.ack(claim, "delivered", 0)["verdict"], "accepted")
        self.assertEqual(self.ack(claim, "delivered", 0)["verdict"], "already_accepted")
        self.assertEqual(self.ack(claim, "retry", 3)["verdict"], "not_claimed")

    def test_every_refusal_is_exit_3_with_its_verdict(self):
        self.ok("append", "-d", "a", "x")
        (claim,) = self.claim("--owner", "w", "--lease", "1h")
        self.assertEqual(self.ack(claim, "delivered", 3, owner="v")["verdict"], "wrong_owner")
        higher = claim["generation"] + 1
        self.assertEqual(
            self.ack(claim, "delivered", 3, generation=higher)["verdict"], "future_generation"
        )
        unknown = dict(claim, id="nobody")
        self.assertEqual(self.ack(unknown, "delivered", 5)["verdict"], "unknown_event")

    def test_an_expired_claim_is_reclaimed_and_the_old_holder_refused(self):
        self.ok("append", "-d", "a", "--id", "e1", "x")
        (old,) = self.claim("--owner", "w", "--lease", "100ms")
        (new,) = wait_for("the lease to end", lambda: self.claim("--owner", "w", "--lease", "1h"))
        self.assertGreater(new["generation"], old["generation"])
        self.assertEqual((new["attempt"], new["uncertain"]), (2, True))
        before = self.rows("SELECT * FROM leasebox_status")
        refused = self.ack(old, "retry", 3)
        self.assertEqual(refused["verdict"], "stale_generation")
        self.assertEqual(refused["current"]["owner"], "w")
        self.assertEqual(refused["current"]["generation"], new["generation"])
        self.assertEqual(
            self.json(
                "renew", "--id", "e1", "--owner", "w", "--generation", str(old["generation"]),
                "--lease", "1h", code=3,
            )["verdict"],
            "stale_generation",
        )
        self.assertEqual(self.rows("SELECT * FROM leasebox_status"), before)
        attempts = self.json("show", "e1")["attempts"]
        self.assertEqual([a["outcome"] for a in attempts], ["retry", None])
        self.assertEqual([a["late"] for a in attempts], [1, 0])
        self.assertEqual(self.ack(new, "delivered", 0)["verdict"], "accepted")

    def test_expired_but_not_reclaimed_is_refused_for_every_outcome(self):
        self.ok("append", "-d", "a", "--id", "e1", "x")
        (claim,) = self.claim("--owner", "w", "--lease", "1ms")
        for outcome in ("retry", "rejected", "uncertain", "released", "delivered"):
            verdict = wait_for(
                "the lease to end", lambda: self.ack(claim, outcome, 3)["verdict"]
            )
            self.assertEqual(verdict, "lease_expired")

    def test_a_renewal_extends_inside_its_bounds(self):
        self.ok("append", "-d", "a", "--id", "e1", "x")
        (claim,) = self.claim("--owner", "w", "--lease", "10s")
        name = ("--id", "e1", "--owner", "w", "--generation", str(claim["generation"]))
        renewed = self.json("renew", *name, "--lease", "60s")
        self.assertGreater(renewed["lease_until"], claim["lease_until"])
        self.assertEqual(
            self.json("renew", *name, "--lease", "2h", code=3)["verdict"], "renewal_limit"
        )

    def test_one_lane_gives_one_event(self):
        for _ in range(5):
            self.ok("append", "-d", "a", "--key", "k", "x")
        self.assertEqual(len(self.claim("--owner", "w", "--limit", "100")), 1)


class Looking(StoreTest):
    def test_list_filters_and_pages(self):
        for at in range(5):
            self.ok("append", "-d", "even" if at % 2 == 0 else "odd", "--id", f"e{at}", "x")
        self.assertEqual([e["id"] for e in self.json_lines("list", "-d", "odd")], ["e1", "e3"])
        first = self.json_lines("list", "--limit", "2")
        rest = self.json_lines("list", "--after", str(first[-1]["seq"]))
        self.assertEqual([e["id"] for e in first + rest], [f"e{at}" for at in range(5)])

    def test_stats_has_the_shape_of_the_contract(self):
        self.ok("append", "-d", "a", "x")
        stats = self.json("stats")
        self.assertEqual(stats["events"]["pending"], 1)
        self.assertEqual(stats["destinations"]["a"]["pending"], 1)
        self.assertFalse(stats["destinations"]["a"]["paused"])
        for name in ("oldest_pending_seconds", "in_flight", "lanes_blocked", "uncertain"):
            self.assertIn(name, stats)

    def test_an_unknown_event_is_exit_5(self):
        self.ok("init")
        self.assertEqual(self.run_program("show", "nobody").returncode, 5)
        done = self.run_program("show", "--json", "nobody")
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertEqual(json.loads(done.stderr)["error"]["code"], "no_such_event")

    def test_no_control_byte_reaches_a_terminal(self):
        self.ok("append", "-d", "a", "--id", "e1", "--key", "k\x1b[31m\u009b31m", "x")
        for command in (("list",), ("show", "e1")):
            said = self.ok(*command)
            self.assertNotIn("\x1b", said)
            self.assertNotIn("\u009b", said)
        bad = json.dumps({"destination": "a", "payload": 1, "\x1b[31m": 1})
        done = self.run_program("append", "--jsonl", "-", input=bad)
        self.assertNotIn("\x1b", done.stderr)

    def test_json_is_utf_8_whatever_the_columns_hold(self):
        self.ok("init")
        self.rows(
            "INSERT INTO leasebox_event (id, destination, key, payload)"
            " VALUES ('e1', 'a', CAST(x'6bffc3a9' AS TEXT), 'x')"
        )
        self.assertEqual(self.json("show", "e1")["key"], "k\ufffdé")
        self.ok("show", "e1")

    def test_results_that_can_not_be_written_are_a_failure(self):
        self.ok("init")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [PROGRAM, "stats", "--store", self.store], stdout=full, timeout=120,
                stderr=subprocess.DEVNULL,
            )
        self.assertEqual(done.returncode, 1)

    def test_a_missing_store_says_what_to_do(self):
        done = self.run_program("stats")
        self.assertEqual(done.returncode, 1)
        self.assertIn("leasebox init", done.stderr)
        self.assertFalse(os.path.exists(self.store))

    def test_init_prints_checks_and_makes_the_schema(self):
        self.assertEqual(self.run_program("init", "--check").returncode, 1)
        schema = self.ok("init", "--print", store=False)
        with sqlite3.connect(self.store) as database:
            database.executescript(schema)
        self.ok("init", "--check")
        self.ok("init")
        self.ok("append", "-d", "a", "x")


class Usage(StoreTest):
    def test_the_model_prints_exactly_four_lines(self):
        self.assertEqual(
            self.ok("model", store=False),
            "owned True\nexpired True\nstale ack False\ncurrent ack True\n",
        )

    def test_what_needs_no_store_speaks_json_too(self):
        told = json.loads(self.ok("model", "--json", store=False))
        self.assertEqual(
            told, {"owned": True, "expired": True, "stale_ack": False, "current_ack": True}
        )
        version = json.loads(self.ok("version", "--json", store=False))["version"]
        self.assertEqual(self.ok("version", store=False), f"leasebox {version}\n")
        bare = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=120)
        self.assertEqual((bare.returncode, bare.stdout), (0, f"{version}\n"))

    def test_without_arguments_it_introduces_itself(self):
        done = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count("\n  leasebox "), 3)

    def test_bad_limits_are_refused_with_name_and_range(self):
        for arguments, sentence in (
            (("claim", "--owner", "w", "--limit", "0"), "--limit"),
            (("claim", "--owner", "w", "--limit", "-1"), "--limit"),
            (("claim", "--owner", "w", "--limit", "inf"), "--limit"),
            (("claim", "--owner", "w", "--lease", "30"), "--lease"),
            (("claim", "--owner", "w", "--lease", "0s"), "--lease: '0s' must be"),
            (("claim", "--owner", "w", "--lease", "inf"), "from 1ms to 3653d"),
            (("claim", "--owner", "w", "--lease", "99999d"), "from 1ms to 3653d"),
            (("list", "--limit", "0"), "--limit"),
            (("list", "--after", "-1"), "from 0 to"),
            (("ack", "--id", "e", "--owner", "w", "--outcome", "retry", "--generation", "inf"),
             "--generation: 'inf' must be a whole number from 1"),
            (("ack", "--id", "e", "--owner", "w", "--outcome", "lost", "--generation", "1"),
             "--outcome"),
            (("run", "--to", "a=http://127.0.0.1:1/", "--in-flight", "0"), "--in-flight"),
            (("run", "--to", "a=http://127.0.0.1:1/", "--lease", "10s"), "lease"),
            (("run", "--to", "nonsense"), "--to"),
            (("run",), "--to"),
        ):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(sentence, done.stderr, arguments)

    def test_an_unknown_command_gets_the_nearest_one(self):
        done = self.run_program("staats", store=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'stats'", done.stderr)

    def test_every_command_explains_itself(self):
        for command in "init append run claim ack renew stats list show prune receive demo model".split():
            self.assertIn(command, self.ok(command, "--help", store=False))

    def test_a_postgres_store_is_refused_with_a_sentence(self):
        done = subprocess.run(
            [PROGRAM, "stats", "--store", "postgres://localhost/x"], capture_output=True, text=True
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("without PostgreSQL", done.stderr)


if __name__ == "__main__":
    main()
