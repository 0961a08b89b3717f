import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The rows of permanent views, read by a program without Chronicle, and those of the views of a query.
enum PermanentViewRows {
    /// Returns the rows of a view in any order, each as literals.
    static func rows(_ connection: Connection, _ view: String) throws -> [String] {
        let statement = try connection.prepare("SELECT * FROM main.\(quoted(view))")
        var lines: [String] = []
        while try statement.step() {
            lines.append(
                (0..<statement.columnCount).map { SQLLiteral.text(statement.plainValue($0)) ?? "NULL" }
                    .joined(separator: ", "))
        }
        return lines.sorted()
    }

    static func rows(_ store: DefaultStore, _ view: String) throws -> [String] {
        var lines: [String] = []
        try store.query("SELECT * FROM \(quoted(view))") {
            lines.append($0.map { SQLLiteral.text($0) ?? "NULL" }.joined(separator: ", "))
        }
        return lines.sorted()
    }

    /// Compares all views, and returns the number of their rows.
    @discardableResult
    static func expectViews(
        of store: DefaultStore, in program: Connection, count: Int? = nil, _ comment: Comment? = nil
    ) throws -> Int {
        let views = try store.historyViews()
        if let count { #expect(views.count == count, comment) }
        #expect(views.allSatisfy { $0.state == .installed }, comment)
        return try views.reduce(0) { sum, view in
            let (found, expected) = (try rows(program, view.name), try rows(store, view.name))
            try #require(found == expected, comment)
            return sum + found.count
        }
    }

    static func program(_ url: URL) throws -> Connection {
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.execute("PRAGMA trusted_schema = ON")
        return connection
    }

    static func store(_ container: ModelContainer) throws -> DefaultStore {
        try #require(container.stores.first as? DefaultStore)
    }

    static func views(_ url: URL) throws -> String {
        try Shell.sqlite3(url, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")
    }
}
