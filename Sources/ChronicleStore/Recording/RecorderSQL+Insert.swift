import ChronicleSQLStore

extension RecorderSQL {
    /// Reading `chronicle_conflict`, which is usually empty, costs less than a second trigger.
    static func recordInsert(_ table: RecordedTable) -> String {
        trigger(
            .insert, on: table, "AFTER INSERT", when: isPresent(in: table).first,
            do: number("NEW", in: table) + recordConflicts(table) + [insertRows(table)])
    }

    static func insertRows(_ table: RecordedTable) -> String {
        rows(of: .insert, in: table, "NEW", value: "new_value", \.inserts)
    }
}
