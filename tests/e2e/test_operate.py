"""Operators' acts: replay, park, unpark, cancel, pause, resume and explain."""
import unittest

from support import StoreTest, main


class Operating(StoreTest):
    def claim(self, owner="w", *arguments):
        return self.json_lines("claim", "--owner", owner, "--lease", "1h", *arguments)

    def kill_event(self, event):
        (claim,) = self.claim("w")
        self.assertEqual(claim["id"], event)
        self.json("ack", "--id", event, "--owner", "w", "--generation", str(claim["generation"]),
                  "--outcome", "rejected")

    def test_a_dead_event_is_replayed_once_and_a_second_time_says_why_not(self):
        self.ok("append", "-d", "a", "--id", "e1", "x")
        self.kill_event("e1")
        appended = self.json("show", "e1")["appended_at"]
        dry = self.json("replay", "e1", "--dry-run")
        self.assertEqual((dry["matched"], dry["changed"], dry["would"]["change"]), (1, 0, 1))
        self.assertEqual(self.json("show", "e1")["state"], "dead")
        done = self.json("replay", "e1")
        self.assertEqual((done["matched"], done["changed"], done["refused"]), (1, 1, []))
        shown = self.json("show", "e1")
        self.assertEqual((shown["state"], shown["replays"]), ("pending", 1))
        self.assertEqual(shown["appended_at"], appended)
        self.assertEqual(len(shown["attempts"]), 1)
        again = self.json("replay", "e1", code=3)
        self.assertEqual(again["refused"], [{"id": "e1", "why": "it is pending"}])

    def test_a_replayed_head_of_a_blocked_lane_goes_first(self):
        for event in ("first", "second"):
            self.ok("append", "-d", "a", "--key", "k", "--id", event, "x")
        self.kill_event("first")
        self.assertEqual(self.json("stats")["lanes_blocked"], 1)
        self.assertEqual(self.claim("w"), [])
        why = self.json("explain", "second")
        self.assertEqual((why["code"], why["by"]), ("lane_blocked_by", "first"))
        self.ok("replay", "--state", "dead", "-d", "a")
        self.assertEqual(self.json("stats")["lanes_blocked"], 0)
        self.assertEqual([claim["id"] for claim in self.claim("w")], ["first"])

    def test_a_filter_acts_on_what_it_matched_and_nothing_else(self):
        for at in range(250):
            self.ok("append", "-d", "even" if at % 2 == 0 else "odd", "--id", f"e{at}", "x")
        done = self.json("park", "-d", "even")
        self.assertEqual((done["matched"], done["changed"]), (125, 125))
        stats = self.json("stats")["destinations"]
        self.assertEqual((stats["even"]["parked"], stats["odd"]["parked"]), (125, 0))
        self.assertEqual(self.json("unpark", "--state", "parked")["changed"], 125)
        self.assertEqual(self.json("cancel", "-d", "odd")["changed"], 125)
        self.assertEqual(self.json("stats")["events"]["cancelled"], 125)

    def test_an_act_on_a_claimed_event_fences_its_holder(self):
        for act, state in (("park", "parked"), ("cancel", "cancelled")):
            event = self.ok("append", "-d", "a", "x").strip()
            (claim,) = self.claim("w")
            self.assertEqual(self.json(act, event, "-n")["would"]["fenced_claims"], 1)
            self.ok(act, event)
            refused = self.json(
                "ack", "--id", event, "--owner", "w", "--generation", str(claim["generation"]),
                "--outcome", "delivered", code=3,
            )
            self.assertEqual(refused["verdict"], "stale_generation")
            self.assertEqual(self.json("show", event)["state"], state)

    def test_delivered_events_are_replayed_only_when_asked_for(self):
        self.ok("append", "-d", "a", "--id", "e1", "x")
        (claim,) = self.claim("w")
        self.json("ack", "--id", "e1", "--owner", "w", "--generation", str(claim["generation"]),
                  "--outcome", "delivered")
        self.assertEqual(self.run_program("replay", "e1").returncode, 3)
        dry = self.json("replay", "e1", "-n", "--include-delivered")
        self.assertEqual(dry["would"]["possible_duplicates"], 1)
        self.ok("replay", "e1", "--include-delivered")
        (again,) = self.claim("w")
        self.assertGreater(again["generation"], claim["generation"])

    def test_a_paused_destination_waits_and_says_so(self):
        self.ok("append", "-d", "a", "--id", "e1", "x")
        self.ok("pause", "a")
        self.assertEqual(self.claim("w"), [])
        self.assertEqual(self.json("explain", "e1")["code"], "destination_paused")
        self.assertTrue(self.json("stats")["destinations"]["a"]["paused"])
        self.ok("resume", "a")
        self.assertEqual(len(self.claim("w")), 1)
        self.assertEqual(self.json("explain", "e1")["code"], "leased")

    def test_mistakes_are_usage_errors_or_exit_5(self):
        self.ok("init")
        self.assertEqual(self.run_program("replay").returncode, 2)
        self.assertEqual(self.run_program("park", "e1", "--state", "dead").returncode, 2)
        self.assertEqual(self.run_program("cancel", "nobody").returncode, 5)
        self.assertEqual(self.run_program("explain", "nobody").returncode, 5)


if __name__ == "__main__":
    main()
