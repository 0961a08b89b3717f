#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// Reads the changes after a position, with the values as the history contains them.
    struct PastChangeReader {
        let connection: Connection
        /// The tables and entities of the history.
        let layout: PastLayout
        /// The identifiers of the changes after which columns and relationships were added, by the numbers of the table's
        /// entity and of the attribute; see ``RecordedAttribute/addedAfter``.
        let addedAfter: [Int64: [Int: Int64]]

        init(_ connection: Connection, _ recorded: [RecordedEntity], _ schema: Schema) {
            self.connection = connection
            layout = PastLayout(recorded, schema)
            addedAfter = Dictionary(
                uniqueKeysWithValues: recorded.filter { !$0.isSubentity }.map { entity in
                    let added = entity.attributes.compactMap { attribute in
                        attribute.addedAfter.map { (attribute.number, $0) }
                    }
                    return (entity.number, Dictionary(added, uniquingKeysWith: { $1 }))
                })
        }

        /// Passes on the changes that the snapshot of the open transaction contains, in the order of the history.
        ///
        /// Transactions without a position are later than those with one. Of these, no two changes of one row are in another
        /// order than their numbers, because the first transaction keeps the row locked until it is committed.
        ///
        /// - Parameters:
        ///   - position: The position after which to begin.
        ///   - body: A closure that receives each change.
        func read(after position: Int64, _ body: (RecordedChange) throws -> Void) throws {
            let schema = connection.schema
            let columns = "c.id, c.entity, c.kind, c.primary_key, c.attributes, c.preserved, c.old_values, c.new_values"
            try read(
                """
                SELECT \(columns) FROM \(schema).chronicle_transaction AS h CROSS JOIN LATERAL \
                (SELECT * FROM \(schema).chronicle_change AS c WHERE c.transaction = h.transaction \
                AND c.id BETWEEN h.first_change AND h.last_change) AS c \
                WHERE h.position > \(position) ORDER BY h.position, c.id
                """, body)
            try read(
                """
                SELECT \(columns) FROM \(Self.pending(schema)) AS p JOIN \(schema).chronicle_change AS c \
                ON c.transaction = p.transaction AND c.id > p.after ORDER BY c.id
                """, body)
        }

        /// The committed transactions without a position, in a FROM clause.
        static func pending(_ schema: String) -> String {
            """
            (SELECT p.* FROM \(schema).chronicle_history AS s CROSS JOIN \(schema).chronicle_pending AS p \
            WHERE p.transaction >= CASE WHEN s.server = pg_postmaster_start_time() THEN s.horizon ELSE '0'::xid8 END)
            """
        }

        private func read(_ query: String, _ body: (RecordedChange) throws -> Void) throws {
            try connection.run("DECLARE chronicle_past NO SCROLL CURSOR FOR \(query)", isPrepared: false)
            while true {
                let result = try connection.run("FETCH 2000 FROM chronicle_past", isPrepared: false)
                for row in 0..<result.count { try body(change(result, row)) }
                if result.count < 2_000 { break }
            }
            try connection.run("CLOSE chronicle_past", isPrepared: false)
        }

        private func change(_ result: QueryResult, _ row: Int) throws -> RecordedChange {
            var change = RecordedChange(
                number: result.int64(row, 0), entity: result.int64(row, 1), key: result.int64(row, 3),
                kind: result.bytes(row, 2).first ?? 0)
            let table = layout.tables[change.entity]
            change.addedAfter = table.flatMap { addedAfter[$0.number] } ?? [:]
            var updated = try ArrayElements(result.bytes(row, 4))
            change.updated = try updated.int64s().map(Int.init)
            var numbers = try ArrayElements(result.bytes(row, 5))
            let attributes = try numbers.int64s()
            let old = try values(result.bytes(row, 6), attributes.count, change)
            let new = try values(result.bytes(row, 7), attributes.count, change)
            change.values = attributes.indices.map {
                PastValue(attribute: attributes[$0], old: old?[$0] ?? .null, new: new?[$0] ?? .null)
            }
            return change
        }

        private func values(
            _ texts: UnsafeRawBufferPointer, _ count: Int, _ change: RecordedChange
        ) throws -> [PropertyValue]? {
            guard !texts.isEmpty else { return nil }
            var texts = try ArrayElements(texts)
            guard texts.count == count else { throw change.damaged("the numbers of its preserved values differ") }
            return try (0..<count).map { _ in
                guard let text = try texts.next() else { return .null }
                guard let value = PreservedText.value(text) else {
                    throw change.damaged("a preserved value is invalid")
                }
                return value
            }
        }
    }

    /// A row of `chronicle_change`.
    struct RecordedChange: PastChange {
        let number: Int64
        let entity: Int64
        let key: Int64
        let kind: UInt8
        var updated: [Int] = []
        var values: [PastValue] = []
        /// The identifiers of the changes after which attributes were added, by their numbers.
        var addedAfter: [Int: Int64] = [:]

        var operation: PastOperation? {
            switch kind {
            case UInt8(ascii: "i"): .insert
            case UInt8(ascii: "u"): .update
            case UInt8(ascii: "d"): .delete
            default: nil
            }
        }

        func forEachUpdated(_ body: (Int) throws -> Void) throws { try updated.forEach(body) }

        func lacks(_ attribute: Int) -> Bool { addedAfter[attribute].map { number <= $0 } ?? false }

        // A list that was added later had no links.
        func mayLackLinks(of attribute: Int) -> Bool { !lacks(attribute) }

        func damaged(_ detail: String) -> SwiftDataError {
            .damagedFile.with(
                detail: "change \(number) of the history is damaged: \(detail); restore the tables from a backup")
        }
    }
#endif
