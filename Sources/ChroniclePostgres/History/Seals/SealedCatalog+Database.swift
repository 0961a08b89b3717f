#if Postgres
    import ChronicleCore

    /// The names of a database, as a seal contains them.
    extension SealedCatalog {
        /// Reads names as bytes, which a `String` would compare otherwise.
        init(_ connection: Connection) throws {
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
                        superentity: entities.optionalInt64(row, 2))
                },
                attributes: (0..<attributes.count).map { row in
                    Attribute(
                        entity: attributes.int64(row, 0), number: attributes.int64(row, 1),
                        name: Array(attributes.bytes(row, 2)), type: attributes.optionalBytes(row, 3),
                        destination: attributes.optionalBytes(row, 4), isPresent: attributes.bool(row, 5))
                })
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
