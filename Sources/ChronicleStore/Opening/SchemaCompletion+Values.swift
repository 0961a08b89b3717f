import ChronicleCore
import ChronicleSQLite
import Foundation

// Changes values that a new schema requires.
extension SchemaCompletion {
    /// Sets attributes that became required to their default value where they have none.
    func setMissingValues() throws {
        var updates: [String] = []
        for entity in schema.entities {
            let columns = try fileColumns(of: entity.name)
            let definition = TableDefinition(entity: entity, schema: schema)
            for property in entity.storedProperties where !property.isOptional {
                guard
                    let column = columns.first(where: { $0.name == property.name })
                        ?? columns.first(where: { $0.name == property.previousName }),
                    column.isOptional, let value = definition.defaultLiteral(property)
                else { continue }
                let (table, name) = (quoted(entity.name), quoted(column.name))
                updates.append("UPDATE \(table) SET \(name) = \(value) WHERE \(name) IS NULL")
            }
        }
        guard !updates.isEmpty else { return }
        try recordingChanges { for update in updates { try connection.execute(update) } }
    }

    /// Records the changes that `body` makes as a transaction of the history whose author is
    /// ``MigrationStage/author``.
    func recordingChanges(_ body: () throws -> Void) throws {
        guard try MetaTable.text(.history, connection) == "on" else { return try body() }
        var headers = HeaderWriter(connection)
        let first = try headers.sealExternalChanges()
        try body()
        let state = EditingState(id: UUID(), author: MigrationStage.author)
        _ = try headers.write(state, from: first, isChange: false)
    }
}
