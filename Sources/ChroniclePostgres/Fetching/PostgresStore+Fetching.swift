#if Postgres
    public import ChronicleCore
    import ChronicleSQL

    extension PostgresStore {
        /// Returns snapshots of the rows that match a request.
        ///
        /// - Returns: The snapshots in the order of the request.
        /// - Throws: `DataStoreError.preferInMemoryFilter` or `DataStoreError.preferInMemorySort` if a part of the
        ///   request has no SQL equivalent; contexts handle these errors. `SwiftDataError.storeBusy` if a time limit was
        ///   exceeded or all connections stayed in use; try again. `SwiftDataError.storeUnavailable` if the server cannot
        ///   be reached; try again. `CancellationError` if the task was canceled.
        /// - Complexity: Depends on the number of rows that the server visits; indexes reduce it.
        public func fetch<Model>(
            _ request: DataStoreFetchRequest<Model>
        ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
            var snapshots: [DefaultSnapshot] = []
            try fetchRows(request) { identifier, row in
                snapshots.append(DefaultSnapshot(persistentIdentifier: identifier, row: row, changed: PropertySet()))
            }
            return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
        }

        /// Calls a closure with the identifier and the values of each row that matches a request.
        ///
        /// - Complexity: Depends on the number of rows that the server visits; indexes reduce it. Libpq keeps the result in
        ///   memory until the last row was passed to the closure.
        public func fetchRows<Model>(
            _ request: DataStoreFetchRequest<Model>,
            _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
        ) throws {
            let table = try layout.table(for: Model.self)
            let result = try run(request) { $0.select(table.selection) }
            let reader = RowReader(table: table, result: result)
            try attributingErrors {
                for index in 0..<reader.count {
                    if index % 4_096 == 4_095, ReadCancellation.isCancelled { throw CancellationError() }
                    let (identifier, values) = try reader.row(index)
                    try row(identifier, DataStoreRow(values))
                }
            }
        }

        /// Returns the number of rows that match a request.
        ///
        /// - Returns: The number of rows, after applying the limit and the offset.
        public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
            Int(try run(request, \.count).int64(0, 0))
        }

        /// Returns the identifiers of the rows that match a request.
        ///
        /// - Returns: The identifiers in the order of the request.
        public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
            let table = try layout.table(for: Model.self)
            let result = try run(request, \.identifiers)
            return try attributingErrors {
                try (0..<result.count).map { row in
                    let origin =
                        try table.kinds.map { try RowReader.member($0, of: table, result, row, 1).table.origin }
                        ?? table.origin
                    return origin.identifier(result.int64(row, 0))
                }
            }
        }

        private func run<Model>(
            _ request: DataStoreFetchRequest<Model>, _ query: (FetchSQL) -> SQLQuery
        ) throws -> QueryResult {
            let query = try translating {
                query(
                    try FetchSQL(request, schema: schema, storeIdentifier: identifier, dialect: layout.dialect))
            }
            return try attributingErrors { try pool.read { try $0.run(query) } }
        }

        /// Converts errors about predicates that have no equivalent in SQL, but that contexts can evaluate in memory.
        func translating<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch SwiftDataError.unsupportedPredicate {
                throw DataStoreError.preferInMemoryFilter
            } catch SwiftDataError.unsupportedSortDescriptor {
                throw DataStoreError.preferInMemorySort
            }
        }
    }

    extension PostgresStore: DataStoreLinking {
        /// Returns the destinations of a to-many relationship that is stored in a link table.
        ///
        /// - Returns: Snapshots of the destinations, and the identifiers of the destinations of each model.
        /// - Throws: `SwiftDataError.storeBusy` if a time limit was exceeded, and `SwiftDataError.storeUnavailable` if
        ///   the server cannot be reached; try again. `SwiftDataError.unknownSchema` if the store does not contain the
        ///   relationship; add its models to the schema.
        /// - Complexity: One lookup for each identifier and each destination.
        public func fetchLinked<Model>(
            _ request: DataStoreLinksRequest<Model>
        ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
            let table = try layout.table(for: Model.self)
            let links = try layout.links(named: request.links.name)
            let origin = try layout.table(named: request.isOfOwners ? links.owner : links.destination).origin
            let query = try FetchSQL.selectLinked(
                request, columns: table.selection, schema: schema, storeIdentifier: identifier,
                dialect: layout.dialect)
            return try attributingErrors {
                let result = try pool.read { try $0.run(query) }
                let reader = RowReader(table: table, result: result)
                var snapshots: [DefaultSnapshot] = []
                var known = Set<Int64>()
                var destinations: [PersistentIdentifier: [PersistentIdentifier]] = [:]
                for row in 0..<reader.count {
                    let found = try reader.row(row)
                    destinations[origin.identifier(result.int64(row, table.selectedCount)), default: []].append(
                        found.identifier)
                    guard known.insert(result.int64(row, 0)).inserted else { continue }
                    snapshots.append(
                        DefaultSnapshot(
                            persistentIdentifier: found.identifier, values: found.values, changed: PropertySet()))
                }
                return DataStoreLinksResult(fetchedSnapshots: snapshots, destinations: destinations)
            }
        }
    }
#endif
