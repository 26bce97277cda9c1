-- Decisions of reviewers as orders to the nodes that have the lines, and what filterctl fleet shows of nodes, by filterd-link(8), version 5, on
-- top of review.sql:
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
