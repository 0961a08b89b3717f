package import ChronicleCore
package import ChronicleSQL

/// The tables of a store, as far as the changes of a schema depend on them.
package protocol StoreTables {
    associatedtype Catalog: EntityCatalog

    var catalog: Catalog { get }
    /// The entities of the models.
    var models: Schema { get }
    /// The entities of the tables: ``models`` without inheritance.
    var schema: Schema { get }
    /// The dialect of the database, with its names of tables.
    var dialect: any SQLDialect { get }

    /// Returns a text as an SQL literal.
    func literal(_ text: String) -> String
    /// Returns a name in the form in which the database compares names.
    func folded(_ name: String) -> String

    func hasTable(_ name: String) throws -> Bool
    /// Returns the name of the table that the database finds for a name, or `nil` if there is none.
    func tableName(folded name: String) throws -> String?
    /// Returns the columns of a table by name, as far as their types show the properties; none if there is no such table.
    func columns(of table: String) throws -> [String: StoredProperty]
    /// Returns whether a table of links has the given ends.
    func references(_ table: String, from owner: String, to destination: String) throws -> Bool
    /// Returns whether there are rows.
    ///
    /// - Parameter rows: What follows FROM in a query.
    func exists(_ rows: String) throws -> Bool

    /// Returns the property that a column which another program created shows; a new property is compared with it. By
    /// default, there is none.
    func unrecordedProperty(for property: Schema.Property, in table: String) throws -> StoredProperty?
    /// Returns the condition that an integer has no exact floating-point number.
    ///
    /// - Parameters:
    ///   - column: The quoted name of the column.
    ///   - limit: The magnitude up to which integers are exact.
    func isInexact(_ column: String, limit: Int64) -> String
    /// Calls a closure with each distinct value of a column, in the stored form of a property.
    ///
    /// - Parameters:
    ///   - column: The quoted name of the column.
    ///   - rows: What follows FROM in a query.
    func forEachValue(
        _ column: String, _ rows: String, as property: Schema.Property, _ body: (PropertyValue) throws -> Void) throws
}

extension StoreTables {
    package func tableName(folded name: String) throws -> String? { try hasTable(name) ? name : nil }

    package func unrecordedProperty(for property: Schema.Property, in table: String) throws -> StoredProperty? { nil }

    /// Plans how the classes continue those in the store.
    ///
    /// - Parameters:
    ///   - schemas: The schemas of the programs that use the store.
    ///   - stage: The stage of a migration plan, or `nil`.
    ///   - baseline: See ``SchemaPlan/Opening/baseline``.
    /// - Throws: `SwiftDataError.backwardMigration` for renames that contradict each other or the store, and
    ///   `SwiftDataError.newerSchemaVersion` for names that a later version of the models replaced.
    package func plan(
        _ schemas: KnownSchemas, stage: SchemaPlan.Opening.Stage?, baseline: Schema?
    ) throws -> SchemaPlan {
        let entities = try catalog.entities()
        return try SchemaPlan(
            from: try catalog.storedEntities(entities, columns: columns),
            roots: Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.rootName) }),
            to: models, merged: schema, opening: SchemaPlan.Opening(schemas: schemas, stage: stage, baseline: baseline),
            fold: folded
        ) { table in
            // Other columns belong to other programs.
            let recorded = entities.first { $0.name == table }?.attributes.filter(\.isPresent).map(\.name) ?? []
            return Set(recorded).intersection(try columns(of: table).keys)
        }
    }

    /// Returns the condition for the rows of a class, but not of its subclasses.
    ///
    /// Rows of classes that the schema does not contain are those of the class that the table belongs to.
    ///
    /// - Parameter columns: The columns of the table.
    package func rows(of entity: Schema.Entity, _ columns: some Sequence<String>) -> String {
        let subentities = models.kinds(of: entity.name).subtracting([entity.name])
        return rows(of: [entity.name], notOf: subentities, hasRoot: entity.superentity == nil, columns)
    }

    /// Returns the condition for the rows of classes in the store, also of those that the schema does not contain.
    ///
    /// - Parameters:
    ///   - names: The new names of the classes, without their subclasses.
    ///   - table: The table of the classes.
    ///   - columns: The columns of the table.
    func rows(
        ofStored names: Set<String>, in table: String, _ plan: SchemaPlan, _ columns: some Sequence<String>
    ) -> String {
        let others = Set(plan.entities.keys.filter { plan.root(of: $0) == table }).subtracting(names)
        return rows(of: names, notOf: others, hasRoot: names.contains(table), columns)
    }

    /// - Parameter hasRoot: Whether the class of the table is included, with the rows of unknown classes.
    private func rows(
        of names: Set<String>, notOf others: Set<String>, hasRoot: Bool, _ columns: some Sequence<String>
    ) -> String {
        func list(_ names: Set<String>) -> String { names.sorted().map(literal).joined(separator: ", ") }
        if hasRoot, others.isEmpty { return dialect.true.sql }
        guard columns.contains(Schema.entityAttribute) else { return (hasRoot ? dialect.true : dialect.false).sql }
        let column = dialect.quoted(Schema.entityAttribute)
        if hasRoot { return "(\(column) IS NULL OR \(column) NOT IN (\(list(others))))" }
        return names.isEmpty ? dialect.false.sql : "\(column) IN (\(list(names)))"
    }

    /// Returns the condition for the rows of a class that receive the default value of a new property: not those of subclasses
    /// that the schema lacks, and in which another program has the property.
    package func rows(
        of entity: Schema.Entity, whereNew property: String, _ plan: SchemaPlan, _ columns: some Sequence<String>
    ) -> String {
        let rows = rows(of: entity, columns)
        guard entity.superentity == nil, let others = otherRows(with: property, of: entity.name, plan, columns) else {
            return rows
        }
        return "\(rows) AND (\(others)) IS NOT TRUE"
    }

    /// Returns the condition for the rows of classes in which another program has a property, but this one does not, or `nil` if there
    /// are no such classes.
    package func otherRows(
        with property: String, of table: String, _ plan: SchemaPlan, _ columns: some Sequence<String>
    ) -> String? {
        guard columns.contains(Schema.entityAttribute) else { return nil }
        let others = plan.entities.filter { name, stored in
            models.entitiesByName[name]?.propertiesByName[property] == nil && plan.root(of: name) == table
                && stored.property(named: property) != nil && plan.opening.schemas.use(property, ofFirst: [name])
        }.keys.sorted()
        let conditions = others.map { name in
            models.entitiesByName[name].map { rows(of: $0, columns) }
                ?? "\(dialect.quoted(Schema.entityAttribute)) = \(literal(name))"
        }
        return conditions.isEmpty ? nil : "(\(conditions.joined(separator: " OR ")))"
    }

    /// Returns whether the tables contain a column or a table of links.
    package func contains(_ storage: RelationshipStorage) throws -> Bool {
        switch storage {
        case .links(let table, _, _): try hasTable(table)
        case .column(let table, let name), .inverseColumn(let table, let name):
            try columns(of: table)[name] != nil
        }
    }
}
