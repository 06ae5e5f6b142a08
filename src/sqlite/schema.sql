-- Leasebox schema, version 1.
--
-- leasebox_event is what a producer appends; it never changes. Everything that moves is in
-- leasebox_work, so that a payload is written once however often its event is tried.
-- Numbers of states, outcomes, reasons and causes are those of core/words.hpp.
--
-- Rules live in BEFORE INSERT triggers with RAISE(ABORT): a CHECK is skipped silently by
-- INSERT OR IGNORE, and an INSERT OR REPLACE would delete a live event. No statement in a trigger
-- relies on a conflict clause of its own, since the producer's clause goes before it. No scalar
-- JSON function, since those fail where the producer has trusted_schema off.

-- Facts that rarely change.
CREATE TABLE leasebox_meta (
    name  TEXT PRIMARY KEY NOT NULL,
    value
) WITHOUT ROWID;

-- The store's own time and its fencing counter; one row.
CREATE TABLE leasebox_store (
    one           INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    generation    INTEGER NOT NULL,  -- the last one given out; only ever raised
    clock_ms      INTEGER NOT NULL,  -- high-water mark of the store's time
    clock_boot_ns INTEGER,           -- the host's boot clock then; null after a producer's append
    boot_id       TEXT               -- of the host, to know whether clock_boot_ns still counts
);

CREATE TABLE leasebox_event (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    destination  TEXT NOT NULL,
    payload      NOT NULL,
    id           TEXT NOT NULL UNIQUE DEFAULT (lower(
        substr(printf('%012x', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)), 1, 8)
        || '-' ||
        substr(printf('%012x', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)), 9, 4)
        || '-7' || substr(hex(randomblob(2)), 2) ||
        '-' || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) ||
        '-' || hex(randomblob(6)))),
    key          TEXT,
    type         TEXT,
    content_type TEXT NOT NULL DEFAULT 'application/json',
    headers      TEXT NOT NULL DEFAULT '{}',
    not_before   INTEGER,
    deadline     INTEGER,
    attempts_max INTEGER
);

-- One row a destination: its switches, and its counts, which the transactions that move events
-- keep, so that nothing ever counts rows.
CREATE TABLE leasebox_destination (
    destination_id INTEGER PRIMARY KEY,
    name           TEXT NOT NULL UNIQUE,
    paused         INTEGER NOT NULL DEFAULT 0,
    next_due       INTEGER,  -- no event of it can be claimed before; null: none can
    pending        INTEGER NOT NULL DEFAULT 0,
    claimed        INTEGER NOT NULL DEFAULT 0,
    delivered      INTEGER NOT NULL DEFAULT 0,
    dead           INTEGER NOT NULL DEFAULT 0,
    parked         INTEGER NOT NULL DEFAULT 0,
    cancelled      INTEGER NOT NULL DEFAULT 0,
    uncertain      INTEGER NOT NULL DEFAULT 0,  -- unsettled ones that may have arrived
    lanes_blocked  INTEGER NOT NULL DEFAULT 0,
    by_evidence    INTEGER NOT NULL DEFAULT 0,  -- resends avoided
    by_lookup      INTEGER NOT NULL DEFAULT 0,
    pruned_dead    INTEGER NOT NULL DEFAULT 0   -- what is left of dead events that were deleted
);
-- Finds who has something to do without looking at those who have not.
CREATE INDEX leasebox_destination_due ON leasebox_destination (next_due)
    WHERE next_due IS NOT NULL AND paused = 0;

-- The events of one destination and key, in the order of append.
CREATE TABLE leasebox_lane (
    lane_id        INTEGER PRIMARY KEY,
    destination_id INTEGER NOT NULL,
    key            TEXT NOT NULL,
    last_seq       INTEGER NOT NULL DEFAULT 0,  -- the last lane_seq given out
    head           INTEGER,                     -- seq of the first event that occupies the lane
    blocked        INTEGER NOT NULL DEFAULT 0,  -- the head is dead or parked
    delivered      INTEGER NOT NULL DEFAULT 0,  -- the highest lane_seq that was delivered
    gap            TEXT NOT NULL DEFAULT '',    -- lane_seq after it that are not coming, "3,5-7"
    UNIQUE (destination_id, key)
);
CREATE INDEX leasebox_lane_blocked ON leasebox_lane (destination_id) WHERE blocked = 1;

CREATE TABLE leasebox_work (
    seq            INTEGER PRIMARY KEY NOT NULL,
    destination_id INTEGER NOT NULL,
    lane_id        INTEGER,
    lane_seq       INTEGER,
    occupies       INTEGER,  -- 1 while later events of the lane must wait for this one
    state          INTEGER NOT NULL,
    reason         INTEGER,
    cause          INTEGER,
    attempts       INTEGER NOT NULL DEFAULT 0,
    expiries       INTEGER NOT NULL DEFAULT 0,
    renewals       INTEGER NOT NULL DEFAULT 0,
    generation     INTEGER NOT NULL DEFAULT 0,
    owner          TEXT NOT NULL DEFAULT '',
    claimed_at     INTEGER NOT NULL DEFAULT 0,
    lease_until    INTEGER NOT NULL DEFAULT 0,
    appended_at    INTEGER NOT NULL,
    not_before     INTEGER NOT NULL,
    budget_from    INTEGER NOT NULL,
    deadline       INTEGER,
    attempts_max   INTEGER,
    uncertain      INTEGER NOT NULL DEFAULT 0,
    last_outcome   INTEGER,
    http_status    INTEGER NOT NULL DEFAULT 0,
    last_error     TEXT NOT NULL DEFAULT '',
    ended_at       INTEGER,
    settled_at     INTEGER,
    replays        INTEGER NOT NULL DEFAULT 0,
    evidence_floor INTEGER NOT NULL DEFAULT 0,
    suspect        INTEGER NOT NULL DEFAULT 0,  -- may have killed its owners: runs alone
    due_class      INTEGER,  -- 1 claimed until due_at, 2 pending, 3 pending and a suspect
    due_at         INTEGER   -- null: can't move by itself (settled, parked, behind its lane's head)
);
-- The claim's index: only what can move, so settled history and blocked lanes cost it nothing.
CREATE INDEX leasebox_work_due ON leasebox_work (destination_id, due_class, due_at, seq)
    WHERE due_at IS NOT NULL;
-- Finds the next head of a lane.
CREATE INDEX leasebox_work_lane ON leasebox_work (lane_id, seq) WHERE occupies = 1;
-- Finds the oldest pending event of a destination, whether it can move or not.
CREATE INDEX leasebox_work_pending ON leasebox_work (destination_id, seq) WHERE state = 1;
-- What an operator asks for; the big states are found by seq.
CREATE INDEX leasebox_work_stuck ON leasebox_work (state, seq) WHERE state IN (4, 5);

-- What retention removes, oldest first; unsettled rows are not in it. Rows settle in the order of
-- time, so that each goes to the end of its state's part: one hot page, where an index that
-- begins with the destination would touch a page a destination.
CREATE INDEX leasebox_work_settled ON leasebox_work (state, settled_at)
    WHERE settled_at IS NOT NULL;

-- Owners that hold a locked file beside the store, so that their death can be proven.
CREATE TABLE leasebox_owner (
    owner         TEXT PRIMARY KEY NOT NULL,
    device        INTEGER NOT NULL,
    inode         INTEGER NOT NULL,
    boot_id       TEXT NOT NULL,
    registered_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Attempts that were retried, expired, refused or late. A first attempt that succeeds is known
-- from its leasebox_work row.
CREATE TABLE leasebox_attempt (
    seq           INTEGER NOT NULL,
    generation    INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    owner         TEXT NOT NULL,
    claimed_at    INTEGER NOT NULL,
    lease_until   INTEGER NOT NULL,
    ended_at      INTEGER,
    outcome       INTEGER,
    late          INTEGER NOT NULL DEFAULT 0,
    http_status   INTEGER NOT NULL DEFAULT 0,
    phase         INTEGER NOT NULL DEFAULT 0,
    bytes_written INTEGER NOT NULL DEFAULT 0,
    detail        TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (seq, generation)
) WITHOUT ROWID;

CREATE TRIGGER leasebox_event_rules BEFORE INSERT ON leasebox_event BEGIN
    SELECT RAISE(ABORT, 'leasebox: seq: is set by the store')
        WHERE new.seq IS NOT NULL AND new.seq <> -1;
    SELECT RAISE(ABORT, 'leasebox: destination: must be 1 to 200 characters of A-Z a-z 0-9 . _ : -')
        WHERE typeof(new.destination) <> 'text' OR length(CAST(new.destination AS BLOB)) NOT BETWEEN 1 AND 200
           OR length(new.destination) <> length(CAST(new.destination AS BLOB))
           OR new.destination GLOB '*[^A-Za-z0-9._:-]*';
    SELECT RAISE(ABORT, 'leasebox: payload: must be text or a blob')
        WHERE typeof(new.payload) NOT IN ('text', 'blob');
    SELECT RAISE(ABORT, 'leasebox: payload: is larger than the store allows (payload_bytes_max in leasebox_meta)')
        WHERE length(CAST(new.payload AS BLOB)) >
              (SELECT value FROM leasebox_meta WHERE name = 'payload_bytes_max');
    SELECT RAISE(ABORT, 'leasebox: id: must be 1 to 200 characters of A-Z a-z 0-9 _ : -')
        WHERE typeof(new.id) <> 'text' OR length(CAST(new.id AS BLOB)) NOT BETWEEN 1 AND 200
           OR length(new.id) <> length(CAST(new.id AS BLOB)) OR new.id GLOB '*[^A-Za-z0-9_:-]*';
    SELECT RAISE(ABORT, 'leasebox: id: already used')
        WHERE EXISTS (SELECT 1 FROM leasebox_event WHERE id = new.id);
    SELECT RAISE(ABORT, 'leasebox: key: must be null or text of 1 to 200 bytes without NUL')
        WHERE new.key IS NOT NULL AND (typeof(new.key) <> 'text'
           OR length(CAST(new.key AS BLOB)) NOT BETWEEN 1 AND 200
           OR instr(CAST(new.key AS BLOB), x'00') > 0);
    SELECT RAISE(ABORT, 'leasebox: type: must be null or text of 1 to 200 bytes without control characters')
        WHERE new.type IS NOT NULL AND (typeof(new.type) <> 'text'
           OR length(CAST(new.type AS BLOB)) NOT BETWEEN 1 AND 200
           OR instr(CAST(new.type AS BLOB), x'00') > 0
           OR new.type GLOB '*[' || char(1) || '-' || char(31) || char(127) || ']*');
    SELECT RAISE(ABORT, 'leasebox: content_type: must be 1 to 200 printable ASCII characters')
        WHERE typeof(new.content_type) <> 'text'
           OR length(CAST(new.content_type AS BLOB)) NOT BETWEEN 1 AND 200
           OR length(new.content_type) <> length(CAST(new.content_type AS BLOB))
           OR new.content_type GLOB '*[^ -~]*';
    SELECT RAISE(ABORT, 'leasebox: headers: must be text of at most 16384 bytes')
        WHERE typeof(new.headers) <> 'text' OR length(CAST(new.headers AS BLOB)) > 16384
           OR instr(CAST(new.headers AS BLOB), x'00') > 0;
    SELECT RAISE(ABORT, 'leasebox: headers: must be a JSON object of strings')
        WHERE substr(ltrim(new.headers, char(9, 10, 13, 32)), 1, 1) <> '{';
    SELECT RAISE(ABORT, 'leasebox: headers: values must be strings')
        FROM json_each(new.headers) WHERE type <> 'text';
    SELECT RAISE(ABORT, 'leasebox: headers: names must be HTTP tokens of 1 to 100 characters')
        FROM json_each(new.headers)
        WHERE length(CAST(key AS BLOB)) NOT BETWEEN 1 AND 100
           OR key GLOB '*[^A-Za-z0-9!#$%&''*+.^_`|~-]*';
    SELECT RAISE(ABORT, 'leasebox: headers: values must have no control characters')
        FROM json_each(new.headers)
        WHERE value GLOB '*[' || char(1) || '-' || char(31) || char(127) || ']*'
           OR instr(lower(new.headers), '\u0000') > 0;
    SELECT RAISE(ABORT, 'leasebox: not_before: must be null or milliseconds since 1970, an integer from 0 to 253402300799999')
        WHERE new.not_before IS NOT NULL AND (typeof(new.not_before) <> 'integer'
           OR new.not_before NOT BETWEEN 0 AND 253402300799999);
    SELECT RAISE(ABORT, 'leasebox: deadline: must be null or milliseconds since 1970, an integer from 0 to 253402300799999')
        WHERE new.deadline IS NOT NULL AND (typeof(new.deadline) <> 'integer'
           OR new.deadline NOT BETWEEN 0 AND 253402300799999);
    SELECT RAISE(ABORT, 'leasebox: attempts_max: must be null or an integer from 1 to 1000000')
        WHERE new.attempts_max IS NOT NULL AND (typeof(new.attempts_max) <> 'integer'
           OR new.attempts_max NOT BETWEEN 1 AND 1000000);
END;

-- Puts the new event to work: at the end of its lane, due at its time if it is the lane's head.
CREATE TRIGGER leasebox_event_append AFTER INSERT ON leasebox_event BEGIN
    SELECT RAISE(ABORT, 'leasebox: seq: is set by the store') WHERE new.seq < 1;
    UPDATE leasebox_store
        SET clock_ms = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER),
            clock_boot_ns = NULL
        WHERE clock_ms < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER);
    INSERT INTO leasebox_destination (name)
        SELECT new.destination
        WHERE NOT EXISTS (SELECT 1 FROM leasebox_destination WHERE name = new.destination);
    INSERT INTO leasebox_lane (destination_id, key)
        SELECT d.destination_id, new.key FROM leasebox_destination AS d
        WHERE new.key IS NOT NULL AND d.name = new.destination
          AND NOT EXISTS (SELECT 1 FROM leasebox_lane AS l
                          WHERE l.destination_id = d.destination_id AND l.key = new.key);
    UPDATE leasebox_lane SET last_seq = last_seq + 1, head = coalesce(head, new.seq)
        WHERE new.key IS NOT NULL AND key = new.key
          AND destination_id = (SELECT destination_id FROM leasebox_destination
                                WHERE name = new.destination);
    INSERT INTO leasebox_work (seq, destination_id, lane_id, lane_seq, occupies, state,
                               appended_at, not_before, budget_from, deadline, attempts_max,
                               due_class, due_at)
        SELECT new.seq, d.destination_id, l.lane_id, l.last_seq,
               CASE WHEN l.lane_id IS NOT NULL THEN 1 END, 1, s.clock_ms,
               coalesce(new.not_before, s.clock_ms),
               max(coalesce(new.not_before, s.clock_ms), s.clock_ms),
               new.deadline, new.attempts_max,
               CASE WHEN l.lane_id IS NULL OR l.head = new.seq THEN 2 END,
               CASE WHEN l.lane_id IS NULL OR l.head = new.seq
                    THEN coalesce(new.not_before, s.clock_ms) END
        FROM leasebox_store AS s, leasebox_destination AS d
        LEFT JOIN leasebox_lane AS l ON l.destination_id = d.destination_id AND l.key = new.key
        WHERE d.name = new.destination;
    UPDATE leasebox_destination SET pending = pending + 1 WHERE name = new.destination;
    UPDATE leasebox_destination
        SET next_due = (SELECT due_at FROM leasebox_work WHERE seq = new.seq)
        WHERE name = new.destination
          AND (SELECT due_at FROM leasebox_work WHERE seq = new.seq) < coalesce(next_due, 9e18);
END;

CREATE TRIGGER leasebox_event_immutable BEFORE UPDATE ON leasebox_event BEGIN
    SELECT RAISE(ABORT, 'leasebox: event: is immutable; append another one');
END;

CREATE TRIGGER leasebox_event_keep BEFORE DELETE ON leasebox_event BEGIN
    SELECT RAISE(ABORT, 'leasebox: event: is not settled; cancel it first')
        FROM leasebox_work WHERE seq = old.seq AND state NOT IN (3, 4, 6);
    SELECT RAISE(ABORT, 'leasebox: event: is dead and blocks its lane; replay it first')
        FROM leasebox_work WHERE seq = old.seq AND occupies = 1;
END;

CREATE TRIGGER leasebox_event_delete AFTER DELETE ON leasebox_event BEGIN
    UPDATE leasebox_destination
        SET delivered = delivered - (w.state = 3), dead = dead - (w.state = 4),
            cancelled = cancelled - (w.state = 6), pruned_dead = pruned_dead + (w.state = 4)
        FROM leasebox_work AS w
        WHERE w.seq = old.seq AND leasebox_destination.destination_id = w.destination_id;
    DELETE FROM leasebox_attempt WHERE seq = old.seq;
    DELETE FROM leasebox_work WHERE seq = old.seq;
END;

CREATE VIEW leasebox_status AS
    SELECT e.id, e.destination, e.key, e.type,
           CASE w.state WHEN 1 THEN 'pending' WHEN 2 THEN 'claimed' WHEN 3 THEN 'delivered'
                        WHEN 4 THEN 'dead' WHEN 5 THEN 'parked' ELSE 'cancelled' END AS state,
           CASE w.reason WHEN 1 THEN 'rejected' WHEN 2 THEN 'attempts' WHEN 3 THEN 'lifetime'
                         WHEN 4 THEN 'expiries' WHEN 5 THEN 'uncertain'
                         WHEN 6 THEN 'operator' END AS reason,
           CASE w.cause WHEN 1 THEN 'response' WHEN 2 THEN 'evidence' WHEN 3 THEN 'lookup'
                        WHEN 4 THEN 'operator' END AS cause,
           w.attempts, w.expiries, w.generation, nullif(w.owner, '') AS owner,
           CASE w.state WHEN 2 THEN w.lease_until END AS lease_until,
           w.not_before, w.deadline, w.appended_at, w.settled_at,
           CASE w.last_outcome WHEN 1 THEN 'delivered' WHEN 2 THEN 'retry' WHEN 3 THEN 'rejected'
                               WHEN 4 THEN 'uncertain' WHEN 5 THEN 'released'
                               WHEN 6 THEN 'expired' END AS last_outcome,
           nullif(w.last_error, '') AS last_error, w.replays, w.seq
    FROM leasebox_event AS e JOIN leasebox_work AS w ON w.seq = e.seq;

CREATE VIEW leasebox_attempts AS
    SELECT e.id AS event_id, a.attempt, a.generation, a.owner, a.claimed_at, a.lease_until,
           a.ended_at,
           CASE a.outcome WHEN 1 THEN 'delivered' WHEN 2 THEN 'retry' WHEN 3 THEN 'rejected'
                          WHEN 4 THEN 'uncertain' WHEN 5 THEN 'released'
                          WHEN 6 THEN 'expired' END AS outcome,
           a.late, nullif(a.http_status, 0) AS http_status, nullif(a.detail, '') AS detail
    FROM leasebox_attempt AS a JOIN leasebox_event AS e ON e.seq = a.seq
    UNION ALL
    SELECT e.id, w.attempts, w.generation, w.owner, w.claimed_at, w.lease_until,
           CASE WHEN w.state <> 2 THEN w.ended_at END,
           CASE WHEN w.state <> 2 THEN CASE w.last_outcome WHEN 1 THEN 'delivered' END END,
           0, CASE WHEN w.state <> 2 THEN nullif(w.http_status, 0) END, NULL
    FROM leasebox_work AS w JOIN leasebox_event AS e ON e.seq = w.seq
    WHERE w.owner <> '' AND NOT EXISTS (SELECT 1 FROM leasebox_attempt AS a
                                        WHERE a.seq = w.seq AND a.generation = w.generation);

INSERT INTO leasebox_store (one, generation, clock_ms) VALUES (1, 0, 0);
INSERT INTO leasebox_meta (name, value) VALUES
    ('schema_version', 1), ('store_id', lower(hex(randomblob(16)))),
    ('payload_bytes_max', 1048576);
