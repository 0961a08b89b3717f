UPDATE "Sight" AS t SET "rank" = ? WHERE t."rank" > ?
    7, 2
UPDATE "Sight" AS t SET "rank" = chronicle_checked(chronicle_integer(t."rank" + ?), ?, ?, 0, ?) WHERE t."rank" > ?
    1, -9223372036854775808, 9223372036854775807, "rank", 2
UPDATE "Sight" AS t SET "note" = ? WHERE t."rank" > ?
    null, 2
UPDATE "Sight" AS t SET "note" = t."name" WHERE t."rank" > ?
    2
UPDATE "Sight" AS t SET "cost" = ifnull((iif(t."cost" <= 9e999, t."cost", NULL) * ?), x'7ff8000000000000') WHERE t."rank" > ?
    2.0 0x4000000000000000, 2
UPDATE "Sight" AS t SET "cost" = ? WHERE t."rank" > ?
    nan 0x7ff8000000000000, 2
UPDATE "Sight" AS t SET "cost" = ifnull(iif(iif(t."cost" <= 9e999, t."cost", NULL) = 0, iif(t."cost" <= 9e999, t."cost", NULL) * chronicle_reciprocal(iif(t."cost" <= 9e999, t."cost", NULL)), 1.0 * iif(t."cost" <= 9e999, t."cost", NULL) / iif(t."cost" <= 9e999, t."cost", NULL)), x'7ff8000000000000') WHERE t."rank" > ?
    2
UPDATE "Sight" AS t SET "discount" = ifnull(t."discount", t."cost") WHERE t."rank" > ?
    2
UPDATE "Sight" AS t SET "score" = chronicle_checked(chronicle_integer(t."rank" * ?), ?, ?, 0, ?) WHERE t."rank" > ?
    2, -9223372036854775808, 9223372036854775807, "score", 2
UPDATE "Sight" AS t SET "score" = t."score" WHERE t."rank" > ?
    2
UPDATE "Sight" AS t SET "name" = (CASE WHEN t."rank" > ? THEN t."name" ELSE ? END) WHERE t."rank" > ?
    2, "small", 2
UPDATE "Sight" AS t SET "isOpen" = (t."rank" > ?) WHERE t."rank" > ?
    2, 2
UPDATE "Sight" AS t SET "rank" = chronicle_checked(chronicle_integer(chronicle_count(t."name") / t."rank"), ?, ?, 0, ?) WHERE t."rank" > ?
    -9223372036854775808, 9223372036854775807, "rank", 2
error: preferInMemoryFilter
UPDATE "Sight" AS t SET "rank" = chronicle_checked((SELECT count(*) FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_"), ?, ?, 0, ?) WHERE t."rank" > ?
    -9223372036854775808, 9223372036854775807, "rank", 2
UPDATE "Sight" AS t SET "tags" = ? WHERE t."rank" > ?
    "[\"a\"]", 2
