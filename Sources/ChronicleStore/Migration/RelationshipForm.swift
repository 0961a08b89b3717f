import ChronicleCore
import ChronicleSQL

/// Where a file keeps the destinations of a relationship.
enum RelationshipForm: Equatable {
    /// A column of the model's table.
    case column(table: String, name: String)
    /// A column of the destination's table, for the inverse relationship.
    case inverse(table: String, name: String)
    /// A link table, and its columns with the keys of the model and of the destination.
    case links(table: String, from: String, to: String)

    /// Whether two relationships are kept in the same way, in places that may differ.
    func isSameKind(as other: RelationshipForm) -> Bool {
        switch (self, other) {
        case (.column, .column), (.inverse, .inverse), (.links, .links): true
        default: false
        }
    }

    /// A statement that selects the keys of models and their destinations.
    var select: String {
        switch self {
        case .column(let table, let name):
            """
            SELECT _rowid_ AS source, \(quoted(name)) AS destination FROM \(quoted(table)) \
            WHERE \(quoted(name)) IS NOT NULL
            """
        case .inverse(let table, let name):
            """
            SELECT \(quoted(name)) AS source, _rowid_ AS destination FROM \(quoted(table)) \
            WHERE \(quoted(name)) IS NOT NULL
            """
        case .links(let table, let from, let to):
            "SELECT \(from) AS source, \(to) AS destination FROM \(quoted(table))"
        }
    }

    /// The form in a file with the tables of a schema.
    init?(_ property: Schema.Property, of entity: Schema.Entity, in schema: Schema) {
        guard let relationship = property.relationship else { return nil }
        if let links = schema.links(of: property) {
            let (from, to) = ModelTables.linkColumns(of: property, in: links)
            self = .links(table: links.name, from: from, to: to)
        } else if !relationship.isToMany {
            self = .column(table: entity.name, name: property.name)
        } else if let inverse = relationship.inverseName {
            self = .inverse(table: relationship.destination, name: inverse)
        } else {
            return nil
        }
    }
}
