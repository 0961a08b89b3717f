-- members
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."address", '$."ci''ty"') = ? AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) = ?)
    "Rome", "Rome"
SELECT count(*) FROM "Place" AS t WHERE iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) <> ?
    "Rome"
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."address", '$."ci''ty"') IN (?, ?, ?) AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) IN (?, ?, ?))
    "", "Zürich", "a\"b\\c", "", "Zürich", "a\"b\\c"
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."address", '$."ci''ty"') >= ? AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) > ?)
    "a", "a"
SELECT count(*) FROM "Place" AS t WHERE ((json_extract(t."address", '$."ci''ty"') >= ? AND json_extract(t."address", '$."ci''ty"') < ?) AND (iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) >= ? AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) < ?))
    "R", "S", "R", "S"
SELECT count(*) FROM "Place" AS t WHERE instr(iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)), ?) > 0
    "om"
SELECT count(*) FROM "Place" AS t WHERE chronicle_contains(iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)), ?)
    "ROME"
SELECT count(*) FROM "Place" AS t WHERE chronicle_count(iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5))) = ?
    6
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."address", '$."ci''ty"') = ? AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) = ?)
    "", ""
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."address", '$."city"') = ? AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."city"'), chronicle_json(t."address" -> '$."city"', 5)) = ?)
    "Rome", "Rome"
SELECT count(*) FROM "Place" AS t WHERE iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."city"'), chronicle_json(t."address" -> '$."city"', 5)) IS NULL
SELECT count(*) FROM "Place" AS t WHERE iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."city"'), chronicle_json(t."address" -> '$."city"', 5)) IS NOT ?
    "Rome"
SELECT count(*) FROM "Place" AS t WHERE ifnull(iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."city"'), chronicle_json(t."address" -> '$."city"', 5)), ?) = iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5))
    ""
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."number"') = ?
    9007199254740993
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."number"') = ?
    9007199254740992
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."number"') >= ?
    9007199254740993
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."number"') IN (?, ?)
    0, 9223372036854775807
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."small"') = ?
    127
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."isHome"')
SELECT count(*) FROM "Place" AS t WHERE NOT (json_extract(t."address", '$."isHome"'))
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."home"') = ?
    1
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."home"') IS NOT ?
    1
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."since"', 0) = ?
    0.1 0x3fb999999999999a
SELECT count(*) FROM "Place" AS t WHERE (chronicle_json(t."address" -> '$."since"', 0) > ? AND chronicle_json(t."address" -> '$."since"', 0) <= 9e999)
    0.1 0x3fb999999999999a
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."until"', 0) = ?
    0.1 0x3fb999999999999a
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."share"', 1) = ?
    0.10000000149011612 0x3fb99999a0000000
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."share"', 1) <= ?
    0.10000000149011612 0x3fb99999a0000000
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."rent"', 2) = ?
    "9.99"
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."rent"', 2) COLLATE chronicle_decimal < ? COLLATE chronicle_decimal
    "9.99"
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."schlüssel"', 3) = ?
    x'50 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1'
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."schlüssel"', 3) > ?
    x'50 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1'
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."address", '$."page"') = ? AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."page"'), chronicle_json(t."address" -> '$."page"', 5)) = ?)
    "https://example.com/1", "https://example.com/1"
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."image"', 4) = ?
    x'1 ff'
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."address", '$."quality"') = ? AND iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."quality"'), chronicle_json(t."address" -> '$."quality"', 5)) = ?)
    "good", "good"
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."side"') = ?
    1
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."side"') = ?
    2
SELECT count(*) FROM "Place" AS t WHERE chronicle_json(t."address" -> '$."geo"."latitude"', 0) = ?
    0.3333333333333333 0x3fd5555555555555
SELECT count(*) FROM "Place" AS t WHERE (chronicle_json(t."address" -> '$."geo"."latitude"', 0) > ? AND chronicle_json(t."address" -> '$."geo"."latitude"', 0) <= 9e999)
    0.3333333333333333 0x3fd5555555555555
SELECT count(*) FROM "Place" AS t WHERE (iif(chronicle_json(t."address" -> '$."geo"."latitude"', 0) <= 9e999, chronicle_json(t."address" -> '$."geo"."latitude"', 0), NULL) + ?) > ?
    1.0 0x3ff0000000000000, 1.2 0x3ff3333333333333
SELECT count(*) FROM "Place" AS t WHERE (1.0 * iif(chronicle_json(t."address" -> '$."geo"."latitude"', 0) <= 9e999, chronicle_json(t."address" -> '$."geo"."latitude"', 0), NULL) / ?) = ?
    2.0 0x4000000000000000, 2.5 0x4004000000000000
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."geo"."zone"') = ?
    9007199254740993
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."geo"') = ?
    "{\"latitude\":0.1}"
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."other.geo"."zone"') = ?
    9007199254740993
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."other.geo"."zone"') IS NULL
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."address", '$."other.geo"') IS NULL
SELECT count(*) FROM "Place" AS t WHERE (json_extract(t."second", '$."ci''ty"') = ? AND iif(instr(t."second", '\u0000') = 0, json_extract(t."second", '$."ci''ty"'), chronicle_json(t."second" -> '$."ci''ty"', 5)) = ?)
    "Rome", "Rome"
SELECT count(*) FROM "Place" AS t WHERE iif(instr(t."second", '\u0000') = 0, json_extract(t."second", '$."ci''ty"'), chronicle_json(t."second" -> '$."ci''ty"', 5)) IS NOT ?
    "Rome"
SELECT count(*) FROM "Place" AS t WHERE ifnull(json_extract(t."second", '$."other.geo"."zone"'), ?) = ?
    7, 7
SELECT count(*) FROM "Place" AS t WHERE json_extract(t."second", '$."isHome"') = ?
    1
SELECT count(*) FROM "Place" AS t WHERE (ifnull(chronicle_json(t."second" -> '$."geo"."latitude"', 0), ?) > ? AND ifnull(chronicle_json(t."second" -> '$."geo"."latitude"', 0), ?) <= 9e999)
    0.0 0x0, 0.3333333333333333 0x3fd5555555555555, 0.0 0x0
SELECT count(*) FROM "Place" AS t WHERE iif(t."style" IS NULL, NULL, ifnull(iif(instr(t."style", '\u0000') = 0, json_extract(t."style", '$."color"'), chronicle_json(t."style" -> '$."color"', 5)), ?)) = ?
    "white", "white"
SELECT count(*) FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" WHERE (json_extract(j1."home", '$."ci''ty"') = ? AND iif(instr(j1."home", '\u0000') = 0, json_extract(j1."home", '$."ci''ty"'), chronicle_json(j1."home" -> '$."ci''ty"', 5)) = ?)
    "Rome", "Rome"
SELECT count(*) FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" WHERE json_extract(j1."home", '$."geo"."zone"') IS NULL
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(json_extract(t."address", '$."lines"')) AS v1 WHERE 1 AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) = ?)
    "Rome"
SELECT count(*) FROM "Place" AS t WHERE (SELECT count(*) FROM json_each(json_extract(t."address", '$."lines"')) AS v1 WHERE 1) = ?
    2
SELECT count(*) FROM "Place" AS t WHERE (CASE WHEN t."second" IS NOT NULL THEN (EXISTS (SELECT 1 FROM json_each(json_extract(t."second", '$."lines"')) AS v1 WHERE 1 AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) = ?)) END) = ?
    "Rome", 1
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."tags") AS v1 WHERE 1 AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) = ?)
    "Rome"
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."tags") AS v1 WHERE 1 AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) = ?)
    "a\"b\\c"
SELECT count(*) FROM "Place" AS t WHERE NOT (EXISTS (SELECT 1 FROM json_each(t."tags") AS v1 WHERE 1))
SELECT count(*) FROM "Place" AS t WHERE (SELECT count(*) FROM json_each(t."tags") AS v1 WHERE 1) > ?
    1
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."tags") AS v1 WHERE 1 AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) = iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)))
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."tags") AS v1 WHERE 1 AND (iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) >= ? AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) < ?))
    "R", "S"
SELECT count(*) FROM "Place" AS t WHERE NOT (EXISTS (SELECT 1 FROM json_each(t."tags") AS v1 WHERE 1 AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) = ?))
    "Rome"
SELECT count(*) FROM "Place" AS t WHERE (SELECT count(*) FROM json_each(t."tags") AS v1 WHERE 1 AND iif(instr(v1.json, '\u0000') = 0, v1.value, chronicle_json(v1.json -> v1.key, 5)) = ?) = ?
    "Rome", 1
SELECT count(*) FROM "Place" AS t WHERE (CASE WHEN t."marks" IS NOT NULL THEN (EXISTS (SELECT 1 FROM json_each(t."marks") AS v1 WHERE 1 AND v1.value = ?)) END) = ?
    9007199254740993, 1
SELECT count(*) FROM "Place" AS t WHERE t."marks" IS NULL
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(chronicle_elements(t."costs")) AS v1 WHERE 1 AND chronicle_json(v1.value, 0) = ?)
    0.3333333333333333 0x3fd5555555555555
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(chronicle_elements(t."costs")) AS v1 WHERE 1 AND (chronicle_json(v1.value, 0) > ? AND chronicle_json(v1.value, 0) <= 9e999))
    1e+300 0x7e37e43c8800759c
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(chronicle_elements(t."costs")) AS v1 WHERE 1 AND 0)
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(chronicle_elements(t."days")) AS v1 WHERE 1 AND chronicle_json(v1.value, 0) = ?)
    0.1 0x3fb999999999999a
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(chronicle_elements(t."keys")) AS v1 WHERE 1 AND chronicle_json(v1.value, 3) = ?)
    x'50 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1'
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."flags") AS v1 WHERE 1 AND v1.value = ?)
    1
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(chronicle_elements(t."prices")) AS v1 WHERE 1 AND chronicle_json(v1.value, 2) = ?)
    "9.99"
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(chronicle_elements(t."prices")) AS v1 WHERE 1 AND chronicle_json(v1.value, 2) COLLATE chronicle_decimal > ? COLLATE chronicle_decimal)
    "9.99"
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."geos") AS v1 WHERE 1 AND chronicle_json(v1.value -> '$."latitude"', 0) = ?)
    0.3333333333333333 0x3fd5555555555555
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."geos") AS v1 WHERE 1 AND json_extract(v1.value, '$."zone"') IS NULL)
SELECT count(*) FROM "Place" AS t WHERE EXISTS (SELECT 1 FROM json_each(t."geos") AS v1 WHERE 1 AND v1.value = ?)
    "{\"latitude\":0.1}"
SELECT count(*) FROM "Place" AS t WHERE t."price" = ?
    "9.99"
SELECT count(*) FROM "Place" AS t WHERE t."price" COLLATE chronicle_decimal > ? COLLATE chronicle_decimal
    "9.99"
SELECT count(*) FROM "Place" AS t WHERE t."price" COLLATE chronicle_decimal >= ? COLLATE chronicle_decimal AND t."price" COLLATE chronicle_decimal <= ? COLLATE chronicle_decimal
    "0", "2"
SELECT count(*) FROM "Place" AS t WHERE ifnull(t."discount", ?) COLLATE chronicle_decimal < ? COLLATE chronicle_decimal
    "0", "2"
SELECT count(*) FROM "Place" AS t WHERE t."price" COLLATE chronicle_decimal > ifnull(t."discount", ?) COLLATE chronicle_decimal
    "5"
-- sorts
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."city"'), chronicle_json(t."address" -> '$."city"', 5)), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY json_extract(t."address", '$."number"'), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."since"', 0), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."share"', 1), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."rent"', 2) COLLATE chronicle_decimal, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."schlüssel"', 3), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY json_extract(t."address", '$."geo"."zone"'), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(instr(t."second", '\u0000') = 0, json_extract(t."second", '$."ci''ty"'), chronicle_json(t."second" -> '$."ci''ty"', 5)), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY json_extract(t."second", '$."other.geo"."zone"'), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(t."style" IS NULL, NULL, ifnull(iif(instr(t."style", '\u0000') = 0, json_extract(t."style", '$."color"'), chronicle_json(t."style" -> '$."color"', 5)), ?)), t."name", t."_rowid_"
    "white"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY t."price" COLLATE chronicle_decimal, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY t."discount" COLLATE chronicle_decimal, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" ORDER BY j1."name", t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" ORDER BY iif(instr(j1."home", '\u0000') = 0, json_extract(j1."home", '$."ci''ty"'), chronicle_json(j1."home" -> '$."ci''ty"', 5)), t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" ORDER BY j1."wealth" COLLATE chronicle_decimal, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."ci''ty"'), chronicle_json(t."address" -> '$."ci''ty"', 5)) DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(instr(t."address", '\u0000') = 0, json_extract(t."address", '$."city"'), chronicle_json(t."address" -> '$."city"', 5)) DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY json_extract(t."address", '$."number"') DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."since"', 0) DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."share"', 1) DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."rent"', 2) COLLATE chronicle_decimal DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY chronicle_json(t."address" -> '$."schlüssel"', 3) DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY json_extract(t."address", '$."geo"."zone"') DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(instr(t."second", '\u0000') = 0, json_extract(t."second", '$."ci''ty"'), chronicle_json(t."second" -> '$."ci''ty"', 5)) DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY json_extract(t."second", '$."other.geo"."zone"') DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY iif(t."style" IS NULL, NULL, ifnull(iif(instr(t."style", '\u0000') = 0, json_extract(t."style", '$."color"'), chronicle_json(t."style" -> '$."color"', 5)), ?)) DESC, t."name", t."_rowid_"
    "white"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY t."price" COLLATE chronicle_decimal DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t ORDER BY t."discount" COLLATE chronicle_decimal DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" ORDER BY j1."name" DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" ORDER BY iif(instr(j1."home", '\u0000') = 0, json_extract(j1."home", '$."ci''ty"'), chronicle_json(j1."home" -> '$."ci''ty"', 5)) DESC, t."name", t."_rowid_"
SELECT t."_rowid_" FROM "Place" AS t LEFT JOIN "PlaceOwner" AS j1 ON j1."_rowid_" = t."owner" ORDER BY j1."wealth" COLLATE chronicle_decimal DESC, t."name", t."_rowid_"
