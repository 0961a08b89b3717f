import ChronicleSQLStore

/// Records changes of tracked tables whose row another trigger has changed since.
///
/// SQLite runs temporary triggers, and permanent ones that are newer, before those of the recorder. If such a trigger
/// changes the row that fired it, that change is recorded first, with later values than the change that caused it. Then the
/// table does not contain the row NEW, or contains the row OLD that was deleted. The triggers for this case replace what
/// was recorded last by one change with the present values.
///
/// They replace only the last change of the history, and only if its values are those of NEW and of the present row, so
/// that it is of the same statement, and no other connection has seen it. If there were several such changes, or other
/// recorded ones after them, those remain, and the order is wrong; verification reports an insert after an update. The
/// present values are right even then.
extension RecorderSQL {
    /// Returns no triggers for a table of models.
    static func recordChangedRows(_ table: RecordedTable) -> [String] {
        guard table.isTracked else { return [] }
        return [changedInsert(table), changedUpdate(table), changedKeyUpdate(table), restoredDelete(table)].compactMap(
            \.self)
    }

    /// Other triggers must not have changed the row NEW.
    static func isPresent(in table: RecordedTable) -> [String] {
        table.isTracked ? ["EXISTS (\(selectUnchanged(table)))"] : []
    }

    static func isDeleted(in table: RecordedTable) -> String? {
        table.isTracked ? "NOT EXISTS (\(selectRow(as: "OLD", in: table)))" : nil
    }

    // MARK: Triggers

    private static func changedInsert(_ table: RecordedTable) -> String {
        trigger(
            .insertChanged, on: table, "AFTER INSERT", when: "NOT EXISTS (\(selectUnchanged(table)))",
            do: number("NEW", in: table) + removeChanges(in: table) + recordConflicts(table)
                + [heldRows(as: "NEW", in: table)] + deletedRows(in: table))
    }

    private static func changedUpdate(_ table: RecordedTable) -> String? {
        guard !table.columns.isEmpty else { return nil }
        let key = key(of: "NEW", in: table)
        let held = "FROM \(quoted(table.name)) AS held WHERE \(hasKey(of: "NEW", in: table))"
        let differences = joined(table.columns.map { difference($0, "held") }, by: "OR")
        let masks = AttributeMasks.expression(table.columns.map { ($0.number, difference($0, "held")) })
        let update = """
            INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes) \
            SELECT \(table.kind(.update).rawValue), \(key), \(masks) \(held) AND \(key) IS NOT NULL AND (\(differences))
            """
        let values = table.columns.filter { $0.preservation.updates != .none }.map { column in
            let (old, new) = ("OLD.\(quoted(column.name))", "held.\(quoted(column.name))")
            let areSmall = column.preservation.updates == .limited ? " AND \(isSmall(old)) AND \(isSmall(new))" : ""
            return """
                INSERT INTO \(ChangeTable.name)(\(ChangeTable.values)) \
                SELECT \(table.kind(.preservedValue).rawValue), \(key), \(column.number), \(old), \(new) \
                \(held) AND \(key) IS NOT NULL AND \(difference(column, "held"))\(areSmall)
                """
        }
        return trigger(
            .updateChanged, on: table, "AFTER UPDATE",
            when: "\(haveSameKey("OLD", "NEW", in: table)) "
                + "AND (\(joined(table.columns.map { difference($0) }, by: "OR"))) AND NOT EXISTS (\(selectUnchanged(table)))",
            do: number("NEW", in: table) + [removeLastUpdate(in: table), update] + values
        )
    }

    private static func changedKeyUpdate(_ table: RecordedTable) -> String {
        trigger(
            .updateKeyChanged, on: table, "AFTER UPDATE OF \(keyNames(table))",
            when: "\(haveDifferentKeys("OLD", "NEW", in: table)) AND NOT EXISTS (\(selectUnchanged(table)))",
            do: number("OLD", in: table) + number("NEW", in: table) + [withdrawConflicts(table)]
                + removeChanges(in: table) + recordConflicts(table)
                + [deleteRows(table), heldRows(as: "NEW", in: table)] + deletedRows(in: table))
    }

    private static func restoredDelete(_ table: RecordedTable) -> String {
        trigger(
            .deleteRestored, on: table, "AFTER DELETE", when: "EXISTS (\(selectRow(as: "OLD", in: table)))",
            do: number("OLD", in: table)
                + [
                    withdrawConflicts(table), removeLast(.insert, of: "OLD", in: table, if: "EXISTS"),
                    deleteRows(table),
                    heldRows(as: "OLD", in: table),
                ])
    }

    // MARK: Rows of the table

    private static func selectRow(as row: String, in table: RecordedTable) -> String {
        "SELECT 1 FROM \(quoted(table.name)) AS held WHERE \(hasKey(of: row, in: table))"
    }

    /// The row NEW as it was inserted or updated.
    private static func selectUnchanged(_ table: RecordedTable) -> String {
        let same = table.columns.map { "NOT (\(difference($0, "held", "NEW")))" }
        return ([selectRow(as: "NEW", in: table)] + (same.isEmpty ? [] : [joined(same, by: "AND")]))
            .joined(separator: " AND ")
    }

    private static func hasKey(of row: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID: "held.\(key) = \(row).\(key)"
        case .numbered(let key):
            joined(key.columns.map { "held.\($0.collated) = \(row).\(quoted($0.name))" }, by: "AND")
        }
    }

    // MARK: Rows of the history

    private static func heldRows(as row: String, in table: RecordedTable) -> String {
        rows(
            of: .insert, \.inserts, "held", key(of: row, in: table), in: table,
            from: "\(quoted(table.name)) AS held", where: hasKey(of: row, in: table))
    }

    /// Records the insert of the row NEW, and its delete by another trigger.
    private static func deletedRows(in table: RecordedTable) -> [String] {
        let isDeleted = "NOT EXISTS (\(selectRow(as: "NEW", in: table)))"
        return [(.insert, \Preservation.inserts), (.delete, \Preservation.deletes)].map { operation, extent in
            rows(of: operation, extent, "NEW", key(of: "NEW", in: table), in: table, from: nil, where: isDeleted)
        }
    }

    private static func rows(
        of operation: ChangeTable.Operation, _ extent: KeyPath<Preservation, Preservation.Extent>, _ row: String,
        _ key: String, in table: RecordedTable, from source: String?, where condition: String
    ) -> String {
        let side = operation == .delete ? "old_value" : "new_value"
        let insert = "INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes, \(side)) SELECT "
        let condition = "WHERE \(condition) AND \(key) IS NOT NULL"
        let preserved = table.columns.filter { $0.preservation[keyPath: extent] != .none }
        guard let first = preserved.first else {
            return "\(insert)\(table.kind(operation).rawValue), \(key), NULL, NULL "
                + (source.map { "FROM \($0) " } ?? "") + condition
        }
        let numbers = preserved.map { "(\($0.number))" }.joined(separator: ", ")
        func byNumber(_ part: KeyPath<(number: String, value: String), String>) -> String {
            "CASE kept.column1 "
                + preserved.map {
                    "WHEN \($0.number) THEN \(preservedValue($0, row, $0.preservation[keyPath: extent])[keyPath: part])"
                }.joined(separator: " ") + " END"
        }
        return """
            \(insert)CASE kept.column1 WHEN \(first.number) THEN \(table.kind(operation).rawValue) \
            ELSE \(table.kind(.preservedValue).rawValue) END, \(key), \(byNumber(\.number)), \(byNumber(\.value)) \
            FROM \(source.map { "\($0) CROSS JOIN " } ?? "")(VALUES \(numbers)) AS kept \(condition) ORDER BY kept.column1
            """
    }

    /// Removes the last change if another trigger updated or deleted the row NEW.
    private static func removeChanges(in table: RecordedTable) -> [String] {
        [removeLast(.delete, of: "NEW", in: table, if: "NOT EXISTS"), removeLastUpdate(in: table)]
    }

    /// Removes the last change if it is an operation on a row whose presence is `EXISTS` or `NOT EXISTS`.
    private static func removeLast(
        _ operation: ChangeTable.Operation, of row: String, in table: RecordedTable, if presence: String
    ) -> String {
        "DELETE FROM \(ChangeTable.name) WHERE id >= (\(selectLast(operation, of: row, in: table))) "
            + "AND \(presence) (\(selectRow(as: row, in: table)))"
    }

    /// If the last change is the update from the row NEW to the present row. One of an earlier statement has other values.
    private static func removeLastUpdate(in table: RecordedTable) -> String {
        let last = selectLast(.update, of: "NEW", in: table)
        let columns = table.columns.filter { $0.preservation.updates != .none }
        guard !columns.isEmpty else { return "DELETE FROM \(ChangeTable.name) WHERE 0" }
        let isOther =
            "CASE p.attributes "
            + columns.map { column in
                let name = quoted(column.name)
                return "WHEN \(column.number) THEN p.old_value IS NOT NEW.\(name) OR p.new_value IS NOT held.\(name)"
            }.joined(separator: " ") + " ELSE 1 END"
        return """
            DELETE FROM \(ChangeTable.name) WHERE id >= (\(last)) AND EXISTS (SELECT 1 FROM \(ChangeTable.name) AS p \
            WHERE p.id > (\(last))) AND EXISTS (\(selectRow(as: "NEW", in: table)) AND NOT EXISTS (SELECT 1 \
            FROM \(ChangeTable.name) AS p WHERE p.id > (\(last)) AND \(isOther)))
            """
    }

    private static func selectLast(
        _ operation: ChangeTable.Operation, of row: String, in table: RecordedTable
    ) -> String {
        """
        SELECT c.id FROM (SELECT d.id, d.kind, d.primary_key FROM \(ChangeTable.name) AS d \
        WHERE d.kind <> \(table.kind(.preservedValue).rawValue) ORDER BY d.id DESC LIMIT 1) AS c \
        WHERE c.kind = \(table.kind(operation).rawValue) AND c.primary_key = \(key(of: row, in: table))
        """
    }
}
