-- Decisions of reviewers as orders to the nodes that have the lines, what filterctl fleet shows of nodes, and how long exchanges take under a
-- policy bundle, by filterd-link(8), version 5, on top of review.sql:
-- psql --single-transaction --set ON_ERROR_STOP=1 --file operations.sql
INSERT INTO filterd.schema_version (v) VALUES (5);

-- What a review console has signed. The database is no authority: the node verifies it, and its record says what came of it.
CREATE TABLE filterd.review_order (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE CHECK (key ~ '^[0-9a-f]{32}$'), -- the order's own id
    node text NOT NULL,                                      -- that is to record it
    note text NOT NULL CHECK (octet_length(note) <= 4096),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed timestamptz NOT NULL DEFAULT clock_timestamp(),
    is_settled boolean NOT NULL DEFAULT false,
    line bigint NOT NULL DEFAULT 0, -- of the node's record; 0: it refused, or has not answered yet
    why text NOT NULL DEFAULT ''    -- it refused
);
CREATE INDEX review_order_open ON filterd.review_order (node, id) WHERE NOT is_settled;
CREATE INDEX review_order_changed ON filterd.review_order (changed);

-- As of the last heartbeat: filterd's version, and the lines of its log.
ALTER TABLE filterd.node ADD COLUMN version text CHECK (length(version) <= 64), ADD COLUMN lines bigint;

-- How many exchanges took how long, since begun_ns: bucket i, from 0, begins at 1.024 * 2^(i/4) * (4 + i%4) / 4 microseconds.
ALTER TABLE filterd.bundle_use ADD COLUMN elapsed bigint[];

-- What had been counted under the version before when a rollout began: what is counted since then is of the same time as the rollout, on nodes that
-- do not have it yet, and under the same load.
CREATE TABLE filterd.bundle_before (
    rollout bigint NOT NULL REFERENCES filterd.bundle ON DELETE CASCADE,
    node smallint NOT NULL,
    begun_ns bigint NOT NULL,
    elapsed bigint[] NOT NULL,
    PRIMARY KEY (rollout, node, begun_ns)
);
CREATE FUNCTION filterd.note_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO filterd.bundle_before (rollout, node, begun_ns, elapsed)
        SELECT NEW.version, node, begun_ns, elapsed FROM filterd.bundle_use WHERE version = NEW.before AND elapsed IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER note_before AFTER INSERT ON filterd.bundle FOR EACH ROW WHEN (NEW.state = 'staged') EXECUTE FUNCTION filterd.note_before();

-- Exchanges under a version while a rollout lasts: all that there were under the new one, and what came since under the one before.
CREATE FUNCTION filterd.bundle_elapsed(its_version bigint, its_rollout bigint) RETURNS bigint[] LANGUAGE sql STABLE AS $$
    SELECT array_agg(n ORDER BY i) FROM (
        SELECT e.i, sum(e.n - coalesce(b.elapsed[e.i], 0))::bigint AS n
        FROM filterd.bundle_use u LEFT JOIN filterd.bundle_before b ON b.rollout = its_rollout AND b.node = u.node AND b.begun_ns = u.begun_ns
             AND its_version <> its_rollout
        CROSS JOIN LATERAL unnest(u.elapsed) WITH ORDINALITY AS e(n, i)
        WHERE u.version = its_version GROUP BY e.i) AS all_buckets
$$;
-- In microseconds, as if the exchanges of a bucket were spread over it evenly; NULL for fewer than 1000.
CREATE FUNCTION filterd.elapsed_p99(counts bigint[]) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    WITH sums AS (SELECT n, i::integer - 1 AS i, sum(n) OVER (ORDER BY i) AS upto, sum(n) OVER () AS total FROM unnest(counts) WITH ORDINALITY AS c(n, i))
    SELECT 1.024 * power(2, i / 4)::double precision * (4 + i % 4 + (0.99 * total - (upto - n)) / n) / 4
    FROM sums WHERE n > 0 AND upto >= 0.99 * total AND total >= 1000 ORDER BY i LIMIT 1
$$;

-- As before, and: exchanges of 99 % took half as long again.
ALTER FUNCTION filterd.bundle_complaint(bigint, bigint) RENAME TO bundle_complaint_of_answers;
CREATE FUNCTION filterd.bundle_complaint(its_version bigint, before bigint) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    complaint text := filterd.bundle_complaint_of_answers(its_version, before);
    new double precision;
    old double precision;
BEGIN
    IF complaint IS NULL THEN
        new := filterd.elapsed_p99(filterd.bundle_elapsed(its_version, its_version));
        old := filterd.elapsed_p99(filterd.bundle_elapsed(before, its_version));
        IF new > 1.5 * old THEN
            complaint := '99 % of exchanges took up to ' || round(new) || ' us; ' || round(old) || ' us in the same time under version ' || before;
        END IF;
    END IF;
    RETURN complaint;
END $$;
