#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// A step of a purge that erases preserved values by a rule.
    ///
    /// The changes are found in a separate transaction, without the lock. The position up to which no value is left is stored with each
    /// step, so that the next purge reads only what follows.
    struct ValuePurger {
        typealias Erasure = HistoryPurgePlan<DefaultHistoryToken>.Erasure

        /// The changes to erase in one step.
        struct Changes {
            let selection: PreservedValueSelection
            fileprivate var transactions = ParameterArray(.xid8)
            fileprivate var identifiers = ParameterArray(.int8)
            /// The positions of the transactions.
            fileprivate var positions = ParameterArray(.int8)
            fileprivate var values = 0
            /// Up to which no value is left afterwards.
            fileprivate(set) var through: ErasedValues.Place
            /// The position of the last of the changes.
            fileprivate(set) var last: Int64 = 0
        }

        private static let stepSize = 500
        /// A position that is stored without an erased value saves the next purge less time than a commit takes.
        private static let smallestAdvance: Int64 = 1_024

        private let positions: HistoryPositions
        private var connection: Connection { positions.connection }

        init(_ positions: HistoryPositions) { self.positions = positions }

        /// The changes of the transactions after the place of the parameters `$1` and `$2`, up to the position `$3`.
        ///
        /// - Parameter limit: The number of changes of a transaction, from the first on. Without it, sorting the changes would read the
        ///   whole transaction in each step.
        private func rows(_ selection: PreservedValueSelection, limit: Int? = nil) -> String {
            let entities = selection.entities.map(String.init).joined(separator: ", ")
            return """
                \(connection.schema).chronicle_transaction AS h CROSS JOIN LATERAL \
                (SELECT c.id, \(Self.count(selection)) AS count FROM \(connection.schema).chronicle_change AS c \
                WHERE c.transaction = h.transaction AND c.id <= h.last_change \
                AND c.id >= CASE WHEN h.position = $1 + 1 THEN greatest(h.first_change, $2 + 1) ELSE h.first_change END \
                AND c.entity IN (\(entities)) AND c.preserved \
                \(selection.numbers.map { "&& \($0)" } ?? "IS NOT NULL")\
                \(limit.map { " ORDER BY c.id LIMIT \($0)" } ?? "")) AS c WHERE h.position > $1 AND h.position <= $3
                """
        }

        /// The statement that finds the changes of a step.
        func select(_ selection: PreservedValueSelection) -> String {
            """
            SELECT h.transaction, c.id, c.count, h.position FROM \(rows(selection, limit: Self.stepSize)) \
            ORDER BY h.position, c.id LIMIT \(Self.stepSize)
            """
        }

        func parameters(_ start: ErasedValues.Place, through end: Int64) -> Parameters {
            Parameters(.int64(start.position), .int64(start.change), .int64(end))
        }

        /// The number of values of a change.
        private static func count(_ selection: PreservedValueSelection) -> String {
            guard let numbers = selection.numbers else { return "cardinality(c.preserved)" }
            return "(SELECT count(*)::int FROM unnest(c.preserved) AS p(number) WHERE p.number = ANY (\(numbers)))"
        }

        func start(_ selection: PreservedValueSelection) throws -> ErasedValues.Place {
            try MetaTable(connection).erasedValues().through(selection, newest: positions.state.position)
        }

        /// Returns the number of values of an erasure after a position.
        func count(_ erasure: Erasure, after deleted: Int64) throws -> Int {
            let selection = try Catalog(connection).selection(erasure.rule)
            let end = try positions.checkedUpperBound(
                erasure.newest, storeIdentifier: positions.storeIdentifier)
            let result = try connection.run(
                "SELECT coalesce(sum(c.count), 0)::bigint FROM \(rows(selection))",
                parameters(max(start(selection), ErasedValues.Place(deleted)), through: end))
            return Int(result.int64(0, 0))
        }

        /// Returns the next changes up to a position; `nil` if nothing is left to erase.
        func changes(_ erasure: Erasure, through end: Int64) throws -> Changes? {
            let selection = try Catalog(connection).selection(erasure.rule)
            let start = try start(selection)
            guard start.position < end else { return nil }
            let result = try connection.run(select(selection), parameters(start, through: end))
            var changes = Changes(selection: selection, through: ErasedValues.Place(end))
            for row in 0..<result.count {
                changes.transactions.append(result.int64(row, 0))
                changes.identifiers.append(result.int64(row, 1))
                changes.positions.append(result.int64(row, 3))
                changes.values += Int(result.int64(row, 2))
            }
            if result.count > 0 { changes.last = result.int64(result.count - 1, 3) }
            // A transaction can have more changes.
            if result.count == Self.stepSize {
                changes.through = ErasedValues.Place(changes.last - 1, change: result.int64(result.count - 1, 1))
            }
            return result.count == 0 && end - start.position < Self.smallestAdvance ? nil : changes
        }

        /// Returns the number of values of changes.
        private func count(_ changes: Changes) throws -> Int {
            let result = try connection.run(
                """
                SELECT coalesce(sum(\(Self.count(changes.selection))), 0)::bigint \
                FROM \(ChroniclePostgres.rows(of: ["$1", "$2"])) AS r(transaction, id) \
                JOIN \(connection.schema).chronicle_change AS c ON c.transaction = r.transaction AND c.id = r.id \
                WHERE c.preserved IS NOT NULL
                """, Parameters(.array(changes.transactions), .array(changes.identifiers)))
            return Int(result.int64(0, 0))
        }

        /// Erases values in the current transaction, in which the row of `chronicle_history` is locked.
        ///
        /// - Parameter seals: `nil` if the history is not sealed.
        func erase(
            _ changes: Changes, _ erasure: Erasure, _ seals: SealedHistory?
        ) throws -> HistoryPurgeStep {
            if let seals {
                // Another purge may have erased some since the changes were found.
                let values = try count(changes)
                if values > 0 {
                    try seals.recordErasedValues(
                        positions: changes.positions, identifiers: changes.identifiers,
                        ErasureDetail(
                            entities: changes.selection.entities, attributes: changes.selection.attributes,
                            maximumAge: erasure.rule.maximumAge / .seconds(1), values: values))
                }
            }
            func array(_ values: String, _ type: String) -> String {
                guard let numbers = changes.selection.numbers else { return "NULL::\(type)[]" }
                return """
                    (SELECT array_agg(p.value ORDER BY p.place) FROM unnest(c.preserved, \(values)) WITH ORDINALITY \
                    AS p(number, value, place) WHERE p.number <> ALL (\(numbers)))
                    """
            }
            try connection.run(
                """
                UPDATE \(connection.schema).chronicle_change AS c SET preserved = \(array("c.preserved", "smallint")), \
                old_values = CASE WHEN c.old_values IS NOT NULL THEN \(array("c.old_values", "text")) END, \
                new_values = CASE WHEN c.new_values IS NOT NULL THEN \(array("c.new_values", "text")) END \
                FROM unnest($1, $2) AS r(transaction, id) WHERE c.transaction = r.transaction AND c.id = r.id
                """, Parameters(.array(changes.transactions), .array(changes.identifiers)))
            try MetaTable(connection).setErased(changes.selection, through: changes.through)
            return HistoryPurgeStep(values: changes.values, isLast: false)
        }
    }

    extension PreservedValueSelection {
        /// The numbers of the attributes as an array of the server; `nil` for all.
        fileprivate var numbers: String? {
            attributes.map { "ARRAY[\($0.map(String.init).joined(separator: ", "))]::smallint[]" }
        }
    }

    extension Catalog {
        func kinds(of entity: RecordedEntity) throws -> [Int64] {
            let kinds = try connection.run(
                """
                WITH RECURSIVE kind(id) AS (SELECT $1 UNION SELECT e.id FROM \(connection.schema).chronicle_entity AS e \
                JOIN kind ON e.superentity = kind.id) SELECT id FROM kind
                """, Parameters(.int64(entity.number)))
            return (0..<kinds.count).map { kinds.int64($0, 0) }
        }
    }
#endif
