import ChronicleCore
import ChronicleSQL
import ChronicleStore

/// The rows of a file as `FetchSQL` expects them: a subquery for each root entity and for each relationship that is stored
/// as links.
struct AppleTables: SQLTables {
    /// The subqueries by the name of the root entity.
    private var models: [String: SQLQuery] = [:]
    /// The subqueries by the name of the links.
    private var linked: [String: SQLQuery] = [:]
    private let dialect = SQLiteQueries.dialect

    /// `hasModelNames` is false if the names of a schema without classes are those of the columns. Throws
    /// `SwiftDataError.backwardMigration` with the name of the table, if the file lacks a class or a property of the
    /// schema.
    init(_ layout: AppleLayout, _ schema: Schema, hasModelNames: Bool) throws {
        for root in schema.entities where root.superentity == nil {
            models[root.name] = try RootQuery(layout, schema, root, hasModelNames).query
        }
        for links in schema.links { linked[links.name] = try LinkTable(layout, schema, links).query }
    }

    func rows(of table: String) -> SQLQuery? { models[table] }

    func links(of table: String) throws -> SQLQuery? { linked[table] }

    func join(_ table: String, as alias: String) -> SQLJoin? {
        guard let rows = models[table] else { return nil }
        let dialect = dialect
        return SQLJoin(
            clause: { reference in
                "LEFT JOIN \(rows) AS \(raw: alias) ON \(raw: alias).\(raw: ModelTables.primaryKey) = \(reference)"
            },
            column: { "\(raw: alias).\(raw: dialect.quoted($0))" })
    }
}

extension AppleLayout {
    /// Finds the entity of the file by the name or the earlier name of a class.
    func entity(for entity: Schema.Entity) throws -> AppleEntity {
        if let known = entities.byName[entity.name] ?? entities.byName[entity.originalName] { return known }
        throw SwiftDataError.backwardMigration.with(
            detail:
                "the table Z_PRIMARYKEY of the file does not list the entity; remove the class from the schema, or open "
                + "another file", entityName: entity.name)
    }
}

/// The rows of a hierarchy of classes.
private struct RootQuery {
    private(set) var query: SQLQuery

    init(_ layout: AppleLayout, _ schema: Schema, _ root: Schema.Entity, _ hasModelNames: Bool) throws {
        let entity = try layout.entity(for: root)
        guard let table = layout.table(of: entity) else {
            throw SwiftDataError.backwardMigration.with(
                detail: "the file has no table \(entity.tableName)", entityName: root.name)
        }
        try table.require("Z_PK", "Z_ENT")
        var columns: [SQLQuery] = ["Z_PK AS \(raw: ModelTables.primaryKey)"]
        let kinds = schema.kinds(of: root.name).compactMap { schema.entitiesByName[$0] }.sorted { $0.name < $1.name }
        // Names that are derived from the columns name exactly one.
        let hasColumnNames = !hasModelNames && !root.hasModelClass
        let all = kinds.flatMap { kind in kind.storedProperties.flatMap { [$0.name, $0.originalName] } }
        let siblings = hasColumnNames ? nil : Set(all.map { $0.uppercased() })
        var names: Set<String> = []
        for kind in [root] + kinds {
            let own = try layout.entity(for: kind)
            for property in kind.storedProperties where names.insert(property.name).inserted {
                let value = try ColumnValueQuery(layout, table, own, kind, property, among: siblings).query
                columns.append("\(value) AS \(name: property.name)")
            }
        }
        // The rows of the file's entities belong to the nearest class that the schema has.
        let members = layout.entities.kinds(of: entity)
        if schema.hasSubentities(root) {
            var cases: SQLQuery = ""
            for kind in members {
                let chain = layout.entities.chain(of: kind)
                let known = chain.firstNonNil { kind in
                    kinds.first { $0.name == kind.name || $0.originalName == kind.name }
                }
                let name: SQLQuery = known.map { $0 === root ? "NULL" : "\(raw: literal($0.name))" } ?? "NULL"
                cases = "\(cases) WHEN \(raw: String(kind.number)) THEN \(name)"
            }
            // A number that the file does not explain is no class, and the context reports the row.
            columns.append(
                "CASE Z_ENT\(cases) ELSE 'entity ' || ifnull(Z_ENT, 'NULL') END AS \(name: Schema.entityAttribute)")
        }
        query = "SELECT \(columns.joined(", ")) FROM \(name: table.name)"
        if entity.superentityNumber != nil {
            query = "\(query) WHERE Z_ENT IN (\(raw: members.map { String($0.number) }.joined(separator: ", ")))"
        }
        query = "(\(query))"
    }
}

private func literal(_ text: String) -> String { SQLQuery.literal(text) }

extension Sequence {
    fileprivate func firstNonNil<Result>(_ transform: (Element) -> Result?) -> Result? {
        for element in self { if let result = transform(element) { return result } }
        return nil
    }
}

private struct ColumnValueQuery {
    let query: SQLQuery

    /// - Parameter siblings: The names of the properties in the hierarchy, in upper case, or `nil` if they are names of
    ///   columns.
    init(
        _ layout: AppleLayout, _ table: AppleTable, _ entity: AppleEntity, _ kind: Schema.Entity,
        _ property: Schema.Property, among siblings: Set<String>?
    ) throws {
        func failure(_ detail: String) -> SwiftDataError {
            SwiftDataError.backwardMigration.with(
                detail: detail, entityName: kind.name, propertyName: property.name)
        }
        let names = [property.name, property.originalName]
        if let siblings, let name = names.first(where: { layout.isAmbiguous($0, entity, among: siblings) }) {
            throw failure(
                "several properties have a column Z\(name.uppercased()) in the table \(table.name), which does not tell the "
                    + "column of each one; remove the property from the class")
        }
        let elements = names.firstNonNil { layout.composite(named: $0, of: entity) }
        let isStructure = property.attribute?.storage == .json
        if isStructure, let columns = elements.flatMap({ layout.columns(of: $0, entity) }) {
            query = Self.object(columns)
        } else if elements?.count ?? 1 < 2, let column = names.firstNonNil({ table.column("Z" + $0) }) {
            // Also that of an enumeration, which is a composite attribute with one attribute of the same name.
            let isExternal = layout.externalColumns[table.name.uppercased()]?.contains(column) == true
            query = Self.converted("\(name: column)", property, isExternal: isExternal)
        } else if elements != nil {
            throw failure(
                "the file contains a structure of which not each member has a column of the table \(table.name) that is "
                    + "known; remove the property from the class")
        } else if isStructure, layout.model?.entities[entity.name] == nil {
            throw failure(
                "the table \(table.name) has no column Z\(property.name.uppercased()), and the file has no model that tells "
                    + "the columns of a structure; remove the property from the class")
        } else if let value = property.defaultValue ?? (property.isOptional ? .null : nil) {
            // The property was added to the class after the file was written.
            query = value.isNull ? "NULL" : "\(value: value)"
        } else {
            throw failure(
                "the table \(table.name) has no column Z\(property.name.uppercased()), and the property has no "
                    + "default value; add one, or make the property optional")
        }
    }

    private static func converted(
        _ column: SQLQuery, _ property: Schema.Property, isExternal: Bool
    ) -> SQLQuery {
        guard let attribute = property.attribute else { return column }
        switch attribute.storage {
        case .json: return "chronicle_apple_json(\(column))"
        case .decimal: return "chronicle_apple_decimal(\(column))"
        case .text where attribute.valueTypeName == "Decimal": return "chronicle_apple_decimal(\(column))"
        case .blob where isExternal || attribute.options.contains(.externalStorage):
            return "chronicle_apple_data(\(column))"
        case .blob where attribute.valueTypeName == "Data":
            // A file that was not copied is an error, and not the value.
            return "iif(\(ExternalData.isReference(column)), chronicle_apple_data(\(column)), \(column))"
        case .integer, .real, .text, .blob: return column
        }
    }

    /// Returns a JSON object with the members of a composite attribute.
    private static func object(_ elements: [(name: String, type: Int64, column: String)]) -> SQLQuery {
        var members: [SQLQuery] = []
        var columns: [SQLQuery] = []
        for element in elements {
            let column: SQLQuery = "\(name: element.column)"
            columns.append("\(column) IS NULL")
            let value: SQLQuery =
                switch element.type {
                case 400: "json(chronicle_apple_decimal(\(column)))"
                case 800: "json(iif(\(column) IS NULL, 'null', iif(\(column), 'true', 'false')))"
                case 900: "CAST(\(column) AS REAL)"
                case 1000: "chronicle_apple_base64(\(column))"
                case 1100: "chronicle_apple_uuid(\(column))"
                case 1800: "json(chronicle_apple_json(\(column)))"
                default: column
                }
            members.append("\(raw: literal(element.name)), \(value)")
        }
        return "CASE WHEN NOT (\(columns.joined(" AND "))) THEN json_object(\(members.joined(", "))) END"
    }
}
