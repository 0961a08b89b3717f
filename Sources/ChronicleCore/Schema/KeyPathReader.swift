import Foundation

/// Finds the properties along a key path that goes through relationships, if its description does not contain the getters of the
/// schema's key paths: each file of an optimized program has its own getters, and so has each subclass.
///
/// The types of the values, which the description contains, restrict the properties. Which of them it is shows the result of reading
/// the key path of models in no context, whose values are known. A computed property has other results, unless it returns any value of
/// a stored property as it is while arrays and `Codable` values have their defaults.
struct KeyPathReader {
    private let keyPath: AnyKeyPath
    private let entity: Schema.Entity
    private let schema: Schema
    private let types: [Substring]

    init(_ keyPath: AnyKeyPath, _ entity: Schema.Entity, _ schema: Schema) {
        (self.keyPath, self.entity, self.schema) = (keyPath, entity, schema)
        types = Self.types(of: "\(keyPath)".dropFirst("\\\(entity.type)".count))
    }

    /// Returns the types of a description without its root; none if it contains something else than getters.
    private static func types(of description: Substring) -> [Substring] {
        var rest = description
        var types: [Substring] = []
        while rest.hasPrefix(Schema.getter), let type = rest.firstRange(of: " ("), let end = rest.firstRange(of: ")>") {
            types.append(rest[type.upperBound..<end.lowerBound])
            rest = rest[end.upperBound...].drop { "?!".contains($0) }
        }
        return rest.isEmpty ? types : []
    }

    /// Whether the addresses of getters are not those of the schema. Otherwise, a getter that the schema does not contain is that of a
    /// computed property, which must not be called.
    var isRequired: Bool { !entity.hasGetter(of: keyPath) }

    /// Whether the key path goes through a property of a model or value.
    var hasSeveralProperties: Bool { types.count > 1 }

    /// Returns to-one relationships and an attribute of a type that contexts read directly; `nil` for other key paths.
    func path() -> [Schema.Property]? {
        guard hasSeveralProperties else { return nil }
        let found = paths(types[...], from: entity).filter(isRead)
        return found.count == 1 ? found[0] : nil
    }

    private func paths(_ types: ArraySlice<Substring>, from entity: Schema.Entity) -> [[Schema.Property]] {
        guard let type = types.first else { return [[]] }
        return entity.properties.flatMap { property -> [[Schema.Property]] in
            guard let keyPath = property.keyPath, "\(Swift.type(of: keyPath).valueType)" == type else { return [] }
            if types.count == 1 { return property.directType == nil ? [] : [[property]] }
            guard let relationship = property.relationship, !relationship.isToMany,
                let destination = schema.entitiesByName[relationship.destination]
            else { return [] }
            return paths(types.dropFirst(), from: destination).map { [property] + $0 }
        }
    }

    private func isRead(_ path: [Schema.Property]) -> Bool {
        guard let last = path.last else { return false }
        return KeyPathSample.Round.allCases.allSatisfy { round in
            let first = entity.type.placeholder()
            var model = first
            for property in path.dropLast() {
                guard let name = property.relationship?.destination, let entity = schema.entitiesByName[name] else {
                    return false
                }
                let destination = entity.type.placeholder()
                property.relationshipAccess?.hold(destination, in: model)
                model = destination
            }
            guard let name = path.dropLast().last?.relationship?.destination,
                let expected = KeyPathSample(round).fill(model, schema.entitiesByName[name]?.properties ?? [], last)
            else { return round == .missing }
            let result = read(first)
            if round == .alone {
                // A getter that reads another attribute has left a value in its wrapper.
                let wrappers = SchemaBuilder.wrappers(of: model).filter { $0.key != last.name }
                if wrappers.values.contains(where: \.isSet) { return false }
            }
            return last.attributeAccess?.hasValue(result, expected) == true
        }
    }

    private func read<Model: PersistentModel>(_ model: Model) -> Any? {
        (keyPath as? PartialKeyPath<Model>).map { model[keyPath: $0] }
    }
}

/// The values of a model that a key path is read of.
private struct KeyPathSample {
    enum Round: CaseIterable {
        /// Only the property has a value that is not empty.
        case alone
        /// All properties have different values.
        case filled
        /// Only the property is empty.
        case empty
        /// Only the property is nil.
        case missing
    }

    private let round: Round

    init(_ round: Round) { self.round = round }

    /// Returns the value of `property`, or `nil` if it cannot be set.
    func fill(
        _ model: any PersistentModel, _ properties: [Schema.Property], _ property: Schema.Property
    ) -> PropertyValue? {
        // What the initializer has set is no sign of a getter.
        model.persistentBackingData.discardWrapperValues()
        if round != .alone {
            for (index, other) in properties.enumerated() where other !== property {
                guard let value = other.directType.map({ Self.value(of: $0, index + 2) }) else { continue }
                _ = other.hold(value, in: model)
            }
        }
        guard let type = property.directType else { return nil }
        let value =
            switch round {
            case .alone: Self.value(of: type, 0)
            case .filled: Self.value(of: type, 1)
            case .empty: Self.emptyValue(of: type)
            case .missing: PropertyValue.null
            }
        return property.hold(value, in: model) ? value : nil
    }

    /// Returns different values, which usual calculations change: they are long, negative, and contain spaces and both cases.
    private static func value(of type: DirectType, _ number: Int) -> PropertyValue {
        switch type {
        case .string: .text("\t \(number) aZ \u{C9}e\u{301} \(String(repeating: "xY ", count: 100))\n")
        case .int, .int64: .integer(.min + Int64(number))
        case .bool: .integer(Int64(number + 1) % 2)
        case .double, .date: .real(-123_456.789_012 - Double(number))
        case .data: .blob(Data([0xFF, UInt8(truncatingIfNeeded: number), 0]))
        }
    }

    private static func emptyValue(of type: DirectType) -> PropertyValue {
        switch type {
        case .string: .text("")
        case .int, .int64, .bool: .integer(0)
        case .double, .date: .real(0)
        case .data: .blob(Data())
        }
    }
}

extension Schema.Property {
    /// Sets the value of a model in no context without calling observers. Returns whether this is possible.
    fileprivate func hold(_ value: PropertyValue, in model: any PersistentModel) -> Bool {
        guard let offset, let attributeAccess else { return false }
        return attributeAccess.hold(value, at: offset, in: model)
    }
}
