import Chronicle

/// The content of a store that two programs share, which change their models independently of each other.
///
/// All properties are integers with the default value 7. A property that one of the programs declares keeps its values,
/// whichever of them opens the store next, and one that both removed has its default value when it is declared again.
package struct SharedContent {
    private static let names = ["a", "b", "c", "d", "e"]

    /// The values of each row, by the names of the properties that a program declares.
    package private(set) var rows: [Int64: [String: Int64]] = [:]
    /// The newest version of each program.
    private var versions: [SchemaVersion?] = [nil, nil]
    private var number = 0

    package init() {}

    /// The names of the properties that any program declares.
    private var names: Set<String> { versions.compactMap { $0.map(Self.names) }.reduce(into: []) { $0.formUnion($1) } }

    private static func names(of version: SchemaVersion) -> Set<String> {
        Set(version.properties.map(\.name)).intersection(names)
    }

    /// Adds a random row.
    package mutating func insert(_ key: Int64, using random: inout SplitMix) {
        rows[key] = Dictionary(uniqueKeysWithValues: names.sorted().map { ($0, Int64(random.below(1000))) })
    }

    /// Returns the statement of another program that inserts a row.
    package func statement(_ key: Int64, keyColumn: String) -> String {
        let values = (rows[key] ?? [:]).sorted { $0.key < $1.key }
        let columns = [keyColumn, "version"] + values.map { "\"\($0.key)\"" }
        let literals = ["\(key)", "0"] + values.map { "\($0.value)" }
        return "INSERT INTO \"A\"(\(columns.joined(separator: ", "))) VALUES (\(literals.joined(separator: ", ")))"
    }

    /// Chooses the program that opens the store next, with its version or with a new one.
    ///
    /// The store takes the second program for a new version of the first, because both have one name, until the first one
    /// opens the store again.
    package mutating func open(
        step: Int, using random: inout SplitMix
    ) -> (version: SchemaVersion, description: String) {
        let program = step < 3 ? step % 2 : random.below(2)
        let isNew = versions[program] == nil || step > 2 && random.below(3) == 0
        if isNew { change(program, using: &random) }
        let version = versions[program] ?? SchemaVersion(number: 0, properties: [])
        return (version, "program \(program): \(version.properties)")
    }

    /// Gives a program another version of its models.
    private mutating func change(_ program: Int, using random: inout SplitMix) {
        let before = names
        number += 1
        // Properties that only this program has, in all of its versions.
        let own = (0..<6).map { SchemaVersion.Property.number("\(program == 0 ? "p" : "q")\($0)", default: nil) }
        let properties = Self.names.filter { _ in random.below(2) == 0 }
        versions[program] = SchemaVersion(
            number: number, properties: own + properties.map { .number($0, default: 7) })
        let after = names
        for key in rows.keys {
            for name in after.subtracting(before) { rows[key]?[name] = 7 }
            for name in before.subtracting(after) { rows[key]?[name] = nil }
        }
    }

    /// The rows as a program sees them.
    package func rows(of version: SchemaVersion) -> [Int64: [String: Int64]] {
        let names = Self.names(of: version)
        return rows.mapValues { $0.filter { names.contains($0.key) } }
    }
}

extension SchemaVersion {
    fileprivate init(number: Int, properties: [Property]) { (self.number, self.properties) = (number, properties) }
}

extension SchemaVersion.Property {
    fileprivate static func number(_ name: String, default value: Int64?) -> Self {
        Self(
            name: name, kind: .attribute(type: "Int", storage: "integer"), isOptional: value == nil,
            defaultValue: value.map { .integer($0) }, owners: ["A"])
    }
}
