#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// The names of a database, as a seal contains them.
    extension SealedCatalog {
        /// Reads names as bytes, which a `String` would compare otherwise.
        init(_ connection: Connection) throws {
            let tracked = try Self.trackedTables(connection)
            let results = try connection.pipeline { pipeline in
                pipeline.add("SELECT id, name, superentity FROM \(connection.schema).chronicle_entity ORDER BY id")
                pipeline.add(
                    """
                    SELECT entity, number, name, type, destination, present FROM \(connection.schema).chronicle_attribute \
                    ORDER BY entity, number
                    """)
            }
            let (entities, attributes) = (results[0], results[1])
            self.init(
                entities: (0..<entities.count).map { row in
                    Entity(
                        number: entities.int64(row, 0), name: Array(entities.bytes(row, 1)),
                        superentity: entities.optionalInt64(row, 2), table: tracked[entities.int64(row, 0)]?.table,
                        keyColumns: tracked[entities.int64(row, 0)]?.keyColumns)
                },
                attributes: (0..<attributes.count).map { row in
                    Attribute(
                        entity: attributes.int64(row, 0), number: attributes.int64(row, 1),
                        name: Array(attributes.bytes(row, 2)), type: attributes.optionalBytes(row, 3),
                        destination: attributes.optionalBytes(row, 4), isPresent: attributes.bool(row, 5))
                })
        }

        /// The tables of another program by the numbers of the entities, with the columns of the keys that the history numbers.
        /// Empty for a store.
        private static func trackedTables(
            _ connection: Connection
        ) throws -> [Int64: (table: [UInt8], keyColumns: [[UInt8]]?)] {
            guard try MetaTable.text(.tracked, connection) != nil else { return [:] }
            let found = try connection.run("SELECT entity, relation, key FROM \(connection.schema).chronicle_tracked")
            var tables: [Int64: (table: [UInt8], keyColumns: [[UInt8]]?)] = [:]
            for row in 0..<found.count {
                let key: TrackedKey
                do { key = try JSONDecoder().decode(TrackedKey.self, from: found.data(row, 2)) } catch {
                    throw SwiftDataError.damagedFile.with(
                        detail: "a row of chronicle_tracked is invalid; restore it", underlying: error)
                }
                tables[found.int64(row, 0)] = (
                    Array(found.bytes(row, 1)), key.isNumbered ? key.columns.map { Array($0.name.utf8) } : nil
                )
            }
            return tables
        }

        /// Records a change of the names by a part of a transaction, if the history is sealed.
        static func recordingChanges<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
            guard try SealTables.exist(connection) else { return try body() }
            let before = try SealedCatalog(connection).bytes
            let result = try body()
            if try SealedCatalog(connection).bytes != before {
                // Also the lock of the numbers of events. Programs that hold it lock no table of models.
                try connection.run("SELECT FROM \(connection.schema).chronicle_history FOR UPDATE")
                try EventTable(connection).add(.names, NoDetail())
            }
            return result
        }
    }
#endif
