import ChronicleCore
import ChronicleSQL

/// A conversion of the values of a column to another stored form.
package struct ValueConversion: Sendable {
    package enum Form: Sendable {
        /// Floating-point numbers.
        case real
        /// The digits of decimal numbers.
        case decimal
    }

    package let table: String
    package let column: String
    package let form: Form
}

extension StoreTables {
    /// Compares the declarations of the properties with the values in the store. Tables have their new names, and columns
    /// their old ones.
    ///
    /// - Returns: The conversions of values whose stored form changes.
    /// - Throws: `SwiftDataError.backwardMigration` if values would have another meaning.
    package func checkDeclarations(_ plan: SchemaPlan) throws -> [ValueConversion] {
        var conversions: [ValueConversion] = []
        for (table, tablePlan) in plan.tables.sorted(by: { $0.key < $1.key }) where try hasTable(table) {
            let columns = Set(try columns(of: table).keys)
            for item in tablePlan.classes {
                let rows = rows(of: item.entity, columns)
                for property in item.entity.properties {
                    var compared = item.compared(property.name)
                    if compared.isEmpty, !tablePlan.replaces(property.name), property.slot >= 0 {
                        compared = [try unrecordedProperty(for: property, in: table)].compactMap(\.self)
                    }
                    let isEarlier = item.earlier[property.name] != nil || plan.opening.isKnown
                    for earlier in compared where earlier.place != .column || columns.contains(earlier.name) {
                        let check = DeclarationCheck(
                            tables: self, plan: plan, earlier: earlier, property: property, entity: item.entity,
                            table: table, rows: isEarlier ? rows : dialect.true.sql, isEarlier: isEarlier,
                            otherRows: otherRows(with: property.name, of: table, plan, columns))
                        if let conversion = try check.run() { conversions.append(conversion) }
                    }
                }
            }
        }
        return conversions
    }
}

extension SchemaPlan.Table {
    /// Returns whether the column with the name of a property is that of another property, or will be dropped.
    fileprivate func replaces(_ property: String) -> Bool {
        droppedColumns.contains(property) || renames.contains { $0.old == property }
    }
}

/// The comparison of a property with one of which it would use the column or the links.
private struct DeclarationCheck<Tables: StoreTables> {
    let tables: Tables
    let plan: SchemaPlan
    let earlier: StoredProperty
    let property: Schema.Property
    let entity: Schema.Entity
    let table: String
    /// The rows whose values the property continues.
    let rows: String
    /// Whether the values become those of the property.
    let isEarlier: Bool
    /// The rows of classes in which only other programs use the values, or `nil` if there are none.
    let otherRows: String?

    private var column: String { tables.dialect.quoted(earlier.name) }
    private var source: String { tables.dialect.table(table) }

    private func failure(_ reason: String? = nil) -> SwiftDataError {
        .backwardMigration.with(
            detail: "the \(Tables.Catalog.Meta.noun) has values of \(earlier.summary), but the property is now "
                + "\(StoredProperty(property).summary)\(reason.map { ", and \($0)" } ?? ""); give the property another "
                + "name, and copy the values in a stage of a migration plan",
            entityName: entity.name, propertyName: property.name)
    }

    func run() throws -> ValueConversion? {
        let new = StoredProperty(property)
        guard earlier.isRelationship == new.isRelationship else {
            if try hasValues() { throw failure() }
            return nil
        }
        if new.isRelationship {
            try compareDestinations()
            return nil
        }
        let values = "\(source) WHERE \(column) IS NOT NULL"
        switch earlier.change(to: new) {
        case .none: return nil
        case .unsupported:
            if try hasValues() { throw failure() }
            return nil
        case .comparison:
            if isEarlier {
                try requireValidValues("\(values) AND \(rows)")
            } else if let otherRows, entity.superentity == nil {
                try requireValidValues("\(values) AND \(otherRows)")
            }
            return nil
        // The values of other classes in the column are converted as well, also if those of this one are replaced.
        case .real(let limit):
            let converted = isEarlier ? values : otherRows.map { "\(values) AND \($0)" }
            if let converted, try tables.exists("\(converted) AND \(tables.isInexact(column, limit: limit))") {
                throw failure("a number is too large to be exact")
            }
            return ValueConversion(table: table, column: new.name, form: .real)
        case .decimal: return ValueConversion(table: table, column: new.name, form: .decimal)
        }
    }

    /// Returns whether any row has a value: the column has one type for all classes.
    private func hasValues() throws -> Bool {
        if earlier.place == .column, !earlier.isRelationship {
            return try tables.exists("\(source) WHERE \(column) IS NOT NULL")
        }
        // The column of an inverse remains with the values of that property.
        guard earlier.place != .inverse, earlier.destination != nil else { return false }
        return try pairs().map(tables.exists) ?? false
    }

    /// Returns the rows with the pairs of the earlier relationship, or `nil` if the store does not contain them.
    private func pairs() throws -> String? {
        try plan.storages(of: earlier, in: table).first(where: tables.contains).map { storage in
            "(\(storage.pairs(tables.dialect).sql)) AS p"
        }
    }

    private func compareDestinations() throws {
        let models = tables.models
        guard let old = earlier.destination, let new = property.relationship?.destination, old != new,
            let newEntity = models.entitiesByName[new], let pairs = try pairs()
        else { return }
        if plan.root(of: old) != newEntity.rootName {
            if try tables.exists(pairs) { throw failure() }
        } else if isEarlier, newEntity.superentity != nil, !models.kinds(of: new).contains(old),
            try tables.columns(of: newEntity.rootName)[Schema.entityAttribute] != nil
        {
            let kinds = models.kinds(of: new).sorted().map(tables.literal).joined(separator: ", ")
            let kind = tables.dialect.quoted(Schema.entityAttribute)
            let others = """
                \(pairs) WHERE p.destination IN (SELECT \(ModelTables.primaryKey) \
                FROM \(tables.dialect.table(newEntity.rootName)) WHERE \(kind) IS NULL OR \(kind) NOT IN (\(kinds)))
                """
            if try tables.exists(others) { throw failure("some of the models are not of this class") }
        }
    }

    /// Throws an error for values that the new type of the attribute does not have.
    private func requireValidValues(_ values: String) throws {
        try tables.forEachValue(column, values, as: property) { value in
            var isValid = false
            do {
                let decoded = try property.decode(value)
                // JSON can have several texts for one value.
                isValid = try property.attribute?.storage == .json || property.encode(decoded).isSame(as: value)
            } catch is SwiftDataError {}
            guard isValid else { throw failure("the new type does not have all of them") }
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
