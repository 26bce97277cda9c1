-- The review over a fleet by filterd-link(8), version 4, on top of bundles.sql:
-- psql --single-transaction --set ON_ERROR_STOP=1 --file review.sql
INSERT INTO filterd.schema_version (v) VALUES (4);

-- The newest head of the node's tree that it has signed, of lines that were copied.
ALTER TABLE filterd.node ADD COLUMN checkpoint text CHECK (length(checkpoint) <= 65536);
