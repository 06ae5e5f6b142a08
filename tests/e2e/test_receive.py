"""The reference consumer, asked over plain HTTP: what it applies, and how it misbehaves."""
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import threading
import urllib.parse

from support import PROGRAM, StoreTest, main, wait_for

PATIENCE = 30


class Consumer(StoreTest):
    def begin(self, *arguments):
        """Starts the consumer; keeps its address."""
        self.process, url = self.start_consumer(*arguments)
        self.address = urllib.parse.urlsplit(url)

    def connect(self):
        connection = http.client.HTTPConnection(
            self.address.hostname, self.address.port, timeout=PATIENCE
        )
        self.addCleanup(connection.close)
        return connection

    def ask(self, method, path, body=None, headers=None, connection=None):
        """The status, the parsed body and the headers of an answer."""
        connection = connection or self.connect()
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read()), answer.headers

    def post(self, event, generation=1, body="{}", attempt=1, connection=None, **more):
        headers = {
            "webhook-id": event,
            "leasebox-generation": str(generation),
            "leasebox-attempt": str(attempt),
            **{name.replace("_", "-"): value for name, value in more.items()},
        }
        return self.ask("POST", "/", body, headers, connection)

    def look_up(self, event, generation):
        return self.ask("GET", f"/events/{event}", headers={"leasebox-generation": str(generation)})

    def stats(self):
        return self.ask("GET", "/stats")[1]

    def said(self):
        return self.lines("consumer")[1:]

    def applied(self):
        with sqlite3.connect(self.folder / "consumer-inbox.db", timeout=PATIENCE) as database:
            return [row[0] for row in database.execute("SELECT event_id FROM received_effect")]


class Applying(Consumer):
    def test_a_duplicate_gets_the_first_answer_and_says_so(self):
        self.begin()
        status, answer, headers = self.post("e1")
        self.assertEqual((status, headers["idempotent-replayed"]), (200, None))
        for generation in (1, 7, 2):
            again, same, headers = self.post("e1", generation)
            self.assertEqual((again, same), (status, answer))
            self.assertEqual(headers["idempotent-replayed"], "true")
        self.assertEqual(self.applied(), ["e1"])

    def test_another_body_is_a_conflict(self):
        self.begin()
        self.post("e1", body='{"n":1}')
        self.assertEqual(self.post("e1", body='{"n":2}')[0], 422)
        self.assertEqual(self.post("e1", body='{"n":1}')[0], 200)
        self.assertEqual(self.applied(), ["e1"])
        self.assertIn("e1", self.log("consumer"))

    def test_a_lookup_fences_the_generations_below_it(self):
        self.begin()
        status, answer, _ = self.look_up("e1", 5)
        self.assertEqual((status, answer), (404, {"seen": False}))
        self.assertEqual(self.post("e1", generation=4)[0], 409)
        self.assertEqual(self.applied(), [])
        self.assertEqual(self.post("e1", generation=5)[0], 200)
        self.assertEqual(self.look_up("e1", 6)[:2], (200, {"seen": True}))

    def test_each_request_is_a_line_and_a_count(self):
        self.begin()
        self.post("e1", 3, attempt=2, leasebox_key="k%C3%A9", leasebox_lane_seq="4")
        self.post("e1", 9)
        self.post("e1", body="other")
        self.look_up("e2", 5)
        self.post("e2", 4)
        self.ask("POST", "/", "{}", {})
        lines = wait_for("five lines", lambda: len(self.said()) == 5 and self.said())
        self.assertEqual(
            lines[0],
            {"id": "e1", "generation": 3, "attempt": 2, "key": "ké", "lane_seq": 4,
             "verdict": "first", "status": 200},
        )
        self.assertEqual(
            [(line["verdict"], line["status"]) for line in lines[1:]],
            [("duplicate", 200), ("conflict", 422), ("stale_generation", 409), ("failed", 400)],
        )
        self.assertEqual(
            self.stats(),
            {"requests": 5, "applied": 1, "duplicates": 1, "conflicts": 1, "stale": 1,
             "failed": 1, "dropped": 0},
        )

    def test_many_connections_at_once_apply_each_event_once(self):
        self.begin()
        verdicts = []

        def deliver():
            connection = self.connect()
            for at in range(50):
                status, _, headers = self.post(f"e{at}", connection=connection)
                verdicts.append((status, headers["idempotent-replayed"]))

        threads = [threading.Thread(target=deliver) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(verdicts.count((200, None)), 50)
        self.assertEqual(verdicts.count((200, "true")), 350)
        self.assertEqual(sorted(self.applied()), sorted(f"e{at}" for at in range(50)))

    def test_the_inbox_outlives_the_process(self):
        self.begin()
        self.post("e1")
        self.process.kill()
        self.process.wait()
        self.begin()
        self.assertEqual(self.post("e1")[2]["idempotent-replayed"], "true")
        self.assertEqual(self.applied(), ["e1"])


class Misbehaving(Consumer):
    def dropped(self, event, **more):
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.post(event, **more)

    def test_the_first_requests_fail_and_nothing_of_them_is_applied(self):
        self.begin("--fail", "2", "--status", "429", "--retry-after", "1500ms")
        for _ in range(2):
            status, _, headers = self.post("e1")
            self.assertEqual((status, headers["retry-after"]), (429, "2"))
        self.assertEqual(self.applied(), [])
        status, _, headers = self.post("e1")
        self.assertEqual((status, headers["retry-after"]), (200, None))
        self.assertEqual(headers["idempotent-replayed"], None)
        self.assertEqual(self.stats()["failed"], 2)

    def test_a_drop_before_the_response_has_applied(self):
        self.begin("--drop-before-response", "1")
        self.dropped("e1")
        self.assertEqual(self.applied(), ["e1"])
        self.assertEqual(self.post("e1")[2]["idempotent-replayed"], "true")
        self.assertEqual((self.said()[0]["verdict"], self.said()[0]["status"]), ("first", None))
        self.assertEqual(self.stats()["dropped"], 1)

    def test_a_drop_before_applying_has_not(self):
        self.begin("--drop-before-apply", "1")
        self.dropped("e1")
        self.assertEqual(self.applied(), [])
        self.assertEqual(self.post("e1")[2]["idempotent-replayed"], None)
        self.assertEqual([line["verdict"] for line in self.said()], ["dropped", "first"])

    def test_a_hanging_request_is_not_applied_and_holds_up_nobody(self):
        self.begin("--hang", "1")
        held = socket.create_connection((self.address.hostname, self.address.port), PATIENCE)
        self.addCleanup(held.close)
        held.sendall(b"POST / HTTP/1.1\r\nhost: a\r\nwebhook-id: e1\r\ncontent-length: 0\r\n\r\n")
        wait_for("the request", lambda: self.stats()["dropped"] == 1)
        self.assertEqual(self.post("e2")[0], 200)
        self.assertEqual(self.applied(), ["e2"])
        held.setblocking(False)
        self.assertRaises(BlockingIOError, held.recv, 1)

    def test_a_delay_comes_after_the_event_was_applied(self):
        self.begin("--delay", "1h")
        held = socket.create_connection((self.address.hostname, self.address.port), PATIENCE)
        self.addCleanup(held.close)
        held.sendall(b"POST / HTTP/1.1\r\nhost: a\r\nwebhook-id: e1\r\ncontent-length: 0\r\n\r\n")
        wait_for("the effect", lambda: self.applied() == ["e1"])
        held.setblocking(False)
        self.assertRaises(BlockingIOError, held.recv, 1)

    def test_mishaps_come_one_at_a_time(self):
        self.begin("--drop-before-apply", "1", "--fail", "1", "--drop-before-response", "1")
        self.dropped("e1")
        self.assertEqual(self.post("e1")[0], 503)
        self.dropped("e1")
        self.assertEqual(self.post("e1")[2]["idempotent-replayed"], "true")
        self.assertEqual(self.applied(), ["e1"])


class Serving(Consumer):
    def test_a_connection_is_kept_for_the_next_request(self):
        self.begin()
        connection = self.connect()
        self.post("e1", connection=connection)
        kept = connection.sock
        self.post("e2", connection=connection)
        self.assertIs(connection.sock, kept)

    def test_requests_sent_in_one_piece_are_answered_in_order(self):
        self.begin()
        one = b"POST / HTTP/1.1\r\nhost: a\r\nwebhook-id: e%d\r\ncontent-length: 2\r\n%s\r\n{}"
        with socket.create_connection((self.address.hostname, self.address.port), PATIENCE) as peer:
            peer.sendall(one % (1, b"") + one % (2, b"connection: close\r\n"))
            answers = b"".join(iter(lambda: peer.recv(4096), b""))
        self.assertEqual(answers.count(b"HTTP/1.1 200 OK"), 2)
        self.assertEqual(self.applied(), ["e1", "e2"])

    def test_what_is_too_long_is_refused(self):
        self.begin()
        self.assertEqual(self.post("e1", leasebox_key="k" * 100_000)[0], 431)
        with socket.create_connection((self.address.hostname, self.address.port), PATIENCE) as peer:
            peer.sendall(b"POST / HTTP/1.1\r\nhost: a\r\nwebhook-id: e1\r\n"
                         b"content-length: 9999999\r\n\r\n")
            self.assertIn(b" 413 ", peer.recv(4096))
        self.assertEqual(self.applied(), [])

    def test_both_signals_are_a_clean_end(self):
        for stop in (signal.SIGTERM, signal.SIGINT):
            self.begin()
            self.post("e1")
            self.process.send_signal(stop)
            self.assertEqual(self.process.wait(timeout=PATIENCE), 0)

    def test_without_a_secret_it_says_once_that_nothing_is_verified(self):
        self.begin()
        self.post("e1")
        self.post("e2")
        self.assertEqual(self.log("consumer").count("no signature is verified"), 1)

    def test_a_secret_is_given_by_name_or_file_and_an_unsigned_request_is_refused(self):
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        file = self.folder / "secret"
        file.write_text(secret)
        file.chmod(0o600)
        os.environ["LEASEBOX_TEST_SECRET"] = secret
        self.addCleanup(os.environ.pop, "LEASEBOX_TEST_SECRET")
        for given in (f"file:{file}", "env:LEASEBOX_TEST_SECRET", secret):
            self.begin("--secret", given)
            self.assertEqual(self.post("e1")[0], 401)
            self.assertEqual(self.look_up("e1", 1)[0], 401)
            self.assertEqual(self.applied(), [])
            self.assertNotIn(secret, self.log("consumer"))

    def test_the_text_form_has_its_address_first_and_a_line_for_each_request(self):
        process = self.start("consumer", "receive", "--listen", "127.0.0.1:0", "--log")
        out = self.folder / "consumer.out"
        first = wait_for("the address", lambda: out.read_text().partition("\n")[0])
        self.assertRegex(first, r"^listening on http://127\.0\.0\.1:\d+/$")
        self.address = urllib.parse.urlsplit(first.split()[-1])
        self.post("e1", 3)
        wait_for("the line", lambda: "first e1 generation 3 attempt 1: 200" in out.read_text())
        self.assertIsNone(process.poll())

    def test_a_bad_option_is_named(self):
        for arguments, sentence in (
            (("--listen", "127.0.0.1"), "--listen"),
            (("--listen", "127.0.0.1:0x"), "--listen"),
            (("--listen", "127.0.0.1:65536"), "--listen"),
            (("--listen", "127.0.0.1:0", "--fail", "0"), "--fail"),
            (("--listen", "127.0.0.1:0", "--hang", "inf"), "--hang"),
            (("--listen", "127.0.0.1:0", "--delay", "5"), "--delay"),
            (("--listen", "127.0.0.1:0", "--status", "1000"), "--status"),
            (("--listen", "127.0.0.1:0", "--secret", "whsec_c2hvcnQ="), "--secret"),
        ):
            done = subprocess.run(
                [PROGRAM, "receive", *arguments], capture_output=True, text=True, timeout=PATIENCE
            )
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(sentence, done.stderr, arguments)

    def test_a_port_that_is_taken_is_an_error(self):
        self.begin()
        done = subprocess.run(
            [PROGRAM, "receive", "--listen", self.address.netloc], capture_output=True, text=True,
            timeout=PATIENCE,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(self.address.netloc, done.stderr)


if __name__ == "__main__":
    main()
