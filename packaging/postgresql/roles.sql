-- What logins may do, on top of the other files: psql --single-transaction --set ON_ERROR_STOP=1 --file roles.sql
-- A login is made as member of these: CREATE ROLE web1 LOGIN IN ROLE filterd_node. After each new version of the tables it is run again.
SET LOCAL client_min_messages = warning; -- what is granted again
DO $$
DECLARE
    its_name text;
BEGIN
    FOREACH its_name IN ARRAY ARRAY['filterd_node', 'filterd_console', 'filterd_publisher', 'filterd_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = its_name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', its_name);
        END IF;
    END LOOP;
END $$;

-- filterd-link of a node. To delete copies (keep) it needs EXECUTE on the function remove_due besides.
GRANT USAGE ON SCHEMA filterd TO filterd_node;
GRANT SELECT ON filterd.schema_version, filterd.bundle, filterd.bundle_keys, filterd.bundle_stage, filterd.bundle_before TO filterd_node;
GRANT SELECT, INSERT, UPDATE ON filterd.node TO filterd_node;
GRANT INSERT ON filterd.record TO filterd_node;
GRANT SELECT, INSERT, UPDATE, DELETE ON filterd.part, filterd.standing, filterd.orders, filterd.acks, filterd.bundle_use TO filterd_node;
GRANT USAGE, SELECT, UPDATE ON SEQUENCE filterd.orders_id_seq TO filterd_node;
GRANT UPDATE (state, stage, stage_since, why) ON filterd.bundle TO filterd_node;
GRANT SELECT, UPDATE, DELETE ON filterd.review_order TO filterd_node;

-- filterd-link of a review console, which is a node, too.
GRANT filterd_node TO filterd_console;
GRANT INSERT ON filterd.review_order TO filterd_console;
GRANT SELECT ON filterd.record, filterd.removal TO filterd_console;

-- Who publishes policy bundles.
GRANT filterd_node TO filterd_publisher;
GRANT INSERT ON filterd.bundle, filterd.bundle_keys, filterd.bundle_stage, filterd.bundle_before TO filterd_publisher;

-- filterd-link gather.
GRANT USAGE ON SCHEMA filterd TO filterd_reader;
GRANT SELECT ON filterd.node, filterd.record, filterd.removal TO filterd_reader;
