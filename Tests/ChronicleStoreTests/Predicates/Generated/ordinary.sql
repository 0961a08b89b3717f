-- search
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "gar"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "gar"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "gar"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "gar"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "gar"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "gar", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "gar", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "gar"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "gar"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "gar"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "gar"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "gar"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "gar"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "gar", "gar", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "gar"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "gar", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "gar"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "gar", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "gar", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "gar"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "gar", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "gar"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "gar", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "gar"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "GARDEN", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "GARDEN", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "GARDEN", "GARDEN", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "GARDEN"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "GARDEN", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "GARDEN", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "GARDEN", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "GARDEN"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "GARDEN", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "GARDEN", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "GARDEN"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "creme"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "creme"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "creme"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "creme"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "creme"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "creme", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "creme", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "creme"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "creme"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "creme"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "creme"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "creme"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "creme"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "creme", "creme", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "creme"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "creme", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "creme"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "creme", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "creme", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "creme"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "creme", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "creme"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "creme", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "creme"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "brûlée", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "brûlée", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "brûlée"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "brûlée", "brûlée", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "brûlée"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "brûlée", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "brûlée", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "brûlée", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "brûlée"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "brûlée", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "brûlée", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "brûlée"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "É"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "É"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "É"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "É"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "É"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "É", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "É", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "É"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "É"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "É"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "É"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "É"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "É"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "É", "É", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "É"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "É", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "É"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "É", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "É", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "É"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "É", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "É"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "É", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "É"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "ss"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "ss"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "ss"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "ss"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "ss"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "ss", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "ss", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "ss"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "ss"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "ss"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "ss"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "ss"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "ss"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "ss", "ss", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "ss"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "ss", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "ss"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "ss", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "ss", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "ss"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "ss", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "ss"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "ss", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "ss"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "本"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "本"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "本"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "本"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "本"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "本", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "本", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "本"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "本"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "本"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "本"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "本"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "本"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "本", "本", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "本"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "本", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "本"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "本", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "本", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "本"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "本", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "本"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "本", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "本"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "%"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "%"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "%"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "%"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "%"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "%", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "%", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "%"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "%"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "%"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "%"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "%"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "%"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "%", "%", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "%"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "%", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "%"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "%", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "%", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "%"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "%", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "%"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "%", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "%"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "_"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "_"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "_"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "_"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "_"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "_", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "_", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "_"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "_"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "_"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "_"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "_"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "_"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "_", "_", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "_"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "_", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "_"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "_", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "_", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "_"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "_", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "_"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "_", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "_"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "i"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "i"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "i"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "i"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "i"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "i", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "i", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "i"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "i"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "i"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "i"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "i"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "i"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "i", "i", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "i"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "i", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "i"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "i", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "i", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "i"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "i", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "i"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "i", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "i"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "\0b", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "\0b", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "\0b"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "\0b", "\0b", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "\0b"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "\0b", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "\0b", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "\0b", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "\0b"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "\0b", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "\0b", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "\0b"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    ""
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    ""
SELECT count(*) FROM "Project" AS t WHERE (1 OR chronicle_contains(t."name", ?))
    ""
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 1 THEN 1 ELSE chronicle_contains(t."name", ?) END
    ""
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 1 THEN 1 ELSE chronicle_contains(t."name", ?) END
    ""
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    ""
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    ""
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    ""
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", ""
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    ""
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    ""
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "", "", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    ""
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    ""
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    ""
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    ""
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    ""
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "café"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "café"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "café"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "café"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "café"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "café", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "café", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "café"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "café"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "café"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "café"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "café"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "café"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "café", "café", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "café"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "café", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "café"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "café", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "café", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "café"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "café", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "café"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "café", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "café"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "zoe", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "zoe", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "zoe"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "zoe", "zoe", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "zoe"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "zoe", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "zoe", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "zoe", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "zoe"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "zoe", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "zoe", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "zoe"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ?)
    "früh"
SELECT count(*) FROM "Project" AS t WHERE NOT (chronicle_contains(t."name", ?))
    "früh"
SELECT count(*) FROM "Project" AS t WHERE (0 OR chronicle_contains(t."name", ?))
    "früh"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "früh"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE chronicle_contains(t."name", ?) END
    "früh"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?
    "früh", 1
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NOT ?
    "früh", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "früh"
SELECT count(*) FROM "Project" AS t WHERE NOT ((t."note" IS NOT NULL AND chronicle_contains(t."note", ?)))
    "früh"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR chronicle_contains(t."note", ?))
    "früh"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(ifnull(t."note", ?), ?)
    "", "früh"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) IS NULL
    "früh"
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))
    "früh"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?) OR (CASE WHEN t."note" IS NOT NULL THEN (chronicle_contains(t."note", ?)) END) = ?)
    "früh", "früh", 1
SELECT count(*) FROM "Project" AS t WHERE t."note" IS NOT NULL AND chronicle_contains(t."note", ?)
    "früh"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (CASE WHEN t."owner" IS NOT NULL THEN (chronicle_contains(j1."name", ?)) END) = ?
    "früh", 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE (j1."nickname" IS NOT NULL AND chronicle_contains(j1."nickname", ?))
    "früh"
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND chronicle_contains(e1."title", ?))), ?)
    "früh", 0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND (CASE WHEN e1."remark" IS NOT NULL THEN (chronicle_contains(e1."remark", ?)) END) = ?)) = ?
    "früh", 1, 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?))
    "früh"
SELECT count(*) FROM "Owner" AS t WHERE (SELECT count(*) FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND chronicle_contains(e1."name", ?)) > ?
    "früh", 1
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, t."name")
    "früh"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(t."name", ifnull(t."note", ?))
    "a"
SELECT count(*) FROM "Project" AS t WHERE chronicle_contains(?, ?)
    "früh", "a"
SELECT count(*) FROM "Project" AS t WHERE (chronicle_contains(t."name", ?)) = (t."note" IS NULL)
    "früh"
-- others
SELECT count(*) FROM "Project" AS t WHERE ifnull((EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND e1."isDone")), ?)
    0
SELECT count(*) FROM "Project" AS t WHERE (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND e1."isDone")) = ?
    1
SELECT count(*) FROM "Project" AS t WHERE ifnull((SELECT count(*) FROM "Step" AS e1 WHERE e1."project" = t."_rowid_"), ?) > ?
    0, 2
SELECT count(*) FROM "Project" AS t WHERE ifnull((NOT (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_"))), ?)
    1
SELECT count(*) FROM "Project" AS t WHERE (NOT (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_"))) = ?
    0
SELECT count(*) FROM "Project" AS t WHERE ifnull((NOT (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND NOT (e1."isDone")))), ?)
    1
SELECT count(*) FROM "Project" AS t WHERE (NOT (EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND e1."isDone"))) = ?
    1
SELECT count(*) FROM "Project" AS t WHERE EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."_rowid_" AND e1."isDone")
SELECT count(*) FROM "Project" AS t
SELECT count(*) FROM "Project" AS t WHERE 0
SELECT count(*) FROM "Project" AS t
SELECT count(*) FROM "Step" AS t WHERE t."project" IS NULL
SELECT count(*) FROM "Step" AS t WHERE t."project" IS NOT NULL AND (t."hours" > ? AND t."hours" <= 9e999)
    2.0 0x4000000000000000
SELECT count(*) FROM "Project" AS t WHERE ifnull(((SELECT count(*) FROM "Step" AS e1 WHERE e1."project" = t."_rowid_") > ?), ?)
    1, 0
SELECT count(*) FROM "Step" AS t WHERE (t."project" IS NOT NULL AND EXISTS (SELECT 1 FROM "Step" AS e1 WHERE e1."project" = t."project" AND e1."isDone"))
SELECT count(*) FROM "Step" AS t WHERE ifnull((CASE WHEN t."project" IS NOT NULL THEN (SELECT count(*) FROM "Step" AS e1 WHERE e1."project" = t."project") END), ?) > ?
    0, 1
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" WHERE j1."name" = ?
    "Zoë"
SELECT count(*) FROM "Project" AS t LEFT JOIN "Owner" AS j1 ON j1."_rowid_" = t."owner" LEFT JOIN "Owner" AS j2 ON j2."_rowid_" = j1."boss" WHERE j2."name" = ?
    "Ada"
SELECT count(*) FROM "Step" AS t LEFT JOIN "Project" AS j1 ON j1."_rowid_" = t."project" LEFT JOIN "Owner" AS j2 ON j2."_rowid_" = j1."owner" LEFT JOIN "Owner" AS j3 ON j3."_rowid_" = j2."boss" WHERE j3."name" = ?
    "Ada"
SELECT count(*) FROM "Project" AS t WHERE t."owner" = ?
    2
SELECT count(*) FROM "Project" AS t WHERE t."owner" = ?
    2
SELECT count(*) FROM "Project" AS t WHERE t."owner" = ?
    2
SELECT count(*) FROM "Project" AS t WHERE t."_rowid_" = ?
    2
SELECT count(*) FROM "Project" AS t WHERE t."_rowid_" = ?
    2
SELECT count(*) FROM "Project" AS t WHERE t."_rowid_" IN (?)
    2
SELECT count(*) FROM "Project" AS t WHERE t."name" IN (?, ?)
    "Garden", "Straße"
SELECT count(*) FROM "Project" AS t WHERE ifnull(t."note", ?) IN (?, ?)
    "", "Garden", "Straße"
SELECT count(*) FROM "Project" AS t WHERE t."owner" IS NULL
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."owner" IS NOT NULL THEN (NOT (EXISTS (SELECT 1 FROM "Owner" AS e1 WHERE e1."boss" = t."owner"))) END) = ?
    0
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."owner" IS NOT NULL THEN (EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."owner" AND e1."name" = ?)) END) = ?
    "Straße", 1
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND e1."_rowid_" = ?)
    2
SELECT count(*) FROM "Owner" AS t WHERE EXISTS (SELECT 1 FROM "Project" AS e1 WHERE e1."owner" = t."_rowid_" AND e1."_rowid_" IN (?))
    2
SELECT count(*) FROM "Owner" AS t WHERE (CASE WHEN t."boss" IS NOT NULL THEN (SELECT count(*) FROM "Owner" AS e1 WHERE e1."boss" = t."boss") END) = ?
    1
SELECT count(*) FROM "Project" AS t WHERE t."status" = ?
    "done"
SELECT count(*) FROM "Project" AS t WHERE t."status" <> ?
    "done"
SELECT count(*) FROM "Project" AS t WHERE t."mood" = ?
    "done"
SELECT count(*) FROM "Project" AS t WHERE t."mood" = ?
    "done"
SELECT count(*) FROM "Project" AS t WHERE t."mood" IS NOT ?
    "done"
SELECT count(*) FROM "Project" AS t WHERE t."status" IN (?)
    "done"
SELECT count(*) FROM "Project" AS t WHERE t."priority" = ?
    1
SELECT count(*) FROM "Project" AS t WHERE t."priority" >= ?
    1
SELECT count(*) FROM "Project" AS t WHERE t."isPinned" = ?
    1
SELECT count(*) FROM "Project" AS t WHERE t."isPinned" IS NOT ?
    1
SELECT count(*) FROM "Project" AS t WHERE ifnull(t."isPinned", ?)
    0
SELECT count(*) FROM "Project" AS t WHERE t."created" < ?
    1000000000.0 0x41cdcd6500000000
SELECT count(*) FROM "Project" AS t WHERE (ifnull(t."due", ?) > ? AND ifnull(t."due", ?) <= 9e999)
    -63114076800.0 0xc22d63c8c5000000, 5.0 0x4014000000000000, -63114076800.0 0xc22d63c8c5000000
SELECT count(*) FROM "Project" AS t WHERE t."due" IS NOT NULL AND (t."due" IS NOT NULL AND (t."due" <= ? OR t."due" > 9e999))
    20.0 0x4034000000000000
SELECT count(*) FROM "Project" AS t WHERE (t."due" IS NULL OR t."due" < ?)
    20.0 0x4034000000000000
SELECT count(*) FROM "Project" AS t WHERE (t."due" IS NOT NULL AND (t."due" >= ? AND t."due" < ?))
    5.0 0x4014000000000000, 20.0 0x4034000000000000
SELECT count(*) FROM "Project" AS t WHERE t."created" >= ? AND (t."created" <= ? OR t."created" > 9e999)
    5.0 0x4014000000000000, 20.0 0x4034000000000000
SELECT count(*) FROM "Project" AS t WHERE t."created" >= ? AND (t."created" <= ? OR t."created" > 9e999)
    5.0 0x4014000000000000, 20.0 0x4034000000000000
SELECT count(*) FROM "Project" AS t WHERE ifnull(t."due", ?) >= ? AND ifnull(t."due", ?) < ?
    -63114076800.0 0xc22d63c8c5000000, 5.0 0x4014000000000000, -63114076800.0 0xc22d63c8c5000000, 20.0 0x4034000000000000
SELECT count(*) FROM "Project" AS t WHERE (0 OR t."status" = ?)
    "done"
SELECT count(*) FROM "Project" AS t WHERE CASE WHEN 0 THEN 1 ELSE t."status" = ? END
    "done"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."status" = ? THEN t."name" ELSE ifnull(t."note", ?) END) = ?
    "done", "", "Straße"
SELECT count(*) FROM "Project" AS t WHERE t."name" = ?
    ""
SELECT count(*) FROM "Project" AS t WHERE chronicle_count(t."name") > ?
    3
SELECT count(*) FROM "Project" AS t WHERE chronicle_count(t."name") = ?
    4
SELECT count(*) FROM "Project" AS t WHERE ifnull((CASE WHEN t."note" IS NOT NULL THEN chronicle_count(t."note") END), ?) > ?
    0, 3
SELECT count(*) FROM "Project" AS t WHERE (t."name" >= ? AND t."name" < ?)
    "Gar", "Gas"
SELECT count(*) FROM "Project" AS t WHERE (CASE WHEN t."note" IS NOT NULL THEN ((t."note" >= ? AND t."note" < ?)) END) = ?
    "Cr", "Cs", 1
SELECT count(*) FROM "Project" AS t WHERE (t."note" IS NULL OR t."note" = ?)
    ""
