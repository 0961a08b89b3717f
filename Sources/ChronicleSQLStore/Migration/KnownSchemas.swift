package import ChronicleCore
import Foundation

/// The schemas with which programs open a store, by their ``Schema/declarationKey(_:)``.
///
/// Programs with different models can share a store, which keeps the properties that any of them uses. The first opening by
/// a program with a schema is a new version of the most similar schema that the program uses. A schema that no program uses
/// any more is replaced, until a program opens the store with it again.
package struct KnownSchemas: Sendable {
    /// The names of the properties of each class.
    private typealias Names = [String: Set<String>]

    /// A schema in use, as a store records it.
    private struct Record: Decodable {
        /// The programs that use the schema; none if later schemas replaced it.
        var programs: Set<String>
        /// The present names of the classes and their properties.
        var classes: Names
        /// The present names of what was renamed since a program opened the store with the schema: of classes by their names in the
        /// schema, and of properties by those of the class and the property, such as `Trip.name`. The present name of a property
        /// is empty if another one replaced it.
        var renames: [String: String]?
        /// What each program declares and the key of the schema does not show. An earlier version of Chronicle does not
        /// record it.
        var details: [String: Details]?

        /// Returns ``renames`` after further ones.
        func renames(
            newName: (String) -> String, newPropertyName: (String, String) -> String,
            isReplaced: (String, String) -> Bool
        ) -> [String: String] {
            var names = renames?.filter(\.value.isEmpty) ?? [:]
            for (entity, properties) in classes {
                let former = renames?.first { $0.value == entity && !$0.key.contains(".") }?.key ?? entity
                let new = newName(entity)
                if new != former { names[former] = new }
                let prefix = "\(former)."
                for property in properties {
                    let path =
                        renames?.first { $0.value == property && $0.key.hasPrefix(prefix) }?.key ?? prefix + property
                    let newProperty = isReplaced(property, new) ? "" : newPropertyName(property, new)
                    if prefix + newProperty != path { names[path] = newProperty }
                }
            }
            return names
        }
    }

    private struct Details: Decodable {
        /// The uniqueness constraints, indexes and delete rules of each class; see ``KnownSchemas/text(of:isUnique:)`` and
        /// ``KnownSchemas/text(of:_:)``.
        var constraints: Names
        /// The properties of the program's earlier schemas that this one does not have.
        var removed: Names
    }

    /// A record whose text is always the same.
    private struct Sorted: Encodable {
        let programs: [String]
        let classes: [String: [String]]
        let renames: [String: String]?
        let details: [String: [String: [String: [String]]]]?

        init(_ record: Record) {
            func sorted(_ names: Names) -> [String: [String]] { names.mapValues { $0.sorted() } }
            programs = record.programs.sorted()
            classes = sorted(record.classes)
            renames = record.renames.flatMap { $0.isEmpty ? nil : $0 }
            details = record.details?.mapValues {
                ["constraints": sorted($0.constraints), "removed": sorted($0.removed)]
            }
        }
    }

    /// Whether the store was opened with the schema before.
    package let isKnown: Bool
    /// What the store has to record about the schemas, by their keys.
    package let changes: [String: String]
    private let used: [Record]
    /// The present names of classes and properties of the schema that later versions renamed, by the names in the schema; those of
    /// properties contain the class, such as `Trip.name`. `nil` if an earlier version of Chronicle recorded that the schema was
    /// replaced.
    let renames: [String: String]?
    /// The same for the earlier schema of the program that this one replaces.
    let replacedRenames: [String: String]
    /// The program that opens the store, or `nil` for one that inspects it.
    private let program: String?
    /// Whether the opening replaces an earlier schema of the program.
    let replacesSchema: Bool
    /// The properties of the program's earlier schemas that its schema does not have.
    private let removed: Names

    /// What the opening compares, or `nil` for a program that inspects the store.
    private let comparison: Comparison?

    private struct Comparison {
        let records: [String: String]
        let schema: Schema
        let key: String
        let program: String
        let wasComplete: Bool
    }

    /// Returns whether a program uses a schema.
    ///
    /// - Parameters:
    ///   - record: What the store recorded about the schema, or `nil` if it does not know the schema.
    ///   - schema: The schema.
    ///   - program: The name of the program, or `nil` for any.
    package static func isInUse(_ record: String?, _ schema: Schema, by program: String?) -> Bool {
        guard let record = record.flatMap(Self.record), !record.programs.isEmpty else { return false }
        guard let program else { return true }
        return record.programs.contains(program)
            && record.details?[program]?.constraints == constraints(of: schema)
    }

    /// Determines the schemas in use after an opening.
    ///
    /// - Parameters:
    ///   - records: What the store recorded about each schema, by key.
    ///   - schema: The schema of the opening.
    ///   - key: The key of that schema.
    ///   - program: The name of the program.
    ///   - wasComplete: Whether the tables met the schema in a store without any records, which an earlier version of
    ///     Chronicle wrote.
    package init(
        _ records: [String: String], opening schema: Schema, key: String, program: String, wasComplete: Bool
    ) {
        self.init(
            Comparison(records: records, schema: schema, key: key, program: program, wasComplete: wasComplete),
            newName: { $0 }, newPropertyName: { property, _ in property }, isReplaced: { _, _ in false })
    }

    /// Returns the same schemas after the renames of the opening, which apply to what all programs declare.
    ///
    /// - Parameters:
    ///   - newName: A closure that returns the present name of a class.
    ///   - newPropertyName: A closure that returns the present name of a property of a class, whose present name is the second
    ///     argument.
    ///   - isReplaced: A closure that returns whether a property of a class does not exist any more, because another one was
    ///     renamed to its name.
    package func renamed(
        newName: (String) -> String, newPropertyName: (String, String) -> String,
        isReplaced: (String, String) -> Bool = { _, _ in false }
    ) -> KnownSchemas {
        comparison.map {
            KnownSchemas($0, newName: newName, newPropertyName: newPropertyName, isReplaced: isReplaced)
        } ?? self
    }

    private init(
        _ comparison: Comparison, newName: (String) -> String, newPropertyName: (String, String) -> String,
        isReplaced: (String, String) -> Bool
    ) {
        let (records, schema, key) = (comparison.records, comparison.schema, comparison.key)
        let program = comparison.program
        isKnown = records[key] != nil || comparison.wasComplete && records.isEmpty
        let names = Names(
            schema.entities.map { ($0.name, Set($0.properties.map(\.name))) }, uniquingKeysWith: { $0.union($1) })
        // All at once: a class or a property may receive the former name of another one.
        func renamed(_ names: Names, areConstraints: Bool = false) -> Names {
            Names(
                names.map { entity, texts in
                    let name = newName(entity)
                    guard areConstraints else { return (name, Set(texts.map { newPropertyName($0, name) })) }
                    let kept = texts.filter { text in !Self.properties(in: text).contains { isReplaced($0, name) } }
                    return (name, Set(kept.map { Self.renamingProperties($0) { newPropertyName($0, name) } }))
                }, uniquingKeysWith: { $0.union($1) })
        }
        let known = records.compactMapValues(Self.record).mapValues { record in
            var classes = record.classes
            for (entity, properties) in classes {
                classes[entity] = properties.filter { !isReplaced($0, newName(entity)) }
            }
            return Record(
                programs: record.programs, classes: renamed(classes),
                renames: record.renames(
                    newName: newName, newPropertyName: newPropertyName, isReplaced: isReplaced),
                details: record.details?.mapValues {
                    Details(
                        constraints: renamed($0.constraints, areConstraints: true), removed: renamed($0.removed))
                })
        }
        renames = known[key]?.renames
        var used = known.filter { !$0.value.programs.isEmpty }
        // A program that returns to a schema may have other containers that use a later one.
        let isReturning = records[key] != nil && used[key] == nil
        var removed = used[key]?.details?[program]?.removed ?? [:]
        var replacesSchema = false
        var replacedRenames: [String: String] = [:]
        if !isReturning, used[key]?.programs.contains(program) != true {
            let distances = used.filter { $0.key != key && $0.value.programs.contains(program) }.map { key, record in
                (Self.distance(record.classes, names), key)
            }
            if let earlier = distances.min(by: <)?.1 {
                replacedRenames = used[earlier]?.renames ?? [:]
                let replaced = used[earlier]?.details?[program]?.removed ?? [:]
                removed = replaced.merging(used[earlier]?.classes ?? [:]) { $0.union($1) }
                used[earlier]?.programs.remove(program)
                used[earlier]?.details?[program] = nil
                if used[earlier]?.details?.isEmpty == true { used[earlier]?.details = nil }
                replacesSchema = true
            }
        }
        removed = Names(
            uniqueKeysWithValues: removed.compactMap { entity, properties in
                let rest = properties.subtracting(names[entity] ?? [])
                return rest.isEmpty ? nil : (entity, rest)
            })
        var record = used[key] ?? Record(programs: [], classes: names)
        record.programs.insert(program)
        (record.classes, record.renames) = (names, nil)
        record.details = (record.details ?? [:]).merging(
            [program: Details(constraints: Self.constraints(of: schema), removed: removed)], uniquingKeysWith: { $1 })
        used[key] = record
        var changes: [String: String] = [:]
        for (key, record) in known.merging(used, uniquingKeysWith: { $1 }) {
            if record.programs.isEmpty { used[key] = nil }
            let text = Self.text(of: record)
            if records[key] != text { changes[key] = text }
        }
        self.changes = changes
        self.replacedRenames = replacedRenames
        (self.replacesSchema, self.removed, self.program) = (replacesSchema, removed, program)
        (self.used, self.comparison) = (Array(used.values), comparison)
    }

    /// Returns the schemas in use if a program inspects the store with the classes that the store describes. It changes
    /// none of them.
    package init(inspecting records: [String: String]) {
        (isKnown, changes, replacesSchema, removed, program, comparison) = (true, [:], false, [:], nil, nil)
        (renames, replacedRenames) = (nil, [:])
        used = records.values.compactMap(Self.record).filter { !$0.programs.isEmpty }
    }

    /// Returns the names of the programs that use a store.
    package static func programs(_ records: [String: String]) -> Set<String> {
        records.values.compactMap(Self.record).reduce(into: []) { $0.formUnion($1.programs) }
    }

    /// Returns whether any program uses a property.
    ///
    /// - Parameters:
    ///   - property: The name of the property.
    ///   - lineage: The names of its class and of the superclasses, nearest first. A program that does not have a
    ///     class uses its models as those of a superclass.
    func use(_ property: String, ofFirst lineage: [String]) -> Bool {
        used.contains { Self.contains(property, ofFirst: lineage, $0.classes) }
    }

    /// Returns whether another program uses a property; see ``use(_:ofFirst:)``.
    func useElsewhere(_ property: String, ofFirst lineage: [String]) -> Bool {
        used.contains { record in
            record.programs.contains { $0 != program } && Self.contains(property, ofFirst: lineage, record.classes)
        }
    }

    /// Returns whether any program uses a class.
    package func use(_ entity: String) -> Bool { used.contains { $0.classes[entity] != nil } }

    /// Returns whether another program declares a uniqueness constraint or an index.
    ///
    /// - Parameter inAny: Whether another schema of the same program may declare it as well.
    func useConstraint(_ properties: [String], isUnique: Bool, of entity: String, inAny: Bool = false) -> Bool {
        use(constraint: Self.text(of: properties, isUnique: isUnique), of: entity, inAny: inAny)
    }

    /// Returns whether another program declares the delete rule of a relationship.
    func useDeleteRule(_ rule: Schema.Relationship.DeleteRule?, of property: String, in entity: String) -> Bool {
        Self.text(of: rule, property).map { use(constraint: $0, of: entity) } ?? false
    }

    private func use(constraint: String, of entity: String, inAny: Bool = false) -> Bool {
        used.contains { record in
            record.programs.contains { program in
                if program == self.program, !inAny { return false }
                // What is not recorded may be declared.
                guard let details = record.details?[program] else { return record.classes[entity] != nil }
                return details.constraints[entity]?.contains(constraint) == true
            }
        }
    }

    private static func constraints(of schema: Schema) -> Names {
        Names(
            schema.entities.map { entity in
                let constraints =
                    entity.uniquenessConstraints.map { text(of: $0, isUnique: true) }
                    + entity.indices.map { text(of: $0, isUnique: false) }
                return (
                    entity.name,
                    Set(constraints + entity.properties.compactMap { text(of: $0.relationship?.deleteRule, $0.name) })
                )
            }, uniquingKeysWith: { $0.union($1) })
    }

    /// A description of a delete rule that the tables apply, or `nil` for others.
    private static func text(of rule: Schema.Relationship.DeleteRule?, _ property: String) -> String? {
        guard let rule, rule == .cascade || rule == .deny else { return nil }
        return "\(rule.rawValue) \(property)"
    }

    /// Returns whether the program had a property that its schema does not have any more.
    func remove(_ property: String, ofFirst lineage: [String]) -> Bool {
        lineage.contains { removed[$0]?.contains(property) == true }
    }

    private static func contains(_ property: String, ofFirst lineage: [String], _ classes: Names) -> Bool {
        lineage.lazy.compactMap { classes[$0] }.first?.contains(property) == true
    }

    /// Returns the names of the properties in a description of a constraint or a delete rule.
    private static func properties(in text: String) -> [String] {
        text.split(separator: " ", maxSplits: 1).dropFirst().flatMap { $0.split(separator: ",").map(String.init) }
    }

    /// Returns a description of a constraint or a delete rule with other names of properties.
    private static func renamingProperties(_ text: String, _ newName: (String) -> String) -> String {
        "\(text.prefix { $0 != " " }) \(properties(in: text).map(newName).joined(separator: ","))"
    }

    /// A description of a uniqueness constraint or an index. Names of properties contain neither spaces nor commas.
    private static func text(of properties: [String], isUnique: Bool) -> String {
        (isUnique ? "unique " : "index ") + properties.joined(separator: ",")
    }

    /// The number of classes and properties that only one of two schemas has.
    private static func distance(_ first: Names, _ second: Names) -> Int {
        Set(first.keys).union(second.keys).reduce(0) { sum, entity in
            guard let properties = first[entity], let others = second[entity] else {
                return sum + 1 + (first[entity] ?? second[entity] ?? []).count
            }
            return sum + properties.symmetricDifference(others).count
        }
    }

    private static func text(of record: Record) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings are always encoded. The order of a set differs in each run.
        let json = try? encoder.encode(Sorted(record))
        return String(decoding: json ?? Data(), as: UTF8.self)
    }

    /// Returns the record of a schema, or `nil` for one of which an earlier version of Chronicle only recorded that it was
    /// replaced.
    private static func record(_ text: String) -> Record? {
        try? JSONDecoder().decode(Record.self, from: Data(text.utf8))
    }
}
