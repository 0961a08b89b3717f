#if Postgres
    public import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

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
            let table = try layout.table(named: request.entityName)
            let (result, unknown) = try run(request, loadsModels: true) { $0.select(table.selection) }
            let reader = try attributingErrors { try RowReader(table: table, result: result) }
            let unknownLists = unknown?.lists[table.name] ?? [:]
            try attributingErrors {
                for index in 0..<reader.count {
                    if index % 4_096 == 4_095, ReadCancellation.isCancelled { throw CancellationError() }
                    if !unknownLists.isEmpty, let unknown, let list = unknownLists[result.int64(index, 0)] {
                        throw unknown.error(list)
                    }
                    let (identifier, values) = try reader.row(index)
                    try row(identifier, DataStoreRow(values))
                }
            }
        }

        /// Returns the number of rows that match a request.
        ///
        /// - Returns: The number of rows, after applying the limit and the offset.
        public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
            Int(try run(request, \.count).result.int64(0, 0))
        }

        /// Returns the identifiers of the rows that match a request.
        ///
        /// - Returns: The identifiers in the order of the request.
        public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
            let table = try layout.table(named: request.entityName)
            let result = try run(request, \.identifiers).result
            return try attributingErrors {
                try (0..<result.count).map { row in
                    let origin =
                        try table.kinds.map { try RowReader.member($0, of: table, result, row, 1).table.origin }
                        ?? table.origin
                    return origin.identifier(result.int64(row, 0))
                }
            }
        }

        /// - Parameter loadsModels: Whether the rows are those of models, whose relationships can be read.
        /// - Returns: The result, and the values as of the position of the store that are unknown.
        private func run<Model>(
            _ request: DataStoreFetchRequest<Model>, loadsModels: Bool = false, _ query: (FetchSQL) -> SQLQuery
        ) throws -> (result: QueryResult, unknown: PastUnknowns?) {
            func makeQuery(_ tables: some SQLTables) throws -> SQLQuery {
                try translating {
                    query(
                        try FetchSQL(
                            request, schema: schema, storeIdentifier: identifier, dialect: layout.dialect,
                            tables: tables))
                }
            }
            let present = try past == nil ? makeQuery(ModelTables()) : nil
            return try readRows { connection, tables in
                guard let past, let tables else {
                    return (try connection.run(present ?? makeQuery(ModelTables())), nil)
                }
                try past.requireKnownDestinations(
                    of: try layout.table(named: request.entityName).name, loadsModels: loadsModels, tables)
                let keys = request.lookedUpKeys
                let query = try makeQuery(tables.selecting(keys))
                // The plan of a lookup is the same for all keys.
                return (try connection.runLast(query, isPrepared: keys != nil), tables.unknowns)
            }
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

    extension DataStoreFetchRequest {
        /// The keys of the only rows that the query needs, or `nil` if there may be others.
        fileprivate var lookedUpKeys: Set<Int64>? {
            guard case .identifiers(let identifiers)? = lookup, descriptor.predicate == nil, descriptor.sortBy.isEmpty
            else {
                return nil
            }
            return Set(identifiers.compactMap(\.integerPrimaryKey))
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
            let table = try layout.table(named: request.entityName)
            let links = try layout.links(named: request.links.name)
            let origin = try layout.table(named: request.isOfOwners ? links.owner : links.destination).origin
            func query(_ tables: some SQLTables) throws -> SQLQuery {
                try FetchSQL.selectLinked(
                    request, columns: table.selection, schema: schema, storeIdentifier: identifier,
                    dialect: layout.dialect, tables: tables)
            }
            let present = try past == nil ? query(ModelTables()) : nil
            return try attributingErrors {
                let result = try readRows { connection, tables in
                    if let tables { return try connection.runLast(query(tables)) }
                    return try connection.run(present ?? query(ModelTables()))
                }
                let reader = try RowReader(table: table, result: result)
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
