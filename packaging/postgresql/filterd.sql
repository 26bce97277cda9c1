-- The tables of filterd-link(8), version 1: psql --single-transaction --set ON_ERROR_STOP=1 --file filterd.sql
CREATE SCHEMA filterd;
CREATE TABLE filterd.schema_version (v integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
INSERT INTO filterd.schema_version (v) VALUES (1);

-- A node and how far its decision log is copied: the file (SHA-256 of its first line), the offset behind the last line.
CREATE TABLE filterd.node (
    node text PRIMARY KEY,
    id smallint GENERATED ALWAYS AS IDENTITY UNIQUE,
    seen timestamptz,
    file text NOT NULL DEFAULT '',
    file_ns bigint NOT NULL DEFAULT 0,
    file_offset bigint NOT NULL DEFAULT 0,
    forwarded bigint NOT NULL DEFAULT 0
);

-- The lines, byte for byte; the other columns are read from them.
CREATE TABLE filterd.record (
    node smallint NOT NULL,
    seq bigint NOT NULL,
    ts timestamptz NOT NULL,
    type text,
    action text,
    rule text,
    req_id text,
    line text NOT NULL,
    PRIMARY KEY (node, seq, ts)
);
CREATE INDEX record_ts ON filterd.record (ts);
