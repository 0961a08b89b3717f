import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Random sequences of versions of a schema, each opened with the file of the version before, in which any property changes
/// to any other kind, type, name, class or destination, or is removed and declared again.
///
/// Each version has the documented content, or is rejected and leaves the file unchanged.
@Suite struct SchemaVersionTests {
    @Test(arguments: TestSeed.rounds(12)) func contentIsKeptOrTheVersionIsRejected(_ number: Int) throws {
        var random = TestSeed.generator(number)
        let file = try TemporaryDirectory().file("versions.store")
        var content = SchemaContent(SchemaVersion(using: &random))
        var log: [String] = []
        var key: Int64 = 0
        func comment() -> String { "\(log.joined(separator: "\n")) \(TestSeed.description), number \(number)" }
        _ = try open(content.version, file)
        try execute(
            "INSERT INTO B(id, version) VALUES (1, 0), (2, 0); INSERT INTO C(id, version) VALUES (1, 0), (2, 0)", file)
        for _ in 0..<6 {
            log.append("version \(content.version.properties)")
            for _ in 0..<random.below(5) {
                key += 1
                content.insert(key, using: &random)
                let statements = Self.statements(content, key)
                log.append(statements)
                try execute(statements, file)
            }
            try expect(content, file, comment())
            // Some versions are rejected.
            for _ in 0..<3 {
                let next = content.version.next(using: &random)
                log.append("next \(next.properties)")
                var expected = content
                do {
                    try expected.migrate(to: next) { try Self.hasValues($0, file) }
                } catch let rejection as SchemaContent.Rejection {
                    log.append("rejected: \(rejection.reason)")
                    let before = try Data(contentsOf: file)
                    let error = #expect(throws: SwiftDataError.self, "\(comment())") { try open(next, file) }
                    try #require(error == .backwardMigration, "\(String(describing: error)) \(comment())")
                    try #require(try Data(contentsOf: file) == before, "\(comment())")
                    continue
                }
                do { _ = try open(next, file) } catch {
                    Issue.record("\(error) \(comment())")
                    return
                }
                content = expected
                break
            }
            try expect(content, file, comment())
            let problems = try VerificationTests.problems(in: file)
            try #require(problems == [], "\(comment())")
        }
    }

    /// Two programs with different models open the file, and are updated, in a random order.
    @Test(arguments: TestSeed.rounds(6)) func programsWithDifferentModelsKeepTheirValues(_ number: Int) throws {
        var random = TestSeed.generator(number)
        let file = try TemporaryDirectory().file("shared.store")
        var content = SharedContent()
        var log: [String] = []
        var key: Int64 = 0
        for step in 0..<20 {
            let (version, description) = content.open(step: step, using: &random)
            log.append(description)
            let store = try open(version, file)
            let names = Set(version.properties.map(\.name)).intersection(["a", "b", "c", "d", "e"])
            var found: [Int64: [String: Int64]] = [:]
            try store.fetchRows(ofEntity: "A") { row in
                var values: [String: Int64] = [:]
                for property in try #require(store.schema.entitiesByName["A"]).storedProperties {
                    guard case .integer(let value) = row.values[property.slot], names.contains(property.name) else {
                        continue
                    }
                    values[property.name] = value
                }
                found[try #require(row.persistentIdentifier.integerPrimaryKey)] = values
            }
            try #require(
                found == content.rows(of: version),
                "\(log.joined(separator: "\n")) \(TestSeed.description), number \(number)")
            key += 1
            content.insert(key, using: &random)
            try execute(content.statement(key, keyColumn: "id"), file)
        }
    }

    private func open(_ version: SchemaVersion, _ file: URL) throws -> DefaultStore {
        try DefaultStore(
            ModelConfiguration(
                schema: try version.schema(), url: file, durability: .relaxed, preservesValues: true),
            migrationPlan: nil)
    }

    private func execute(_ sql: String, _ file: URL) throws {
        let connection = try Connection(path: file.path, mode: .readWrite)
        defer { connection.close() }
        try connection.execute("PRAGMA foreign_keys = ON; BEGIN; \(sql); COMMIT")
    }

    private static func hasValues(_ property: SchemaVersion.Property, _ file: URL) throws -> Bool {
        let connection = try Connection(path: file.path, mode: .readWrite)
        defer { connection.close() }
        let name = property.name
        if property.kind.isToMany {
            guard try connection.scalarInt64("SELECT 1 FROM sqlite_schema WHERE name = 'A.\(name)'") != nil else {
                return false
            }
            return try connection.scalarInt64("SELECT 1 FROM \"A.\(name)\" LIMIT 1") != nil
        }
        guard try connection.scalarInt64("SELECT 1 FROM pragma_table_info('A') WHERE name = '\(name)'") != nil else {
            return false
        }
        return try connection.scalarInt64("SELECT 1 FROM A WHERE \"\(name)\" IS NOT NULL LIMIT 1") != nil
    }

    /// Returns the statements of another program that insert a row.
    private static func statements(_ content: SchemaContent, _ key: Int64) -> String {
        guard let row = content.rows[key] else { return "" }
        let values = row.values.sorted { $0.key < $1.key }
        let columns = (["id", "version", "chronicle_entity"] + values.map { "\"\($0.key)\"" }).joined(separator: ", ")
        let literals =
            ["\(key)", "0", row.entity == "A" ? "NULL" : "'\(row.entity)'"] + values.map { literal($0.value) }
        var statements = ["INSERT INTO A(\(columns)) VALUES (\(literals.joined(separator: ", ")))"]
        for (name, destinations) in row.links.sorted(by: { $0.key < $1.key }) {
            for destination in destinations.sorted() {
                statements.append("INSERT INTO \"A.\(name)\"(owner, destination) VALUES (\(key), \(destination))")
            }
        }
        return statements.joined(separator: "; ")
    }

    private static func literal(_ value: PropertyValue) -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .real(let value): value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
        case .text(let text): "'\(text.replacing("'", with: "''"))'"
        case .blob(let data): "x'\(data.map { String(format: "%02x", $0) }.joined())'"
        default: "NULL"
        }
    }

    private func expect(_ content: SchemaContent, _ file: URL, _ comment: @autoclosure () -> String) throws {
        let store = try open(content.version, file)
        let connection = try Connection(path: file.path, mode: .readWrite)
        defer { connection.close() }
        var found: [Int64: SchemaContent.Row] = [:]
        try store.fetchRows(ofEntity: "A") { row in
            let key = try #require(row.persistentIdentifier.integerPrimaryKey)
            let name = row.persistentIdentifier.entityName
            let entity = try #require(store.schema.entitiesByName[name])
            var result = SchemaContent.Row(entity: name)
            for property in entity.storedProperties where property.name != "version" {
                let value = row.values[property.slot]
                if property.attribute != nil { _ = try property.decode(value) }
                result.values[property.name] = Self.comparable(value)
            }
            for property in entity.properties where property.relationship?.isToMany == true {
                result.links[property.name] = []
            }
            found[key] = result
        }
        for links in store.schema.links {
            let statement = try connection.prepare("SELECT owner, destination FROM \"\(links.name)\"")
            while try statement.step() {
                found[statement.int64(0)]?.links[links.property.name]?.insert(statement.int64(1))
            }
        }
        let expected = content.rows.mapValues { row in
            var row = row
            row.values = row.values.mapValues(Self.comparable)
            return row
        }
        for key in expected.keys.sorted() where found[key] != expected[key] {
            Issue.record(
                "\(key): \(String(describing: found[key])) is not \(String(describing: expected[key])) \(comment())")
        }
        try #require(found == expected)
    }

    /// Returns reals as integers where possible: SQLite converts the default value of a column that is added to a table
    /// with rows. References are returned as keys.
    private static func comparable(_ value: PropertyValue) -> PropertyValue {
        switch value {
        case .real(let real) where real.sign == .plus || real != 0: Int64(exactly: real).map { .integer($0) } ?? value
        case .reference(let identifier): identifier.integerPrimaryKey.map { .integer($0) } ?? value
        default: value
        }
    }
}
