import ChronicleCSQLite

/// Another program may have created a view in place of a table, with infinite rows, so connections that only read use no view of
/// the file. SQLite checks this when it prepares a statement, and again after schema changes.
/// https://www.sqlite.org/c3ref/set_authorizer.html
extension Connection {
    func denyViews(_ handle: OpaquePointer) {
        // The last argument names the view or trigger that causes the access. A read-only connection runs no triggers.
        _ = sqlite3_set_authorizer(handle, { _, _, _, _, _, view in view == nil ? SQLITE_OK : SQLITE_DENY }, nil)
    }

    /// Hides tables and views of the same name in the file. The name is not quoted.
    package func createTemporaryView(_ name: String, as select: String) throws {
        guard let handle else { return }
        let views = allowedViews ?? AllowedViews()
        allowedViews = views
        views.names.insert(name)
        try execute("CREATE TEMP VIEW \(Self.quoted(name)) AS \(select)")
        allow(views, handle)
    }

    private func allow(_ views: AllowedViews, _ handle: OpaquePointer) {
        // The views of the file are hidden, so a name determines a view.
        _ = sqlite3_set_authorizer(
            handle,
            { context, _, _, _, _, view in
                guard let view else { return SQLITE_OK }
                guard let context else { return SQLITE_DENY }
                let views = Unmanaged<AllowedViews>.fromOpaque(context).takeUnretainedValue()
                return views.names.contains(String(cString: view)) ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(views).toOpaque())
    }

    /// Calls a closure whose statements only read, and may use the views, which exist until the closure returns. Each statement
    /// that does more, such as PRAGMA or ATTACH, throws an error for which `isDenied` is true.
    ///
    /// The views can use each other, and replace other temporary views of the same names. The names are not quoted. Call it in a
    /// transaction; the statements must be released when the closure returns.
    package func withQueryViews<Result>(
        _ views: [(name: String, select: String)], _ body: () throws -> Result
    ) throws -> Result {
        let handle = try openHandle()
        _ = sqlite3_set_authorizer(handle, nil, nil)
        defer {
            if let allowedViews { allow(allowedViews, handle) } else if isReadOnly { denyViews(handle) }
        }
        let denied = try viewsOfFile(except: views.map(\.name))
        connectJSONTables()
        try execute("SAVEPOINT chronicle_query")
        let result = Swift.Result<Result, any Error> {
            for (name, select) in views {
                try execute(
                    "DROP VIEW IF EXISTS temp.\(Self.quoted(name)); CREATE TEMP VIEW \(Self.quoted(name)) AS \(select)")
            }
            deny(denied, handle)
            // The authorizer does not keep the object alive.
            return try withExtendedLifetime(denied, body)
        }
        _ = sqlite3_set_authorizer(handle, nil, nil)
        // SQLite may have rolled back the transaction after an error.
        if isInTransaction { try execute("ROLLBACK TO chronicle_query; RELEASE chronicle_query") }
        return try result.get()
    }

    /// SQLite declares the columns of a table-valued function at its first use, which the authorizer of a query denies.
    private func connectJSONTables() {
        // Without JSON in SQLite, queries cannot use these functions either.
        _ = try? prepare("SELECT 1 FROM json_each('[]'), json_tree('[]')")
    }

    /// A context of the authorizer can also be the name of a common table expression, so the views of the file are denied, and not
    /// all others allowed.
    private func viewsOfFile(except names: [String]) throws -> DeniedViews {
        let denied = DeniedViews()
        let statement = try prepare("SELECT name FROM main.sqlite_schema WHERE type = 'view'")
        while try statement.step() { denied.names.insert(DeniedViews.folded(statement.text(0))) }
        denied.names.subtract(names.map(DeniedViews.folded))
        return denied
    }

    private func deny(_ views: DeniedViews, _ handle: OpaquePointer) {
        _ = sqlite3_set_authorizer(
            handle,
            { views, action, _, _, _, view in
                guard [SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE].contains(action), let views else {
                    return SQLITE_DENY
                }
                guard let view else { return SQLITE_OK }
                let denied = Unmanaged<DeniedViews>.fromOpaque(views).takeUnretainedValue()
                return denied.names.contains(DeniedViews.folded(String(cString: view))) ? SQLITE_DENY : SQLITE_OK
            }, Unmanaged.passUnretained(views).toOpaque())
    }

    private static func quoted(_ name: String) -> String {
        // By scalars, because a mark and a combining character are one `Character`.
        "\"\(String(String.UnicodeScalarView(name.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] })))\""
    }
}

final class AllowedViews {
    fileprivate var names: Set<String> = []
}

private final class DeniedViews {
    var names: Set<String> = []

    /// As SQLite compares names, whose case is that of the statement.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
