-- attributes
s.author IS NOT ?
s.author IS NOT ?
s.author IS NULL
(s.author IN (?) OR s.author IS NULL)
(s.author IS NULL OR (s.author >= ? AND s.author < ?))
s.context = ?
(CASE WHEN s.author IS NOT NULL THEN (chronicle_contains(s.author, ?)) END) = ?
NOT ((s.context IS NOT NULL AND chronicle_contains(s.context, ?)))
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND chronicle_contains((SELECT name FROM chronicle_entity WHERE id = c1.kind >> 4), ?))
(CASE WHEN s.author IS NOT NULL THEN chronicle_count(s.author) END) = ?
(h.id > ? OR h.id = ?)
h.primary_key <= ?
h.primary_key > ?
ifnull(CAST(h.new_value AS TEXT), '') = ? AND ifnull(s.program, '') = ?
? = ? AND NOT ((s.id = 1))
? <> ?
-- changes
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND 0)
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND 0)
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND 0)
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND 0)
NOT (EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND 0))
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND c1.kind >> 4 IN (?))
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND NOT (c1.kind >> 4 IN (?)))
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND 0)
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND 0)
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND instr((SELECT name FROM chronicle_entity WHERE id = c1.kind >> 4), ?) > 0)
EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND NULL = ?)
(SELECT count(*) FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0)) > ?
NOT (EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0)))
(SELECT count(*) FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND c1.kind >> 4 IN (?)) = ?
-- tokens
-
-
0
(0 OR 0)
NOT (0) AND NOT (0)
0
NOT (0)
