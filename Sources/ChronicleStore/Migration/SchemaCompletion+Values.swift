import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

// Changes values that a new schema requires.
extension SchemaCompletion {
    /// Sets attributes to their default values: those of removed properties that were declared again, those that are new
    /// in one of several classes that share a column, and those that became required and have no value. The changes are
    /// recorded.
    ///
    /// - Parameters:
    ///   - plan: The plan of the opening.
    ///   - shared: The completion for all programs that use the file.
    ///   - registry: The entities of the file.
    ///   - conversions: The conversions of values whose stored form changes.
    /// - Throws: ``SwiftDataError/backwardMigration`` for a required property without a default value.
    func setMissingValues(
        _ plan: SchemaPlan, _ shared: SchemaCompletion, _ registry: EntityRegistry, _ conversions: [ValueConversion]
    ) throws {
        var updates: [(sql: String, value: PropertyValue)] = []
        var prepared: [String: [String: Schema.Property]] = [:]
        for (table, tablePlan) in plan.tables.sorted(by: { $0.key < $1.key }) where try tableExists(table) {
            let columns = try fileColumns(of: table)
            let names = columns.map(\.name)
            // A column of another program already has the values.
            let recorded = Set(
                try registry.entities().first { $0.name == table }?.attributes.filter(\.isPresent).map(\.name) ?? [])
            for item in tablePlan.classes {
                let rows = rows(of: item.entity, names)
                for property in item.entity.storedProperties {
                    guard let column = columns.first(where: { $0.name == property.name }) else { continue }
                    let earlier = item.earlier[property.name]
                    let isNew = earlier == nil && !plan.opening.isKnown && recorded.contains(property.name)
                    // A program with an earlier version of a subclass, or without it, may have inserted rows.
                    let mayBeMissing = column.isOptional && !property.isOptional
                    guard isNew || mayBeMissing else { continue }
                    let value = property.defaultValue ?? .null
                    let name = quoted(property.name)
                    let newRows = isNew ? self.rows(of: item.entity, whereNew: property.name, plan, names) : nil
                    let emptyRows = mayBeMissing ? "\(name) IS NULL AND \(rows)" : nil
                    let condition = [newRows, emptyRows].compactMap(\.self).map { "(\($0))" }.joined(separator: " OR ")
                    guard try exists("\(quoted(table)) WHERE \(condition)") else { continue }
                    if value.isNull, !property.isOptional {
                        // Fetches of the rows throw an error. The program can use the others.
                        if plan.opening.isKnown, item.entity.superentity != nil { continue }
                        throw SwiftDataError.backwardMigration.with(
                            detail: isNew
                                ? "the property is new and required; make it optional or add a default value for the "
                                    + "existing models"
                                : "the property is no longer optional, but the file has models without a value for it",
                            entityName: item.entity.name, propertyName: property.name)
                    }
                    if let merged = schema.entitiesByName[table]?.propertiesByName[property.name] {
                        prepared[table, default: [:]][column.name] = merged
                    }
                    updates.append(("UPDATE \(quoted(table)) SET \(name) = ? WHERE \(condition)", value))
                }
            }
        }
        let links = try schema.links.flatMap { try leftoverRows(of: $0, plan) }
        guard !updates.isEmpty || !links.isEmpty else { return }
        for (table, properties) in prepared {
            // The new values need not meet constraints that no program declares any more.
            if let definition = try shared.definition(ofTable: table) { try dropUndeclaredIndexes(definition) }
            try prepareColumns(properties, of: table)
        }
        try recreateTriggers(plan, registry)
        try recordingChanges {
            // Without triggers, the update of a column that is added later would convert the integers in its rows unrecorded.
            try convertValues(conversions.filter { $0.form == .decimal && prepared[$0.table]?[$0.column] != nil })
            for update in updates {
                let statement = try connection.prepare(update.sql)
                try statement.bind(update.value, at: 1)
                try statement.run()
            }
            for (table, condition) in links { try connection.execute("DELETE FROM \(table) WHERE \(condition)") }
        }
    }

    /// Records the changes that `body` makes as a transaction of the history whose author is
    /// ``MigrationStage/author``.
    func recordingChanges(_ body: () throws -> Void) throws {
        guard try MetaTable.text(.history, connection) == "on" else { return try body() }
        var headers = HeaderWriter(connection)
        let first = try headers.groupExternalChanges()
        try body()
        let state = EditingState(id: UUID(), author: MigrationStage.author)
        _ = try headers.write(state, from: first, isChange: false)
    }

    // MARK: Conversions

    /// Converts values after the declared types of their columns changed.
    func convert(_ conversions: [ValueConversion]) throws {
        guard !conversions.isEmpty else { return }
        try recordingChanges { try convertValues(conversions) }
    }

    private func convertValues(_ conversions: [ValueConversion]) throws {
        for conversion in conversions {
            let column = quoted(conversion.column)
            let type = conversion.form == .real ? "REAL" : "TEXT"
            try connection.execute(
                """
                UPDATE \(quoted(conversion.table)) SET \(column) = CAST(\(column) AS \(type)) \
                WHERE typeof(\(column)) = 'integer'
                """)
        }
    }
}
