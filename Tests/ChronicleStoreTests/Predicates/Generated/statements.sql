-- limits
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_"
    "x", 2
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ?
    "x", 2
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_"
    "x", 2
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 3
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 2, 3
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 3
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ? OFFSET ?
    "x", 2, -1, 2
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? LIMIT ? OFFSET ?)
    "x", 2, -1, 2
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ? OFFSET ?
    "x", 2, -1, 2
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ? OFFSET ?
    "x", 2, 3, 2
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? LIMIT ? OFFSET ?)
    "x", 2, 3, 2
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ? OFFSET ?
    "x", 2, 3, 2
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ? AND t."rank" > ?)
    "x", 2
-- excluded identifiers
SELECT t.* FROM "Sight" AS t WHERE NOT (t."_rowid_" = ?) ORDER BY t."_rowid_"
    7
SELECT (SELECT count(*) FROM "Sight" AS t) - (SELECT count(*) FROM "Sight" AS t WHERE (t."_rowid_" = ?))
    7
SELECT t."_rowid_" FROM "Sight" AS t WHERE NOT (t."_rowid_" = ?) ORDER BY t."_rowid_"
    7
DELETE FROM "Sight" AS t
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" = ?) ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 7, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" = ?) LIMIT ?)
    "x", 2, 7, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" = ?) ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 7, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" = ?))
    "x", 2, 7
SELECT t.* FROM "Sight" AS t WHERE NOT (t."_rowid_" IN (SELECT value FROM json_each(?))) ORDER BY t."_rowid_"
    "[7,7]"
SELECT (SELECT count(*) FROM "Sight" AS t) - (SELECT count(*) FROM "Sight" AS t WHERE (t."_rowid_" IN (SELECT value FROM json_each(?))))
    "[7,7]"
SELECT t."_rowid_" FROM "Sight" AS t WHERE NOT (t."_rowid_" IN (SELECT value FROM json_each(?))) ORDER BY t."_rowid_"
    "[7,7]"
DELETE FROM "Sight" AS t
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" IN (SELECT value FROM json_each(?))) ORDER BY t."_rowid_" LIMIT ?
    "x", 2, "[7,7]", 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" IN (SELECT value FROM json_each(?))) LIMIT ?)
    "x", 2, "[7,7]", 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" IN (SELECT value FROM json_each(?))) ORDER BY t."_rowid_" LIMIT ?
    "x", 2, "[7,7]", 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (j1."name" = ? AND t."rank" > ?) AND NOT (t."_rowid_" IN (SELECT value FROM json_each(?))))
    "x", 2, "[7,7]"
-- lookups
SELECT t.* FROM "Sight" AS t WHERE t."_rowid_" = ? ORDER BY t."_rowid_"
    7
SELECT count(*) FROM "Sight" AS t WHERE t."_rowid_" = ?
    7
SELECT t."_rowid_" FROM "Sight" AS t WHERE t."_rowid_" = ? ORDER BY t."_rowid_"
    7
DELETE FROM "Sight" AS t WHERE t."_rowid_" = ?
    7
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."_rowid_" = ? AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    7, "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."_rowid_" = ? AND j1."name" = ? AND t."rank" > ? LIMIT ?)
    7, "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."_rowid_" = ? AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    7, "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."_rowid_" = ? AND j1."name" = ? AND t."rank" > ?)
    7, "x", 2
SELECT t.* FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT t."_rowid_" FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
DELETE FROM "Sight" AS t WHERE 0
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT t."_rowid_" FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
DELETE FROM "Sight" AS t WHERE 0
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t WHERE t."region" = ? ORDER BY t."_rowid_"
    7
SELECT count(*) FROM "Sight" AS t WHERE t."region" = ?
    7
SELECT t."_rowid_" FROM "Sight" AS t WHERE t."region" = ? ORDER BY t."_rowid_"
    7
DELETE FROM "Sight" AS t WHERE t."region" = ?
    7
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."region" = ? AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    7, "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."region" = ? AND j1."name" = ? AND t."rank" > ? LIMIT ?)
    7, "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."region" = ? AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    7, "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."region" = ? AND j1."name" = ? AND t."rank" > ?)
    7, "x", 2
SELECT t.* FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT t."_rowid_" FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
DELETE FROM "Sight" AS t WHERE 0
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ?)
    "x", 2
SELECT t.* FROM "Sight" AS t WHERE t."name" = ? AND t."region" = ? ORDER BY t."_rowid_"
    "x", 1
SELECT count(*) FROM "Sight" AS t WHERE t."name" = ? AND t."region" = ?
    "x", 1
SELECT t."_rowid_" FROM "Sight" AS t WHERE t."name" = ? AND t."region" = ? ORDER BY t."_rowid_"
    "x", 1
DELETE FROM "Sight" AS t WHERE t."name" = ? AND t."region" = ?
    "x", 1
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."name" = ? AND t."region" = ? AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 1, "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."name" = ? AND t."region" = ? AND j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 1, "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."name" = ? AND t."region" = ? AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 1, "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."name" = ? AND t."region" = ? AND j1."name" = ? AND t."rank" > ?)
    "x", 1, "x", 2
SELECT t.* FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT t."_rowid_" FROM "Sight" AS t WHERE 0 ORDER BY t."_rowid_"
DELETE FROM "Sight" AS t WHERE 0
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
SELECT count(*) FROM (SELECT 1 FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? LIMIT ?)
    "x", 2, 0
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ? ORDER BY t."_rowid_" LIMIT ?
    "x", 2, 0
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE 0 AND j1."name" = ? AND t."rank" > ?)
    "x", 2
-- orders
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" ORDER BY t."note", t."price" COLLATE chronicle_decimal, j1."name", t."cost", t."_rowid_"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region"
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" ORDER BY t."note", t."price" COLLATE chronicle_decimal, j1."name", t."cost", t."_rowid_"
DELETE FROM "Sight" AS t
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ? ORDER BY t."_rowid_"
    1
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ?
    1
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ? ORDER BY t."_rowid_"
    1
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ?)
    1
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" ORDER BY t."note" DESC, t."price" COLLATE chronicle_decimal DESC, j1."name" DESC, t."cost" DESC, t."_rowid_"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region"
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" ORDER BY t."note" DESC, t."price" COLLATE chronicle_decimal DESC, j1."name" DESC, t."cost" DESC, t."_rowid_"
DELETE FROM "Sight" AS t
SELECT t.* FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ? ORDER BY t."_rowid_" DESC
    1
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ?
    1
SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ? ORDER BY t."_rowid_" DESC
    1
DELETE FROM "Sight" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ?)
    1
