"""Dispatchers, consumers and signals: whole processes on one store."""
import collections
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import unittest

from support import PROGRAM, StoreTest, main, wait_for

EVENTS_IN_CRASH_TEST = int(os.environ.get("LEASEBOX_CRASH_EVENTS", "10000"))


class Running(StoreTest):
    def run_until_idle(self, url, *arguments, code=0):
        done = self.run_program("run", "--to", f"a={url}", "--until-idle", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_events_reach_the_consumer_with_their_identity(self):
        _, url = self.start_consumer()
        self.ok("append", "-d", "a", "--id", "e1", "--key", "k", '{"n":1}')
        self.run_until_idle(url)
        handled = self.lines("consumer")[1:]
        self.assertEqual(len(handled), 1)
        self.assertEqual(handled[0]["id"], "e1")
        self.assertEqual(handled[0]["verdict"], "first")
        self.assertEqual((handled[0]["attempt"], handled[0]["lane_seq"]), (1, 1))
        shown = self.json("show", "e1")
        self.assertEqual((shown["state"], shown["cause"]), ("delivered", "response"))
        self.assertEqual(shown["attempts"][0]["http_status"], 200)

    def test_a_failing_consumer_is_tried_again_until_it_takes_the_event(self):
        _, url = self.start_consumer("--fail", "2")
        self.ok("append", "-d", "a", "--id", "e1", "x")
        self.run_until_idle(url, "--backoff-first", "10ms", "--backoff-max", "20ms")
        attempts = self.json("show", "e1")["attempts"]
        self.assertEqual([a["outcome"] for a in attempts], ["retry", "retry", "delivered"])
        self.assertEqual([a["http_status"] for a in attempts], [503, 503, 200])

    def test_a_dropped_answer_is_uncertain_and_the_inbox_applies_it_once(self):
        _, url = self.start_consumer("--drop-before-response", "1")
        self.ok("append", "-d", "a", "--id", "e1", "x")
        self.run_until_idle(url, "--backoff-first", "10ms", "--backoff-max", "20ms")
        attempts = self.json("show", "e1")["attempts"]
        self.assertEqual([a["outcome"] for a in attempts], ["uncertain", "delivered"])
        verdicts = [line["verdict"] for line in self.lines("consumer")[1:]]
        self.assertEqual(verdicts.count("duplicate"), 1)
        inbox = self.folder / "consumer-inbox.db"
        with sqlite3.connect(inbox) as database:
            self.assertEqual(
                database.execute("SELECT event_id FROM leasebox_inbox").fetchall(), [("e1",)]
            )

    def test_dead_events_make_the_exit_code_1(self):
        _, url = self.start_consumer("--fail", "100", "--status", "500")
        self.ok("append", "-d", "a", "x")
        done = self.run_until_idle(
            url, "--attempts-max", "2", "--backoff-first", "1ms", "--backoff-max", "2ms", code=1
        )
        self.assertIn("1 dead", done.stderr)
        self.assertEqual(self.json_lines("list", "--state", "dead")[0]["reason"], "attempts")

    def test_an_unknown_destination_neither_blocks_nor_burns(self):
        _, url = self.start_consumer()
        self.ok("append", "-d", "nowhere", "--id", "e1", "x")
        self.ok("append", "-d", "a", "x")
        self.run_until_idle(url)
        shown = self.json("show", "e1")
        self.assertEqual((shown["state"], shown["attempts"]), ("pending", []))

    def test_a_private_address_is_refused_without_leave(self):
        config = self.folder / "leasebox.toml"
        config.write_text(
            '[dispatcher]\nattempts_max = 1\n[destinations.a]\nurl = "http://127.0.0.1:9/"\n'
        )
        self.ok("append", "-d", "a", "--id", "e1", "x")
        done = self.run_program("run", "--config", str(config), "--until-idle")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.json("show", "e1")["last_outcome"], "retry")

    def test_signed_requests_are_verified(self):
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        _, url = self.start_consumer("--secret", secret)
        config = self.folder / "leasebox.toml"
        config.write_text(
            f'[destinations.a]\nurl = "{url}"\nallow_private = true\nsecrets = ["env:HOOK"]\n'
        )
        self.ok("append", "-d", "a", "--id", "good", "x")
        done = self.run_program(
            "run", "--config", str(config), "--until-idle", env={**os.environ, "HOOK": secret}
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(secret, done.stderr)
        self.ok("append", "-d", "a", "--id", "unsigned", "x")
        self.run_until_idle(url, "--attempts-max", "1", code=1)
        self.assertEqual(self.json("show", "unsigned")["attempts"][0]["http_status"], 401)

    def test_sigterm_is_a_clean_end_and_burns_no_attempt(self):
        _, url = self.start_consumer("--delay", "100ms")
        self.ok("init")
        self.append_many(50)
        dispatcher = self.start_dispatcher("one", "--to", f"a={url}", "--in-flight", "2")
        wait_for("deliveries", lambda: self.json("stats")["events"]["delivered"] > 0)
        dispatcher.send_signal(signal.SIGTERM)
        self.assertEqual(dispatcher.wait(timeout=30), 0)
        stats = self.json("stats")["events"]
        self.assertEqual(stats["claimed"], 0)
        self.assertEqual(self.rows("SELECT max(attempts) FROM leasebox_status")[0][0], 1)

    def test_an_append_of_another_process_is_noticed(self):
        _, url = self.start_consumer()
        self.start_dispatcher("one", "--to", f"a={url}")
        wait_for("the store", lambda: os.path.exists(self.store))
        event = self.ok("append", "-d", "a", "x").strip()
        wait_for("delivery", lambda: self.json("show", event)["state"] == "delivered")

    def test_every_log_line_about_an_event_names_it_wholly(self):
        _, url = self.start_consumer("--fail", "1")
        self.ok("append", "-d", "a", "--id", "e1", "x")
        done = self.run_until_idle(
            url, "--log-json", "--log-level", "debug", "--backoff-first", "1ms"
        )
        about = [line for line in map(json.loads, done.stderr.splitlines()) if "id" in line]
        self.assertGreaterEqual(len(about), 4)
        for line in about:
            for name in ("id", "destination", "generation", "attempt", "ts", "level", "msg"):
                self.assertIn(name, line)

    def test_run_for_ends_by_itself(self):
        _, url = self.start_consumer()
        self.ok("run", "--to", f"a={url}", "--for", "50ms")


class Configured(StoreTest):
    def refusal(self, text):
        config = self.folder / "leasebox.toml"
        config.write_text(text)
        done = self.run_program("run", "--config", str(config), "--until-idle")
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_mistakes_are_named_with_file_line_and_key(self):
        good = '[destinations.a]\nurl = "http://example.org/"\n'
        for text, sentence in (
            (good + "retries = 3\n", "leasebox.toml:3: destinations.a.retries is not a known key"),
            (good + "in_fligt = 3\n", "did you mean in_flight?"),
            ("[dispatcher]\nlease = 30\n" + good, "leasebox.toml:2: dispatcher.lease must be"),
            ('[dispatcher]\nlease = "30"\n' + good, "must be a duration"),
            ("[dispatcher]\nin_flight = 0\n" + good, "dispatcher.in_flight"),
            ('[dispatcher]\nlease = "5s"\n' + good, "lease is 5s; it must be longer"),
            ("[destinations.a]\nin_flight = 1\n", "destinations.a.url is missing"),
            ('[destinations.a]\nurl = "ftp://x/"\n', "destination a"),
            (good + 'on_dead = "stop"\n', '"block" or "skip"'),
            (good + 'secrets = ["env:NOT_SET_ANYWHERE"]\n', "NOT_SET_ANYWHERE"),
            (good + 'rate = "100"\n', "leasebox.toml:3: destinations.a.rate must be a count"),
            (good + "rate = 100\n", "leasebox.toml:3: destinations.a.rate must be"),
            (good + 'on_gone = "stop"\n', "leasebox.toml:3: destinations.a.on_gone must be"),
            (good + 'adaptive = "yes"\n', "leasebox.toml:3: destinations.a.adaptive must be"),
            ("broken = = 1\n", "leasebox.toml:1"),
        ):
            self.assertIn(sentence, self.refusal(text), text)

    def test_a_secret_that_everybody_can_read_is_refused(self):
        secret = self.folder / "secret"
        secret.write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        secret.chmod(0o644)
        said = self.refusal(
            f'[destinations.a]\nurl = "http://example.org/"\nsecrets = ["file:{secret}"]\n'
        )
        self.assertIn("readable by everybody", said)
        self.assertNotIn("MfKQ9r8G", said)


class Crashing(StoreTest):
    def test_four_kills_lose_nothing_and_the_inbox_applies_each_event_once(self):
        """Dispatchers of one name, killed in mid-flight; the truth is the consumer's log."""
        _, url = self.start_consumer("--delay", "2ms")
        self.ok("init")
        self.append_many(EVENTS_IN_CRASH_TEST)
        arguments = (
            "--to", f"a={url}", "--owner", "api-1", "--in-flight", "32", "--lease", "1s",
            "--attempt-timeout", "500ms", "--lease-margin", "200ms", "--backoff-first", "10ms",
        )
        left_behind = 0
        for kill in range(1, 5):
            dispatcher = self.start_dispatcher(f"killed-{kill}", *arguments)
            enough = EVENTS_IN_CRASH_TEST * kill // 8
            wait_for(
                "progress and claims",
                lambda: self.rows(
                    "SELECT 1 FROM leasebox_destination WHERE delivered >= ? AND claimed > 0",
                    enough,
                ),
            )
            dispatcher.kill()
            dispatcher.wait()
            left_behind += self.rows("SELECT claimed FROM leasebox_destination")[0][0]
        self.run_program("run", *arguments, "--until-idle")
        self.check_history(left_behind)

    def check_history(self, left_behind):
        stats = self.json("stats")["events"]
        self.assertEqual(stats["delivered"], EVENTS_IN_CRASH_TEST)
        self.assertEqual(sum(stats.values()), EVENTS_IN_CRASH_TEST)
        applied = collections.Counter()
        generations = collections.defaultdict(list)
        for line in self.lines("consumer")[1:]:
            applied[line["id"]] += line["verdict"] == "first"
            generations[line["id"]].append(line["generation"])
        self.assertEqual(len(applied), EVENTS_IN_CRASH_TEST)
        self.assertEqual(set(applied.values()), {1})
        requests = sum(len(each) for each in generations.values())
        self.assertLessEqual(requests - EVENTS_IN_CRASH_TEST, left_behind)
        for event, seen in generations.items():
            self.assertEqual(seen, sorted(set(seen)), event)
        with sqlite3.connect(self.folder / "consumer-inbox.db") as database:
            count = database.execute("SELECT count(*) FROM leasebox_inbox").fetchone()[0]
        self.assertEqual(count, EVENTS_IN_CRASH_TEST)

    def restart_and_check(self, url, requests, applied_attempt):
        """After a kill: the event is delivered by a new process, and was applied once."""
        self.run_program("run", "--to", f"a={url}", *self.SHORT, "--until-idle")
        shown = self.json("show", "e1")
        self.assertEqual(shown["state"], "delivered")
        self.assertEqual(shown["attempts"][0]["outcome"], "expired")
        generations = [attempt["generation"] for attempt in shown["attempts"]]
        self.assertEqual(generations, sorted(set(generations)))
        handled = self.lines("consumer")[1:]
        self.assertEqual(len(handled), requests)
        first = [line["attempt"] for line in handled if line["verdict"] == "first"]
        self.assertEqual(first, [applied_attempt])

    SHORT = (
        "--lease", "600ms", "--attempt-timeout", "300ms", "--lease-margin", "100ms",
        "--backoff-first", "10ms",
    )

    def test_killed_between_send_and_answer(self):
        consumer, url = self.start_consumer()
        consumer.send_signal(signal.SIGSTOP)  # the kernel takes the request, nobody answers
        self.ok("append", "-d", "a", "--id", "e1", "x")
        dispatcher = self.start_dispatcher("one", "--to", f"a={url}", "--lease", "600ms",
                                           "--attempt-timeout", "300ms", "--lease-margin", "100ms")
        wait_for("the claim", lambda: self.json("stats")["in_flight"] == 1)
        dispatcher.kill()
        dispatcher.wait()
        consumer.send_signal(signal.SIGCONT)
        self.run_program("run", "--to", f"a={url}", *self.SHORT, "--until-idle")
        shown = self.json("show", "e1")
        self.assertEqual(shown["state"], "delivered")
        self.assertEqual(shown["attempts"][0]["outcome"], "expired")
        verdicts = collections.Counter(line["verdict"] for line in self.lines("consumer")[1:])
        self.assertEqual(verdicts["first"], 1)

    def test_killed_between_answer_and_acknowledgment(self):
        _, url = self.start_consumer()
        self.ok("append", "-d", "a", "--id", "e1", "x")
        holder = sqlite3.connect(self.store, timeout=30, isolation_level=None)
        dispatcher = self.start_dispatcher("one", "--to", f"a={url}", *self.SHORT[:6])
        wait_for("the claim", lambda: self.rows("SELECT 1 FROM leasebox_status "
                                                "WHERE state <> 'pending'"))
        # Whether the ack slipped in before this lock decides what has to hold.
        holder.execute("BEGIN IMMEDIATE")
        wait_for("the answer", lambda: len(self.lines("consumer")) > 1)
        dispatcher.kill()
        dispatcher.wait()
        holder.execute("ROLLBACK")
        holder.close()
        if self.json("show", "e1")["state"] == "delivered":
            self.assertEqual(len(self.lines("consumer")), 2)
            return
        self.restart_and_check(url, requests=2, applied_attempt=1)

    def test_a_writer_that_holds_the_store_for_long_costs_no_second_request(self):
        _, url = self.start_consumer()
        self.ok("append", "-d", "a", "--id", "e1", "x")
        self.ok("append", "-d", "a", "--id", "e2", "--delay", "1ms", "x")
        holder = sqlite3.connect(self.store, timeout=30, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        dispatcher = self.start_dispatcher("one", "--to", f"a={url}", "--until-idle")
        # Held until the dispatcher has met it: it says so only after its whole patience.
        wait_for("the dispatcher to meet the lock", lambda: "store failed" in self.log("one"))
        holder.execute("COMMIT")
        holder.close()
        self.assertEqual(dispatcher.wait(timeout=60), 0)
        self.assertEqual([line["verdict"] for line in self.lines("consumer")[1:]], ["first"] * 2)
        self.assertEqual(self.rows("SELECT max(attempts) FROM leasebox_status"), [(1,)])

    def test_two_live_processes_of_one_name_do_each_other_no_harm(self):
        _, url = self.start_consumer("--delay", "1ms")
        self.ok("init")
        self.append_many(1000)
        arguments = ("--to", f"a={url}", "--owner", "api-1", "--until-idle")
        both = [self.start_dispatcher(name, *arguments) for name in ("one", "two")]
        for process in both:
            self.assertEqual(process.wait(timeout=60), 0)
        verdicts = collections.Counter(line["verdict"] for line in self.lines("consumer")[1:])
        self.assertEqual(verdicts, {"first": 1000})

    def test_a_paused_process_is_fenced_when_it_wakes(self):
        _, url = self.start_consumer("--delay", "100ms")
        self.ok("init")
        self.append_many(8)
        arguments = (
            "--to", f"a={url}", "--owner", "api-1", "--in-flight", "4", "--lease", "1s",
            "--attempt-timeout", "500ms", "--lease-margin", "200ms", "--backoff-first", "10ms",
        )
        paused = self.start_dispatcher("paused", *arguments)
        wait_for("claims", lambda: self.json("stats")["in_flight"] >= 2)
        paused.send_signal(signal.SIGSTOP)
        held = self.json("stats")["in_flight"]
        self.run_program("run", *arguments, "--until-idle")
        self.assertEqual(self.json("stats")["events"]["delivered"], 8)
        before = self.rows("SELECT id, state, generation, settled_at FROM leasebox_status")
        paused.send_signal(signal.SIGCONT)
        refused = wait_for("refusals", lambda: self.log("paused").count("stale_generation") >= held)
        self.assertTrue(refused)
        after = self.rows("SELECT id, state, generation, settled_at FROM leasebox_status")
        self.assertEqual(after, before)


class Demo(unittest.TestCase):
    def test_the_demo_tells_the_whole_story(self):
        done = subprocess.run([PROGRAM, "demo"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for words in ("killed with SIGKILL", "stale_generation", "expired", "applied once"):
            self.assertIn(words, done.stdout)


class Examples(unittest.TestCase):
    def test_each_example_runs(self):
        examples = pathlib.Path(os.environ["LEASEBOX_EXAMPLES"])
        store = StoreTest()
        store.setUp()
        try:
            for name, sentence in (("outbox", "attempt 1: {"), ("tokens", "flushed")):
                done = subprocess.run(
                    [examples / f"example_{name}"],
                    cwd=store.folder, capture_output=True, text=True, timeout=60,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(sentence, done.stdout)
            two_stops = subprocess.Popen(
                [examples / "example_two_stops"], cwd=store.folder, stdout=subprocess.PIPE, text=True
            )
            self.assertEqual(two_stops.stdout.readline(), "running\n")
            two_stops.send_signal(signal.SIGTERM)
            self.assertEqual(two_stops.communicate(timeout=30)[0].splitlines()[-1],
                             "stopped: Success")
        finally:
            store.tearDown()


if __name__ == "__main__":
    main()
