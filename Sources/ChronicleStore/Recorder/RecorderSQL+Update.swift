extension RecorderSQL {
    /// Returns the trigger that records which attributes an update changed, or `nil` for an entity without attributes.
    ///
    /// Comparing first and then building the mask is the cheapest form: the comparison ends at the first difference,
    /// and an update without changes records nothing.
    ///
    /// `IS NOT` compares values, not representations: 1 equals 1.0, and 0.0 equals -0.0. Swift and the
    /// decoding of attributes also treat them as equal; adding `typeof()` to each comparison would make updates 50%
    /// slower.
    ///
    /// The trigger has no column list (`UPDATE OF`). The list would contain all columns, and is not faster.
    static func recordUpdate(_ table: RecordedTable) -> String? {
        guard !table.columns.isEmpty else { return nil }
        let differences = joined(table.columns.map(difference), by: "OR")
        let masks = AttributeMasks.expression(table.columns.map { ($0.number, difference($0)) })
        let update = """
            INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes) \
            VALUES (\(table.kind(.update, ofRow: "NEW")), NEW.\(key), \(masks))
            """
        return trigger(
            .update, on: table, "AFTER UPDATE", when: "OLD.\(key) IS NEW.\(key) AND (\(differences))",
            do: [update] + table.columns.compactMap { values($0, table) })
    }

    /// Returns the statement that records the value of an attribute before and after an update that changed it, or
    /// `nil` if the history does not preserve it.
    private static func values(_ column: RecordedTable.Column, _ table: RecordedTable) -> String? {
        let (old, new) = ("OLD.\(quoted(column.name))", "NEW.\(quoted(column.name))")
        let areSmall = " AND \(isSmall(old)) AND \(isSmall(new))"
        guard column.preservation.updates != .none else { return nil }
        return """
            INSERT INTO \(ChangeTable.name)(\(ChangeTable.values)) \
            SELECT \(table.kind(.preservedValue, ofRow: "NEW")), NEW.\(key), \(column.number), \(old), \(new) \
            WHERE \(difference(column))\(column.preservation.updates == .limited ? areSmall : "")
            """
    }

    /// Returns the trigger that records an update of the primary key as a delete of the old key and an insert of the
    /// new one.
    ///
    /// SQLite matches listed columns by the name that the statement uses, so the other names of the primary key must be
    /// listed as well (<https://sqlite.org/lang_createtable.html>, "ROWIDs and the INTEGER PRIMARY KEY"). It is no
    /// problem if another column has one of these names.
    static func recordKeyUpdate(_ table: RecordedTable) -> String {
        trigger(
            .updateKey, on: table, "AFTER UPDATE OF \(keyNames)", when: "OLD.\(key) IS NOT NEW.\(key)",
            do: [withdrawConflicts(table)] + recordConflicts(table) + [deleteRows(table)]
                + recordLinksOfChangedKey(table) + [insertRows(table)])
    }

    /// All names by which a statement can update the primary key.
    static var keyNames: String { "\"id\", rowid, _rowid_, oid" }

    /// Returns an expression that is true if the update changed the column.
    static func difference(_ column: RecordedTable.Column) -> String {
        "OLD.\(quoted(column.name)) IS NOT NEW.\(quoted(column.name))"
    }
}
