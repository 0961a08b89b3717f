import Chronicle

// Attributes whose values must be unique in some versions. They never have a default value.
extension SchemaVersion {
    private static let keyNames = ["k", "l", "m"]

    private static func isKey(_ property: Property) -> Bool { keyNames.contains(property.name) }

    /// The positions of the properties that are no keys.
    var plainIndices: [Int] { properties.indices.filter { !Self.isKey(properties[$0]) } }

    /// The names of the attributes whose values must be unique.
    package var uniqueNames: Set<String> {
        Set(
            properties.filter { property in
                property.isUnique && declared.contains { properties(of: $0).contains(property) }
            }.map(\.name))
    }

    /// The constraints that a class declares.
    func uniqueNames(of entity: String) -> [String] {
        properties.filter { $0.isUnique && $0.owners.contains(entity) }.map(\.name).sorted()
    }

    /// Adds, removes or changes attributes with unique values.
    package mutating func changeKeys(using random: inout SplitMix) {
        for index in properties.indices where Self.isKey(properties[index]) && random.below(2) == 0 {
            properties[index].originalNames = [:]
        }
        guard random.below(2) == 0 else { return }
        let keys = properties.indices.filter { Self.isKey(properties[$0]) }
        let free = Self.keyNames.filter { name in !properties.contains { $0.name == name } }
        guard let index = keys.randomElement(using: &random), random.below(4) > 0 else {
            guard !free.isEmpty else { return }
            return properties.append(
                Property(
                    name: random.pick(free), kind: Self.keyKind(&random), isOptional: true, defaultValue: nil,
                    owners: Self.owners(&random), isUnique: random.below(2) == 0))
        }
        switch random.below(6) {
        case 0: properties.remove(at: index)
        case 1: properties[index].kind = Self.keyKind(&random)
        case 2: properties[index].owners = Self.owners(&random)
        case 3: if !free.isEmpty { properties[index].rename(to: random.pick(free)) }
        default: properties[index].isUnique.toggle()
        }
        shareOriginalNames()
    }

    private static func keyKind(_ random: inout SplitMix) -> Kind {
        random.pick(Kind.attributes.filter { ["Int", "Int8", "Double", "String"].contains($0.description) })
    }
}

extension StoreReference {
    /// Returns whether a value occurs more than once in a column whose values must be unique.
    func hasDuplicate(_ name: String) -> Bool {
        var found: Set<String> = []
        let values = rows.values.compactMap { row -> PropertyValue? in
            if case .value(let value) = row.cells[Place(name, isLinks: false)] { value } else { nil }
        }
        return values.contains { value in
            // Zeros of both signs are equal.
            let text = Self.text(value) == "-0" ? "0" : Self.text(value)
            return !value.isNull && !found.insert(text).inserted
        }
    }

    /// Returns the names of the columns whose values must be unique after an opening.
    ///
    /// A program that declares an attribute of a class in several schemas uses the declaration of the one that it opened last.
    func uniqueNames(_ version: SchemaVersion, of program: Int) -> Set<String> {
        var used: Set<String> = []
        for known in schemas.values where !known.programs.isEmpty {
            for (entity, names) in known.unique {
                let isOwn = known.programs == [program] && version.declared.contains(entity)
                used.formUnion(isOwn ? names.subtracting(version.properties(of: entity).map(\.name)) : names)
            }
        }
        return used.intersection(unique).union(version.uniqueNames).filter { name in
            live.values.contains { $0[Place(name, isLinks: false)] != nil }
        }
    }
}
