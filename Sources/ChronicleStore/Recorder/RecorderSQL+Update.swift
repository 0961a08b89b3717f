import ChronicleCore

extension RecorderSQL {
    /// The number of attributes in one mask.
    ///
    /// 62 bits do not include the sign bit of SQLite's 64-bit integers, so shifts and sums cannot change it.
    static let attributesPerMask = 62

    /// The valid attribute numbers. ``recordUpdate(_:)`` concatenates one mask for every 62 of them, and SQLite
    /// rejects expressions deeper than 1,000 (<https://sqlite.org/limits.html>).
    static let attributeNumbers = 0...attributesPerMask * 500 - 1

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
        let masks = changeMasks(table)
        guard let first = masks.first else { return nil }
        let differences = joined(sortedColumns(table).map(difference), by: "OR")
        let names = masks.count > 1 ? "what, key, detail, more" : "what, key, detail"
        let values = masks.count > 1 ? "\(first), \(masks.dropFirst().joined(separator: " || ',' || "))" : first
        return trigger(
            .update, on: table, "AFTER UPDATE", when: "OLD.\(key) IS NEW.\(key) AND (\(differences))",
            do: ["INSERT INTO chronicle_change(\(names)) VALUES (\(table.what(.update)), NEW.\(key), \(values))"])
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
            do: [withdrawConflicts(table)] + recordConflicts(table) + [deleteRows(table), insertRow(table)])
    }

    /// All names by which a statement can update the primary key.
    static var keyNames: String { "\"id\", rowid, _rowid_, oid" }

    /// Returns an expression that is true if the update changed the column.
    static func difference(_ column: RecordedTable.Column) -> String {
        "OLD.\(quoted(column.name)) IS NOT NEW.\(quoted(column.name))"
    }

    /// Returns one expression for each mask of changed attributes: attributes 0...61, 62...123, and so on to the
    /// highest number in use. Empty for an entity without attributes.
    ///
    /// The first is stored in `detail`. The others are stored in `more`: a single one as an integer, several as text
    /// separated by commas. Read as text, both have the same format.
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

    /// Returns the masks of an update from the values in `detail` and `more`.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if the text is invalid.
    static func masks(_ first: Int64, _ further: String?, at position: Int64) throws -> [Int64] {
        var masks = [first]
        for text in further?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard let mask = Int64(text), masks.count <= attributeNumbers.upperBound / attributesPerMask else {
                throw SwiftDataError.damagedRow(.change(position), "the attribute masks are invalid")
            }
            masks.append(mask)
        }
        return masks
    }

    private static func sortedColumns(_ table: RecordedTable) -> [RecordedTable.Column] {
        table.columns.sorted { $0.number < $1.number }
    }
}
