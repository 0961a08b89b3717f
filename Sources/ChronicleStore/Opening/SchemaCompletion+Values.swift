import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

// Checks and changes values that a new schema requires.
extension SchemaCompletion {
    /// A conversion of the values of a column, which follows the change of its declared type.
    struct Conversion {
        let table: String
        let column: String
        /// The type in the cast, as SQLite names it.
        let type: String
    }

    /// Returns the condition for the rows of a class, but not of its subclasses.
    ///
    /// Rows of classes that the schema does not contain are those of the class that the table belongs to.
    func rows(of entity: Schema.Entity, _ columns: [FileColumn]) -> String {
        guard columns.contains(where: { $0.name == Schema.entityAttribute }) else {
            return entity.superentity == nil ? "1" : "0"
        }
        let column = quoted(Schema.entityAttribute)
        if entity.superentity != nil { return "\(column) IS \(RecorderSQL.literal(entity.name))" }
        let others = models.kinds(of: entity.name).subtracting([entity.name]).sorted().map(RecorderSQL.literal)
        return others.isEmpty ? "1" : "(\(column) IS NULL OR \(column) NOT IN (\(others.joined(separator: ", "))))"
    }

    private func exists(_ table: String, where condition: String) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM \(quoted(table)) WHERE \(condition) LIMIT 1") != nil
    }

    // MARK: Declarations

    /// Compares the declarations of the properties with the values in the file. Tables have their new names, and columns
    /// their old ones.
    ///
    /// - Returns: The conversions of values whose stored form changes.
    /// - Throws: ``SwiftDataError/backwardMigration`` if values would have another meaning.
    func checkDeclarations(_ plan: SchemaPlan) throws -> [Conversion] {
        var conversions: [Conversion] = []
        for (table, tablePlan) in plan.tables.sorted(by: { $0.key < $1.key }) where try tableExists(table) {
            let columns = try fileColumns(of: table)
            for item in tablePlan.classes {
                let rows = rows(of: item.entity, columns)
                for property in item.entity.properties {
                    let column = property.slot < 0 ? nil : columns.first { $0.name == property.name }
                    // The key column of a file may have the name of an attribute, for which it is renamed.
                    var other = column?.isPrimaryKey == false ? column?.property : nil
                    // Without a foreign key, the key of a destination is an integer like others.
                    if other?.storage == .integer, property.relationship != nil { other = nil }
                    var compared = item.compared(property.name)
                    if compared.isEmpty, !isReplaced(property, tablePlan) { compared = [other].compactMap(\.self) }
                    let isEarlier = item.earlier[property.name] != nil || plan.opening.isKnown
                    for earlier in compared {
                        if earlier.place == .column, !columns.contains(where: { $0.name == earlier.name }) { continue }
                        let check = DeclarationCheck(
                            earlier: earlier, property: property, entity: item.entity, table: table,
                            rows: isEarlier ? rows : "1")
                        if let conversion = try compare(check, isEarlier: isEarlier, plan) {
                            conversions.append(conversion)
                        }
                    }
                }
            }
        }
        return conversions
    }

    /// Whether the column with the name of a property is that of another property, or will be dropped.
    private func isReplaced(_ property: Schema.Property, _ table: SchemaPlan.Table) -> Bool {
        table.droppedColumns.contains(property.name) || table.renames.contains { $0.old == property.name }
    }

    private struct DeclarationCheck {
        let earlier: StoredProperty
        let property: Schema.Property
        let entity: Schema.Entity
        let table: String
        /// The rows whose values the property continues.
        let rows: String

        var column: String { quoted(earlier.name) }

        func failure(_ reason: String? = nil) -> SwiftDataError {
            .backwardMigration.with(
                detail: "the file has values of \(earlier.summary), but the property is now "
                    + "\(StoredProperty(property).summary)\(reason.map { ", and \($0)" } ?? ""); give the property another "
                    + "name, and copy the values in a stage of a migration plan",
                entityName: entity.name, propertyName: property.name)
        }
    }

    /// - Parameter isEarlier: Whether the values become those of the property.
    private func compare(_ check: DeclarationCheck, isEarlier: Bool, _ plan: SchemaPlan) throws -> Conversion? {
        let (earlier, new) = (check.earlier, StoredProperty(check.property))
        guard earlier.isRelationship == new.isRelationship else {
            if try hasValues(check, plan) { throw check.failure() }
            return nil
        }
        if new.isRelationship {
            try compareDestinations(check, isEarlier: isEarlier, plan)
            return nil
        }
        let values = "\(check.column) IS NOT NULL AND \(check.rows)"
        switch earlier.change(to: new) {
        case .none: return nil
        case .unsupported:
            if try hasValues(check, plan) { throw check.failure() }
            return nil
        case .comparison:
            if isEarlier { try requireValidValues(check, where: values) }
            return nil
        // The values of other classes in the column are converted as well, also if those of this one are replaced.
        case .real(let limit):
            let isInexact = "typeof(\(check.column)) = 'integer' AND \(check.column) NOT BETWEEN \(-limit) AND \(limit)"
            if isEarlier, try exists(check.table, where: "\(values) AND \(isInexact)") {
                throw check.failure("a number is too large to be exact")
            }
            return Conversion(table: check.table, column: new.name, type: "REAL")
        case .decimal: return Conversion(table: check.table, column: new.name, type: "TEXT")
        }
    }

    /// Returns whether any row has a value: the column has one type for all classes.
    private func hasValues(_ check: DeclarationCheck, _ plan: SchemaPlan) throws -> Bool {
        if check.earlier.place == .column, !check.earlier.isRelationship {
            return try exists(check.table, where: "\(check.column) IS NOT NULL")
        }
        // The column of an inverse remains with the values of that property.
        guard check.earlier.place != .inverse, let destination = check.earlier.destination else { return false }
        return try pairs(check, plan.root(of: destination)).map { try exists($0) } ?? false
    }

    private func exists(_ pairs: SQLQuery) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM (\(pairs.sql)) LIMIT 1") != nil
    }

    /// Returns the query for the pairs of an earlier relationship, or `nil` if the file does not contain them.
    private func pairs(_ check: DeclarationCheck, _ destination: String) throws -> SQLQuery? {
        try check.earlier.storages(of: check.table, destination).first { storage in
            switch storage {
            case .links(let table, _, _): try tableExists(table)
            case .column(let table, let name), .inverseColumn(let table, let name):
                try fileColumns(of: table).contains { $0.name == name }
            }
        }?.pairs
    }

    private func compareDestinations(_ check: DeclarationCheck, isEarlier: Bool, _ plan: SchemaPlan) throws {
        guard let old = check.earlier.destination, let new = check.property.relationship?.destination, old != new,
            let newEntity = models.entitiesByName[new]
        else { return }
        guard let pairs = try pairs(check, plan.root(of: old)) else { return }
        if plan.root(of: old) != newEntity.rootName {
            if try exists(pairs) { throw check.failure() }
        } else if isEarlier, newEntity.superentity != nil, !models.kinds(of: new).contains(old) {
            let kinds = models.kinds(of: new).sorted().map(RecorderSQL.literal).joined(separator: ", ")
            let column = quoted(Schema.entityAttribute)
            let search = """
                SELECT 1 FROM (\(pairs.sql)) WHERE destination IN (SELECT _rowid_ FROM \(quoted(newEntity.rootName)) \
                WHERE \(column) IS NULL OR \(column) NOT IN (\(kinds))) LIMIT 1
                """
            guard try fileColumns(of: newEntity.rootName).contains(where: { $0.name == Schema.entityAttribute }),
                try connection.scalarInt64(search) != nil
            else { return }
            throw check.failure("some of the models are not of this class")
        }
    }

    /// Throws an error for values that the new type of an attribute does not have.
    private func requireValidValues(_ check: DeclarationCheck, where condition: String) throws {
        let statement = try connection.prepare(
            "SELECT DISTINCT \(check.column) FROM \(quoted(check.table)) WHERE \(condition)")
        let storage = check.property.attribute?.storage
        while try statement.step() {
            let value = statement.propertyValue(0, isReal: storage == .real)
            var isValid = false
            do {
                let decoded = try check.property.decode(value)
                // JSON can have several texts for one value.
                isValid = try storage == .json || check.property.encode(decoded).isSame(as: value)
            } catch is SwiftDataError {}
            guard isValid else { throw check.failure("the new type does not have all of them") }
        }
    }

    // MARK: Missing values

    /// Sets attributes to their default values: those of removed properties that were declared again, those that are new
    /// in one of several classes that share a column, and those that became required and have no value. The changes are
    /// recorded.
    ///
    /// - Throws: ``SwiftDataError/backwardMigration`` for a required property without a default value.
    func setMissingValues(_ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        var updates: [(sql: String, value: PropertyValue)] = []
        var prepared: [String: [String: Schema.Property]] = [:]
        for (table, tablePlan) in plan.tables.sorted(by: { $0.key < $1.key }) where try tableExists(table) {
            let columns = try fileColumns(of: table)
            // A column of another program already has the values.
            let recorded = Set(
                try registry.entities().first { $0.name == table }?.attributes.filter(\.isPresent).map(\.name) ?? [])
            for item in tablePlan.classes {
                let rows = rows(of: item.entity, columns)
                for property in item.entity.storedProperties {
                    guard let column = columns.first(where: { $0.name == property.name }) else { continue }
                    let earlier = item.earlier[property.name]
                    let isNew = earlier == nil && !plan.opening.isKnown && recorded.contains(property.name)
                    let mayBeMissing =
                        column.isOptional && !property.isOptional
                        && (item.entity.superentity == nil || earlier?.isOptional ?? true)
                    guard isNew || mayBeMissing else { continue }
                    let value = property.defaultValue ?? .null
                    let name = quoted(property.name)
                    let condition = isNew ? rows : "\(name) IS NULL AND \(rows)"
                    guard try exists(table, where: condition) else { continue }
                    if value.isNull, !property.isOptional {
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
        let links = plan.opening.isKnown ? [] : try schema.links.flatMap { try leftovers($0, plan) }
        guard !updates.isEmpty || !links.isEmpty else { return }
        for (table, properties) in prepared { try prepareColumns(properties, of: table) }
        try recreateTriggers(plan, registry)
        try recordingChanges {
            for update in updates {
                let statement = try connection.prepare(update.sql)
                try statement.bind(update.value, at: 1)
                try statement.run()
            }
            for delete in links { try connection.execute(delete) }
        }
    }

    /// Returns the statements that delete the links of a removed relationship that the schema declares again. The links
    /// are in their earlier tables.
    private func leftovers(_ links: Schema.Links, _ plan: SchemaPlan) throws -> [String] {
        let sides =
            [("owner", links.owner, links.property)]
            + (links.inverse.map { [("destination", links.destination, $0)] } ?? [])
        var sources = try earlierLinks(of: links, plan)
        let isMoved = sides.contains { plan.tables[$0.1]?.movesLinks($0.2.name) == true }
        let own = EarlierLinks(table: links.name, isReversed: false)
        if !isMoved, !sources.contains(own), try tableExists(links.name),
            try references(links.name, from: links.owner, to: links.destination)
        {
            sources.append(own)
        }
        func isContinued(_ column: String) -> Bool {
            sides.contains { $0.0 == column && plan.tables[$0.1]?.earlier($0.2.name) != nil }
        }
        return try sources.flatMap { source in
            try sides.filter { !isContinued($0.0 == "owner" ? "destination" : "owner") }.flatMap { side in
                let column = source.isReversed ? (side.0 == "owner" ? "destination" : "owner") : side.0
                let columns = try fileColumns(of: side.1)
                let owners = plan.tables[side.1]?.classes.filter {
                    $0.isStored && $0.entity.propertiesByName[side.2.name] != nil && $0.earlier[side.2.name] == nil
                }
                return try (owners ?? []).compactMap { owner in
                    let condition =
                        "\(column) IN (SELECT _rowid_ FROM \(quoted(side.1)) WHERE \(rows(of: owner.entity, columns)))"
                    return try exists(source.table, where: condition)
                        ? "DELETE FROM \(quoted(source.table)) WHERE \(condition)" : nil
                }
            }
        }
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

    // MARK: Conversions

    /// Converts values after the declared types of their columns changed.
    func convert(_ conversions: [Conversion]) throws {
        guard !conversions.isEmpty else { return }
        try recordingChanges {
            for conversion in conversions {
                let column = quoted(conversion.column)
                try connection.execute(
                    """
                    UPDATE \(quoted(conversion.table)) SET \(column) = CAST(\(column) AS \(conversion.type)) \
                    WHERE typeof(\(column)) = 'integer'
                    """)
            }
        }
    }
}

extension PropertyValue {
    /// Whether two stored values are the same value of an attribute.
    fileprivate func isSame(as other: PropertyValue) -> Bool {
        // Another program may have written a number without a fraction.
        if case .real(let real) = self, case .integer(let integer) = other { return real == Double(integer) }
        return self == other
    }
}

extension Statement {
    /// Returns the value of a column of an attribute.
    fileprivate func propertyValue(_ index: Int32, isReal: Bool) -> PropertyValue {
        switch value(index) {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let utf8): .text(String(decoding: utf8, as: UTF8.self))
        case .blob(let bytes) where isReal && bytes.count == 8:
            .real(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
        case .blob(let bytes): .blob(Data(bytes))
        }
    }
}
