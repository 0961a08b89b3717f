public import ChronicleCore

/// Where the tables of a schema contain the destinations of a relationship; see ``ModelTables``.
public enum RelationshipStorage: Equatable, Sendable {
    /// A column of the model's table.
    case column(table: String, name: String)
    /// A column of the destination's table, for the inverse relationship.
    case inverseColumn(table: String, name: String)
    /// A table of links, and its columns with the keys of the model and of the destination.
    case links(table: String, from: String, to: String)

    /// Returns where the tables of a schema contain a relationship.
    ///
    /// - Parameters:
    ///   - property: The property. The result is `nil` for an attribute, and for a to-many relationship without inverse and
    ///     links.
    ///   - entity: The entity of the property.
    ///   - schema: The schema, in which an entity has the properties of its whole hierarchy.
    public init?(_ property: Schema.Property, of entity: Schema.Entity, in schema: Schema) {
        guard let relationship = property.relationship else { return nil }
        if let links = schema.links(of: property) {
            let (from, to) = ModelTables.linkColumns(of: property, in: links)
            self = .links(table: links.name, from: from, to: to)
        } else if !relationship.isToMany {
            self = .column(table: entity.name, name: property.name)
        } else if let inverse = relationship.inverseName {
            self = .inverseColumn(table: relationship.destination, name: inverse)
        } else {
            return nil
        }
    }

    /// The query for the keys of the models and of their destinations, in the columns `source` and `destination`.
    public var pairs: SQLQuery { pairs(PostgreSQLDialect()) }

    /// Returns the query of ``pairs`` for a database.
    ///
    /// - Parameter dialect: The dialect, which may contain the schema of the tables.
    /// - Returns: The query.
    public func pairs(_ dialect: any SQLDialect) -> SQLQuery {
        let key = ModelTables.primaryKey
        return switch self {
        case .column(let table, let name):
            """
            SELECT \(raw: key) AS source, \(name: name) AS destination FROM \(raw: dialect.table(table)) WHERE \(name: name) IS NOT NULL
            """
        case .inverseColumn(let table, let name):
            """
            SELECT \(name: name) AS source, \(raw: key) AS destination FROM \(raw: dialect.table(table)) WHERE \(name: name) IS NOT NULL
            """
        case .links(let table, let from, let to):
            "SELECT \(raw: from) AS source, \(raw: to) AS destination FROM \(raw: dialect.table(table))"
        }
    }

    /// The column of ``pairs`` whose values can occur only once, or `nil` for a table of links.
    public var uniqueColumn: String? {
        switch self {
        case .column: "source"
        case .inverseColumn: "destination"
        case .links: nil
        }
    }

    package var place: StoredProperty.Place {
        switch self {
        case .column: .column
        case .inverseColumn: .inverse
        case .links: .links
        }
    }
}
