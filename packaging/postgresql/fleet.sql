-- What nodes share by filterd-link(8), version 2, on top of filterd.sql: psql --single-transaction --set ON_ERROR_STOP=1 --file fleet.sql
INSERT INTO filterd.schema_version (v) VALUES (2);

-- alive: the last heartbeat that filterd and filterd-link both took part in; NULL: it has stopped in order, or never took part.
-- lease: how long after that agents may go on there; NULL: for ever (on-loss: local).
ALTER TABLE filterd.node ADD COLUMN alive timestamptz, ADD COLUMN lease interval;

-- One node's part of an agent's score, as of at_ns; written by that node alone, with absolute values. since_order: the newest
-- order that the part is behind: a revival makes older parts count nothing.
CREATE TABLE filterd.part (
    tenant text NOT NULL,
    agent text NOT NULL,
    node smallint NOT NULL,
    score double precision NOT NULL CHECK (score >= 0 AND score <= 1e12),
    half_life_ns bigint NOT NULL CHECK (half_life_ns > 0),
    at_ns bigint NOT NULL CHECK (at_ns >= 0),
    since_order bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, agent, node)
) WITH (fillfactor = 50);

-- What was ordered, in the order of its id: claim() and lift() have one lock, so that a smaller id is never committed later.
CREATE TABLE filterd.orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    tenant text NOT NULL,
    agent text NOT NULL,
    what text NOT NULL CHECK (what IN ('cut_network', 'freeze', 'ask', 'kill', 'revoke', 'resume', 'revive')),
    why text NOT NULL,
    "by" text NOT NULL,
    node smallint NOT NULL,
    notified timestamptz, -- when its node was notified that some have not acknowledged it
    done timestamptz  -- when all had
);
CREATE INDEX orders_open ON filterd.orders (node) WHERE done IS NULL;

-- What stands for an agent: reactions that last, with their order; a revival or resumption, so that nodes hear of it that were
-- away; and until when an alert or a throttling ("alert@50": by its threshold) is the one that was recorded.
CREATE TABLE filterd.standing (
    tenant text NOT NULL,
    agent text NOT NULL,
    what text NOT NULL,
    order_id bigint NOT NULL DEFAULT 0,
    until_ns bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, agent, what)
);

CREATE TABLE filterd.acks (
    order_id bigint NOT NULL REFERENCES filterd.orders ON DELETE CASCADE,
    node smallint NOT NULL,
    survivors bigint NOT NULL,
    took_us bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (order_id, node)
);

CREATE FUNCTION filterd.lock_orders() RETURNS void LANGUAGE sql AS
$$ SELECT pg_advisory_xact_lock(hashtextextended('filterd.orders', 0)) $$;

-- A node has seen a threshold crossed, or an operator has ordered it: won when no other has before it.
CREATE FUNCTION filterd.claim(me smallint, its_tenant text, its_agent text, its_what text, lasts boolean, now_ns bigint, its_until_ns bigint,
                              since_order bigint, its_why text, its_by text, OUT won boolean, OUT its_order bigint)
LANGUAGE plpgsql AS $$
DECLARE
    found_until_ns bigint;
    found_order bigint;
    revived bigint;
BEGIN
    PERFORM filterd.lock_orders();
    SELECT order_id INTO revived FROM filterd.standing WHERE tenant = its_tenant AND agent = its_agent AND what = 'revive';
    IF revived > since_order THEN -- that node will hear of it
        won := false;
        its_order := 0;
        RETURN;
    END IF;
    SELECT until_ns, order_id INTO found_until_ns, found_order FROM filterd.standing
        WHERE tenant = its_tenant AND agent = its_agent AND what = its_what;
    won := NOT FOUND OR (NOT lasts AND found_until_ns < now_ns);
    its_order := coalesce(found_order, 0);
    IF won AND lasts THEN
        PERFORM set_config('synchronous_commit', 'on', true);
        INSERT INTO filterd.orders (tenant, agent, what, why, "by", node, done)
            VALUES (its_tenant, its_agent, its_what, its_why, its_by, me,
                    CASE WHEN its_what IN ('kill', 'revoke') THEN NULL ELSE clock_timestamp() END)
            RETURNING id INTO its_order;
        PERFORM pg_notify('filterd_orders', its_order::text);
    END IF;
    IF won OR NOT lasts THEN
        INSERT INTO filterd.standing AS s VALUES (its_tenant, its_agent, its_what, its_order, its_until_ns)
            ON CONFLICT (tenant, agent, what) DO UPDATE SET until_ns = greatest(s.until_ns, EXCLUDED.until_ns);
    END IF;
END $$;

-- An operator revives an agent, or a question was answered and it goes on.
CREATE FUNCTION filterd.lift(me smallint, its_tenant text, its_agent text, its_what text, its_why text, its_by text, OUT its_order bigint)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM filterd.lock_orders(), set_config('synchronous_commit', 'on', true);
    INSERT INTO filterd.orders (tenant, agent, what, why, "by", node, done)
        VALUES (its_tenant, its_agent, its_what, its_why, its_by, me, clock_timestamp()) RETURNING id INTO its_order;
    DELETE FROM filterd.standing WHERE tenant = its_tenant AND agent = its_agent
        AND (its_what = 'revive' OR what IN ('freeze', 'ask'));
    INSERT INTO filterd.standing (tenant, agent, what, order_id) VALUES (its_tenant, its_agent, its_what, its_order)
        ON CONFLICT (tenant, agent, what) DO UPDATE SET order_id = EXCLUDED.order_id;
    IF its_what = 'revive' THEN
        UPDATE filterd.part SET score = 0, since_order = its_order WHERE tenant = its_tenant AND agent = its_agent;
    END IF;
    PERFORM pg_notify('filterd_orders', its_order::text);
END $$;

-- Of all nodes but one, at that time. The exponent is bounded because power() would otherwise fail by underflow.
CREATE FUNCTION filterd.others(me smallint, its_tenant text, its_agent text, now_ns bigint) RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(score * power(0.5::double precision, least(1000, greatest(0, now_ns - at_ns)::double precision / half_life_ns))), 0)
    FROM filterd.part
    WHERE tenant = its_tenant AND agent = its_agent AND node <> me AND since_order >= coalesce(
        (SELECT order_id FROM filterd.standing WHERE tenant = its_tenant AND agent = its_agent AND what = 'revive'), 0)
$$;
