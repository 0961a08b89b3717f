import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Random versions of a schema, each opened with the file of the version before, and changes of the rows in between.
@Suite struct RandomMigrationTests {
    private typealias Row = [Int: PropertyValue]
    private typealias Rows = [String: [Int64: Row]]

    /// An attribute, which keeps its number when it is renamed.
    private struct Attribute {
        let number: Int
        var name: String
        var originalName: String?
        let type: String
        let storage: String
        var isOptional: Bool
        /// The default value of a required attribute.
        var `default`: PropertyValue?
        /// The value that rows received when a migration added the column, and the keys of these rows.
        var initial = PropertyValue.null
        var initialKeys: Set<Int64> = []

        var required: PropertyValue? { isOptional ? nil : `default` }

        func json() throws -> String {
            var members = [
                #""kind":"attribute","options":[],"name":"\#(name)","type":"\#(type)""#,
                #""storage":"\#(storage)","isOptional":\#(isOptional)"#,
            ]
            if let originalName { members.append(#""originalName":"\#(originalName)""#) }
            if let required {
                members.append(#""default":\#(String(decoding: try JSONEncoder().encode(required), as: UTF8.self))"#)
            }
            return "{\(members.joined(separator: ","))}"
        }
    }

    private struct Entity {
        let name: String
        var attributes: [Attribute] = []

        func json() throws -> String {
            #"{"name":"\#(name)","properties":[\#(try attributes.map { try $0.json() }.joined(separator: ","))],"#
                + #""uniquenessConstraints":[],"indices":[]}"#
        }
    }

    private struct Version {
        var random: SplitMix
        var entities: [Entity] = []
        var attributeCount = 0
        var log: [String] = []

        var schema: Schema {
            get throws { Schema(entities: try entities.map { try Schema.Entity(json: $0.json()) }) }
        }

        mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

        mutating func value(_ type: String) -> PropertyValue {
            switch type {
            case "Int": .integer(random.pick([0, 1, -1, 7, .max]))
            case "Double": .real(random.pick([0, -0.0, 1.5, 2, 1e300]))
            case "String": .text(random.pick(["", "a", "é", "it's", "1"]))
            default: .blob(random.pick([Data(), Data([0]), Data([1, 255])]))
            }
        }

        mutating func makeAttribute() -> Attribute {
            let (type, storage) = random.pick([
                ("Int", "integer"), ("Double", "real"), ("String", "text"), ("Data", "blob"),
            ])
            attributeCount += 1
            return Attribute(
                number: attributeCount, name: "\(random.pick(["a", "order", "é", "B"]))\(attributeCount)", type: type,
                storage: storage, isOptional: chance(50), default: value(type))
        }

        /// Changes the schema, and the rows as the migration does.
        mutating func evolve(_ rows: inout Rows) {
            for index in entities.indices {
                for other in entities[index].attributes.indices where chance(50) {
                    entities[index].attributes[other].originalName = nil
                }
            }
            let known = Set(entities.flatMap(\.attributes).map(\.number))
            for _ in 0...random.below(4) { change() }
            rows = rows.filter { name, _ in entities.contains { $0.name == name } }
            for index in entities.indices {
                for other in entities[index].attributes.indices {
                    let attribute = entities[index].attributes[other]
                    let isNew = !known.contains(attribute.number)
                    if isNew {
                        entities[index].attributes[other].initial = attribute.required ?? .null
                        entities[index].attributes[other].initialKeys = Set(
                            rows[entities[index].name, default: [:]].keys)
                    }
                    rows[entities[index].name, default: [:]] = rows[entities[index].name, default: [:]].mapValues {
                        row in
                        var row = row
                        if isNew || row[attribute.number] == .null {
                            row[attribute.number] = attribute.required ?? .null
                        }
                        return row
                    }
                }
            }
        }

        private mutating func change() {
            guard !entities.isEmpty, !chance(15) else {
                var entity = Entity(name: random.pick(["Trip", "Group"]) + "\(attributeCount)")
                for _ in 0...random.below(5) { entity.attributes.append(makeAttribute()) }
                entities.append(entity)
                return
            }
            let index = random.below(entities.count)
            let attribute = random.below(entities[index].attributes.count)
            switch random.below(6) {
            case 0, 1:
                let position = random.below(entities[index].attributes.count + 1)
                entities[index].attributes.insert(makeAttribute(), at: position)
            case 2 where entities[index].attributes.count > 1:
                entities[index].attributes.remove(at: attribute)
            case 3 where entities[index].attributes[attribute].originalName == nil:
                attributeCount += 1
                let former = entities[index].attributes[attribute].name
                entities[index].attributes[attribute].originalName = former
                entities[index].attributes[attribute].name = "\(random.pick(["a", "order", "é", "B"]))\(attributeCount)"
            case 4:
                entities[index].attributes[attribute].isOptional.toggle()
            case 5 where entities.count > 1:
                entities.remove(at: index)
            default:
                entities[index].attributes.shuffle(using: &random)
            }
        }

        /// Returns a statement of another program after changing the rows.
        mutating func statement(_ rows: inout Rows, _ keys: inout [String: Int64]) -> String {
            let entity = random.pick(entities)
            func literal(_ value: PropertyValue) -> String {
                switch value {
                case .integer(let value): "\(value)"
                case .real(let value): "\(value)"
                case .text(let text): "'\(text.replacing("'", with: "''"))'"
                case .blob(let data): "x'\(data.map { String(format: "%02x", $0) }.joined())'"
                default: "NULL"
                }
            }
            let known = rows[entity.name, default: [:]].keys.sorted()
            if known.isEmpty || chance(50) {
                let key = keys[entity.name, default: 0] + 1
                keys[entity.name] = key
                var row: Row = [:]
                for attribute in entity.attributes {
                    row[attribute.number] = attribute.isOptional && chance(40) ? .null : value(attribute.type)
                }
                rows[entity.name, default: [:]][key] = row
                let names = entity.attributes.map { quoted($0.name) }.joined(separator: ", ")
                let values = entity.attributes.map { literal(row[$0.number] ?? .null) }.joined(separator: ", ")
                return "INSERT INTO \(quoted(entity.name))(id, \(names)) VALUES (\(key), \(values))"
            }
            let key = random.pick(known)
            if chance(30) {
                rows[entity.name]?[key] = nil
                return "DELETE FROM \(quoted(entity.name)) WHERE id = \(key)"
            }
            let attribute = random.pick(entity.attributes)
            let value = attribute.isOptional && chance(40) ? .null : value(attribute.type)
            rows[entity.name]?[key]?[attribute.number] = value
            return "UPDATE \(quoted(entity.name)) SET \(quoted(attribute.name)) = \(literal(value)) WHERE id = \(key)"
        }
    }

    @Test(arguments: TestSeed.rounds(8)) func rowsAndHistoryAreKept(_ number: Int) throws {
        var version = Version(random: TestSeed.generator(number))
        let file = try TemporaryDirectory().file("changing.store")
        var (rows, keys): (Rows, [String: Int64]) = ([:], [:])
        let preservesValues = version.chance(70)
        var states: [(token: DefaultHistoryToken, rows: Rows)] = []
        for _ in 0..<8 {
            version.evolve(&rows)
            version.log.append("\(try version.entities.map { try $0.json() })")
            let comment = { "\(version.log.joined(separator: "\n")) \(TestSeed.description)" }
            let store = try DefaultStore(
                ModelConfiguration(
                    schema: version.schema, url: file, durability: .relaxed, preservesValues: preservesValues),
                migrationPlan: nil)
            try expect(rows, version.entities, store, comment())
            let app = try Connection(path: file.path, mode: .readWrite)
            for _ in 0..<version.random.below(12) {
                let statement = version.statement(&rows, &keys)
                version.log.append(statement)
                try app.execute(statement)
            }
            app.close()
            try expect(rows, version.entities, store, comment())
            states.append((try #require(try store.currentHistoryToken()), rows))
            try #require(try VerificationTests.problems(in: file) == [], "\(comment())")
            if preservesValues { try expectPast(states, version, store, comment()) }
        }
    }

    private func expect(
        _ rows: Rows, _ entities: [Entity], _ store: DefaultStore, _ comment: @autoclosure () -> String
    ) throws {
        for entity in entities {
            let numbers = Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.name, $0.number) })
            let properties = try #require(store.schema.entitiesByName[entity.name]).storedProperties
            var found: [Int64: Row] = [:]
            try store.fetchRows(ofEntity: entity.name) { row in
                var values: Row = [:]
                let key = try #require(row.persistentIdentifier.integerPrimaryKey)
                for property in properties {
                    let number = try #require(numbers[property.name])
                    // A row that was deleted before the column was added has the default value of the column.
                    if let expected = rows[entity.name]?[key], expected[number] == nil { continue }
                    values[number] = Self.comparable(row.values[property.slot])
                }
                found[key] = values
            }
            let expected = rows[entity.name, default: [:]].mapValues { row in
                row.filter { value in entity.attributes.contains { $0.number == value.key } }.mapValues(Self.comparable)
            }
            try #require(found == expected, "\(entity.name): \(comment())")
        }
    }

    /// Returns reals as integers where possible: SQLite converts the default value of a column that is added to a table
    /// with rows.
    private static func comparable(_ value: PropertyValue) -> PropertyValue {
        if case .real(let real) = value, let integer = Int64(exactly: real) { .integer(integer) } else { value }
    }

    /// Expects the rows of the earlier positions. Attributes that were added later have the values that the
    /// rows received then.
    private func expectPast(
        _ states: [(token: DefaultHistoryToken, rows: Rows)], _ version: Version, _ store: DefaultStore,
        _ comment: @autoclosure () -> String
    ) throws {
        for state in states {
            var rows = state.rows
            for entity in version.entities {
                for key in rows[entity.name, default: [:]].keys {
                    for attribute in entity.attributes where rows[entity.name]?[key]?[attribute.number] == nil {
                        if attribute.initialKeys.contains(key) {
                            rows[entity.name]?[key]?[attribute.number] = attribute.initial
                        }
                    }
                }
            }
            let past = try #require(try store.store(asOf: state.token) as? DefaultStore)
            try expect(rows, version.entities, past, "as of \(state.token): \(comment())")
        }
    }
}
