import Chronicle
import ChronicleCSQLite
import ChronicleTestSupport
import Foundation
import Testing

/// Net changes are those that SQLite finds when it compares copies of the file.
@Suite struct SessionDifferenceTests {
    @Test(.enabled(if: SessionDifference() != nil), arguments: TestSeed.rounds(2))
    func netChangesAreThoseBetweenCopiesOfTheFile(_ number: Int) throws {
        let session = try #require(SessionDifference())
        let store = try TestStore(.file, StoreContent.types, preservesValues: true)
        let context = store.context()
        var edits = RandomEdits(number + 100)
        let entities = ["Trip", "BucketListItem", "LivingAccommodation", "LinkItem", "LinkTag", "LinkPhoto"]
        var tables: [String: [String]] = [:]
        for entity in entities {
            tables[entity] = try store.shell("SELECT name FROM pragma_table_info('\(entity)') ORDER BY cid")
                .split(separator: "\n").map(String.init)
        }
        var copies: [(token: DefaultHistoryToken, file: URL)] = []
        for round in 0..<25 {
            for _ in 0..<3 { try edits.save(context) }
            let file = store.directory.file("copy\(round).store")
            try store.shell("VACUUM INTO '\(file.path)'")
            copies.append((try context.currentHistoryToken(), file))
        }
        for _ in 0..<25 {
            let (first, second) = (copies[edits.random.below(copies.count)], copies[edits.random.below(copies.count)])
            let expected = try session.changes(from: first.file, to: second.file, tables: tables)
            let changes = try context.changes(between: first.token, and: second.token)
            #expect(changes.sessionChanges(store.container.schema) == expected, "\(TestSeed.description)")
        }
    }
}

extension NetChanges {
    /// The changes of rows. A change of links only is not one.
    fileprivate func sessionChanges(_ schema: Schema) -> Set<SessionDifference.Change> {
        Set(
            compactMap { change -> SessionDifference.Change? in
                let identifier = change.persistentIdentifier
                var values: [String: [String]] = [:]
                for value in change.values where value.addedDestinations == nil {
                    let property = schema.entitiesByName[identifier.entityName]?.propertiesByName[value.name]
                    // Links are not part of the row.
                    if property?.relationship?.isToMany == true { continue }
                    values[value.name] = [value.previousValue, value.value].compactMap { $0.map { text($0, property) } }
                }
                if change.kind == .update, values.isEmpty { return nil }
                let operation =
                    switch change.kind {
                    case .insert: SQLITE_INSERT
                    case .update: SQLITE_UPDATE
                    case .delete: SQLITE_DELETE
                    }
                return SessionDifference.Change(
                    table: identifier.entityName, key: identifier.integerPrimaryKey ?? 0, operation: operation,
                    values: values)
            })
    }

    private func text(_ value: (any Sendable)?, _ property: Schema.Property?) -> String {
        if let destination = value as? PersistentIdentifier { return "\(destination.integerPrimaryKey ?? 0)" }
        guard let value, let property, let stored = try? property.encode(value) else { return "nil" }
        return stored.plainValue.map { "\($0)" } ?? "nil"
    }
}
