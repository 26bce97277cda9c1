-- Signed policy bundles over the fleet by filterd-link(8), version 3, on top of fleet.sql:
-- psql --single-transaction --set ON_ERROR_STOP=1 --file bundles.sql
INSERT INTO filterd.schema_version (v) VALUES (3);

-- In a version 2 of before.
DO $$ BEGIN
    IF EXISTS (SELECT FROM information_schema.columns WHERE table_schema = 'filterd' AND table_name = 'orders' AND column_name = 'told') THEN
        ALTER TABLE filterd.orders RENAME COLUMN told TO notified;
    END IF;
END $$;

-- What was signed. The database is no authority: every node verifies it with the keys that it has.
CREATE TABLE filterd.bundle_keys (
    generation bigint PRIMARY KEY CHECK (generation > 1),
    note text NOT NULL CHECK (length(note) <= 65536),
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE filterd.bundle (
    version bigint PRIMARY KEY CHECK (version > 0),
    note text NOT NULL CHECK (length(note) <= 65536),
    archive bytea NOT NULL CHECK (length(archive) <= 67108864),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    "by" text NOT NULL,
    before bigint NOT NULL, -- the version whose answers it is compared with; 0: none
    state text NOT NULL CHECK (state IN ('staged', 'done', 'stopped')),
    stage integer NOT NULL DEFAULT 1,
    stage_since timestamptz NOT NULL DEFAULT clock_timestamp(),
    why text NOT NULL DEFAULT '' -- it was stopped
);
-- Nodes by name, or so many, or a share; all of those before stay.
CREATE TABLE filterd.bundle_stage (
    version bigint NOT NULL REFERENCES filterd.bundle ON DELETE CASCADE,
    stage integer NOT NULL,
    nodes integer CHECK (nodes > 0),
    percent integer CHECK (percent BETWEEN 1 AND 100),
    names text[],
    lasts interval NOT NULL, -- once all of its nodes have the bundle
    PRIMARY KEY (version, stage),
    CHECK (num_nonnulls(nodes, percent, names) = 1)
);

-- What each node says of the bundle in force, as absolute values since begun_ns: the exchanges that were answered under it.
CREATE TABLE filterd.bundle_use (
    node smallint NOT NULL,
    version bigint NOT NULL,
    begun_ns bigint NOT NULL,
    answers bigint NOT NULL,
    blocked bigint NOT NULL,
    unjudged bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (node, version, begun_ns)
);
ALTER TABLE filterd.node ADD COLUMN bundle bigint, ADD COLUMN bundle_highest bigint, ADD COLUMN bundle_expires timestamptz,
    ADD COLUMN bundle_refused bigint, -- the version that it does not take
    ADD COLUMN bundle_why text;

CREATE FUNCTION filterd.lock_bundles() RETURNS void LANGUAGE sql AS
$$ SELECT pg_advisory_xact_lock(hashtextextended('filterd.bundles', 0)) $$;

-- its_stages: "1:10m,25%:30m,web-1+web-2:1h,100%": who, and for how long; empty: all nodes at once, and no comparison.
-- Empty, or why it was not published.
CREATE FUNCTION filterd.publish(its_version bigint, its_note text, its_archive bytea, its_stages text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    newest bigint;
    rolling bigint;
BEGIN
    PERFORM filterd.lock_bundles();
    SELECT coalesce(max(version), 0), max(version) FILTER (WHERE state = 'staged') INTO newest, rolling FROM filterd.bundle;
    IF its_version <= newest THEN
        RETURN 'a version above ' || newest || ' expected';
    ELSIF rolling IS NOT NULL THEN
        RETURN 'the rollout of version ' || rolling || ' has not ended';
    END IF;
    INSERT INTO filterd.bundle (version, note, archive, "by", before, state)
        VALUES (its_version, its_note, its_archive, session_user, coalesce((SELECT max(version) FROM filterd.bundle WHERE state = 'done'), 0),
                CASE WHEN its_stages = '' THEN 'done' ELSE 'staged' END);
    INSERT INTO filterd.bundle_stage (version, stage, nodes, percent, names, lasts)
        SELECT its_version, place,
               CASE WHEN who ~ '^[0-9]+$' THEN who::integer END,
               CASE WHEN who ~ '^[0-9]+%$' THEN rtrim(who, '%')::integer END,
               CASE WHEN who !~ '^[0-9]+%?$' THEN string_to_array(who, '+') END,
               CASE WHEN wait = '' THEN interval '0' ELSE (rtrim(wait, 'smh') || CASE right(wait, 1) WHEN 'm' THEN ' minutes' WHEN 'h' THEN ' hours' ELSE ' seconds' END)::interval END
        FROM (SELECT place, split_part(item, ':', 1) AS who, split_part(item, ':', 2) AS wait
              FROM unnest(string_to_array(its_stages, ',')) WITH ORDINALITY AS items(item, place)) AS all_stages
        WHERE its_stages <> '';
    PERFORM pg_notify('filterd_bundles', its_version::text);
    RETURN '';
END $$;

-- The nodes that are to have it. The order by hashes of their names is the same for every bundle.
CREATE FUNCTION filterd.bundle_nodes(its_version bigint) RETURNS TABLE (id smallint, node text) LANGUAGE sql STABLE AS $$
    SELECT DISTINCT n.id, n.node
    FROM (SELECT id, node, row_number() OVER (ORDER BY sha256(convert_to(node, 'UTF8'))) AS place, count(*) OVER () AS all_nodes
          FROM filterd.node WHERE alive IS NOT NULL) n
    CROSS JOIN filterd.bundle b LEFT JOIN filterd.bundle_stage s ON s.version = b.version AND s.stage <= b.stage
    WHERE b.version = its_version AND (b.state = 'done' OR (b.state = 'staged' AND
          (n.node = ANY (s.names) OR n.place <= s.nodes OR n.place <= ceil(n.all_nodes * s.percent / 100.0))))
$$;

-- Why a rollout is to be stopped; NULL: it goes on. Blocks are compared with those under the version before, over all nodes.
CREATE FUNCTION filterd.bundle_complaint(its_version bigint, before bigint) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    refused record;
    new record;
    old record;
BEGIN
    SELECT node, bundle_why INTO refused FROM filterd.node WHERE alive IS NOT NULL AND bundle_refused = its_version ORDER BY node LIMIT 1;
    IF FOUND THEN
        RETURN refused.node || ' refused it: ' || coalesce(refused.bundle_why, '');
    END IF;
    SELECT coalesce(sum(answers), 0) AS answers, coalesce(sum(blocked), 0) AS blocked, coalesce(sum(unjudged), 0) AS unjudged INTO new
        FROM filterd.bundle_use WHERE version = its_version;
    SELECT coalesce(sum(answers), 0) AS answers, coalesce(sum(blocked), 0) AS blocked INTO old
        FROM filterd.bundle_use WHERE version = before;
    IF new.unjudged > 0 THEN
        RETURN new.unjudged || ' of ' || new.answers || ' exchanges were not judged';
    ELSIF new.blocked >= 5 AND new.blocked * old.answers > 2 * old.blocked * new.answers THEN
        RETURN new.blocked || ' of ' || new.answers || ' exchanges were blocked; ' || old.blocked || ' of ' || old.answers || ' under version ' || before;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION filterd.stop_bundle(its_version bigint, its_why text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE filterd.bundle SET state = 'stopped', why = its_why, stage_since = clock_timestamp() WHERE version = its_version AND state = 'staged';
    IF FOUND THEN
        PERFORM pg_notify('filterd_bundles', its_version::text);
    END IF;
    RETURN FOUND;
END $$;

-- What each node does once a second; one at a time, and the others do not wait.
CREATE FUNCTION filterd.advance_bundles() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    b record;
    complaint text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('filterd.bundles', 0)) THEN
        RETURN;
    END IF;
    FOR b IN SELECT version, before, stage, stage_since FROM filterd.bundle WHERE state = 'staged' LOOP
        complaint := filterd.bundle_complaint(b.version, b.before);
        IF complaint IS NOT NULL THEN
            PERFORM filterd.stop_bundle(b.version, complaint);
        ELSIF EXISTS (SELECT FROM filterd.bundle_nodes(b.version) m JOIN filterd.node n ON n.id = m.id WHERE n.bundle IS DISTINCT FROM b.version)
              OR NOT EXISTS (SELECT FROM filterd.bundle_nodes(b.version)) THEN
            -- The stage lasts from when all of its nodes have it.
            UPDATE filterd.bundle SET stage_since = clock_timestamp() WHERE version = b.version;
        ELSIF b.stage_since + (SELECT lasts FROM filterd.bundle_stage s WHERE s.version = b.version AND s.stage = b.stage) <= clock_timestamp() THEN
            UPDATE filterd.bundle SET stage = stage + 1, stage_since = clock_timestamp(),
                state = CASE WHEN stage = (SELECT max(s.stage) FROM filterd.bundle_stage s WHERE s.version = b.version) THEN 'done' ELSE state END
                WHERE version = b.version;
            PERFORM pg_notify('filterd_bundles', b.version::text);
        END IF;
    END LOOP;
    DELETE FROM filterd.bundle_use WHERE at < clock_timestamp() - interval '30 days';
END $$;
