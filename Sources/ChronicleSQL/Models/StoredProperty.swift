package import ChronicleCore

/// A property of a class as the tables of a store contain it. A store compares it with a later declaration of the class to
/// find out whether its values still have the same meaning.
package struct StoredProperty: Hashable, Sendable, Codable {
    /// Where the tables contain the values.
    package enum Place: String, Sendable, Codable {
        /// A column of the class's table.
        case column
        /// A table of links.
        case links
        /// A column of the destination's table, for the inverse relationship.
        case inverse
    }

    package var name: String
    /// The name before the property was renamed, or `nil` if the class declares none.
    package var originalName: String?
    /// The original names that other declarations of the property had. They were considered when the store was opened.
    package var formerNames: [String]?
    package var place: Place
    package var isOptional: Bool
    /// `nil` for a relationship.
    package var storage: Schema.Attribute.Storage?
    /// `nil` if only the declared type of its column is known.
    package var typeName: String?
    /// `nil` for an attribute.
    package var destination: String?
    package var inverse: String?

    package init(_ property: Schema.Property) {
        name = property.name
        originalName = property.previousName
        isOptional = property.isOptional
        if let attribute = property.attribute {
            place = .column
            (storage, typeName) = (attribute.storage, attribute.valueTypeName)
        } else if let relationship = property.relationship {
            place = relationship.isLinked ? .links : relationship.isToMany ? .inverse : .column
            (destination, inverse) = (relationship.destination, relationship.inverseName)
        } else {
            place = .column
        }
    }

    /// Creates a property of which only these parts are known.
    package init(name: String, place: Place, storage: Schema.Attribute.Storage?, destination: String?) {
        (self.name, self.place, self.storage, self.destination) = (name, place, storage, destination)
        isOptional = true
    }

    package var isRelationship: Bool { storage == nil }

    /// Returns whether the original name of a later declaration was considered before.
    package func wasRenamed(from name: String) -> Bool { originalName == name || formerNames?.contains(name) == true }

    /// Returns the property with the original names of an earlier description.
    package func addingNames(of earlier: StoredProperty) -> StoredProperty {
        var property = self
        let names = Set(earlier.formerNames ?? []).union([earlier.originalName].compactMap(\.self))
        let others = names.subtracting([originalName, name].compactMap(\.self)).sorted()
        property.formerNames = others.isEmpty ? nil : others
        return property
    }

    /// A description for errors, such as `Int (integer)` or `a relationship to User`.
    package var summary: String {
        guard let storage else { return "a relationship to \(destination ?? "another class")" }
        return typeName.map { "\($0) (\(storage.rawValue))" } ?? storage.rawValue
    }
}

package struct StoredEntity: Hashable, Sendable, Codable {
    /// The name before the class was renamed, or `nil` if the class declares none.
    package var originalName: String?
    /// The properties of the newest declaration of the class in each program.
    package var live: [StoredProperty]
    /// The properties of earlier declarations, whose columns and links remain.
    package var removed: [StoredProperty]
    /// A digest of the definition of the class in the store when these properties were described. `nil` if an earlier version of
    /// Chronicle described them.
    package var definition: String?
    /// The class from which the class inherits, or `nil` if it inherits from none. It is a part of the definition.
    package var superclass: String?

    private enum CodingKeys: CodingKey { case originalName, live, removed, definition }

    package init(live: [StoredProperty], removed: [StoredProperty] = [], originalName: String? = nil) {
        (self.live, self.removed, self.originalName) = (live, removed, originalName)
    }

    package func property(named name: String) -> StoredProperty? { live.first { $0.name == name } }

    /// Returns whether a property has another form than in an earlier description of the class.
    package func changesForms(of earlier: StoredEntity) -> Bool {
        live.contains { property in
            guard let known = earlier.property(named: property.name) else { return false }
            return (known.place, known.storage, known.typeName, known.destination)
                != (property.place, property.storage, property.typeName, property.destination)
        }
    }

    /// Gives a live property the form of one of another class, with which it shares a column or links. If that is stored in another
    /// place, the property is removed.
    package mutating func adoptForm(of other: StoredProperty, isContinued: Bool) {
        guard let index = live.firstIndex(where: { $0.name == other.name }) else { return }
        guard live[index].place == other.place else { return removed.append(live.remove(at: index)) }
        (live[index].storage, live[index].typeName) = (other.storage, other.typeName)
        if !isContinued { (live[index].destination, live[index].inverse) = (other.destination, other.inverse) }
    }

    /// Makes removed properties live that a known schema still declares, because its program continues to use them. The
    /// column of a relationship that moved elsewhere does not remain, so `columns` are those of the class's table.
    package mutating func restore(_ entity: Schema.Entity, columns: Set<String>) {
        for property in entity.properties where self.property(named: property.name) == nil {
            let place = StoredProperty(property).place
            let index = removed.firstIndex { removed in
                removed.name == property.name && removed.place == place
                    && (place != .column || columns.contains(removed.name))
            }
            if let index { live.append(removed.remove(at: index)) }
        }
    }
}

/// What a store has to do with the values of an attribute whose declaration changed.
package enum ValueChange: Sendable, Hashable {
    case none
    /// The values remain, but the new type may not have all of them.
    case comparison
    /// Integers become floating-point numbers. Those whose magnitude is not greater than the limit are exact.
    case real(limit: Int64)
    /// Integers become the digits of a decimal number.
    case decimal
    /// The values have another meaning.
    case unsupported
}

extension StoredProperty {
    package func change(to new: StoredProperty) -> ValueChange {
        guard let storage, let newStorage = new.storage else { return .unsupported }
        guard let typeName, let newName = new.typeName else {
            return Self.columnForm(storage) == Self.columnForm(newStorage) ? .none : .unsupported
        }
        if storage == .integer, newStorage != .integer, Self.integers.contains(typeName) {
            switch newName {
            case "Double" where newStorage == .real: return .real(limit: 1 << 53)
            case "Float" where newStorage == .real: return .real(limit: 1 << 24)
            case "Decimal": return .decimal
            default: break
            }
        }
        guard storage == newStorage else { return .unsupported }
        if typeName == newName { return .none }
        // The names of other types may change, and their values may be the same.
        let meanings = [typeName, newName].map { Self.meanings[$0] }
        if let old = meanings[0], let new = meanings[1], old != new { return .unsupported }
        return .comparison
    }

    /// Returns whether values of this property can be values of a new declaration. `root` returns the class whose table
    /// contains a class's rows.
    package func isContinued(by new: StoredProperty, _ root: (String) -> String) -> Bool {
        if let destination, let newDestination = new.destination { return root(destination) == root(newDestination) }
        return change(to: new) != .unsupported
    }

    private static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    ]

    /// The meaning of the values of types that have the same stored form; see ``Schema/Attribute/valueTypeName``.
    private static let meanings = [
        "Double": "number", "Float": "number", "Date": "date", "String": "text", "URL": "text", "Decimal": "decimal",
    ]

    private static func columnForm(_ storage: Schema.Attribute.Storage) -> Schema.Attribute.Storage {
        switch storage {
        case .text, .decimal, .json: .text
        case .integer, .real, .blob: storage
        }
    }
}

extension StoredProperty {
    /// Returns where the tables may contain the destinations of a relationship, the usual place first. If both tables of
    /// links exist, those of the second one remain from another relationship. `oldName` returns the name of a class when
    /// the destinations were stored, which determines the usual place.
    package func storages(
        of entityName: String, _ destination: String, oldName: (String) -> String = { $0 }
    ) -> [RelationshipStorage] {
        let (owner, target) = (ModelTables.linkOwner, ModelTables.linkDestination)
        switch place {
        case .column: return [.column(table: entityName, name: name)]
        case .inverse: return inverse.map { [.inverseColumn(table: destination, name: $0)] } ?? []
        case .links:
            let table = "\(entityName).\(name)"
            let own: RelationshipStorage = .links(table: table, from: owner, to: target)
            guard let inverse = inverse.map({ "\(destination).\($0)" }) else { return [own] }
            let other: RelationshipStorage = .links(table: inverse, from: target, to: owner)
            // See `Schema.Links.all(in:)`.
            let isOther = "\(oldName(destination)).\(self.inverse ?? "")".utf8
                .lexicographicallyPrecedes("\(oldName(entityName)).\(name)".utf8)
            return isOther ? [other, own] : [own, other]
        }
    }

    package func linkTables(
        of entityName: String, _ destination: String, oldName: (String) -> String = { $0 }
    ) -> [String] {
        storages(of: entityName, destination, oldName: oldName).compactMap {
            if case .links(let table, _, _) = $0 { table } else { nil }
        }
    }
}
