import ChronicleSQLStore

extension RecorderSQL {
    /// Records which attributes an update changed. The comparison before the mask ends at the first difference, and an
    /// update without changes records nothing.
    ///
    /// `IS NOT` compares values, not representations: 1 equals 1.0, and 0.0 equals -0.0, as in Swift and the decoding of
    /// attributes. Adding `typeof()` would make updates 50% slower. A column list (`UPDATE OF`) would contain all columns,
    /// and is not faster.
    static func recordUpdate(_ table: RecordedTable) -> String? {
        guard !table.columns.isEmpty else { return nil }
        let differences = joined(table.columns.map { difference($0) }, by: "OR")
        let masks = AttributeMasks.expression(table.columns.map { ($0.number, difference($0)) })
        let kind = table.kind(.update, ofRow: "NEW")
        let row =
            if let numbered = table.key.numbered {
                "SELECT \(kind), k.id, \(masks) FROM \(numbers(numbered)) WHERE \(hasNumber("NEW", numbered))"
            } else {
                "VALUES (\(kind), NEW.\(key), \(masks))"
            }
        let update = "INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes) \(row)"
        return trigger(
            .update, on: table, "AFTER UPDATE",
            when: (["\(haveSameKey("OLD", "NEW", in: table)) AND (\(differences))"] + isPresent(in: table))
                .joined(separator: " AND "),
            do: number("NEW", in: table) + [update] + table.columns.compactMap { values($0, table) })
    }

    /// `nil` if the history does not preserve the value.
    private static func values(_ column: RecordedTable.Column, _ table: RecordedTable) -> String? {
        let (old, new) = ("OLD.\(quoted(column.name))", "NEW.\(quoted(column.name))")
        let areSmall = " AND \(isSmall(old)) AND \(isSmall(new))"
        guard column.preservation.updates != .none else { return nil }
        let condition = difference(column) + (column.preservation.updates == .limited ? areSmall : "")
        let insert =
            "INSERT INTO \(ChangeTable.name)(\(ChangeTable.values)) SELECT \(table.kind(.preservedValue, ofRow: "NEW"))"
        guard let numbered = table.key.numbered else {
            return "\(insert), NEW.\(key), \(column.number), \(old), \(new) WHERE \(condition)"
        }
        return "\(insert), k.id, \(column.number), \(old), \(new) FROM \(numbers(numbered)) "
            + "WHERE \(condition) AND \(hasNumber("NEW", numbered))"
    }

    /// An update of the primary key is a delete of the old key and an insert of the new one.
    static func recordKeyUpdate(_ table: RecordedTable) -> String {
        trigger(
            .updateKey, on: table, "AFTER UPDATE OF \(keyNames(table))",
            when: ([haveDifferentKeys("OLD", "NEW", in: table)] + isPresent(in: table)).joined(separator: " AND "),
            do: number("OLD", in: table) + number("NEW", in: table) + [withdrawConflicts(table)]
                + recordConflicts(table) + [deleteRows(table)] + recordLinksOfChangedKey(table) + [insertRows(table)])
    }

    /// The columns by which a statement can change the key.
    static func keyNames(_ table: RecordedTable) -> String {
        switch table.key {
        case .rowID(let names): names
        case .numbered(let key): key.columns.map { quoted($0.name) }.joined(separator: ", ")
        }
    }

    /// True if a column of two rows differs: by default, if the update changed it.
    static func difference(_ column: RecordedTable.Column, _ other: String = "NEW", _ row: String = "OLD") -> String {
        let (old, new) = ("\(row).\(quoted(column.name))", "\(other).\(quoted(column.name))")
        return switch column.comparison {
        case .value: "\(old) IS NOT \(new)"
        case .text: "\(old) COLLATE BINARY IS NOT \(new)"
        case .textAndType: "(\(old) COLLATE BINARY IS NOT \(new) OR typeof(\(old)) <> typeof(\(new)))"
        }
    }
}
