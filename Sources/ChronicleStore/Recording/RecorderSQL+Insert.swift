import ChronicleSQLStore

extension RecorderSQL {
    /// Returns the trigger that records an insert, after the rows that the insert replaced.
    ///
    /// It always reads `chronicle_conflict`, which is usually empty. This costs less than a second trigger.
    static func recordInsert(_ table: RecordedTable) -> String {
        trigger(
            .insert, on: table, "AFTER INSERT", when: isPresent(in: table).first,
            do: number("NEW", in: table) + recordConflicts(table) + [insertRows(table)])
    }

    /// Returns the statement that records the insert of the row NEW.
    static func insertRows(_ table: RecordedTable) -> String {
        rows(of: .insert, in: table, "NEW", value: "new_value", \.inserts)
    }
}
