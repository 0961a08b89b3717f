import Chronicle

// The values and the properties after an opening.
extension StoreReference {
    /// Converts the values of a column or of links.
    ///
    /// - Parameter properties: The properties that continue it, by class.
    mutating func convert(
        _ place: Place, to properties: [String: SchemaVersion.Property], _ version: SchemaVersion, isKnown: Bool
    ) throws {
        guard let form = forms[place], let new = properties.first?.value else { return }
        let newPlace = Place(new)
        for (key, row) in rows {
            let entity = version.entity(of: row.entity)
            let cell = row.cells[place] ?? .unset
            guard let property = properties[entity] else {
                let isUsed = live[row.entity]?[place] != nil
                if case .attribute(let from, let storage) = form.kind, case .attribute(let to, let other) = new.kind,
                    storage != other, case .value(let value) = cell
                {
                    let converted = SchemaContent.converted(value, from, to)
                    if converted == nil, isUsed { throw Rejection(reason: "\(value) of \(row.entity) is no \(to)") }
                    rows[key]?.cells[place] = converted.map { .value($0) } ?? .unset
                }
                continue
            }
            let (value, links): (PropertyValue?, Set<Int64>) =
                switch cell {
                case .value(let value): (value, [])
                case .links(let links): (nil, links)
                case .unset: (nil, [])
                }
            var result = cell
            switch (form.kind, property.kind) {
            case (_, .toMany):
                if case .integer(let destination)? = value {
                    result = .links([destination])
                } else {
                    result = .links(links)
                }
            case (.toMany, .toOne):
                if links.count > 1 { throw Rejection(reason: "\(property.name) has several destinations") }
                result = .value(links.first.map { .integer($0) } ?? .null)
            case (.attribute(let from, _), .attribute(let to, _)):
                guard let value, !value.isNull else { break }
                guard let converted = SchemaContent.converted(value, from, to) else {
                    throw Rejection(reason: "\(value) is no \(to)")
                }
                result = .value(converted)
            default: break
            }
            // Only an opening that changes the tables sets the default value of a subclass's property.
            if isKnown, result == .value(.null), !property.isOptional, !property.owners.contains("A") {
                result = .unset
            }
            if result == .value(.null) || result == .unset, let value = property.required {
                result = result == .unset ? .unset : .value(value)
            }
            rows[key]?.cells[newPlace] = result
        }
        // A relationship that moves to another place leaves the values of other classes, which no program uses any more.
        let isUsed =
            live.contains { entity, places in places[place] != nil && properties[entity] == nil }
            || removed.contains { entity, places in places.contains(place) && properties[entity] == nil }
        if newPlace != place {
            for (key, row) in rows where properties[version.entity(of: row.entity)] != nil {
                rows[key]?.cells[place] = nil
            }
        }
        forms[newPlace] = Form(kind: new.kind, number: form.number, defaults: form.defaults)
        if let value = new.required { forms[newPlace]?.defaults.append(value) }
        guard newPlace != place else { return }
        for entity in properties.keys { live[entity]?[place] = nil }
        if !isUsed { drop(place) }
    }

    mutating func setDefault(
        _ property: SchemaVersion.Property, _ entity: String, _ version: SchemaVersion, isKnown: Bool
    ) throws {
        let place = Place(property)
        try convertOthers(place, to: property.kind)
        for (key, row) in rows where version.entity(of: row.entity) == entity {
            // Another program uses the values of a subclass that this one does not have.
            if entity != row.entity, isKept(place, row) {
                try requireValue(row, place, property)
                if row.cells[place] == .value(.null), let value = property.required {
                    rows[key]?.cells[place] = .value(value)
                }
                continue
            }
            if isKnown {
                rows[key]?.cells[place] = .unset
            } else if property.kind.isToMany {
                rows[key]?.cells[place] = .links([])
            } else {
                guard let value = property.isOptional ? .null : property.defaultValue else {
                    throw Rejection(reason: "\(property.name) is required")
                }
                rows[key]?.cells[place] = .value(value)
            }
        }
        let isLive = live.values.contains { $0[place] != nil }
        if !isLive {
            nextNumber += 1
            forms[place] = Form(kind: property.kind, number: nextNumber, defaults: forms[place]?.defaults ?? [])
        }
        forms[place]?.kind = property.kind
        if let value = property.required { forms[place]?.defaults.append(value) }
    }

    private func isKept(_ place: Place, _ row: Row) -> Bool {
        live[row.entity]?[place] != nil && isDeclared(place.name, by: row.entity)
    }

    /// Converts the values in a column that a property receives which is new to its class.
    private mutating func convertOthers(_ place: Place, to kind: SchemaVersion.Kind) throws {
        guard case .attribute(let from, let storage) = forms[place]?.kind, case .attribute(let to, let other) = kind,
            storage != other
        else { return }
        for (key, row) in rows {
            guard case .value(let value) = row.cells[place], !value.isNull else { continue }
            let converted = SchemaContent.converted(value, from, to)
            if converted == nil, isKept(place, row) { throw Rejection(reason: "\(value) of \(row.entity) is no \(to)") }
            rows[key]?.cells[place] = converted.map { .value($0) } ?? .unset
        }
        forms[place]?.kind = kind
    }

    /// Requires that a property of the superclass can have the value of a subclass that the program does not have.
    private func requireValue(_ row: Row, _ place: Place, _ property: SchemaVersion.Property) throws {
        guard case .value(let value) = row.cells[place], !value.isNull,
            case .attribute(let from, _) = forms[place]?.kind, case .attribute(let to, _) = property.kind
        else { return }
        if SchemaContent.converted(value, from, to) == nil { throw Rejection(reason: "\(value) is no \(to)") }
    }

    // MARK: Description

    /// - Parameter formerNames: The original names of the earlier declarations of each property, by class.
    mutating func describe(
        _ version: SchemaVersion, _ formerNames: [String: [String: Set<String>]], isUnchanged: Bool
    ) {
        func originalNames(_ property: SchemaVersion.Property, _ entity: String) -> Set<String> {
            Set([property.originalNames[entity]].compactMap(\.self)).subtracting([property.name])
        }
        for entity in version.declared {
            let properties = version.properties(of: entity)
            let names = Set(properties.map(\.name))
            let others = (live[entity] ?? [:]).filter { !names.contains($0.key.name) }
            let kept = others.filter { isUnchanged || isInUse($0.key.name, of: entity, version) }
            let declared = properties.map { property in
                let earlier = formerNames[entity]?[property.name] ?? []
                return (Place(property), originalNames(property, entity).union(earlier).subtracting([property.name]))
            }
            live[entity] = kept.merging(declared, uniquingKeysWith: { $1 })
            removed[entity] = (removed[entity] ?? []).union(others.keys.filter { kept[$0] == nil })
                .subtracting(declared.map(\.0))
            for property in properties { forms[Place(property)]?.isOptional = property.isOptional }
            numbers[version.number, default: [:]][entity] = Dictionary(
                uniqueKeysWithValues: declared.compactMap { place, _ in forms[place].map { (place.name, $0.number) } })
        }
        // A property that no program uses is removed for one of another class that is stored in another place.
        for property in version.properties
        where version.declared.contains(where: { version.properties(of: $0).contains(property) }) {
            let other = Place(property.name, isLinks: !property.kind.isToMany)
            for entity in live.keys where live[entity]?[other] != nil && !isInUse(property.name, of: entity, version) {
                live[entity]?[other] = nil
                removed[entity]?.insert(other)
            }
        }
        // The program uses the rows of a class that it lacks as those of the superclass.
        for entity in live.keys where !version.declared.contains(entity) {
            for property in version.properties(of: "A") {
                let place = Place(property)
                if !isDeclared(property.name, by: entity) {
                    live[entity] = live[entity]?.filter { $0.key.name != property.name }
                } else if live[entity]?.keys.contains(where: { $0.name == property.name }) == true {
                    continue
                }
                removed[entity]?.remove(place)
                live[entity]?[place] = originalNames(property, "A")
            }
        }
    }
}
