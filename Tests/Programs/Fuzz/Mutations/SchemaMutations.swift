import ChronicleTestSupport
import Foundation

/// Changes the schema of a file: drops, renames, and replaces objects, and edits their definitions.
///
/// A mutation is a function of the database and the generator. Add new ones to ``all``.
struct SchemaMutations {
    typealias Mutation = @Sendable (RawDatabase, inout SplitMix) throws -> Void

    let database: RawDatabase

    func apply(_ random: inout SplitMix) throws {
        for _ in 0..<random.pick([1, 1, 1, 2, 3]) {
            do { try random.pick(Self.all)(database, &random) } catch is RawDatabase.Failure {
                // SQLite rejects some of them, depending on earlier ones.
                continue
            }
        }
        if random.chance(5) { try database.run("PRAGMA schema_version = 7") }
    }

    static let all: [Mutation] =
        [dropSomething, renameTable, renameColumn, dropColumn, addColumn]
        + [replaceByView, replaceByUnionView, replaceByEndlessView, replaceByConstantView]
        + [replaceByCopy, replaceByCopy, reverse]
        + [editText, editText, editText, exchangeRoots, damageRoot, changeType, cutText]
        + [changeTrigger, addTrigger, addIndex, addReference, setPragma, removeComplete]

    // MARK: Objects of the file

    static func names(_ database: RawDatabase, _ condition: String) throws -> [String] {
        try database.rows(
            "SELECT name FROM sqlite_schema WHERE \(condition) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        ).map(\.[0].string)
    }

    static func table(_ database: RawDatabase, _ random: inout SplitMix) throws -> String {
        let all = try names(database, "type = 'table'")
        let own = all.filter { $0.hasPrefix("chronicle_") }
        guard !all.isEmpty else { throw RawDatabase.Failure(description: "there are no tables") }
        return random.chance(60) && !own.isEmpty ? random.pick(own) : random.pick(all)
    }

    static func columns(_ database: RawDatabase, _ table: String) throws -> [String] {
        try database.rows("SELECT name FROM pragma_table_info(?) ORDER BY cid", [.text(table)]).map(\.[0].string)
    }

    static func column(_ database: RawDatabase, _ table: String, _ random: inout SplitMix) throws -> String {
        let columns = try columns(database, table)
        guard !columns.isEmpty else { throw RawDatabase.Failure(description: "\(table) has no columns") }
        return random.pick(columns)
    }

    // MARK: Definitions

    static func write(_ database: RawDatabase, _ sql: String, _ values: [RawDatabase.Value] = []) throws {
        try database.run("PRAGMA writable_schema = ON")
        try database.rows("UPDATE sqlite_schema SET \(sql)", values)
        try database.run("PRAGMA writable_schema = OFF; PRAGMA schema_version = 99")
    }

    static func object(_ database: RawDatabase, _ random: inout SplitMix) throws -> String {
        random.pick(try names(database, "sql IS NOT NULL"))
    }
}
