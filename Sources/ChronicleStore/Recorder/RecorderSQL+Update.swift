import ChronicleCore

extension RecorderSQL {
    /// How many attributes one mask holds.
    ///
    /// 62 bits stay clear of the sign of SQLite's 64-bit integers, so that no shift or sum can reach it.
    static let attributesPerMask = 62

    /// The numbers that attributes can have. ``recordUpdate(_:)`` joins a mask for every 62 of them, and SQLite refuses an
    /// expression deeper than 1,000 (<https://sqlite.org/limits.html>).
    static let attributeNumbers = 0...attributesPerMask * 500 - 1

    /// The trigger that records which attributes an update changed; nil for an entity without attributes.
    ///
    /// Comparing first and building the mask after that is the cheapest form: the comparison stops at the first
    /// difference, and an update that changes nothing records nothing.
    ///
    /// `IS NOT` compares values, not their representation: 1 and 1.0, 0.0 and -0.0 are the same. So they are to Swift
    /// and to whoever decodes the attribute; `typeof()` in each comparison would make an update half as slow again.
    ///
    /// The trigger has no list of columns (`UPDATE OF`): it would be the list of all columns, and measured the same.
    static func recordUpdate(_ table: RecordedTable) -> String? {
        let masks = changeMasks(table)
        guard let first = masks.first else { return nil }
        let differences = joined(sortedColumns(table).map(difference), by: "OR")
        let names = masks.count > 1 ? "what, key, detail, more" : "what, key, detail"
        let values = masks.count > 1 ? "\(first), \(masks.dropFirst().joined(separator: " || ',' || "))" : first
        return trigger(
            .update, on: table, "AFTER UPDATE", when: "OLD.\(key) IS NEW.\(key) AND (\(differences))",
            do: ["INSERT INTO chronicle_change(\(names)) VALUES (\(table.what(.update)), NEW.\(key), \(values))"])
    }

    /// The trigger that records an update of the primary key: the old identity is deleted, the new one inserted.
    ///
    /// SQLite decides by the name that the statement uses whether it updates a listed column, so that the other names
    /// of the primary key must be listed as well (<https://sqlite.org/lang_createtable.html>, "ROWIDs and the
    /// INTEGER PRIMARY KEY"). A column that happens to have such a name does no harm.
    static func recordKeyUpdate(_ table: RecordedTable) -> String {
        trigger(
            .updateKey, on: table, "AFTER UPDATE OF \(keyNames)", when: "OLD.\(key) IS NOT NEW.\(key)",
            do: [withdrawConflicts(table)] + recordConflicts(table) + [deleteRows(table), insertRow(table)])
    }

    /// All names under which a statement can update the primary key.
    static var keyNames: String { "\"id\", rowid, _rowid_, oid" }

    /// An expression that is true if the update changed the column.
    static func difference(_ column: RecordedTable.Column) -> String {
        "OLD.\(quoted(column.name)) IS NOT NEW.\(quoted(column.name))"
    }

    /// One expression for each mask of changed attributes: attributes 0...61, 62...123, and so on to the last number in
    /// use. Empty for an entity without attributes.
    ///
    /// The first is stored in `detail`. The others are stored in `more`: one of them as an integer, several as text,
    /// separated by commas. Read as text, both are the same.
    static func changeMasks(_ table: RecordedTable) -> [String] {
        let columns = sortedColumns(table)
        guard let last = columns.last else { return [] }
        return (0...last.number / attributesPerMask).map { index in
            let bits = columns.filter { $0.number / attributesPerMask == index }
                .map { column in
                    let bit = column.number % attributesPerMask
                    return bit == 0 ? "(\(difference(column)))" : "((\(difference(column))) << \(bit))"
                }
            return bits.isEmpty ? "0" : "(\(bits.joined(separator: " | ")))"
        }
    }

    /// The masks of an update, as its row has them in `detail` and `more`.
    ///
    /// - Throws: ``SwiftDataError/damagedFile``.
    static func masks(_ first: Int64, _ further: String?, at position: Int64) throws -> [Int64] {
        var masks = [first]
        for text in further?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard let mask = Int64(text), masks.count <= attributeNumbers.upperBound / attributesPerMask else {
                throw SwiftDataError.damagedRow(.change(position), "the masks of its attributes are wrong")
            }
            masks.append(mask)
        }
        return masks
    }

    private static func sortedColumns(_ table: RecordedTable) -> [RecordedTable.Column] {
        table.columns.sorted { $0.number < $1.number }
    }
}
