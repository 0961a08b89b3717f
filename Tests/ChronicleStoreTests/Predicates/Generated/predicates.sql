-- equality
SELECT count(*) FROM "Sight" AS t WHERE t."name" = ?
    "Tower"
SELECT count(*) FROM "Sight" AS t WHERE t."name" <> ?
    "Tower"
SELECT count(*) FROM "Sight" AS t WHERE t."name" <> ?
    "Tower"
SELECT count(*) FROM "Sight" AS t WHERE t."note" = ?
    "high"
SELECT count(*) FROM "Sight" AS t WHERE t."note" IS NOT ?
    "high"
SELECT count(*) FROM "Sight" AS t WHERE t."note" = ?
    "high"
SELECT count(*) FROM "Sight" AS t WHERE t."note" IS NULL
SELECT count(*) FROM "Sight" AS t WHERE t."note" IS NOT NULL
SELECT count(*) FROM "Sight" AS t WHERE t."note" IS NULL
SELECT count(*) FROM "Sight" AS t WHERE t."note" = ?
    "high"
SELECT count(*) FROM "Sight" AS t WHERE t."note" IS NULL
SELECT count(*) FROM "Sight" AS t WHERE t."note" IS NOT NULL
SELECT count(*) FROM "Sight" AS t WHERE t."score" IS t."score"
SELECT count(*) FROM "Sight" AS t WHERE t."score" IS NOT t."score"
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."note" IS ? OR t."score" IS ?))
    "high", 7
SELECT count(*) FROM "Sight" AS t WHERE t."name" = ?
    ""
SELECT count(*) FROM "Sight" AS t WHERE t."name" = ?
    ""
SELECT count(*) FROM "Sight" AS t WHERE t."name" <> ?
    ""
SELECT count(*) FROM "Sight" AS t WHERE t."note" = ?
    ""
-- booleans
SELECT count(*) FROM "Sight" AS t WHERE t."isOpen"
SELECT count(*) FROM "Sight" AS t WHERE NOT (t."isOpen")
SELECT count(*) FROM "Sight" AS t WHERE t."isOpen" = ?
    1
SELECT count(*) FROM "Sight" AS t WHERE t."isOpen" AND t."rank" > ?
    2
SELECT count(*) FROM "Sight" AS t WHERE (t."isOpen" OR t."isFree" = ?)
    1
SELECT count(*) FROM "Sight" AS t WHERE t."isFree" = ?
    1
SELECT count(*) FROM "Sight" AS t WHERE t."isFree" IS NOT ?
    1
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."isFree", ?)
    0
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."isFree", ?)
    1
SELECT count(*) FROM "Sight" AS t WHERE NOT (ifnull(t."isFree", t."isOpen"))
SELECT count(*) FROM "Sight" AS t
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT count(*) FROM "Sight" AS t WHERE t."isOpen" = (t."rank" > ?)
    2
SELECT count(*) FROM "Sight" AS t WHERE t."isOpen" <> (t."rank" > ?)
    2
SELECT count(*) FROM "Sight" AS t WHERE CASE WHEN t."isOpen" THEN t."rank" > ? ELSE t."rank" < ? END
    2, 0
SELECT count(*) FROM "Sight" AS t WHERE NOT (CASE WHEN t."isOpen" THEN t."isOpen" ELSE t."rank" < ? END)
    0
SELECT count(*) FROM "Sight" AS t
SELECT count(*) FROM "Sight" AS t WHERE 0
-- numbers
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" > ? AND t."cost" <= 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" >= ? AND t."cost" <= 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."cost" < ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."cost" <= ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" <= ? OR t."cost" > 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."cost" >= ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (? < t."cost" AND t."cost" <= 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (? >= t."cost" OR t."cost" > 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE ? >= t."cost"
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."cost" = ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."cost" <> ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."cost" = ?
    inf 0x7ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT count(*) FROM "Sight" AS t
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT count(*) FROM "Sight" AS t
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" = t."cost" AND typeof(t."cost") <> 'blob')
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" <> t."cost" OR typeof(t."cost") = 'blob')
SELECT count(*) FROM "Sight" AS t WHERE (t."discount" IS t."discount" AND typeof(t."discount") <> 'blob')
SELECT count(*) FROM "Sight" AS t WHERE (t."discount" IS NOT t."discount" OR typeof(t."discount") = 'blob')
SELECT count(*) FROM "Sight" AS t WHERE t."discount" IS NULL
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT count(*) FROM "Sight" AS t
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" <= t."cost" AND t."cost" <= 9e999)
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" > t."cost" OR t."cost" > 9e999)
SELECT count(*) FROM "Sight" AS t WHERE (ifnull(t."discount", ?) < t."cost" AND t."cost" <= 9e999)
    1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE (ifnull(t."discount", ?) >= t."cost" OR t."cost" > 9e999)
    1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."discount", x'7ff8000000000000') = ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (ifnull(t."discount", x'7ff8000000000000') < ? OR ifnull(t."discount", x'7ff8000000000000') > 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" = ifnull(t."discount", t."cost") AND typeof(t."cost") <> 'blob')
SELECT count(*) FROM "Sight" AS t WHERE (t."weight" > ? AND t."weight" <= 9e999)
    3.0 0x4008000000000000
SELECT count(*) FROM "Sight" AS t WHERE t."weight" = ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."score" = ? AND t."rank" <> ?
    7, 2
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."score", ?) < ?
    0, 5
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."score", ?) >= ?
    0, 5
-- arithmetic
SELECT count(*) FROM "Sight" AS t WHERE chronicle_integer(t."rank" + ?) > ?
    1, 3
SELECT count(*) FROM "Sight" AS t WHERE chronicle_integer(t."rank" * t."rank") = ?
    9
SELECT count(*) FROM "Sight" AS t WHERE chronicle_integer(-t."rank") > ?
    0
SELECT count(*) FROM "Sight" AS t WHERE (t."rank" / ?) = ?
    2, 1
SELECT count(*) FROM "Sight" AS t WHERE (t."rank" / ?) = chronicle_integer(-?)
    2, 1
SELECT count(*) FROM "Sight" AS t WHERE (t."rank" % ?) = ?
    2, 1
SELECT count(*) FROM "Sight" AS t WHERE (t."rank" % ?) = chronicle_integer(-?)
    2, 1
SELECT count(*) FROM "Sight" AS t WHERE chronicle_integer((t."rank" - ?) * ?) >= ?
    1, 2, 4
SELECT count(*) FROM "Sight" AS t WHERE (iif(t."cost" <= 9e999, t."cost", NULL) + ?) > ?
    1.0 0x3ff0000000000000, 1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE ifnull((iif(t."cost" <= 9e999, t."cost", NULL) + ?) <= ?, 1)
    1.0 0x3ff0000000000000, 1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE (iif(t."cost" <= 9e999, t."cost", NULL) - iif(t."cost" <= 9e999, t."cost", NULL)) = ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE ifnull((iif(t."cost" <= 9e999, t."cost", NULL) - iif(t."cost" <= 9e999, t."cost", NULL)) <> ?, 1)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE ifnull((iif(t."cost" <= 9e999, t."cost", NULL) - iif(t."cost" <= 9e999, t."cost", NULL)) <> ?, 1)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (1.0 * iif(t."cost" <= 9e999, t."cost", NULL) / ?) > ?
    2.0 0x4000000000000000, 1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE iif(? = 0, iif(t."cost" <= 9e999, t."cost", NULL) * chronicle_reciprocal(?), 1.0 * iif(t."cost" <= 9e999, t."cost", NULL) / ?) > ?
    0.0 0x0, 0.0 0x0, 0.0 0x0, 1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE ifnull(iif(? = 0, iif(t."cost" <= 9e999, t."cost", NULL) * chronicle_reciprocal(?), 1.0 * iif(t."cost" <= 9e999, t."cost", NULL) / ?) <= ?, 1)
    0.0 0x0, 0.0 0x0, 0.0 0x0, 1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE iif(? = 0, iif(t."cost" <= 9e999, t."cost", NULL) * chronicle_reciprocal(?), 1.0 * iif(t."cost" <= 9e999, t."cost", NULL) / ?) = iif(? = 0, iif(t."cost" <= 9e999, t."cost", NULL) * chronicle_reciprocal(?), 1.0 * iif(t."cost" <= 9e999, t."cost", NULL) / ?)
    0.0 0x0, 0.0 0x0, 0.0 0x0, 0.0 0x0, 0.0 0x0, 0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE ifnull((? * iif(t."cost" <= 9e999, t."cost", NULL)) <> ?, 1)
    0.0 0x0, 0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (-1.0 * iif(t."cost" <= 9e999, t."cost", NULL)) < ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE ifnull((-1.0 * iif(t."cost" <= 9e999, t."cost", NULL)) >= ?, 1)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (iif(ifnull(t."discount", ?) <= 9e999, ifnull(t."discount", ?), NULL) * ?) = ?
    0.0 0x0, 0.0 0x0, 2.0 0x4000000000000000, 4.0 0x4010000000000000
SELECT count(*) FROM "Sight" AS t WHERE ifnull((iif(ifnull(t."discount", ?) <= 9e999, ifnull(t."discount", ?), NULL) * ?) >= ?, 1)
    0.0 0x0, 0.0 0x0, 2.0 0x4000000000000000, 4.0 0x4010000000000000
SELECT count(*) FROM "Sight" AS t WHERE (iif(t."cost" <= 9e999, t."cost", NULL) * iif(t."cost" <= 9e999, t."cost", NULL)) > t."cost"
SELECT count(*) FROM "Sight" AS t WHERE (iif(t."cost" <= 9e999, t."cost", NULL) + iif(ifnull(t."discount", ?) <= 9e999, ifnull(t."discount", ?), NULL)) = t."cost"
    1.0 0x3ff0000000000000, 1.0 0x3ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE (? * ?) = ?
    2.0 0x4000000000000000, 2.0 0x4000000000000000, 4.0 0x4010000000000000
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."rank" > ? THEN t."cost" ELSE ifnull((iif(t."cost" <= 9e999, t."cost", NULL) - iif(t."cost" <= 9e999, t."cost", NULL)), x'7ff8000000000000') END) = ?
    2, 0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."rank" > ? THEN t."cost" ELSE ifnull((iif(t."cost" <= 9e999, t."cost", NULL) - iif(t."cost" <= 9e999, t."cost", NULL)), x'7ff8000000000000') END) > ?
    2, 0.0 0x0
-- optionals
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (t."note" IS ?) END) = ?
    "", 1
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (t."note" IS ?) END) = ?
    "", 0
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (t."note" IS ?) END) IS NOT ?
    "", 1
SELECT count(*) FROM "Sight" AS t WHERE (t."note" IS NOT NULL AND instr(t."note", ?) > 0)
    "o"
SELECT count(*) FROM "Sight" AS t WHERE (t."note" IS NULL OR instr(t."note", ?) > 0)
    "o"
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."note" IS NOT NULL AND instr(t."note", ?) > 0))
    "o"
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."note" IS NULL OR instr(t."note", ?) > 0))
    "o"
SELECT count(*) FROM "Sight" AS t WHERE CASE WHEN t."note" IS NOT NULL THEN instr(t."note", ?) > 0 ELSE t."isOpen" END
    "o"
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (instr(t."note", ?) > 0) END) IS NULL
    "o"
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (instr(t."note", ?) > 0) END) IS NOT ?
    "o", 0
SELECT count(*) FROM "Sight" AS t WHERE (t."score" IS NOT NULL AND chronicle_integer(t."score" + ?) > ?)
    1, 5
SELECT count(*) FROM "Sight" AS t WHERE CASE WHEN t."score" IS NOT NULL THEN chronicle_integer(t."score" + ?) > ? ELSE t."isOpen" END
    1, 5
SELECT count(*) FROM "Sight" AS t WHERE (t."discount" IS NOT NULL AND (iif(t."discount" <= 9e999, t."discount", NULL) - iif(t."discount" <= 9e999, t."discount", NULL)) = ?)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (t."discount" IS NULL OR ifnull((iif(t."discount" <= 9e999, t."discount", NULL) - iif(t."discount" <= 9e999, t."discount", NULL)) <> ?, 1))
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."discount" IS NOT NULL THEN ifnull((iif(t."discount" <= 9e999, t."discount", NULL) - iif(t."discount" <= 9e999, t."discount", NULL)), x'7ff8000000000000') END) IS NULL
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."discount" IS NOT NULL THEN ifnull((iif(t."discount" <= 9e999, t."discount", NULL) - iif(t."discount" <= 9e999, t."discount", NULL)), x'7ff8000000000000') END) = ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."discount" IS NOT NULL THEN ifnull((iif(t."discount" <= 9e999, t."discount", NULL) - iif(t."discount" <= 9e999, t."discount", NULL)), x'7ff8000000000000') END) IS NOT ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (ifnull((CASE WHEN t."discount" IS NOT NULL THEN ifnull((iif(t."discount" <= 9e999, t."discount", NULL) - iif(t."discount" <= 9e999, t."discount", NULL)), x'7ff8000000000000') END), ?) > ? AND ifnull((CASE WHEN t."discount" IS NOT NULL THEN ifnull((iif(t."discount" <= 9e999, t."discount", NULL) - iif(t."discount" <= 9e999, t."discount", NULL)), x'7ff8000000000000') END), ?) <= 9e999)
    7.0 0x401c000000000000, 1.0 0x3ff0000000000000, 7.0 0x401c000000000000
SELECT count(*) FROM "Sight" AS t WHERE t."score" IS NOT NULL AND t."score" > ?
    5
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."score", t."rank") = ?
    7
-- text
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    "ow"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    "OW"
SELECT count(*) FROM "Sight" AS t WHERE NOT (instr(t."name", ?) > 0)
    "ow"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    ""
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    "r\0i"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    "%"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    "_"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    "ge%_"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ?) > 0
    "*"
SELECT count(*) FROM "Sight" AS t WHERE (t."name" >= ? AND t."name" < ?)
    "Tow", "Tox"
SELECT count(*) FROM "Sight" AS t WHERE (t."name" >= ? AND t."name" < ?)
    "tow", "tox"
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."name" >= ? AND t."name" < ?))
    "Tow", "Tox"
SELECT count(*) FROM "Sight" AS t WHERE (t."name" >= ? AND t."name" < x'')
    ""
SELECT count(*) FROM "Sight" AS t WHERE (t."name" >= ? AND t."name" < ?)
    "Park 􏿿", "Park!"
SELECT count(*) FROM "Sight" AS t WHERE (t."name" >= ? AND t."name" < ?)
    "Br\0", "Br\u{01}"
SELECT count(*) FROM "Sight" AS t WHERE (t."name" >= ? AND t."name" < ?)
    "Ä", "Å"
SELECT count(*) FROM "Sight" AS t WHERE (t."name" >= ? AND t."name" < x'')
    "􏿿"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ifnull(t."note", ?)) > 0
    "none"
SELECT count(*) FROM "Sight" AS t WHERE instr(t."name", ifnull(t."note", ?)) = 1
    "none"
SELECT count(*) FROM "Sight" AS t WHERE t."name" < ?
    "Q"
SELECT count(*) FROM "Sight" AS t WHERE t."name" >= ?
    "tower"
SELECT count(*) FROM "Sight" AS t WHERE t."name" > t."kind"
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."note", ?) < ?
    "", "b"
SELECT count(*) FROM "Sight" AS t WHERE ? <= t."name"
    "Park"
SELECT count(*) FROM "Sight" AS t WHERE chronicle_count(t."name") > ?
    4
SELECT count(*) FROM "Sight" AS t WHERE chronicle_count(t."name") >= ?
    4
SELECT count(*) FROM "Sight" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN chronicle_count(t."note") END) = ?
    1
SELECT count(*) FROM "Sight" AS t WHERE chronicle_integer(ifnull((CASE WHEN t."note" IS NOT NULL THEN chronicle_count(t."note") END), ?) * ?) > chronicle_count(t."name")
    7, 2
SELECT count(*) FROM "Sight" AS t WHERE chronicle_count(t."name") = t."rank"
-- membership
SELECT count(*) FROM "Sight" AS t WHERE t."rank" IN (?, ?, ?)
    1, 2, 7
SELECT count(*) FROM "Sight" AS t WHERE NOT (t."rank" IN (?, ?, ?))
    1, 2, 7
SELECT count(*) FROM "Sight" AS t WHERE (t."note" IN (?) OR t."note" IS NULL)
    "high"
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."note" IN (?) OR t."note" IS NULL))
    "high"
SELECT count(*) FROM "Sight" AS t WHERE (t."discount" IN (?, ?) OR t."discount" IS NULL)
    0.0 0x0, inf 0x7ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."discount" IN (?, ?) OR t."discount" IS NULL))
    0.0 0x0, inf 0x7ff0000000000000
SELECT count(*) FROM "Sight" AS t WHERE 0
SELECT count(*) FROM "Sight" AS t WHERE NOT (0)
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."note", ?) IN (?, ?, ?)
    "", "high", "Tower", ""
SELECT count(*) FROM "Sight" AS t WHERE t."rank" >= ? AND t."rank" <= ?
    2, 3
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."rank" >= ? AND t."rank" <= ?))
    2, 3
SELECT count(*) FROM "Sight" AS t WHERE t."rank" >= ? AND t."rank" < ?
    1, 3
SELECT count(*) FROM "Sight" AS t WHERE t."rank" >= ?
    2
SELECT count(*) FROM "Sight" AS t WHERE t."rank" <= ?
    2
SELECT count(*) FROM "Sight" AS t WHERE t."rank" < ?
    2
SELECT count(*) FROM "Sight" AS t WHERE t."opened" >= ? AND t."opened" < ?
    0.0 0x0, 10.0 0x4024000000000000
SELECT count(*) FROM "Sight" AS t WHERE NOT ((t."opened" >= ? AND t."opened" < ?))
    0.0 0x0, 10.0 0x4024000000000000
SELECT count(*) FROM "Sight" AS t WHERE ((CASE (CASE WHEN chronicle_integer(t."rank" + ?) IS NOT NULL THEN chronicle_integer(t."rank" + ?) IS NULL END) WHEN 1 THEN ? WHEN 0 THEN ? END) IS NOT NULL AND (? >= chronicle_integer(t."rank" - ?) AND ? <= chronicle_integer(t."rank" + ?)))
    1, 1, 1, 1, 2, 1, 2, 1
SELECT count(*) FROM "Sight" AS t WHERE (t."cost" >= ? AND t."cost" <= 9e999) AND t."cost" <= ?
    0.0 0x0, 1e+300 0x7e37e43c8800759c
SELECT count(*) FROM "Sight" AS t WHERE NOT (((t."cost" >= ? AND t."cost" <= 9e999) AND t."cost" <= ?))
    0.0 0x0, 1e+300 0x7e37e43c8800759c
-- types
SELECT count(*) FROM "Sight" AS t WHERE t."kind" = ?
    "park"
SELECT count(*) FROM "Sight" AS t WHERE t."kind" <> ?
    "park"
SELECT count(*) FROM "Sight" AS t WHERE t."kind" IN (?, ?)
    "park", "bridge"
SELECT count(*) FROM "Sight" AS t WHERE t."kind" = ?
    "park"
SELECT count(*) FROM "Sight" AS t WHERE t."level" = ?
    1
SELECT count(*) FROM "Sight" AS t WHERE t."code" = ?
    x'0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3'
SELECT count(*) FROM "Sight" AS t WHERE t."code" > ?
    x'0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3'
SELECT count(*) FROM "Sight" AS t WHERE t."price" = ?
    "0.3"
SELECT count(*) FROM "Sight" AS t WHERE t."price" <> ?
    "0.3"
SELECT count(*) FROM "Sight" AS t WHERE t."size" = ?
    "{\"height\":3,\"width\":1}"
SELECT count(*) FROM "Sight" AS t WHERE t."tags" = ?
    "[\"Tower\",\"Bridge\"]"
SELECT count(*) FROM "Sight" AS t WHERE t."tags" = ?
    "[]"
SELECT count(*) FROM "Sight" AS t WHERE t."image" = ?
    x'50 61 72'
SELECT count(*) FROM "Sight" AS t WHERE (t."opened" <= ? OR t."opened" > 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (t."opened" > ? AND t."opened" <= 9e999)
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."closed" = ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE t."closed" IS NOT ?
    0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE ifnull(t."closed", ?) < ?
    0.0 0x0, 0.0 0x0
SELECT count(*) FROM "Sight" AS t WHERE (t."opened" > ? AND t."opened" <= 9e999)
    5.0 0x4014000000000000
