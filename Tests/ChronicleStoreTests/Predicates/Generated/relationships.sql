-- to one
SELECT count(*) FROM "Sight" AS t WHERE t."region" = ?
    2
SELECT count(*) FROM "Sight" AS t WHERE t."region" = ?
    2
SELECT count(*) FROM "Sight" AS t WHERE t."region" IS NOT ?
    2
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT count(*) FROM "Sight" AS t
SELECT count(*) FROM "Sight" AS t WHERE t."region" IS NULL
SELECT count(*) FROM "Sight" AS t WHERE t."region" IS NOT NULL
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" = ?
    "North"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" IS NOT ?
    "North"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" IS NOT ?
    "North"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."name" IS NULL
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" IS NULL
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" = ?
    1
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."code" IS NOT ?
    1
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE ifnull(j1."code", ?) < ?
    0, 1
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (CASE WHEN t."region" IS NOT NULL THEN (j1."name" IS ?) END) = ?
    "", 1
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" LEFT JOIN "Region" AS j2 ON j2."_rowid_" = j1."parent" WHERE j2."name" = ?
    "Europe"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" LEFT JOIN "Region" AS j2 ON j2."_rowid_" = j1."parent" WHERE j2."name" IS NOT ?
    "Europe"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."parent" = ?
    1
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE j1."parent" IS NULL
SELECT count(*) FROM "Sight" AS t WHERE (t."region" IN (?) OR t."region" IS NULL)
    2
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."region" IN (?) OR t."region" IS NULL))
    2
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE t."region" IS NOT NULL AND j1."name" < ?
    "T"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (t."region" IS NULL OR (j1."name" > ? AND j1."code" IS NULL))
    "O"
SELECT count(*) FROM "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" WHERE (t."region" IS NOT NULL AND instr(j1."name", ?) > 0)
    "or"
-- to many
SELECT count(*) FROM "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."guest" = ?)
    "Ann"
SELECT count(*) FROM "Sight" AS t WHERE NOT (EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."guest" = ?))
    "Ann"
SELECT count(*) FROM "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."remark" IS NOT ?)
    "cold"
SELECT count(*) FROM "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND NOT ((e1."remark" IS ? AND e1."stars" > ?)))
    "cold", 2
SELECT count(*) FROM "Sight" AS t WHERE NOT (EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_"))
SELECT count(*) FROM "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_")
SELECT count(*) FROM "Sight" AS t WHERE (SELECT count(*) FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_") > ?
    1
SELECT count(*) FROM "Sight" AS t WHERE NOT (EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."stars" <= ?))
    2
SELECT count(*) FROM "Sight" AS t WHERE NOT (EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."remark" IS NOT NULL))
SELECT count(*) FROM "Sight" AS t WHERE (SELECT count(*) FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."stars" > ?) = ?
    3, 1
SELECT count(*) FROM "Sight" AS t WHERE NOT (EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."stars" > ?))
    3
SELECT count(*) FROM "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND (e1."stars" > ? AND e1."remark" = ?))
    1, "cold"
SELECT count(*) FROM "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."stars" > t."rank")
SELECT count(*) FROM "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 LEFT JOIN "Sight" AS j2 ON j2."_rowid_" = e1."sight" WHERE e1."sight" = t."_rowid_" AND j2."name" = ?)
    "Tower"
SELECT count(*) FROM "Sight" AS t WHERE (SELECT r FROM (SELECT CASE (e1."sight" = t."_rowid_") WHEN 1 THEN 1 WHEN 0 THEN 0 ELSE 2 END AS r, e1."_rowid_" AS o FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_") AS f WHERE r > 0 ORDER BY o LIMIT 1) = 1
SELECT count(*) FROM "Sight" AS t WHERE (SELECT r FROM (SELECT CASE (e1."sight" = t."_rowid_") WHEN 1 THEN 1 WHEN 0 THEN 0 ELSE 2 END AS r, e1."_rowid_" AS o FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_") AS f WHERE r > 0 ORDER BY o LIMIT 1) = 1
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."region" IS NOT NULL THEN (NOT (EXISTS (SELECT 1 FROM "Sight" AS e1 WHERE e1."region" = t."region"))) END) = ?
    0
SELECT count(*) FROM "Sight" AS t WHERE ifnull((CASE WHEN t."region" IS NOT NULL THEN (SELECT count(*) FROM "Sight" AS e1 WHERE e1."region" = t."region") END), ?) > ?
    0, 1
SELECT count(*) FROM "Sight" AS t WHERE (t."region" IS NOT NULL AND EXISTS (SELECT 1 FROM "Sight" AS e1 WHERE e1."region" = t."region" AND e1."isOpen"))
SELECT count(*) FROM "Region" AS t WHERE EXISTS (SELECT 1 FROM "Sight" AS e1 WHERE e1."region" = t."_rowid_" AND EXISTS (SELECT 1 FROM "Visit" AS e2 WHERE e2."sight" = e1."_rowid_" AND e2."guest" = ?))
    "Cid"
SELECT count(*) FROM "Region" AS t WHERE EXISTS (SELECT 1 FROM "Region" AS e1 WHERE e1."parent" = t."_rowid_" AND NOT (EXISTS (SELECT 1 FROM "Sight" AS e2 WHERE e2."region" = e1."_rowid_")))
SELECT count(*) FROM "Region" AS t WHERE NOT (EXISTS (SELECT 1 FROM "Region" AS e1 WHERE e1."parent" = t."_rowid_" AND e1."code" IS NOT NULL))
SELECT count(*) FROM "Region" AS t WHERE EXISTS (SELECT 1 FROM "Sight" AS e1 WHERE e1."region" = t."_rowid_" AND e1."_rowid_" = ?)
    1
SELECT count(*) FROM "Region" AS t WHERE (SELECT r FROM (SELECT CASE (j2."name" = t."name") WHEN 1 THEN 1 WHEN 0 THEN 0 ELSE 2 END AS r, e1."_rowid_" AS o FROM "Region" AS e1 LEFT JOIN "Region" AS j2 ON j2."_rowid_" = e1."parent" WHERE e1."parent" = t."_rowid_") AS f WHERE r > 0 ORDER BY o LIMIT 1) = 1
-- many to many
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."name" = ?)
    "t1"
SELECT count(*) FROM "LinkItem" AS t WHERE NOT (EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."name" = ?))
    "t1"
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."_rowid_" = ?)
    5
SELECT count(*) FROM "LinkTag" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_" AND EXISTS (SELECT 1 FROM "LinkItem.tags" AS l2 JOIN "LinkTag" AS e2 ON e2."_rowid_" = l2.destination WHERE l2.owner = e1."_rowid_" AND e2."_rowid_" = t."_rowid_"))
SELECT count(*) FROM "LinkTag" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_" AND EXISTS (SELECT 1 FROM "LinkItem.friends" AS l2 JOIN "LinkItem" AS e2 ON e2."_rowid_" = l2.destination WHERE l2.owner = e1."_rowid_" AND e2."_rowid_" = e1."_rowid_"))
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."_rowid_" = ?)
    2
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND 0)
SELECT count(*) FROM "LinkItem" AS t WHERE NOT (EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_"))
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_")
SELECT count(*) FROM "LinkItem" AS t WHERE (SELECT count(*) FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") = ?
    2
SELECT count(*) FROM "LinkItem" AS t WHERE (SELECT count(*) FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") > t."number"
SELECT count(*) FROM "LinkItem" AS t WHERE NOT (EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."weight" <= ?))
    0
SELECT count(*) FROM "LinkItem" AS t WHERE (SELECT count(*) FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."weight" > ?) = ?
    1, 1
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkTag" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."weight" = t."number")
SELECT count(*) FROM "LinkTag" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_" AND e1."number" = ?)
    4
SELECT count(*) FROM "LinkTag" AS t WHERE NOT (EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_"))
SELECT count(*) FROM "LinkTag" AS t WHERE (SELECT count(*) FROM "LinkItem.tags" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_") = ?
    8
SELECT count(*) FROM "LinkTag" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_" AND (SELECT count(*) FROM "LinkItem.tags" AS l2 JOIN "LinkTag" AS e2 ON e2."_rowid_" = l2.destination WHERE l2.owner = e1."_rowid_") = ?)
    1
SELECT count(*) FROM "LinkTag" AS t WHERE NOT (EXISTS (SELECT 1 FROM "LinkItem.tags" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_" AND NOT (EXISTS (SELECT 1 FROM "LinkItem.tags" AS l2 JOIN "LinkTag" AS e2 ON e2."_rowid_" = l2.destination WHERE l2.owner = e1."_rowid_" AND e2."weight" < t."weight"))))
-- links without inverse
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.photos" AS l1 JOIN "LinkPhoto" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."name" = ?)
    "p1"
SELECT count(*) FROM "LinkItem" AS t WHERE (SELECT count(*) FROM "LinkItem.photos" AS l1 JOIN "LinkPhoto" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") = ?
    2
SELECT count(*) FROM "LinkItem" AS t WHERE NOT (EXISTS (SELECT 1 FROM "LinkItem.photos" AS l1 JOIN "LinkPhoto" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_")) AND EXISTS (SELECT 1 FROM "LinkItem.tags" AS l2 JOIN "LinkTag" AS e2 ON e2."_rowid_" = l2.destination WHERE l2.owner = t."_rowid_")
SELECT count(*) FROM "LinkItem" AS t WHERE (NOT (EXISTS (SELECT 1 FROM "LinkItem.sketches" AS l1 JOIN "LinkPhoto" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_"))) = ?
    0
SELECT count(*) FROM "LinkItem" AS t WHERE 0
SELECT count(*) FROM "LinkItem" AS t WHERE (SELECT count(*) FROM "LinkItem.photos" AS l1 JOIN "LinkPhoto" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") = ?
    1
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.sketches" AS l1 JOIN "LinkPhoto" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."name" = ?)
    "p0"
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.photos" AS l1 JOIN "LinkPhoto" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."name" = ?) AND NOT (EXISTS (SELECT 1 FROM "LinkItem.covers" AS l2 JOIN "LinkPhoto" AS e2 ON e2."_rowid_" = l2.destination WHERE l2.owner = t."_rowid_"))
    "p0"
-- links to the same model
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.friends" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."_rowid_" = ?)
    1
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.friends" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."_rowid_" = t."_rowid_")
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.friends" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND (SELECT count(*) FROM "LinkItem.tags" AS l2 JOIN "LinkTag" AS e2 ON e2."_rowid_" = l2.destination WHERE l2.owner = e1."_rowid_") = ?)
    3
SELECT count(*) FROM "LinkItem" AS t WHERE (SELECT count(*) FROM "LinkItem.friends" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") > ?
    2
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.students" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.owner WHERE l1.destination = t."_rowid_" AND e1."number" = ?)
    2
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.students" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."number" = ?)
    2
SELECT count(*) FROM "LinkItem" AS t WHERE EXISTS (SELECT 1 FROM "LinkItem.students" AS l1 JOIN "LinkItem" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND EXISTS (SELECT 1 FROM "LinkItem.students" AS l2 JOIN "LinkItem" AS e2 ON e2."_rowid_" = l2.owner WHERE l2.destination = e1."_rowid_" AND NOT (EXISTS (SELECT 1 FROM "LinkItem.friends" AS l3 JOIN "LinkItem" AS e3 ON e3."_rowid_" = l3.destination WHERE l3.owner = e2."_rowid_"))))
