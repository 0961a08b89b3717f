import Chronicle

/// Openings of a store by programs with versions of a schema that were once wrong.
package struct SchemaScenario: CustomStringConvertible, Sendable {
    enum Step {
        /// A program opens the store, and finds the values.
        case opens(
            _ program: Int, SchemaVersion, stage: StoreReference.Stage? = nil, finds: [Int64: [String: String]] = [:])
        /// The store rejects a version.
        case isRejected(_ program: Int, SchemaVersion, stage: StoreReference.Stage? = nil)
        case inserts(_ key: Int64, _ entity: String, [String: PropertyValue])
        case changes(_ key: Int64, [String: PropertyValue])
    }

    package let description: String
    private let steps: @Sendable () -> [Step]

    private init(_ description: String, _ steps: @escaping @Sendable () -> [Step]) {
        (self.description, self.steps) = (description, steps)
    }

    /// Runs the steps in an empty store.
    ///
    /// - Returns: The differences from what is expected.
    package func differences(in store: some SchemaSequenceStore) throws -> [String] {
        var differences: [String] = []
        for step in steps() {
            switch step {
            case .opens(let program, let version, let stage, let expected):
                let rows = try store.open(version, as: program, stage: stage)
                for (key, values) in expected {
                    for (name, value) in values where rows[key]?[name] != value {
                        differences.append("version \(version.number): \(key).\(name) is \(rows[key]?[name] ?? "-")")
                    }
                }
                differences += try store.problems().map { "version \(version.number): \($0)" }
            case .isRejected(let program, let version, let stage):
                do {
                    _ = try store.open(version, as: program, stage: stage)
                    differences.append("version \(version.number) is not rejected")
                } catch let error as SwiftDataError
                    where error == .backwardMigration || error == .newerSchemaVersion
                {}
            case .inserts(let key, let entity, let values):
                try store.apply(StoreReference.Change(key: key, entity: entity, values: values))
            case .changes(let key, let values):
                try store.apply(StoreReference.Change(key: key, values: values))
            }
        }
        return differences
    }

    // MARK: Scenarios

    private static let int = SchemaVersion.Kind.attribute(type: "Int", storage: "integer")
    private static let bool = SchemaVersion.Kind.attribute(type: "Bool", storage: "integer")
    private static let decimal = SchemaVersion.Kind.attribute(type: "Decimal", storage: "text")
    private static let double = SchemaVersion.Kind.attribute(type: "Double", storage: "real")
    private static let date = SchemaVersion.Kind.attribute(type: "Date", storage: "real")
    private static let string = SchemaVersion.Kind.attribute(type: "String", storage: "text")

    /// - Parameter value: The default value of a required attribute, or `nil` for an optional property.
    private static func property(
        _ name: String, from original: String? = nil, _ kind: SchemaVersion.Kind = int, in owners: Set<String> = ["A"],
        default value: PropertyValue? = nil, isUnique: Bool = false
    ) -> SchemaVersion.Property {
        var property = SchemaVersion.Property(
            name: original ?? name, kind: kind, isOptional: value == nil, defaultValue: value, owners: owners,
            isUnique: isUnique)
        if original != nil { property.rename(to: name) }
        return property
    }

    private static func version(
        _ number: Int, of declared: [String] = SchemaVersion.classes, _ properties: [SchemaVersion.Property]
    ) -> SchemaVersion {
        SchemaVersion(number, of: declared, properties)
    }

    package static let all = [
        SchemaScenario("names are passed on while earlier original names remain") {
            let (b, c) = (property("b", from: "a"), property("c", from: "b"))
            return [
                .opens(0, version(1, [property("a")])), .inserts(1, "A", ["a": .integer(1)]),
                .opens(0, version(2, [b]), finds: [1: ["b": "1"]]),
                .opens(0, version(3, [b, property("a")]), finds: [1: ["b": "1", "a": "NULL"]]),
                .changes(1, ["a": .integer(10)]),
                .opens(0, version(4, [c, b]), finds: [1: ["c": "1", "b": "10"]]),
                .opens(0, version(5, [c, b, property("a")]), finds: [1: ["c": "1", "b": "10", "a": "NULL"]]),
                .changes(1, ["a": .integer(100)]),
                .opens(
                    0, version(6, [property("d", from: "c"), c, b]), finds: [1: ["d": "1", "c": "10", "b": "100"]]),
                .isRejected(0, version(5, [c, b, property("a")])),
            ]
        },
        SchemaScenario("names are passed on in turn by two programs") {
            let (b, c) = (property("b", from: "a"), property("c", from: "b"))
            return [
                .opens(0, version(1, [property("a")])), .opens(1, version(2, [property("a"), property("e")])),
                .inserts(1, "A", ["a": .integer(1), "e": .integer(5)]), .opens(0, version(3, [b])),
                .opens(1, version(4, [b, property("a"), property("e")]), finds: [1: ["b": "1", "e": "5"]]),
                .changes(1, ["a": .integer(10)]), .opens(0, version(5, [c, b]), finds: [1: ["c": "1", "b": "10"]]),
                .isRejected(1, version(4, [b, property("a"), property("e")])),
                .opens(1, version(6, [b, c, property("e")]), finds: [1: ["c": "1", "b": "10", "e": "5"]]),
            ]
        },
        SchemaScenario("a stage replaces no property of a subclass that another program uses") {
            let properties = [property("a", in: ["A2"]), property("b")]
            return [
                .opens(0, version(1, properties)), .opens(1, version(2, properties)),
                .inserts(1, "A2", ["a": .integer(1), "b": .integer(2)]),
                .isRejected(0, version(3, of: ["A", "A1"], [property("a", from: "b")]), stage: .custom),
                .opens(1, version(2, properties), finds: [1: ["a": "1", "b": "2"]]),
            ]
        },
        SchemaScenario("a stage replaces no property of the superclass that another program uses") {
            let properties = [property("a", in: ["A1"]), property("b")]
            let renamed = property("b", from: "a", in: ["A1"])
            return [
                .opens(0, version(1, properties)), .inserts(1, "A", ["b": .integer(2)]),
                .opens(1, version(2, properties)), .isRejected(0, version(3, [renamed]), stage: .custom),
                .opens(1, version(4, [property("a", in: ["A1"])])),
                .opens(0, version(5, [renamed]), stage: .custom),
            ]
        },
        SchemaScenario("a stage replaces a list, and what remains of an earlier property of its name") {
            let list = property("d", .toMany("C"))
            return [
                .opens(0, version(1, [property("a", double), list])), .inserts(1, "A", ["a": .real(1.5)]),
                .opens(0, version(2, [list])), .opens(0, version(3, [property("a", from: "d", .toMany("C"))])),
                .opens(0, version(4, [property("a", .toOne("B"))]), stage: .custom, finds: [1: ["a": "NULL"]]),
            ]
        },
        SchemaScenario("converted values of removed properties are recorded") {
            let c = property("c", bool, in: ["A2"])
            return [
                .opens(0, version(1, [property("a"), c])), .inserts(1, "A1", ["a": .integer(-7)]),
                .inserts(2, "A2", ["a": .integer(300), "c": .integer(0)]), .opens(0, version(2, [c])),
                .opens(
                    0, version(3, [c, property("k", in: ["A1", "A2"]), property("a", decimal, in: ["A1"])]),
                    finds: [1: ["a": "NULL"]]),
            ]
        },
        SchemaScenario("conversions of several columns are recorded") {
            [
                .opens(0, version(1, [property("a"), property("b")])),
                .inserts(1, "A", ["a": .integer(1), "b": .integer(2)]),
                .opens(
                    0, version(2, [property("a", decimal), property("b", decimal)]), finds: [1: ["a": "1", "b": "2"]]),
            ]
        },
        SchemaScenario("a column that sibling classes share has the type of the program that declares a later class") {
            let decimals = version(2, [property("b", decimal, in: ["A2"])])
            return [
                .opens(0, version(1, [property("b", in: ["A1"])])), .opens(1, decimals),
                .inserts(1, "A2", ["b": .text("0.1")]), .inserts(2, "A2", ["b": .text("12345678901234567890.25")]),
                .opens(1, decimals, finds: [1: ["b": "0.1"], 2: ["b": "12345678901234567890.25"]]),
            ]
        },
        SchemaScenario("a type that another program changed is compared, although no table changed") {
            [
                .opens(0, version(1, [property("e", double)])), .opens(1, version(2, [property("e", date)])),
                .inserts(1, "A", ["e": .real(1.25)]), .isRejected(0, version(1, [property("e", double)])),
                .opens(1, version(2, [property("e", date)]), finds: [1: ["e": "1.25"]]),
            ]
        },
        SchemaScenario("a column whose property no program uses has the form of a later property of a sibling class") {
            let a = property("a")
            return [
                .opens(0, version(1, [a])), .opens(0, version(2, [a, property("l", string, in: ["A1"])])),
                .opens(0, version(3, of: ["A", "A2"], [a])),
                .opens(0, version(4, of: ["A", "A2"], [a, property("l", in: ["A2"])])),
                .inserts(1, "A2", ["a": .integer(1), "l": .integer(2)]),
                .opens(0, version(1, [a]), finds: [1: ["a": "1"]]),
                .opens(0, version(5, [a, property("l", in: ["A1", "A2"])]), finds: [1: ["l": "2"]]),
            ]
        },
        SchemaScenario("a reference has a column although no program uses the links of its name in a sibling class") {
            let a = property("a")
            return [
                .opens(0, version(1, [a])), .opens(1, version(2, [a, property("b", .toMany("B"), in: ["A1"])])),
                .opens(1, version(3, of: ["A", "A2"], [a])),
                .opens(1, version(4, of: ["A", "A2"], [a, property("b", .toOne("B"), in: ["A2"])])),
                .inserts(1, "A2", ["a": .integer(1), "b": .null]),
                .opens(1, version(4, of: ["A", "A2"], [a, property("b", .toOne("B"), in: ["A2"])])),
            ]
        },
        SchemaScenario("a column is renamed although no program uses the links of its name in a sibling class") {
            let (c, d) = (property("c", in: ["A2"]), property("d", from: "a", in: ["A2"]))
            return [
                .opens(0, version(1, of: ["A", "A1"], [property("a", .toMany("C"), in: ["A1"])])),
                .opens(0, version(2, of: ["A", "A2"], [c, property("a", in: ["A2"])])),
                .inserts(1, "A2", ["a": .integer(1), "c": .integer(2)]),
                .opens(0, version(3, of: ["A", "A2"], [c, d]), finds: [1: ["c": "2", "d": "1"]]),
                .opens(
                    0, version(4, of: ["A", "A2"], [property("a", from: "c", in: ["A2"]), d]),
                    finds: [1: ["a": "2", "d": "1"]]),
            ]
        },
        SchemaScenario("no values remain in the column of an attribute that became a list with another name") {
            let (c, list) = (property("c"), property("b", from: "d", .toMany("B")))
            return [
                .opens(0, version(1, [c, property("d", default: .integer(-7))])), .opens(0, version(2, [c, list])),
                .inserts(1, "A2", ["c": .integer(1)]),
                .opens(
                    0, version(3, [c, list, property("d", decimal, in: ["A2"])]), finds: [1: ["c": "1", "d": "NULL"]]),
            ]
        },
        SchemaScenario(
            "a uniqueness constraint does not apply to a property that a stage gives the name of another one"
        ) {
            let k = property("k", string)
            let (first, second) = (version(1, [k]), version(2, [k, property("m", string, in: ["A1"], isUnique: true)]))
            return [
                .opens(0, first), .inserts(1, "A1", ["k": .text("a")]), .inserts(2, "A1", ["k": .text("a")]),
                .opens(1, second),
                .opens(
                    2, version(3, [property("m", from: "k", string)]), stage: .custom,
                    finds: [1: ["m": "a"], 2: ["m": "a"]]),
                .isRejected(1, second),
            ]
        },
        SchemaScenario("a program inserts rows without an attribute that another program requires in more classes") {
            let c = property("c")
            let required = version(2, [c, property("a", default: .integer(7))])
            return [
                .opens(0, version(1, [c, property("a", in: ["A1"], default: .integer(5))])), .opens(1, required),
                .inserts(1, "A", ["c": .integer(1)]), .opens(1, required, finds: [1: ["a": "7", "c": "1"]]),
            ]
        },
    ]
}

extension SchemaVersion {
    fileprivate init(_ number: Int, of declared: [String], _ properties: [Property]) {
        (self.number, self.declared, self.properties) = (number, declared, properties)
    }
}
