public import ChronicleCore
import ChronicleSQLite

extension DefaultStore: DataStoreExcluding {
    /// Returns snapshots of the rows that match a request.
    ///
    /// - Parameter request: The fetch request of a context.
    /// - Returns: The snapshots in the order of the request.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor`` for
    ///   expressions without an SQL equivalent; rewrite them. ``SwiftDataError/storeBusy`` if the file stays locked;
    ///   try again.
    /// - Complexity: Depends on the number of rows that SQLite visits; indexes reduce it.
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        var snapshots: [DefaultSnapshot] = []
        try fetchRows(request) { identifier, values in
            snapshots.append(
                DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet()))
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
    }

    /// Calls a closure with the identifier and the values of each row that matches a request.
    ///
    /// - Parameters:
    ///   - request: The fetch request of a context.
    ///   - row: A closure that receives the identifier and the values of a row, without creating a snapshot.
    /// - Throws: The error that `row` throws, ``SwiftDataError/unsupportedPredicate`` or
    ///   ``SwiftDataError/unsupportedSortDescriptor`` for expressions without an SQL equivalent, or
    ///   ``SwiftDataError/storeBusy`` if the file stays locked.
    /// - Complexity: Depends on the number of rows that SQLite visits; indexes reduce it.
    public func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming [PropertyValue]) throws -> Void
    ) throws {
        let table = try layout.table(for: Model.self)
        for part in request.parts {
            try run(part, { $0.select(table.selection) }) { statement in
                while try statement.step() {
                    try row(table.origin.identifier(statement.int64(0)), statement.values(table))
                }
            }
        }
    }

    /// Returns the number of rows that match a request.
    ///
    /// - Parameter request: The fetch request of a context.
    /// - Returns: The number of rows, after applying the limit and the offset.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` for expressions without an SQL equivalent; rewrite them.
    ///   ``SwiftDataError/storeBusy`` if the file stays locked; try again.
    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        try run(request, \.count) { try $0.step() ? Int($0.int64(0)) : 0 }
    }

    /// Returns the identifiers of the rows that match a request.
    ///
    /// - Parameter request: The fetch request of a context.
    /// - Returns: The identifiers in the order of the request.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor`` for
    ///   expressions without an SQL equivalent; rewrite them. ``SwiftDataError/storeBusy`` if the file stays locked;
    ///   try again.
    public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        let origin = try layout.table(for: Model.self).origin
        return try run(request, \.identifiers) { statement in
            var identifiers: [PersistentIdentifier] = []
            while try statement.step() { identifiers.append(origin.identifier(statement.int64(0))) }
            return identifiers
        }
    }

    private func run<Model, Result>(
        _ request: DataStoreFetchRequest<Model>, _ query: (FetchSQL) -> SQLQuery,
        _ read: (Statement) throws -> Result
    ) throws -> Result {
        let query = query(
            try FetchSQL(
                request.descriptor, lookup: request.lookup, excluding: request.excludedIdentifiers, schema: schema,
                storeIdentifier: identifier))
        return try attributingErrors {
            try database.read { connection in
                let statement = try connection.cached(query)
                defer { statement.reset() }
                return try read(statement)
            }
        }
    }
}

extension DataStoreFetchRequest {
    /// The request, or several requests for parts of a long lookup of values.
    ///
    /// Most parts have the same number of parameters, so that their statement is prepared once. SQLite's default limit
    /// is 32,766 parameters. https://www.sqlite.org/limits.html
    fileprivate var parts: [DataStoreFetchRequest] {
        guard case .values(let properties, let combinations) = lookup, combinations.count > Self.partCount else {
            return [self]
        }
        let all = Array(combinations)
        return stride(from: 0, to: all.count, by: Self.partCount).map { start in
            DataStoreFetchRequest(
                descriptor: descriptor, editingState: editingState, excludedIdentifiers: excludedIdentifiers,
                lookup: .values(properties, in: Set(all[start..<min(start + Self.partCount, all.count)])))
        }
    }

    private static var partCount: Int { 256 }
}

extension Statement {
    /// Returns the values of the current row, without the primary key in the first column.
    func values(_ table: EntityTable) -> [PropertyValue] {
        var values: [PropertyValue] = []
        values.reserveCapacity(table.conversions.count)
        for slot in 0..<table.conversions.count { values.append(value(Int32(slot + 1), slot, of: table)) }
        return values
    }
}
