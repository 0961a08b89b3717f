package import Chronicle

// The rows of a store that programs with different versions of a schema share.
extension StoreReference {
    /// A statement of a program that inserts or changes a row.
    package struct Change: CustomStringConvertible {
        package let key: Int64
        /// The class of an inserted row, or `nil` for a change.
        package var entity: String?
        /// The values of columns by name.
        package var values: [String: PropertyValue] = [:]
        /// The destinations of links by name, which replace those of the row.
        package var links: [String: Set<Int64>] = [:]
        /// Whether another row has a value that must be unique.
        package var isDuplicate = false

        package var description: String {
            let values = values.sorted { $0.key < $1.key }.map { "\($0.key) = \(StoreReference.text($0.value))" }
            let links = links.sorted { $0.key < $1.key }.map { "\($0.key) = [\(StoreReference.text($0.value))]" }
            return "\(entity.map { "inserts \($0) " } ?? "changes ")\(key): \((values + links).joined(separator: ", "))"
        }
    }

    /// Returns whether a program that opened the store with a version can still use its tables: a later opening by another
    /// program changed no names and no forms.
    package func isUsable(_ version: SchemaVersion) -> Bool {
        version.declared.allSatisfy { entity in
            version.properties(of: entity).allSatisfy { property in
                let place = Place(property)
                return live[entity]?[place] != nil && forms[place]?.kind == property.kind
                    && (forms[place]?.isOptional == true || !property.isOptional)
                    && forms[place]?.number == numbers[version.number]?[entity]?[property.name]
            }
        }
    }

    /// Makes a random change by a program with a version that ``isUsable(_:)``.
    package mutating func change(
        by version: SchemaVersion, newKey: Int64, using random: inout SplitMix
    ) -> Change {
        func value(_ property: SchemaVersion.Property, _ random: inout SplitMix) -> PropertyValue {
            if property.isOptional, random.below(3) == 0 { return .null }
            guard case .attribute(let type, _) = property.kind else { return .integer(Int64(1 + random.below(2))) }
            return SchemaVersion.value(type, &random)
        }
        func links(_ random: inout SplitMix) -> Set<Int64> { Set((0..<random.below(3)).map { Int64($0 + 1) }) }
        if let key = rows.keys.sorted().randomElement(using: &random), random.below(3) == 0, let row = rows[key] {
            var change = Change(key: key)
            let properties = version.properties(of: version.entity(of: row.entity))
            guard !properties.isEmpty else { return change }
            let property = random.pick(properties)
            if property.kind.isToMany {
                change.links[property.name] = links(&random)
            } else {
                change.values[property.name] = value(property, &random)
            }
            make(&change)
            return change
        }
        let entity = random.pick(version.declared)
        var change = Change(key: newKey, entity: entity)
        for property in version.properties(of: entity) {
            if property.kind.isToMany {
                change.links[property.name] = links(&random)
            } else {
                change.values[property.name] = value(property, &random)
            }
        }
        make(&change)
        return change
    }

    /// Makes a change, unless a value is not unique.
    private mutating func make(_ change: inout Change) {
        let (before, key) = (rows, change.key)
        if let entity = change.entity { rows[key] = Row(entity: entity) }
        for (name, value) in change.values { rows[key]?.cells[Place(name, isLinks: false)] = .value(value) }
        for (name, links) in change.links { rows[key]?.cells[Place(name, isLinks: true)] = .links(links) }
        change.isDuplicate = unique.contains { hasDuplicate($0) }
        if change.isDuplicate { rows = before }
    }

    /// Compares the rows that a program sees with the expected ones, and keeps the values that it saw in rows that another
    /// program inserted.
    ///
    /// - Parameters:
    ///   - found: The values of each row by the names of the properties, as ``text(_:)`` returns them, and the destinations
    ///     of links in ascending order, separated by commas.
    ///   - version: The version of the program.
    /// - Returns: The differences.
    package mutating func compare(
        _ found: [Int64: [String: String]], _ version: SchemaVersion, isReadOnly: Bool = false
    ) -> [String] {
        var differences: [String] = []
        if found.keys.sorted() != rows.keys.sorted() {
            differences.append("the rows are \(found.keys.sorted()), not \(rows.keys.sorted())")
        }
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            for property in version.properties(of: version.entity(of: row.entity)) {
                let place = Place(property)
                let text = found[key]?[property.name]
                // A read-only opening sets no default values.
                if isReadOnly, text == Self.text(.null), !property.isOptional { continue }
                switch row.cells[place] ?? .unset {
                case .value(let value):
                    if text != Self.text(value) {
                        differences.append("\(key).\(place) is \(text ?? "-"), not \(Self.text(value))")
                    }
                case .links(let links):
                    if text != Self.text(links) {
                        differences.append("\(key).\(place) is \(text ?? "-"), not \(Self.text(links))")
                    }
                case .unset where property.kind.isToMany:
                    if text != "" { differences.append("\(key).\(place) is \(text ?? "-"), not empty") }
                    rows[key]?.cells[place] = .links([])
                case .unset:
                    let candidates = [.null] + (forms[place]?.defaults ?? [])
                    // An opening that changes the tables sets the default value of a subclass's property.
                    if text == Self.text(.null), !property.isOptional, !property.owners.contains("A") { continue }
                    guard let value = candidates.first(where: { Self.text($0) == text }),
                        property.isOptional || !value.isNull
                    else {
                        differences.append("\(key).\(place) is \(text ?? "-"), which is no default value")
                        continue
                    }
                    rows[key]?.cells[place] = .value(value)
                }
            }
        }
        return differences
    }

    package static func text(_ links: Set<Int64>) -> String { links.sorted().map { "\($0)" }.joined(separator: ",") }

    /// Returns a value as PostgreSQL writes it. Numbers without a fraction are integers, as which SQLite stores the
    /// default values of columns.
    package static func text(_ value: PropertyValue) -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .real(let value) where value.isInfinite: value < 0 ? "-Infinity" : "Infinity"
        case .real(let value) where value == 0: value.sign == .minus ? "-0" : "0"
        case .real(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .text(let text): text
        case .blob(let data): "\\x\(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
        case .reference(let identifier): identifier.integerPrimaryKey.map { "\($0)" } ?? "?"
        default: "NULL"
        }
    }
}
