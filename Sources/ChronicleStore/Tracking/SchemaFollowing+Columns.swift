import ChronicleCore
import ChronicleSQLite

// The columns that a program renamed.
extension SchemaFollowing {
    /// SQLite changes the triggers with the names of columns. They show which column has which name now.
    func renameColumns(_ result: inout Result) throws {
        for entity in try registry.entities() {
            guard let name = entity.tableName, let table = try TrackedTable(name, connection), table.reason == nil,
                let renamed = try renamed(entity, table)
            else { continue }
            for (earlier, attribute) in zip(entity.attributes, renamed.attributes) where earlier.name != attribute.name
            {
                try registry.update(attribute, of: renamed)
                let text = "column renamed: \(name).\(earlier.name) to \(attribute.name)"
                result.changes.append(Change(table: name, text: text))
            }
            try registry.setTable(name, keyColumns: renamed.keyColumns ?? [], of: renamed)
            try registry.setDefinition(tracking.definition(of: table), of: renamed)
            // Changes since the creation of a unique index may be missing otherwise.
            guard try tracking.interruption(of: renamed, table) == nil else { continue }
            // Also changes the schema, so that open stores read the names again.
            try tracking.recreateTriggers(table.recordedTable(renamed))
        }
    }

    /// Returns a text about a column that was renamed and has its earlier name in the history; `nil` if there is none.
    func renamedColumn(of entity: RecordedEntity, _ table: TrackedTable) throws -> String? {
        guard table.reason == nil, let renamed = try renamed(entity, table),
            let (earlier, present) = zip(entity.attributes, renamed.attributes).first(where: { $0.name != $1.name })
        else { return nil }
        return "the column \(earlier.name) was renamed to \(present.name)"
    }

    /// Returns the entity with the names that its triggers have; `nil` if no column was renamed.
    private func renamed(_ entity: RecordedEntity, _ table: TrackedTable) throws -> RecordedEntity? {
        // SQLite replaces the name of the rowid, too, if the column that is the rowid was renamed.
        func normalized(_ sql: String) -> String {
            table.rowIDColumn.map { sql.replacing(quoted($0), with: RecorderSQL.key) } ?? sql
        }
        let triggers = try Set(tracking.triggers(of: table.name).map { normalized($0.sql) })
        guard !triggers.isEmpty, try tracking.interruption(of: entity, table) != nil else { return nil }
        let present = entity.attributes.indices.filter { entity.attributes[$0].isPresent }
        let names = table.attributes.map(\.name)
        let missing = present.filter { !names.contains(entity.attributes[$0].name) }
        let candidates = names.filter { name in !present.contains { entity.attributes[$0].name == name } }
        // A renamed column keeps its place.
        let inOrder = present.count <= names.count ? [Array(zip(present, names))] : []
        for choice in inOrder + Self.choices(candidates, missing.count).map({ Array(zip(missing, $0)) }) {
            var renamed = entity
            for (index, name) in choice { renamed.attributes[index].name = name }
            let newNames = Dictionary(
                choice.map { (entity.attributes[$0].name, $1) }, uniquingKeysWith: { first, _ in first })
            renamed.keyColumns = entity.keyColumns?.map { newNames[$0] ?? $0 }
            guard renamed != entity, (renamed.keyColumns ?? []) == table.primaryKey.map(\.name) else { continue }
            // The other triggers depend on the unique indexes, which may have changed as well.
            let names = [RecorderSQL.TriggerKind.insert, .update, .delete].map {
                quoted($0.name(of: entity.number))[...]
            }
            let required = RecorderSQL.triggers(of: table.recordedTable(renamed))
                .filter { names.contains(Self.name(ofTrigger: $0)) }
            if required.count == names.count, Set(required.map(normalized)).isSubset(of: triggers) { return renamed }
        }
        return nil
    }

    /// Names in each order, or in that of the columns if there are many.
    private static func choices(_ names: [String], _ count: Int) -> [[String]] {
        guard count > 0, count <= names.count else { return [] }
        guard count <= 3, names.count <= 8 else { return [Array(names.prefix(count))] }
        if count == 1 { return names.map { [$0] } }
        return names.indices.flatMap { index in
            var rest = names
            let first = rest.remove(at: index)
            return choices(rest, count - 1).map { [first] + $0 }
        }
    }
}
