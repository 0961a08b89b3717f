import ChronicleCSQLite
import ChronicleTestSupport
import Foundation

/// The difference of two files according to SQLite's session extension, which is an oracle for net changes.
///
/// The functions are looked up at run time: the library of the system contains them, but its header may not declare
/// them. The extension takes over the pre-update hook, so it gets a separate connection.
struct SessionDifference {
    struct Change: Hashable {
        let table: String
        let key: Int64
        /// `SQLITE_INSERT`, `SQLITE_UPDATE` or `SQLITE_DELETE`.
        let operation: Int32
        /// The values before and after the change by column, as text.
        var values: [String: [String]]
    }

    private typealias Pointer = OpaquePointer?
    private typealias Text = UnsafePointer<CChar>?
    private typealias Out = UnsafeMutablePointer
    private typealias Create = @convention(c) (Pointer, Text, Out<Pointer>) -> Int32
    private typealias Attach = @convention(c) (Pointer, Text) -> Int32
    private typealias Diff = @convention(c) (Pointer, Text, Text, UnsafeMutableRawPointer?) -> Int32
    private typealias Changeset = @convention(c) (Pointer, Out<Int32>, Out<UnsafeMutableRawPointer?>) -> Int32
    private typealias Release = @convention(c) (Pointer) -> Void
    private typealias Start = @convention(c) (Out<Pointer>, Int32, UnsafeMutableRawPointer?) -> Int32
    private typealias Step = @convention(c) (Pointer) -> Int32
    private typealias Operation = @convention(c) (Pointer, Out<Text>, Out<Int32>, Out<Int32>, Out<Int32>) -> Int32
    private typealias Read = @convention(c) (Pointer, Int32, Out<Pointer>) -> Int32

    private let create: Create
    private let attach: Attach
    private let diff: Diff
    private let changeset: Changeset
    private let release: Release
    private let start: Start
    private let next: Step
    private let finalize: Step
    private let operation: Operation
    private let old: Read
    private let new: Read

    /// Returns `nil` if the library was built without the extension.
    init?() {
        func function<Function>(_ name: String, as: Function.Type) -> Function? {
            dlsym(UnsafeMutableRawPointer(bitPattern: 0), name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard let create = function("sqlite3session_create", as: Create.self),
            let attach = function("sqlite3session_attach", as: Attach.self),
            let diff = function("sqlite3session_diff", as: Diff.self),
            let changeset = function("sqlite3session_changeset", as: Changeset.self),
            let release = function("sqlite3session_delete", as: Release.self),
            let start = function("sqlite3changeset_start", as: Start.self),
            let next = function("sqlite3changeset_next", as: Step.self),
            let finalize = function("sqlite3changeset_finalize", as: Step.self),
            let operation = function("sqlite3changeset_op", as: Operation.self),
            let old = function("sqlite3changeset_old", as: Read.self),
            let new = function("sqlite3changeset_new", as: Read.self)
        else { return nil }
        (self.create, self.attach, self.diff, self.changeset) = (create, attach, diff, changeset)
        (self.release, self.start, self.next, self.finalize) = (release, start, next, finalize)
        (self.operation, self.old, self.new) = (operation, old, new)
    }

    /// Returns the changes from one file to another.
    func changes(from first: URL, to second: URL, tables: [String: [String]]) throws -> Set<Change> {
        var database: OpaquePointer?
        try require(sqlite3_open(second.path, &database))
        defer { sqlite3_close_v2(database) }
        try require(sqlite3_exec(database, "ATTACH '\(first.path)' AS before", nil, nil, nil))
        var session: OpaquePointer?
        try require(create(database, "main", &session))
        defer { release(session) }
        try require(attach(session, nil))
        for table in tables.keys.sorted() { try require(diff(session, "before", table, nil)) }
        var (size, bytes): (Int32, UnsafeMutableRawPointer?) = (0, nil)
        try require(changeset(session, &size, &bytes))
        defer { sqlite3_free(bytes) }
        return try read(size, bytes, tables)
    }

    private func read(
        _ size: Int32, _ bytes: UnsafeMutableRawPointer?, _ tables: [String: [String]]
    ) throws -> Set<Change> {
        var iterator: OpaquePointer?
        try require(start(&iterator, size, bytes))
        defer { _ = finalize(iterator) }
        var changes: Set<Change> = []
        while next(iterator) == SQLITE_ROW {
            var (name, count, kind, indirect): (UnsafePointer<CChar>?, Int32, Int32, Int32) = (nil, 0, 0, 0)
            try require(operation(iterator, &name, &count, &kind, &indirect))
            let table = name.map { String(cString: $0) } ?? ""
            let columns = tables[table] ?? []
            var change = Change(table: table, key: 0, operation: kind, values: [:])
            var key: Int64 = 0
            for (index, column) in columns.enumerated() {
                let before = kind == SQLITE_INSERT ? nil : try value(old, iterator, index)
                let after = kind == SQLITE_DELETE ? nil : try value(new, iterator, index)
                if column == "id" {
                    key = sqlite3_value_int64(before ?? after)
                } else if before != nil || after != nil {
                    change.values[column] = [before, after].compactMap { $0.map(text) }
                }
            }
            changes.insert(Change(table: table, key: key, operation: kind, values: change.values))
        }
        return changes
    }

    private func value(_ read: Read, _ iterator: OpaquePointer?, _ index: Int) throws -> OpaquePointer? {
        var value: OpaquePointer?
        try require(read(iterator, Int32(index), &value))
        return value
    }

    private func text(_ value: OpaquePointer) -> String {
        switch sqlite3_value_type(value) {
        case SQLITE_NULL: "nil"
        case SQLITE_INTEGER: "\(sqlite3_value_int64(value))"
        case SQLITE_FLOAT: "\(sqlite3_value_double(value))"
        default: sqlite3_value_text(value).map { String(cString: $0) } ?? ""
        }
    }

    private func require(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Shell.Failure(description: "the session extension failed: \(code)") }
    }
}
