SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA s;
CREATE FUNCTION s.chronicle_delete_1() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), 1, 'd', o._rowid_, NULL, ARRAY[0::smallint]::smallint[], ARRAY['t' || o."text"]::text[], NULL
FROM chronicle_old AS o;
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION s.chronicle_delete_2() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), 2, 'd', o._rowid_, NULL, NULL, NULL, NULL
FROM chronicle_old AS o;
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION s.chronicle_insert_1() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), 1, 'i', n._rowid_, NULL, NULL, NULL, NULL
FROM chronicle_new AS n;
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION s.chronicle_insert_2() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), 2, 'i', n._rowid_, NULL, NULL, NULL, NULL
FROM chronicle_new AS n;
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION s.chronicle_merge() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$DECLARE
    earlier bigint := (SELECT p.after FROM chronicle_pending AS p
        WHERE p.transaction = pg_current_xact_id_if_assigned() AND p.began = now());
BEGIN
    IF earlier IS NULL OR NOT EXISTS (
        SELECT FROM chronicle_change AS c
        WHERE c.transaction = pg_current_xact_id() AND c.id > earlier AND c.kind <> 'd'
        GROUP BY c.entity, c.primary_key HAVING count(*) > 1
    ) THEN
        RETURN;
    END IF;
    WITH RECURSIVE root AS (
        SELECT id AS entity, id AS root FROM chronicle_entity WHERE superentity IS NULL
        UNION ALL SELECT e.id, r.root FROM chronicle_entity AS e JOIN root AS r ON e.superentity = r.entity
    ), stored AS (
        SELECT r.entity, array_agg(a.number) AS stored
        FROM root AS r JOIN chronicle_attribute AS a ON a.entity = r.root WHERE a.present GROUP BY r.entity
    ), change AS MATERIALIZED (
        SELECT c.*, coalesce(s.stored, '{}') AS stored
        FROM chronicle_change AS c LEFT JOIN stored AS s ON s.entity = c.entity
        WHERE c.transaction = pg_current_xact_id() AND c.id > earlier AND c.kind <> 'd'
    ), again AS (
        SELECT c.entity, c.primary_key FROM change AS c CROSS JOIN unnest(c.attributes) AS a(number)
        WHERE a.number = ANY (c.stored) AND NOT FALSE GROUP BY c.entity, c.primary_key, a.number HAVING count(*) > 1
    ), model AS (
        SELECT c.entity, c.primary_key, max(c.id) AS last, bool_or(c.kind = 'i') AS is_insert FROM change AS c
        WHERE (c.entity, c.primary_key) NOT IN (SELECT entity, primary_key FROM again)
        GROUP BY c.entity, c.primary_key
        HAVING count(*) > 1 AND NOT (bool_or(c.kind = 'i') AND bool_or(c.attributes && c.stored))
    ), repeated AS MATERIALIZED (
        SELECT c.id, c.attributes, c.preserved, c.old_values, c.new_values, c.stored, m.last, m.is_insert
        FROM change AS c JOIN model AS m ON m.entity = c.entity AND m.primary_key = c.primary_key
    ), counted AS MATERIALIZED (
        SELECT r.last, a.number, count(DISTINCT r.id) AS count
        FROM repeated AS r CROSS JOIN unnest(r.attributes) AS a(number) GROUP BY r.last, a.number
    ), updated AS (
        SELECT last, array_agg(number ORDER BY number) AS numbers FROM counted GROUP BY last
    ), listed AS (
        SELECT r.last, r.id, v.number, v.old, v.new, v.place, v.number = ANY (r.stored) AS is_stored
        FROM repeated AS r CROSS JOIN unnest(r.preserved, r.old_values, r.new_values)
            WITH ORDINALITY AS v(number, old, new, place)
    ), value AS (
        SELECT last, id, number, old, new, place, FALSE AS is_stored, TRUE AS is_complete FROM listed
        WHERE NOT is_stored
        UNION ALL
        SELECT l.last, min(l.id), l.number, (array_agg(l.old ORDER BY l.id))[1],
            (array_agg(l.new ORDER BY l.id DESC))[1], min(l.place), TRUE,
            count(*) >= coalesce(min(n.count), 0)
        FROM listed AS l LEFT JOIN counted AS n ON n.last = l.last AND n.number = l.number
        WHERE l.is_stored GROUP BY l.last, l.number
    ), preserved AS (
        SELECT v.last, array_agg(v.number ORDER BY v.number, v.id, v.place) AS numbers,
            array_agg(v.old ORDER BY v.number, v.id, v.place) AS old_values,
            array_agg(v.new ORDER BY v.number, v.id, v.place) AS new_values
        FROM value AS v WHERE NOT v.is_stored OR v.is_complete GROUP BY v.last
    ), removed AS (
        DELETE FROM chronicle_change AS c USING repeated AS r
        WHERE c.transaction = pg_current_xact_id() AND c.id = r.id AND r.id <> r.last
    )
    UPDATE chronicle_change AS c SET kind = CASE WHEN r.is_insert THEN 'i'::"char" ELSE 'u' END,
        attributes = CASE WHEN NOT r.is_insert THEN u.numbers END, preserved = p.numbers,
        old_values = p.old_values, new_values = p.new_values
    FROM repeated AS r LEFT JOIN updated AS u ON u.last = r.last LEFT JOIN preserved AS p ON p.last = r.last
    WHERE c.transaction = pg_current_xact_id() AND c.id = r.last AND r.id = r.last;
END$$;
CREATE FUNCTION s.chronicle_merge_released(entities bigint[], keys bigint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $_$DECLARE
    earlier bigint := (SELECT p.after FROM chronicle_pending AS p
        WHERE p.transaction = pg_current_xact_id_if_assigned() AND p.began = now());
BEGIN
    IF earlier IS NULL OR NOT EXISTS (
        SELECT FROM chronicle_change AS c
        WHERE c.transaction = pg_current_xact_id() AND c.id > earlier AND c.kind <> 'd'
        GROUP BY c.entity, c.primary_key HAVING count(*) > 1
    ) THEN
        RETURN;
    END IF;
    WITH RECURSIVE root AS (
        SELECT id AS entity, id AS root FROM chronicle_entity WHERE superentity IS NULL
        UNION ALL SELECT e.id, r.root FROM chronicle_entity AS e JOIN root AS r ON e.superentity = r.entity
    ), stored AS (
        SELECT r.entity, array_agg(a.number) AS stored
        FROM root AS r JOIN chronicle_attribute AS a ON a.entity = r.root WHERE a.present GROUP BY r.entity
    ), change AS MATERIALIZED (
        SELECT c.*, coalesce(s.stored, '{}') AS stored
        FROM chronicle_change AS c LEFT JOIN stored AS s ON s.entity = c.entity
        WHERE c.transaction = pg_current_xact_id() AND c.id > earlier AND c.kind <> 'd'
    ), again AS (
        SELECT c.entity, c.primary_key FROM change AS c CROSS JOIN unnest(c.attributes) AS a(number)
        WHERE a.number = ANY (c.stored) AND NOT (c.entity, c.primary_key) IN (SELECT * FROM unnest($1, $2)) GROUP BY c.entity, c.primary_key, a.number HAVING count(*) > 1
    ), model AS (
        SELECT c.entity, c.primary_key, max(c.id) AS last, bool_or(c.kind = 'i') AS is_insert FROM change AS c
        WHERE (c.entity, c.primary_key) NOT IN (SELECT entity, primary_key FROM again)
        GROUP BY c.entity, c.primary_key
        HAVING count(*) > 1 AND NOT (bool_or(c.kind = 'i') AND bool_or(c.attributes && c.stored))
    ), repeated AS MATERIALIZED (
        SELECT c.id, c.attributes, c.preserved, c.old_values, c.new_values, c.stored, m.last, m.is_insert
        FROM change AS c JOIN model AS m ON m.entity = c.entity AND m.primary_key = c.primary_key
    ), counted AS MATERIALIZED (
        SELECT r.last, a.number, count(DISTINCT r.id) AS count
        FROM repeated AS r CROSS JOIN unnest(r.attributes) AS a(number) GROUP BY r.last, a.number
    ), updated AS (
        SELECT last, array_agg(number ORDER BY number) AS numbers FROM counted GROUP BY last
    ), listed AS (
        SELECT r.last, r.id, v.number, v.old, v.new, v.place, v.number = ANY (r.stored) AS is_stored
        FROM repeated AS r CROSS JOIN unnest(r.preserved, r.old_values, r.new_values)
            WITH ORDINALITY AS v(number, old, new, place)
    ), value AS (
        SELECT last, id, number, old, new, place, FALSE AS is_stored, TRUE AS is_complete FROM listed
        WHERE NOT is_stored
        UNION ALL
        SELECT l.last, min(l.id), l.number, (array_agg(l.old ORDER BY l.id))[1],
            (array_agg(l.new ORDER BY l.id DESC))[1], min(l.place), TRUE,
            count(*) >= coalesce(min(n.count), 0)
        FROM listed AS l LEFT JOIN counted AS n ON n.last = l.last AND n.number = l.number
        WHERE l.is_stored GROUP BY l.last, l.number
    ), preserved AS (
        SELECT v.last, array_agg(v.number ORDER BY v.number, v.id, v.place) AS numbers,
            array_agg(v.old ORDER BY v.number, v.id, v.place) AS old_values,
            array_agg(v.new ORDER BY v.number, v.id, v.place) AS new_values
        FROM value AS v WHERE NOT v.is_stored OR v.is_complete GROUP BY v.last
    ), removed AS (
        DELETE FROM chronicle_change AS c USING repeated AS r
        WHERE c.transaction = pg_current_xact_id() AND c.id = r.id AND r.id <> r.last
    )
    UPDATE chronicle_change AS c SET kind = CASE WHEN r.is_insert THEN 'i'::"char" ELSE 'u' END,
        attributes = CASE WHEN NOT r.is_insert THEN u.numbers END, preserved = p.numbers,
        old_values = p.old_values, new_values = p.new_values
    FROM repeated AS r LEFT JOIN updated AS u ON u.last = r.last LEFT JOIN preserved AS p ON p.last = r.last
    WHERE c.transaction = pg_current_xact_id() AND c.id = r.last AND r.id = r.last;
END$_$;
CREATE FUNCTION s.chronicle_number() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $_$DECLARE
    state chronicle_history%ROWTYPE;
    started timestamptz := pg_postmaster_start_time();
    low xid8;
    newest record;
BEGIN
    SELECT * INTO STRICT state FROM chronicle_history;
    low := CASE WHEN state.server = started THEN state.horizon ELSE '0' END;
    IF NOT EXISTS (SELECT FROM chronicle_pending WHERE transaction >= low) THEN
        RETURN state.position;
    END IF;
    IF current_setting('transaction_read_only')::boolean THEN
        RETURN state.position;
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'transactions are numbered at the isolation level READ COMMITTED'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    -- The next statement sees what was committed before this one returned.
    SELECT * INTO STRICT state FROM chronicle_history FOR UPDATE;
    low := CASE WHEN state.server = started THEN state.horizon ELSE '0' END;
    WITH moved AS (
        DELETE FROM chronicle_pending WHERE transaction >= low
        AND transaction IS DISTINCT FROM pg_current_xact_id_if_assigned() RETURNING *
    ), bounded AS (
        SELECT *, coalesce(lead(after) OVER (PARTITION BY transaction ORDER BY after),
            9223372036854775807) AS until FROM moved
    ), numbered AS (
        INSERT INTO chronicle_transaction(position, transaction, first_change, last_change, change_count,
            first_number, check_value, timestamp, author, context, process, bundle, metadata)
        SELECT state.position + row_number() OVER ordered, b.transaction, c.first, c.last, c.count,
            state.next_change + sum(c.last - c.first + 1) OVER ordered - (c.last - c.first + 1),
            coalesce(CASE WHEN jsonb_typeof(b.header->'check') = 'number'
    AND (b.header->'check')::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (b.header->'check')::numeric END::bigint, ('x' || md5(random()::text || clock_timestamp()::text))::bit(64)::bigint),
coalesce(CASE WHEN jsonb_typeof(b.header->'timestamp') = 'number'
    AND (b.header->'timestamp')::numeric BETWEEN -1e12 AND 1e12 THEN (b.header->'timestamp')::numeric END::double precision,
    extract(epoch FROM b.changed) - 978307200),
b.header->>'author', b.header->>'context', b.header->>'process', b.header->>'bundle',
CASE WHEN jsonb_typeof(b.header->'metadata') = 'object' AND NOT jsonb_path_exists(b.header->'metadata',
    'strict $.* ? (@.type() <> "string")') THEN b.header->'metadata' END
        FROM bounded AS b CROSS JOIN LATERAL (
            SELECT min(id) AS first, max(id) AS last, count(*) AS count FROM chronicle_change AS c
            WHERE c.transaction = b.transaction AND c.id > b.after AND c.id <= b.until
        ) AS c
        WHERE c.count > 0 WINDOW ordered AS (ORDER BY c.last)
        RETURNING position, check_value, first_number + last_change - first_change + 1 AS next_change
    )
    SELECT *, pg_snapshot_xmin(pg_current_snapshot()) AS horizon INTO newest
        FROM numbered ORDER BY position DESC LIMIT 1;
    IF FOUND THEN
        UPDATE chronicle_history SET position = newest.position, check_value = newest.check_value,
            next_change = newest.next_change, horizon = newest.horizon, server = started;
        RETURN newest.position;
    END IF;
    RETURN state.position;
END$_$;
CREATE FUNCTION s.chronicle_truncate_1() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), 1, 'd', o._rowid_, NULL, ARRAY[0::smallint]::smallint[], ARRAY['t' || o."text"]::text[], NULL
FROM "Note" AS o;
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION s.chronicle_truncate_2() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), 2, 'd', o._rowid_, NULL, NULL, NULL, NULL
FROM "Page" AS o;
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION s.chronicle_update_1() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), CASE c.kind WHEN 'd' THEN 1 ELSE 1 END, c.kind, c.key, CASE c.kind WHEN 'u' THEN c.attributes END, CASE c.kind WHEN 'u' THEN NULL WHEN 'i' THEN NULL ELSE ARRAY[0::smallint]::smallint[] END, CASE c.kind WHEN 'u' THEN NULL WHEN 'i' THEN NULL ELSE ARRAY['t' || o."text"]::text[] END, NULL
FROM chronicle_old AS o FULL JOIN chronicle_new AS n ON o._rowid_ = n._rowid_ CROSS JOIN LATERAL (
SELECT CASE WHEN o._rowid_ IS NULL THEN 'i'::"char" WHEN n._rowid_ IS NULL THEN 'd' ELSE 'u' END AS kind, coalesce(n._rowid_, o._rowid_) AS key, array_remove(ARRAY[CASE WHEN o."text" IS DISTINCT FROM n."text" THEN 0::smallint END, CASE WHEN o."number" IS DISTINCT FROM n."number" THEN 1::smallint END], NULL) AS attributes) AS c
WHERE c.kind <> 'u' OR c.attributes <> '{}';
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION s.chronicle_update_2() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 's', 'pg_temp'
    AS $$
DECLARE
    after bigint := pg_sequence_last_value('chronicle_change_id');
    isChanged boolean := FALSE;
BEGIN
    INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, new_values) SELECT pg_current_xact_id(), CASE c.kind WHEN 'd' THEN 2 ELSE 2 END, c.kind, c.key, CASE c.kind WHEN 'u' THEN c.attributes END, NULL, NULL, NULL
FROM chronicle_old AS o FULL JOIN chronicle_new AS n ON o._rowid_ = n._rowid_ CROSS JOIN LATERAL (
SELECT CASE WHEN o._rowid_ IS NULL THEN 'i'::"char" WHEN n._rowid_ IS NULL THEN 'd' ELSE 'u' END AS kind, coalesce(n._rowid_, o._rowid_) AS key, array_remove(ARRAY[CASE WHEN o."body" IS DISTINCT FROM n."body" THEN 0::smallint END, CASE WHEN o."note" IS DISTINCT FROM n."note" THEN 1::smallint END], NULL) AS attributes) AS c
WHERE c.kind <> 'u' OR c.attributes <> '{}';
    isChanged := isChanged OR FOUND;
    IF isChanged THEN
        INSERT INTO chronicle_pending(transaction, began, after, changed, header) VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), nullif(current_setting('chronicle.save', true), '')::jsonb) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE s."Note" (
    _rowid_ bigint NOT NULL,
    text text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL
);
ALTER TABLE s."Note" ALTER COLUMN _rowid_ ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME s."Note__rowid__seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE s."Page" (
    _rowid_ bigint NOT NULL,
    body text NOT NULL COLLATE pg_catalog."C",
    note bigint
);
ALTER TABLE s."Page" ALTER COLUMN _rowid_ ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME s."Page__rowid__seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE s.chronicle_attribute (
    entity bigint NOT NULL,
    number smallint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    type text,
    destination text COLLATE pg_catalog."C",
    present boolean NOT NULL,
    preserved_inserts smallint NOT NULL,
    preserved_updates smallint NOT NULL,
    preserved_deletes smallint NOT NULL
);
CREATE SEQUENCE s.chronicle_change_id
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;
CREATE TABLE s.chronicle_change (
    transaction xid8 NOT NULL,
    id bigint DEFAULT nextval('s.chronicle_change_id'::regclass) NOT NULL,
    entity bigint NOT NULL,
    kind "char" NOT NULL,
    primary_key bigint NOT NULL,
    attributes smallint[],
    preserved smallint[],
    old_values text[],
    new_values text[]
);
CREATE TABLE s.chronicle_consumer (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    "position" bigint,
    check_value bigint,
    rebuild text,
    fence bigint NOT NULL,
    attempts bigint NOT NULL,
    acknowledged double precision,
    seen double precision NOT NULL,
    skip_count bigint NOT NULL,
    skips text
);
ALTER TABLE s.chronicle_consumer ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME s.chronicle_consumer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE s.chronicle_entity (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    superentity bigint,
    definition text
);
CREATE TABLE s.chronicle_history (
    "position" bigint NOT NULL,
    check_value bigint NOT NULL,
    next_change bigint NOT NULL,
    floor bigint NOT NULL,
    floor_check bigint NOT NULL,
    gap bigint NOT NULL,
    gap_check bigint NOT NULL,
    is_recording boolean NOT NULL,
    definitions text NOT NULL,
    horizon xid8 NOT NULL,
    server timestamp with time zone NOT NULL
)
WITH (fillfactor='10');
CREATE TABLE s.chronicle_meta (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL
);
CREATE TABLE s.chronicle_pending (
    transaction xid8 NOT NULL,
    began timestamp with time zone NOT NULL,
    after bigint NOT NULL,
    changed timestamp with time zone NOT NULL,
    header jsonb
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
CREATE TABLE s.chronicle_tag (
    name text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    check_value bigint,
    date double precision NOT NULL
);
CREATE TABLE s.chronicle_transaction (
    "position" bigint NOT NULL,
    transaction xid8 NOT NULL,
    first_change bigint NOT NULL,
    last_change bigint NOT NULL,
    change_count bigint NOT NULL,
    first_number bigint NOT NULL,
    check_value bigint NOT NULL,
    "timestamp" double precision NOT NULL,
    author text COLLATE pg_catalog."C",
    context text COLLATE pg_catalog."C",
    process text COLLATE pg_catalog."C",
    bundle text COLLATE pg_catalog."C",
    metadata jsonb
);
INSERT INTO s."Note" VALUES (1, 'me', 0);
INSERT INTO s."Note" VALUES (2, 'me', 1);
INSERT INTO s."Note" VALUES (3, 'me', 2);
INSERT INTO s."Note" VALUES (4, 'later', 0);
INSERT INTO s."Note" VALUES (5, 'later', 1);
INSERT INTO s."Page" VALUES (1, 'me 0', NULL);
INSERT INTO s."Page" VALUES (2, 'me 1', NULL);
INSERT INTO s."Page" VALUES (3, 'me 2', NULL);
INSERT INTO s."Page" VALUES (4, 'later 0', NULL);
INSERT INTO s."Page" VALUES (5, 'later 1', NULL);
INSERT INTO s.chronicle_attribute VALUES (1, 0, 'text', 'String', NULL, true, 0, 0, 2);
INSERT INTO s.chronicle_attribute VALUES (1, 1, 'number', 'Int', NULL, true, 0, 0, 0);
INSERT INTO s.chronicle_attribute VALUES (2, 0, 'body', 'String', NULL, true, 0, 0, 0);
INSERT INTO s.chronicle_attribute VALUES (2, 1, 'note', NULL, 'Note', true, 0, 0, 0);
INSERT INTO s.chronicle_change VALUES ('727', 1, 1, 'i', 1, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('727', 2, 2, 'i', 1, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('728', 3, 1, 'i', 2, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('728', 4, 2, 'i', 2, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('729', 5, 1, 'i', 3, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('729', 6, 2, 'i', 3, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('731', 7, 1, 'i', 4, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('731', 8, 2, 'i', 4, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('732', 9, 1, 'i', 5, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_change VALUES ('732', 10, 2, 'i', 5, NULL, NULL, NULL, NULL);
INSERT INTO s.chronicle_entity VALUES (1, 'Note', NULL, '{"indices":[],"name":"Note","properties":[{"isOptional":false,"kind":"attribute","name":"text","options":["preserveValueOnDeletion"],"storage":"text","type":"String"},{"isOptional":false,"kind":"attribute","name":"number","options":[],"storage":"integer","type":"Int"},{"deleteRule":"cascade","destination":"Page","inverse":"note","isLinked":false,"isOptional":true,"isToMany":true,"kind":"relationship","maximumModelCount":0,"minimumModelCount":0,"name":"pages","options":[]}],"uniquenessConstraints":[]}');
INSERT INTO s.chronicle_entity VALUES (2, 'Page', NULL, '{"indices":[],"name":"Page","properties":[{"isOptional":false,"kind":"attribute","name":"body","options":[],"storage":"text","type":"String"},{"deleteRule":"nullify","destination":"Note","inverse":"pages","isLinked":false,"isOptional":true,"isToMany":false,"kind":"relationship","maximumModelCount":0,"minimumModelCount":0,"name":"note","options":[]}],"uniquenessConstraints":[]}');
INSERT INTO s.chronicle_history VALUES (3, -7524478835820304450, 7, 0, 0, 0, 0, true, 'd8df07dcdb4976dfc710db412485f7d2 9e4149df73f99489b80078d2018aff7c', '730', '2026-11-26 08:10:37.610422+00');
INSERT INTO s.chronicle_meta VALUES ('store', '03618911-76CB-4690-A7AC-B7E5CEDF5612');
INSERT INTO s.chronicle_meta VALUES ('preservesValues', 'off');
INSERT INTO s.chronicle_meta VALUES ('format', '1');
INSERT INTO s.chronicle_meta VALUES ('history', 'on');
INSERT INTO s.chronicle_meta VALUES ('properties:1', '{"live":[{"isOptional":false,"name":"text","place":"column","storage":"text","typeName":"String"},{"isOptional":false,"name":"number","place":"column","storage":"integer","typeName":"Int"},{"destination":"Page","inverse":"note","isOptional":true,"name":"pages","place":"inverse"}],"removed":[]}');
INSERT INTO s.chronicle_meta VALUES ('properties:2', '{"live":[{"isOptional":false,"name":"body","place":"column","storage":"text","typeName":"String"},{"destination":"Note","inverse":"pages","isOptional":true,"name":"note","place":"column"}],"removed":[]}');
INSERT INTO s.chronicle_meta VALUES ('complete:81339d8d49cfebbdd8f27618c83e8d2d', 'eb212d65135395cdd85c6bf363c236b7');
INSERT INTO s.chronicle_meta VALUES ('known:509483b99f39c1b17c68be9244546895', '{"classes":{"Note":["number","pages","text"],"Page":["body","note"]},"programs":["worker"]}');
INSERT INTO s.chronicle_pending VALUES ('731', '2026-11-26 08:10:53.244669+00', 6, '2026-11-26 08:10:53.246962+00', '{"check": 4581459854898479038, "author": "later", "bundle": "worker", "process": "17552", "timestamp": 817373453.2357635}');
INSERT INTO s.chronicle_pending VALUES ('732', '2026-11-26 08:10:53.252091+00', 8, '2026-11-26 08:10:53.252351+00', '{"check": -216394608527872442, "author": "later", "bundle": "worker", "process": "17552", "timestamp": 817373453.24984}');
INSERT INTO s.chronicle_transaction VALUES (1, '727', 1, 2, 2, 1, -126774648680199075, 817373440.290872, 'me', NULL, '17409', 'worker', NULL);
INSERT INTO s.chronicle_transaction VALUES (2, '728', 3, 4, 2, 3, -3287723379009186169, 817373440.2933909, 'me', NULL, '17409', 'worker', NULL);
INSERT INTO s.chronicle_transaction VALUES (3, '729', 5, 6, 2, 5, -7524478835820304450, 817373440.3089803, 'me', NULL, '17409', 'worker', NULL);
SELECT pg_catalog.setval('s."Note__rowid__seq"', 5, true);
SELECT pg_catalog.setval('s."Page__rowid__seq"', 5, true);
SELECT pg_catalog.setval('s.chronicle_change_id', 10, true);
SELECT pg_catalog.setval('s.chronicle_consumer_id_seq', 1, false);
ALTER TABLE ONLY s."Note"
    ADD CONSTRAINT "Note_pkey" PRIMARY KEY (_rowid_);
ALTER TABLE ONLY s."Page"
    ADD CONSTRAINT "Page_pkey" PRIMARY KEY (_rowid_);
ALTER TABLE ONLY s.chronicle_attribute
    ADD CONSTRAINT chronicle_attribute_pkey PRIMARY KEY (entity, number);
ALTER TABLE ONLY s.chronicle_change
    ADD CONSTRAINT chronicle_change_pkey PRIMARY KEY (transaction, id);
ALTER TABLE ONLY s.chronicle_consumer
    ADD CONSTRAINT chronicle_consumer_id_key UNIQUE (id);
ALTER TABLE ONLY s.chronicle_consumer
    ADD CONSTRAINT chronicle_consumer_pkey PRIMARY KEY (name);
ALTER TABLE ONLY s.chronicle_entity
    ADD CONSTRAINT chronicle_entity_name_key UNIQUE (name);
ALTER TABLE ONLY s.chronicle_entity
    ADD CONSTRAINT chronicle_entity_pkey PRIMARY KEY (id);
ALTER TABLE ONLY s.chronicle_meta
    ADD CONSTRAINT chronicle_meta_pkey PRIMARY KEY (name);
ALTER TABLE ONLY s.chronicle_pending
    ADD CONSTRAINT chronicle_pending_pkey PRIMARY KEY (transaction, began);
ALTER TABLE ONLY s.chronicle_tag
    ADD CONSTRAINT chronicle_tag_pkey PRIMARY KEY (name);
ALTER TABLE ONLY s.chronicle_transaction
    ADD CONSTRAINT chronicle_transaction_pkey PRIMARY KEY ("position");
CREATE INDEX "chronicle_reference_Page_note" ON s."Page" USING btree (note NULLS FIRST);
CREATE INDEX chronicle_transaction_check ON s.chronicle_transaction USING btree (check_value);
CREATE TRIGGER chronicle_delete AFTER DELETE ON s."Note" REFERENCING OLD TABLE AS chronicle_old FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_delete_1();
ALTER TABLE s."Note" ENABLE ALWAYS TRIGGER chronicle_delete;
CREATE TRIGGER chronicle_delete AFTER DELETE ON s."Page" REFERENCING OLD TABLE AS chronicle_old FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_delete_2();
ALTER TABLE s."Page" ENABLE ALWAYS TRIGGER chronicle_delete;
CREATE TRIGGER chronicle_insert AFTER INSERT ON s."Note" REFERENCING NEW TABLE AS chronicle_new FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_insert_1();
ALTER TABLE s."Note" ENABLE ALWAYS TRIGGER chronicle_insert;
CREATE TRIGGER chronicle_insert AFTER INSERT ON s."Page" REFERENCING NEW TABLE AS chronicle_new FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_insert_2();
ALTER TABLE s."Page" ENABLE ALWAYS TRIGGER chronicle_insert;
CREATE TRIGGER chronicle_truncate BEFORE TRUNCATE ON s."Note" FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_truncate_1();
ALTER TABLE s."Note" ENABLE ALWAYS TRIGGER chronicle_truncate;
CREATE TRIGGER chronicle_truncate BEFORE TRUNCATE ON s."Page" FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_truncate_2();
ALTER TABLE s."Page" ENABLE ALWAYS TRIGGER chronicle_truncate;
CREATE TRIGGER chronicle_update AFTER UPDATE ON s."Note" REFERENCING OLD TABLE AS chronicle_old NEW TABLE AS chronicle_new FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_update_1();
ALTER TABLE s."Note" ENABLE ALWAYS TRIGGER chronicle_update;
CREATE TRIGGER chronicle_update AFTER UPDATE ON s."Page" REFERENCING OLD TABLE AS chronicle_old NEW TABLE AS chronicle_new FOR EACH STATEMENT EXECUTE FUNCTION s.chronicle_update_2();
ALTER TABLE s."Page" ENABLE ALWAYS TRIGGER chronicle_update;
ALTER TABLE ONLY s.chronicle_attribute
    ADD CONSTRAINT chronicle_attribute_entity_fkey FOREIGN KEY (entity) REFERENCES s.chronicle_entity(id);
ALTER TABLE ONLY s.chronicle_entity
    ADD CONSTRAINT chronicle_entity_superentity_fkey FOREIGN KEY (superentity) REFERENCES s.chronicle_entity(id);
ALTER TABLE ONLY s."Page"
    ADD CONSTRAINT "chronicle_reference_Page_note" FOREIGN KEY (note) REFERENCES s."Note"(_rowid_) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
REVOKE ALL ON FUNCTION s.chronicle_delete_1() FROM PUBLIC;
REVOKE ALL ON FUNCTION s.chronicle_delete_2() FROM PUBLIC;
REVOKE ALL ON FUNCTION s.chronicle_insert_1() FROM PUBLIC;
REVOKE ALL ON FUNCTION s.chronicle_insert_2() FROM PUBLIC;
REVOKE ALL ON FUNCTION s.chronicle_truncate_1() FROM PUBLIC;
REVOKE ALL ON FUNCTION s.chronicle_truncate_2() FROM PUBLIC;
REVOKE ALL ON FUNCTION s.chronicle_update_1() FROM PUBLIC;
REVOKE ALL ON FUNCTION s.chronicle_update_2() FROM PUBLIC;
