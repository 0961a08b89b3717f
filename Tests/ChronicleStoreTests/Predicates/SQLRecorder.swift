import Chronicle
import ChronicleSQL
import Foundation
import Synchronization

@testable import ChronicleStore

/// Records the SQL of predicates instead of evaluating them.
///
/// `GeneratedSQLTests` runs the other tests of predicates with a recorder, so that each of their predicates occurs in
/// the files of generated SQL.
final class SQLRecorder: Sendable {
    @TaskLocal static var current: SQLRecorder?

    private let contents = Mutex("")

    var text: String { contents.withLock { $0 } }

    func begin(_ name: String) { append("-- \(name)") }

    private func append(_ line: String) { contents.withLock { $0 += line + "\n" } }

    func record(_ query: SQLQuery) { record(query.sql, query.bindings.map(Self.description)) }

    /// Records a query without its values, which differ in each run.
    func recordText(_ query: SQLQuery) { record(query.sql, []) }

    private func record(_ sql: String, _ bindings: [String]) {
        append(sql)
        if !bindings.isEmpty { append("    \(bindings.joined(separator: ", "))") }
    }

    /// Records the query of a descriptor if there is a recorder.
    ///
    /// - Returns: Whether there is one.
    static func records<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, in container: ModelContainer
    ) throws -> Bool {
        guard let current else { return false }
        let fetch = try FetchSQL(
            descriptor, schema: container.schema, storeIdentifier: container.stores[0].identifier)
        current.record(descriptor.sortBy.isEmpty ? fetch.count : fetch.identifiers)
        return true
    }

    /// Records the error of an unsupported expression.
    func record(_ error: any Error) {
        append("error: \(error as? DataStoreError == .preferInMemoryFilter ? "preferInMemoryFilter" : "\(error)")")
    }

    private static func description(_ value: PropertyValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real) 0x\(String(real.bitPattern, radix: 16))"
        case .text(let text): shortened(text.debugDescription)
        case .blob(let data): "x'\(data.map { String($0, radix: 16) }.joined(separator: " "))'"
        case .reference, .references: "\(value)"
        }
    }

    /// Returns a long text as its beginning, its length, and a hash.
    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > 400 else { return text }
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(text.prefix(80))… \(text.utf8.count) bytes, hash \(String(hash, radix: 16))"
    }
}
