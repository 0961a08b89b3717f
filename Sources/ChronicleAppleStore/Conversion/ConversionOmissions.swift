import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import ChronicleStore

// What the schema of the store does not read.
extension AppleStore {
    func omissions() throws -> [StoreConversion.Omission] {
        try reading { connection in
            var omissions: [StoreConversion.Omission] = []
            if !hasModelNames, schema.entities.contains(where: { !$0.hasModelClass }) {
                omissions.append(
                    StoreConversion.Omission(
                        "names",
                        "the file does not contain its model, so the names are those of its tables, and relationships are "
                            + "numbers; convert it with the classes of the program"))
            }
            for (_, entity) in layout.entities.byNumber.sorted(by: { $0.key < $1.key }) {
                guard let known = knownEntity(entity) else {
                    omissions += try missingEntity(entity, connection)
                    continue
                }
                omissions += try properties(of: entity, known, connection)
            }
            return omissions + orders()
        }
    }

    /// The nearest class, of which the rows of the entity are models.
    private func knownEntity(_ entity: AppleEntity) -> Schema.Entity? {
        layout.entities.chain(of: entity).lazy.compactMap { kind in
            self.schema.entitiesByName[kind.name] ?? self.schema.entities.first { $0.originalName == kind.name }
        }.first
    }

    private func missingEntity(
        _ entity: AppleEntity, _ connection: Connection
    ) throws -> [StoreConversion.Omission] {
        guard let table = layout.table(of: entity), table.column("Z_ENT") != nil else { return [] }
        let count = try rowCount("*", table, entity, connection)
        let detail = "the schema has no such class"
        return count == 0 ? [] : [StoreConversion.Omission(entity.name, count: count, detail)]
    }

    /// `value` is an expression of `count`. Tables that the schema does not read may lack columns.
    private func rowCount(
        _ value: SQLQuery, _ table: AppleTable, _ entity: AppleEntity, _ connection: Connection
    ) throws -> Int {
        let query: SQLQuery =
            "SELECT count(\(value)) FROM \(name: table.name) WHERE Z_ENT = \(value: .integer(entity.number))"
        let statement = try SQLiteQueries.statement(query, connection)
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }

    // MARK: Properties

    private func properties(
        of entity: AppleEntity, _ known: Schema.Entity, _ connection: Connection
    ) throws -> [StoreConversion.Omission] {
        let superentity = entity.superentityNumber.flatMap { layout.entities.byNumber[$0] }
        let inherited = Set(superentity.flatMap { layout.model?.entities[$0.name] }?.properties.map(\.name) ?? [])
        var omissions: [StoreConversion.Omission] = []
        for property in layout.model?.entities[entity.name]?.properties ?? []
        where property.isPersistent && !inherited.contains(property.name) {
            let name = "\(entity.name).\(property.name)"
            let match = known.properties.first { [$0.name, $0.originalName].contains(property.name) }
            if let match {
                if let detail = Self.rawForm(property, match) {
                    omissions.append(StoreConversion.Omission(name, detail))
                }
            } else {
                let count = try valueCount(property, entity, connection)
                if count == 0 { continue }
                let detail =
                    known.hasModelClass
                    ? "the class \(known.name) has no such property"
                    : "the file does not tell how it stores the property"
                omissions.append(StoreConversion.Omission(name, count: count, detail))
            }
        }
        return omissions
    }

    /// `nil` if other rows or tables contain the property.
    private func valueCount(
        _ property: CachedModel.Property, _ entity: AppleEntity, _ connection: Connection
    ) throws -> Int? {
        guard let table = layout.table(of: entity), table.column("Z_ENT") != nil,
            let column = table.column("Z" + property.name), !layout.isAmbiguous(property.name, entity)
        else { return nil }
        return try rowCount("\(name: column)", table, entity, connection)
    }

    /// Types of the program are not known without its classes.
    private static func rawForm(_ property: CachedModel.Property, _ known: Schema.Property) -> String? {
        switch (property.kind, known.attribute?.valueTypeName) {
        case (.attribute(1800, _), "Data"):
            "the value is an archive, because the file does not contain its type; convert it with the classes of the program"
        case (.composite, "Composite"):
            "the value is a JSON object of its members, because the file does not contain its type"
        default: nil
        }
    }

    /// Columns such as `Z_FOK_TRIP` contain the order of the destinations.
    private func orders() -> [StoreConversion.Omission] {
        layout.tables.values.sorted { $0.name < $1.name }.flatMap { table in
            table.columns.filter { $0.name.uppercased().hasPrefix("Z_FOK") }.map { column in
                StoreConversion.Omission(
                    "\(table.name).\(column.name)",
                    "the order of an ordered relationship; its destinations have no order")
            }
        }
    }
}
