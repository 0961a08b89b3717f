#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// What happened to a sealed history, in the table `chronicle_event`. The next seal contains the events since the previous one.
    ///
    /// The newest event is never deleted, and changes only as long as it is the newest one, so that its number and its detail show
    /// whether anything has happened since they were read. Writers hold the lock of the row of `chronicle_history`.
    struct EventTable: EventRows {
        typealias Kind = SealedEvent.Kind

        let connection: Connection
        private let table: String
        private let parts: String

        init(_ connection: Connection) {
            self.connection = connection
            table = "\(connection.schema).\(SealTables.event)"
            parts = "\(connection.schema).\(SealTables.eventPart)"
        }

        // MARK: Writing

        /// Adds an event of the author of the current task, and returns its number.
        @discardableResult
        func add(_ kind: Kind, _ detail: some Encodable) throws -> Int64 {
            let newest = try connection.run("SELECT coalesce(max(id), 0) FROM \(table)").int64(0, 0)
            guard SealedEvent.validNumbers.contains(newest &+ 1) else { throw Self.invalidNumber(newest) }
            // Another program can have left parts of events that do not exist.
            try connection.run("DELETE FROM \(parts) WHERE event > $1", Parameters(.int64(newest)))
            var parameters = try source(of: kind)
            parameters.append(try SealedEvent.text(detail))
            parameters.append(Date().timeIntervalSinceReferenceDate)
            parameters.append(newest + 1)
            try connection.run(
                """
                INSERT INTO \(table)(kind, author, program, process, detail, time, id) VALUES ($1, $2, $3, $4, $5, $6, $7)
                """, parameters)
            return newest + 1
        }

        /// Adds what an event concerns in a seal, if it is not known yet.
        ///
        /// - Parameter content: `nil` if the seal that contains the event computes it.
        func addPart(_ content: [UInt8]?, ofEvent event: Int64, seal: Int64) throws {
            try connection.run(
                "INSERT INTO \(parts)(event, seal, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                Parameters(.int64(event), .int64(seal), .optional(content)))
        }

        /// Changes the detail of the newest event, or adds another one if that is not one of this kind and by this process, is
        /// sealed, or has a detail that this version does not know. Returns the number of the event.
        ///
        /// - Parameters:
        ///   - detail: The detail of another event.
        ///   - update: Changes the detail of the newest one, or returns `false` if it describes something else.
        @discardableResult
        func extend<Detail: Codable>(
            _ kind: Kind, _ detail: Detail, _ update: (inout Detail) -> Bool
        ) throws -> Int64 {
            let result = try connection.run(
                """
                SELECT id, detail FROM \(table) WHERE id = (SELECT max(id) FROM \(table)) AND kind = $1 \
                AND author IS NOT DISTINCT FROM $2 AND program IS NOT DISTINCT FROM $3 AND process IS NOT DISTINCT FROM $4 \
                AND seal IS NULL
                """, try source(of: kind))
            guard result.count == 1, var known = SealedEvent.decoded(result.bytes(0, 1), as: Detail.self),
                update(&known)
            else {
                return try add(kind, detail)
            }
            let id = result.int64(0, 0)
            try connection.run(
                "UPDATE \(table) SET detail = $2 WHERE id = $1",
                Parameters(.int64(id), .text(try SealedEvent.text(known))))
            return id
        }

        private func source(of kind: Kind) throws -> Parameters {
            let author = HistoryAuthor.current
            try SwiftDataError.requireStorable(author, "author")
            return Parameters(
                .text(kind.rawValue), author.map { .text($0) } ?? .null(.text), .text(PendingTransaction.bundle),
                .text(String(ProcessInfo.processInfo.processIdentifier)))
        }

        // MARK: Reading

        /// The time of the newest event of a kind.
        func time(ofNewest kind: Kind) throws -> Date? {
            let result = try connection.run(
                "SELECT time, id FROM \(table) WHERE kind = $1 ORDER BY id DESC LIMIT 1",
                Parameters(.text(kind.rawValue)))
            guard result.count == 1 else { return nil }
            guard result.double(0, 0).isFinite else { throw Self.invalidTime(result.int64(0, 1)) }
            return Date(timeIntervalSinceReferenceDate: result.double(0, 0))
        }

        private static func invalidTime(_ event: Int64) -> SwiftDataError {
            .damagedFile.with(detail: "row \(event) of chronicle_event: the time is invalid; restore a backup")
        }

        private static func invalidNumber(_ event: Int64) -> SwiftDataError {
            .damagedFile.with(detail: "row \(event) of chronicle_event: the number is out of range")
        }

        /// The newest event other than a purge.
        func state() throws -> SealedEvent.State? {
            let result = try connection.run(
                """
                SELECT id, CASE WHEN seal IS NULL THEN detail END FROM \(table) WHERE kind <> $1 ORDER BY id DESC LIMIT 1
                """, Parameters(.text(Kind.purge.rawValue)))
            guard result.count == 1 else { return nil }
            return SealedEvent.State(id: result.int64(0, 0), detail: result.optionalBytes(0, 1))
        }

        /// Whether a seal contains an event of a kind.
        func contains(_ kind: Kind, inSeal number: Int64) throws -> Bool {
            try connection.run(
                "SELECT EXISTS (SELECT FROM \(table) WHERE seal = $1 AND kind = $2)",
                Parameters(.int64(number), .text(kind.rawValue))
            ).bool(0, 0)
        }

        /// Whether a seal after a number contains events.
        func hasSealed(after number: Int64) throws -> Bool {
            try connection.run(
                "SELECT EXISTS (SELECT FROM \(table) WHERE seal > $1)", Parameters(.int64(number))
            ).bool(0, 0)
        }

        func events(ofSeal number: Int64) throws -> [SealedEvent] {
            try events("seal = $1", Parameters(.int64(number)))
        }

        /// The events that no seal contains, in their order.
        func unsealed() throws -> [SealedEvent] { try events("seal IS NULL", Parameters()) }

        private func events(_ condition: String, _ parameters: Parameters) throws -> [SealedEvent] {
            let results = try connection.pipeline { pipeline in
                pipeline.add(
                    """
                    SELECT id, kind, time, detail, author, program, process FROM \(table) WHERE \(condition) ORDER BY id
                    """, parameters)
                pipeline.add(
                    """
                    SELECT event, seal, content FROM \(parts) \
                    WHERE event IN (SELECT id FROM \(table) WHERE \(condition)) ORDER BY event, seal
                    """, parameters)
            }
            let (rows, contents) = (results[0], results[1])
            var part = 0
            return try (0..<rows.count).map { row in
                let number = rows.int64(row, 0)
                guard SealedEvent.validNumbers.contains(number) else { throw Self.invalidNumber(number) }
                guard rows.double(row, 2).isFinite else { throw Self.invalidTime(number) }
                var event = SealedEvent(
                    number: number, kind: Array(rows.bytes(row, 1)), time: rows.double(row, 2),
                    detail: Array(rows.bytes(row, 3)))
                event.author = rows.optionalBytes(row, 4)
                event.program = rows.optionalBytes(row, 5)
                event.process = rows.optionalBytes(row, 6)
                while part < contents.count, contents.int64(part, 0) == event.number {
                    event.parts.append((contents.int64(part, 1), Array(contents.bytes(part, 2))))
                    part += 1
                }
                return event
            }
        }

        // MARK: Sealing

        func setSeal(_ number: Int64, ofEvents events: [Int64]) throws {
            try connection.run(
                "UPDATE \(table) SET seal = $1 WHERE id = ANY($2)",
                Parameters(.int64(number), .array(ParameterArray(events))))
        }

        /// Computes what the events of erasures removed from each seal, so that no other value can be erased later as a part of
        /// them.
        func addErasedValues(_ hashing: any HistoryHashing) throws {
            let seals = "\(connection.schema).\(SealTables.seal)"
            let found = try connection.run(
                """
                SELECT p.event, p.seal, coalesce((SELECT last FROM \(seals) WHERE number < p.seal \
                ORDER BY number DESC LIMIT 1), 0), s.last FROM \(parts) AS p JOIN \(table) AS e ON e.id = p.event \
                JOIN \(seals) AS s ON s.number = p.seal WHERE e.seal IS NULL AND p.content IS NULL
                """)
            for part in 0..<found.count {
                let rows = try connection.run(
                    """
                    SELECT transaction, change, place FROM \(connection.schema).\(SealTables.commitment) \
                    WHERE transaction > $1 AND transaction <= $2 AND event = $3 ORDER BY transaction, change, place
                    """,
                    Parameters(
                        .int64(found.int64(part, 2)), .int64(found.int64(part, 3)), .int64(found.int64(part, 0))))
                let content = try SealedEvent.content(
                    erasing: (0..<rows.count).map { [rows.int64($0, 0), rows.int64($0, 1), rows.int64($0, 2)] }, hashing
                )
                try connection.run(
                    "UPDATE \(parts) SET content = $3 WHERE event = $1 AND seal = $2",
                    Parameters(.int64(found.int64(part, 0)), .int64(found.int64(part, 1)), .optional(content)))
            }
        }
    }
#endif
