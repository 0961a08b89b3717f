package import ChronicleCore
import ChronicleSQL

/// An entity as the class of the views of a query in SQL.
package struct QueriedEntity: Sendable {
    package let name: String
    /// The names of the columns, those of the key first.
    package let columns: [String]
    /// The condition for the rows, which begins with a column, or `nil` for all rows of the table.
    package let condition: String?
    /// The names of the entities whose rows these are.
    package let kinds: Set<String>

    /// Returns the entities whose rows a table contains.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - key: The names of the primary key, unless they are among the columns.
    ///   - columns: The other columns.
    ///   - schema: The models.
    package static func all(
        ofTable name: String, key: [String], columns: [String], in schema: Schema
    ) -> [QueriedEntity] {
        guard let root = schema.entitiesByName[name], columns.contains(Schema.entityAttribute) else {
            return [QueriedEntity(name: name, columns: key + columns, condition: nil, kinds: [name])]
        }
        return schema.kinds(of: root.name).sorted().compactMap { schema.entitiesByName[$0] }.map { entity in
            let kinds = schema.kinds(of: entity.name)
            let properties = entity.storedProperties.map(\.name).filter(columns.contains)
            let names = kinds.sorted().map(SQLQuery.literal).joined(separator: ", ")
            return QueriedEntity(
                name: entity.name, columns: key + properties + [Schema.entityAttribute],
                condition: entity.name == root.name
                    ? nil : "\(SQLQuery.quoted(Schema.entityAttribute)) IN (\(names))",
                kinds: kinds)
        }
    }

    /// The view of the changes.
    package var historyName: String { "\(name)_history" }
    /// The view of the states.
    package var revisionsName: String { "\(name)_revisions" }
}
