import Chronicle
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// A file that random programs open with versions of a schema.
struct SharedFile: SchemaSequenceStore {
    let file: URL
    let recorder: ModelConfiguration.Recorder

    private func configuration(_ schema: Schema, allowsSave: Bool = true) -> ModelConfiguration {
        var configuration = ModelConfiguration(
            schema: schema, url: file, allowsSave: allowsSave, durability: .relaxed, preservesValues: true)
        configuration.recorder = recorder
        return configuration
    }

    private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let connection = try Connection(path: file.path, mode: .readWrite)
        defer { connection.close() }
        try connection.execute("PRAGMA foreign_keys = ON")
        return try body(connection)
    }

    // MARK: Openings

    /// Renames a program in what the file records about the schemas in use.
    private func rename(_ program: String, to other: String) throws {
        try withConnection { connection in
            guard try connection.tableExists("chronicle_meta") else { return }
            try connection.execute(
                """
                UPDATE chronicle_meta SET value = replace(value, '"\(program)"', '"\(other)"') \
                WHERE name LIKE 'known:%' AND instr(value, '"\(program)"')
                """)
        }
    }

    func open(_ version: SchemaVersion, as program: Int?, stage: StoreReference.Stage?) throws -> Rows {
        guard let program else {
            return try keepingFile(always: true) {
                try rows(DefaultStore(configuration(version.schema(), allowsSave: false), migrationPlan: nil))
            }
        }
        let (own, name) = (TransactionSource.program, "program \(program)")
        let exists = FileManager.default.fileExists(atPath: file.path)
        if exists { try rename(name, to: own) }
        let result = Result { try exists ? keepingFile { try open(version, stage) } : open(version, stage) }
        try rename(own, to: name)
        return try result.get()
    }

    /// Expects that the file is the same after an error.
    private func keepingFile(always: Bool = false, _ body: () throws -> Rows) throws -> Rows {
        let before = try Data(contentsOf: file)
        let result = Result(catching: body)
        var error: (any Error)?
        if case .failure(let failure) = result { error = failure }
        if always || error != nil, try Data(contentsOf: file) != before { throw ChangedStore(error) }
        return try result.get()
    }

    private func open(_ version: SchemaVersion, _ stage: StoreReference.Stage?) throws -> Rows {
        let schema = try version.schema()
        if let stage {
            try withConnection { connection in
                try StoreOpener.prepare(connection, .relaxed, path: file.path)
                try connection.nesting {
                    _ = try SchemaCompletion(
                        connection, schema, configuration(schema), stage: stage == .custom ? .custom : .lightweight
                    ).complete()
                }
            }
        }
        return try rows(DefaultStore(configuration(schema), migrationPlan: nil))
    }

    private func rows(_ store: DefaultStore) throws -> [Int64: [String: String]] {
        var found: [Int64: [String: String]] = [:]
        var links: [Int64: [String: Set<Int64>]] = [:]
        try store.fetchRows(ofEntity: "A") { row in
            let key = row.persistentIdentifier.integerPrimaryKey ?? 0
            let entity = store.schema.entitiesByName[row.persistentIdentifier.entityName]
            for property in entity?.storedProperties ?? [] where property.name != "version" {
                let value = row.values[property.slot]
                if property.attribute != nil { _ = try property.decode(value) }
                found[key, default: [:]][property.name] = StoreReference.text(value)
            }
            for property in entity?.properties ?? [] where property.relationship?.isToMany == true {
                links[key, default: [:]][property.name] = []
            }
            found[key, default: [:]]["version"] = nil
        }
        try withConnection { connection in
            for table in store.schema.links {
                let statement = try connection.prepare("SELECT owner, destination FROM \"\(table.name)\"")
                while try statement.step() {
                    links[statement.int64(0)]?[table.property.name]?.insert(statement.int64(1))
                }
            }
        }
        for (key, properties) in links {
            for (name, keys) in properties { found[key, default: [:]][name] = StoreReference.text(keys) }
        }
        return found
    }

    // MARK: Content

    func insertDestinations() throws {
        try withConnection {
            try $0.execute(
                "INSERT INTO B(id, version) VALUES (1, 0), (2, 0); INSERT INTO C(id, version) VALUES (1, 0), (2, 0)")
        }
    }

    func hasValues(_ place: StoreReference.Place) throws -> Bool {
        let (table, column) = place.isLinks ? ("A.\(place.name)", "owner") : ("A", place.name)
        guard FileManager.default.fileExists(atPath: file.path) else { return false }
        return try withConnection { connection in
            guard
                try connection.scalarInt64("SELECT 1 FROM pragma_table_info('\(table)') WHERE name = '\(column)'")
                    != nil
            else { return false }
            return try connection.scalarInt64("SELECT 1 FROM \"\(table)\" WHERE \"\(column)\" IS NOT NULL LIMIT 1")
                != nil
        }
    }

    func problems() throws -> [String] {
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: file) { problems.append($0) }
        return problems.map { "\($0)" }
    }

    func apply(_ change: StoreReference.Change) throws {
        var statements: [String] = []
        let values = change.values.sorted { $0.key < $1.key }
        if let entity = change.entity {
            // Without subclasses, there is no column for the class.
            let columns =
                ["id", "version"] + (entity == "A" ? [] : ["chronicle_entity"]) + values.map { "\"\($0.key)\"" }
            let literals =
                ["\(change.key)", "0"] + (entity == "A" ? [] : ["'\(entity)'"]) + values.map { Self.literal($0.value) }
            statements.append(
                "INSERT INTO A(\(columns.joined(separator: ", "))) VALUES (\(literals.joined(separator: ", ")))")
        } else {
            for (name, value) in values {
                statements.append("UPDATE A SET \"\(name)\" = \(Self.literal(value)) WHERE id = \(change.key)")
            }
        }
        for (name, keys) in change.links.sorted(by: { $0.key < $1.key }) {
            statements.append("DELETE FROM \"A.\(name)\" WHERE owner = \(change.key)")
            for key in keys.sorted() {
                statements.append("INSERT INTO \"A.\(name)\"(owner, destination) VALUES (\(change.key), \(key))")
            }
        }
        try withConnection { try $0.execute("BEGIN; \(statements.joined(separator: "; ")); COMMIT") }
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
}
