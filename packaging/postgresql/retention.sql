-- How long copies stay, by filterd-link(8), version 6, on top of operations.sql:
-- psql --single-transaction --set ON_ERROR_STOP=1 --file retention.sql
INSERT INTO filterd.schema_version (v) VALUES (6);

-- Copies of lines 1 to `removed` are deleted, or are being deleted, because of line `removed_by` of the node's log, which is of type prune: the node has
-- removed them, too; 0: an operator deletes them, as the node is gone. vkey: the key of the log, which its first line had.
ALTER TABLE filterd.node ADD COLUMN removed bigint NOT NULL DEFAULT 0, ADD COLUMN removed_by bigint NOT NULL DEFAULT 0,
    ADD COLUMN vkey text CHECK (length(vkey) <= 1024);

-- What was deleted when, and why. The hashes of the lines (RFC 6962, 32 bytes each) stay, so that the lines behind can be compared with what the
-- node has signed; empty where not all of the lines were there.
CREATE TABLE filterd.removal (
    node smallint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL CHECK (last >= first),
    line bigint NOT NULL, -- removed_by
    hashes bytea NOT NULL CHECK (length(hashes) IN (0, 32 * (last - first + 1))),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    "by" text NOT NULL DEFAULT session_user,
    PRIMARY KEY (node, first)
);
CREATE INDEX record_prune ON filterd.record (node, seq) WHERE type = 'prune';

-- Deletes the next of the lines up to node.removed, and puts that in `removal`. How many; 0: none are left.
CREATE FUNCTION filterd.remove_next(me smallint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    target bigint;
    its_line bigint;
    done bigint;
    upto bigint;
BEGIN
    SELECT removed, removed_by INTO target, its_line FROM filterd.node WHERE id = me FOR UPDATE;
    SELECT coalesce(max(last), 0) INTO done FROM filterd.removal WHERE node = me;
    upto := least(target, done + 10000);
    IF upto <= done THEN
        RETURN 0;
    END IF;
    IF done = 0 THEN
        UPDATE filterd.node SET vkey = (SELECT line::jsonb ->> 'vkey' FROM filterd.record WHERE node = me AND seq = 1 ORDER BY ts DESC LIMIT 1)
            WHERE id = me;
    END IF;
    WITH gone AS (DELETE FROM filterd.record WHERE node = me AND seq > done AND seq <= upto RETURNING seq, ts, line),
         -- Of two with one number the later one is in the log.
         lines AS (SELECT DISTINCT ON (seq) seq, line FROM gone ORDER BY seq, ts DESC)
    INSERT INTO filterd.removal (node, first, last, line, hashes)
        SELECT me, done + 1, upto, its_line, CASE WHEN count(*) = upto - done
            THEN string_agg(sha256('\x00'::bytea || convert_to(line, 'UTF8')), ''::bytea ORDER BY seq) ELSE ''::bytea END FROM lines;
    RETURN upto - done;
END $$;

-- What filterd-link asks for, for its own node: `minimum` is the last line that was removed from the node's log. Whole files of that log are deleted
-- here, too, once each of their lines is older than `keep`, or than the term of its type, in seconds. How many lines this time; 0: none are due.
CREATE FUNCTION filterd.remove_due(me smallint, minimum bigint, keep bigint, types text[], terms bigint[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    done bigint;
    pruned record;
    is_due boolean;
BEGIN
    SELECT coalesce(max(last), 0) INTO done FROM filterd.removal WHERE node = me;
    IF done >= (SELECT removed FROM filterd.node WHERE id = me) THEN
        FOR pruned IN SELECT p.seq, p.last FROM (SELECT seq, (line::jsonb ->> 'last')::bigint AS last FROM filterd.record
                                                  WHERE node = me AND type = 'prune') AS p
                      WHERE p.last > done AND p.last <= minimum AND p.last < p.seq ORDER BY p.last DESC LOOP
            -- From the last line on: as a rule that one says that the file is not due yet.
            is_due := NOT EXISTS (SELECT FROM (SELECT ts, type FROM filterd.record WHERE node = me AND seq > done AND seq <= pruned.last
                                               ORDER BY seq DESC OFFSET 0) AS r
                WHERE r.ts >= clock_timestamp() - make_interval(secs =>
                    coalesce((SELECT t.term FROM unnest(types, terms) AS t(type, term) WHERE t.type = r.type), keep)));
            EXIT WHEN is_due;
        END LOOP;
        IF is_due IS NOT TRUE THEN
            RETURN 0;
        END IF;
        UPDATE filterd.node SET removed = pruned.last, removed_by = pruned.seq WHERE id = me;
    END IF;
    RETURN filterd.remove_next(me);
END $$;
REVOKE ALL ON FUNCTION filterd.remove_next(smallint), filterd.remove_due(smallint, bigint, bigint, text[], bigint[]) FROM PUBLIC;

-- For an operator: all copies of a node that is gone, and writes no more. How many lines.
CREATE FUNCTION filterd.remove_node(its_node text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    me smallint;
    n bigint := 0;
    step bigint;
BEGIN
    SELECT id INTO me FROM filterd.node WHERE node = its_node AND seen < clock_timestamp() - interval '1 day';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a node expected that was not seen for a day';
    END IF;
    UPDATE filterd.node SET removed = forwarded, removed_by = 0 WHERE id = me;
    LOOP
        step := filterd.remove_next(me);
        EXIT WHEN step = 0;
        n := n + step;
    END LOOP;
    RETURN n;
END $$;
REVOKE ALL ON FUNCTION filterd.remove_node(text) FROM PUBLIC;
