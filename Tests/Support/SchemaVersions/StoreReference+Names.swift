import Chronicle

// The names that an opening changes, and the programs that use them.
extension StoreReference {
    /// Returns the new names of renamed properties by the old ones.
    ///
    /// - Parameter isUsedElsewhere: A closure that returns whether another program uses a property of a class.
    func renames(
        to version: SchemaVersion, isKnown: Bool, _ stage: Stage?, isUsedElsewhere: (String, String) -> Bool
    ) throws -> [String: String] {
        var sources: [String: String] = [:]
        // A property that is renamed passes its name on to another one, whose original name has not been considered.
        while true {
            let found = try self.sources(of: version, isKnown: isKnown, left: Set(sources.values))
            if found == sources { break }
            sources = found
        }
        let names = Set(live.values.flatMap { $0.keys.map(\.name) })
        for (new, old) in sources where names.contains(new) && !sources.values.contains(new) {
            if stage == nil { throw Rejection(reason: "\(new) would be lost") }
            for entity in classes(with: new) {
                let isDeclared = version.declared.contains(entity)
                if isDeclared, classes(with: old).contains(entity) { continue }
                let isKept = isDeclared && version.properties(of: entity).contains { $0.name == new }
                if isKept || isUsedElsewhere(new, entity) {
                    throw Rejection(reason: "\(new) of \(entity) would be lost")
                }
            }
        }
        if stage == nil {
            for start in sources.keys {
                var name = sources[start]
                for _ in sources where name != nil {
                    if name == start { throw Rejection(reason: "names are exchanged") }
                    name = name.flatMap { sources[$0] }
                }
            }
        }
        return Dictionary(uniqueKeysWithValues: sources.map { ($0.value, $0.key) })
    }

    private func classes(with name: String) -> [String] {
        live.filter { $0.value.keys.contains { $0.name == name } }.keys.sorted()
    }

    /// Returns the old names of renamed properties by the new ones.
    ///
    /// - Parameter left: The old names of properties that are renamed.
    private func sources(
        of version: SchemaVersion, isKnown: Bool, left: Set<String>
    ) throws -> [String: String] {
        let names = Set(live.values.flatMap { $0.keys.map(\.name) })
        var sources: [String: String] = [:]
        for property in version.properties {
            let name = property.name
            let declaring = version.declared.filter { version.properties(of: $0).contains(property) }
            if declaring.isEmpty { continue }
            var former = Set(declaring.compactMap { property.originalNames[$0] }).filter {
                $0 != name && names.contains($0)
            }
            if names.contains(name), !left.contains(name) {
                let done = Set(live.values.flatMap { $0.filter { $0.key.name == name }.flatMap(\.value) })
                former = isKnown ? [] : former.subtracting(done)
            }
            guard let old = former.first else { continue }
            if former.count > 1 { throw Rejection(reason: "\(name) has several original names") }
            if sources.values.contains(old) { throw Rejection(reason: "\(old) is renamed twice") }
            for entity in version.declared where classes(with: old).contains(entity) {
                guard declaring.contains(entity), property.originalNames[entity] == old else {
                    throw Rejection(reason: "\(entity) does not rename \(old)")
                }
            }
            sources[name] = old
        }
        return sources
    }

    /// Returns whether another program uses a property; see ``isInUse(_:of:_:)``.
    func isInUse(_ name: String, of entity: String, elsewhereThan program: Int) -> Bool {
        schemas.values.contains { known in
            known.programs.contains { $0 != program }
                && (known.names[entity] ?? known.names["A"])?.contains(name) == true
        }
    }

    mutating func rename(_ renames: [String: String], _ version: SchemaVersion) {
        guard !renames.isEmpty else { return }
        let isLive = { [live] (place: Place) in live.values.contains { $0[place] != nil } }
        let places = forms.keys.filter { renames[$0.name] != nil && isLive($0) }
        let new = Dictionary(
            uniqueKeysWithValues: places.map { ($0, Place(renames[$0.name] ?? "", isLinks: $0.isLinks)) })
        for place in new.values where new[place] == nil { drop(place) }
        // Also a live property that a stage replaces.
        for name in renames.values where renames[name] == nil {
            for place in forms.keys where place.name == name && isLive(place) { drop(place) }
        }
        func renamed<Value>(_ values: [Place: Value]) -> [Place: Value] {
            Dictionary(uniqueKeysWithValues: values.map { (new[$0.key] ?? $0.key, $0.value) })
        }
        forms = renamed(forms)
        live = live.mapValues(renamed)
        rows = rows.mapValues { Row(entity: $0.entity, cells: renamed($0.cells)) }
        // The name is that of another property now.
        let isReplaced = { (name: String) in renames[name] == nil && renames.values.contains(name) }
        unique = Set(unique.filter { !isReplaced($0) }.map { renames[$0] ?? $0 })
        for (key, known) in schemas {
            schemas[key]?.names = known.names.mapValues { names in
                Set(names.filter { !isReplaced($0) }.map { renames[$0] ?? $0 })
            }
            schemas[key]?.laterNames = known.laterNames.mapValues { isReplaced($0) ? "" : renames[$0] ?? $0 }
            schemas[key]?.unique = known.unique.mapValues { names in
                Set(names.filter { !isReplaced($0) }.map { renames[$0] ?? $0 })
            }
        }
    }

    /// Drops a column or a table of links.
    mutating func drop(_ place: Place) {
        forms[place] = nil
        for entity in live.keys { live[entity]?[place] = nil }
        for entity in removed.keys { removed[entity]?.remove(place) }
        for key in rows.keys { rows[key]?.cells[place] = nil }
    }

    // MARK: Programs

    /// Records that a program uses a version.
    ///
    /// - Returns: The earlier schema of the program that the version replaces, or `nil` if it replaces none.
    mutating func use(_ version: SchemaVersion, as program: Int) throws -> Known? {
        let names = Dictionary(
            uniqueKeysWithValues: version.declared.map { ($0, Set(version.properties(of: $0).map(\.name))) }
                + version.declaredDestinations.map { ($0, Set<String>()) })
        let known = schemas[version.number]
        var replaced: Known?
        if known.map({ !$0.programs.isEmpty && !$0.programs.contains(program) }) ?? true {
            let distances = schemas.filter { $0.key != version.number && $0.value.programs.contains(program) }.map {
                (distance: Self.distance($0.value.names, names), key: $0.key)
            }.sorted { $0 < $1 }
            if distances.count > 1, distances[0].distance == distances[1].distance { throw Ambiguity() }
            if let earlier = distances.first {
                replaced = schemas[earlier.key]
                schemas[earlier.key]?.programs.remove(program)
            }
        }
        schemas[version.number, default: Known(programs: [], names: [:])].programs.insert(program)
        schemas[version.number]?.names = names
        schemas[version.number]?.unique = Dictionary(
            uniqueKeysWithValues: version.declared.map { ($0, Set(version.uniqueNames(of: $0))) })
        schemas[version.number]?.laterNames = Dictionary(
            uniqueKeysWithValues: names.values.reduce(into: Set()) { $0.formUnion($1) }.map { ($0, $0) })
        return replaced
    }

    static func distance(_ first: [String: Set<String>], _ second: [String: Set<String>]) -> Int {
        Set(first.keys).union(second.keys).reduce(0) { sum, entity in
            // Each class also has the property that distinguishes the versions.
            guard let names = first[entity], let others = second[entity] else {
                return sum + 2 + (first[entity] ?? second[entity] ?? []).count
            }
            return sum + names.symmetricDifference(others).count
        }
    }

    /// Returns whether any program uses a property. One that lacks the class uses its rows as those of the superclass.
    func isInUse(_ name: String, of entity: String, _ version: SchemaVersion) -> Bool {
        schemas.values.contains { known in
            if known.programs.isEmpty { return false }
            return (known.names[entity] ?? known.names["A"])?.contains(name) == true
        }
    }

    /// Returns whether any program declares a property in a class.
    func isDeclared(_ name: String, by entity: String) -> Bool {
        schemas.values.contains { !$0.programs.isEmpty && $0.names[entity]?.contains(name) == true }
    }
}
