#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// The order in which the rows of a save are written, the keys of new rows, and the errors of saves.
    @Suite("PostgreSQL saving", .requiresPostgres) struct PostgresSavingTests {
        private let cluster: PostgresCluster
        private let container: ModelContainer
        private let store: PostgresStore
        private let schemaName: String

        init() throws {
            cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing()
            schemaName = configuration.schemaName ?? ""
            container = try ModelContainer(
                for: GraphSeat.self, GraphNode.self, Trip.self, configurations: configuration)
            store = try #require(container.stores[0] as? PostgresStore)
        }

        private func sql(_ statement: String) throws -> String {
            try cluster.psql("SET search_path = \(schemaName); \(statement)")
        }

        // MARK: Snapshots

        private func snapshot(
            _ entity: String, _ key: Int64? = nil, changed: [String] = [], _ values: [String: PropertyValue]
        ) throws -> DefaultSnapshot {
            let table = try store.layout.table(named: entity)
            var set = PropertySet()
            for (slot, column) in table.columns.enumerated() where changed.contains(column.name) { set.insert(slot) }
            let new = entity == "GraphSeat" ? GraphSeat(0).persistentModelID : GraphNode("").persistentModelID
            return DefaultSnapshot(
                persistentIdentifier: key.map { table.origin.identifier($0) } ?? new,
                values: table.columns.map { values[$0.name] ?? .null }, changed: set)
        }

        private func seat(_ key: Int64? = nil, number: Int64) throws -> DefaultSnapshot {
            try snapshot("GraphSeat", key, changed: ["number"], ["number": .integer(number)])
        }

        private func node(
            _ key: Int64? = nil, _ name: String, changed: [String] = [],
            _ references: [String: PersistentIdentifier] = [:]
        ) throws -> DefaultSnapshot {
            let values: [String: PropertyValue] = ["name": .text(name), "number": .integer(0), "tags": .text("[]")]
            return try snapshot(
                "GraphNode", key, changed: changed, values.merging(references.mapValues { .reference($0) }) { $1 })
        }

        /// - Returns: The keys of the new rows.
        @discardableResult
        private func save(
            insert inserted: [DefaultSnapshot] = [], update updated: [DefaultSnapshot] = [],
            delete deleted: [DefaultSnapshot] = []
        ) throws -> [Int64] {
            let request = DataStoreSaveChangesRequest(
                editingState: EditingState(id: UUID()), inserted: inserted, updated: updated, deleted: deleted)
            let identifiers = try store.save(request).remappedIdentifiers
            return try inserted.map { try #require(identifiers[$0.persistentIdentifier]?.integerPrimaryKey) }
        }

        private func seats() throws -> String {
            try sql("SELECT string_agg(_rowid_ || ':' || number, ',' ORDER BY _rowid_) FROM \"GraphSeat\"")
        }

        // MARK: Keys

        @Test(arguments: [1, 2, 120, 12_000])
        func newRowsHaveKeysInTheOrderOfTheRequest(_ count: Int) throws {
            let rows = try (1...count).map { try seat(number: Int64(100_000 - $0)) }
            #expect(try save(insert: rows) == (1...count).map { Int64($0) })
            let wrong = try sql("SELECT count(*) FROM \"GraphSeat\" WHERE _rowid_ + number <> 100000")
            #expect(wrong == "0")
        }

        @Test func keyOfADeletedRowIsNotReused() throws {
            try save(insert: try (1...4).map { try seat(number: $0) })
            _ = try sql("DELETE FROM \"GraphSeat\" WHERE _rowid_ > 2")
            #expect(try save(insert: try (1...3).map { try seat(number: Int64(10 + $0)) }) == [5, 6, 7])
        }

        @Test func newRowsReferenceEachOther() throws {
            // A ring: each row references the next one, and the last references the first.
            let nodes = try ["a", "b", "c"].map { try node(nil, $0) }
            let ring = try zip(zip(nodes, nodes[1...] + nodes[..<1]), ["a", "b", "c"]).map { pair, name in
                DefaultSnapshot(
                    persistentIdentifier: pair.0.persistentIdentifier,
                    values: try node(nil, name, ["favourite": pair.1.persistentIdentifier]).values,
                    changed: PropertySet())
            }
            #expect(try save(insert: ring) == [1, 2, 3])
            #expect(
                try sql("SELECT string_agg(name || favourite, ',' ORDER BY _rowid_) FROM \"GraphNode\"") == "a2,b3,c1")
        }

        @Test(arguments: [1, 300]) func modelsOfOtherStoresAreNotReferenced(_ count: Int) throws {
            let key = try save(insert: [node(nil, "a")])[0]
            let origin = PersistentIdentifier.Origin(storeIdentifier: "another", entityName: "GraphNode")
            let foreign = origin.identifier(key)
            let rows = try (0..<count).map { try node(nil, "\($0)", ["favourite": foreign]) }
            let update = try node(key, "a", changed: ["favourite"], ["favourite": foreign])
            let changes: [(inserted: [DefaultSnapshot], updated: [DefaultSnapshot])] = [(rows, []), ([], [update])]
            for (inserted, updated) in changes {
                let error = try #require(throws: SwiftDataError.self) { try save(insert: inserted, update: updated) }
                #expect(error == .modelValidationFailure && error.entityName == "GraphNode")
                #expect(error.propertyName == "favourite" && error.detail?.contains("another store") == true)
                #expect(error.persistentIdentifier == (inserted + updated)[0].persistentIdentifier)
            }
            #expect(try sql("SELECT count(*), count(favourite) FROM \"GraphNode\"") == "1|0")
        }

        @Test func restoredRowsKeepTheirKeys() throws {
            try save(insert: [seat(number: 1)])
            #expect(throws: SwiftDataError.uniquenessViolation) { try save(insert: [seat(1, number: 2)]) }
            #expect(try save(insert: [seat(90, number: 3), seat(number: 4)]).first == 90)
            #expect(try save(insert: [seat(number: 5)])[0] > 90)
            // The key of a row that the same save deletes.
            #expect(try save(insert: [seat(90, number: 6)], delete: [seat(90, number: 3)]) == [90])
            let other = PersistentIdentifier.Origin(storeIdentifier: "other", entityName: "GraphSeat").identifier(7)
            let foreign = DefaultSnapshot(
                persistentIdentifier: other, values: try seat(number: 7).values, changed: PropertySet())
            #expect(throws: SwiftDataError.modelNotFound) { try save(insert: [foreign]) }
        }

        // MARK: Unique values

        @Test func insertMayReuseTheUniqueValueOfADeletedRow() throws {
            try save(insert: [seat(number: 7)])
            try save(insert: [seat(number: 7)], delete: [seat(1, number: 7)])
            #expect(try seats() == "2:7")
        }

        @Test(arguments: [1, -1])
        func uniqueValuesCanBeShifted(_ direction: Int64) throws {
            try save(insert: try (1...5).map { try seat(number: 10 * $0) })
            try save(update: try (1...5).map { try seat($0, number: 10 * ($0 + direction)) })
            #expect(try seats() == (1...5).map { "\($0):\(10 * ($0 + Int(direction)))" }.joined(separator: ","))
        }

        @Test func uniqueValuesCanBeShiftedInARandomOrder() throws {
            var random = TestSeed.generator(0)
            try save(insert: try (1...100).map { try seat(number: $0) })
            try save(update: try (1...100).shuffled(using: &random).map { try seat($0, number: $0 + 1) })
            #expect(try seats() == (1...100).map { "\($0):\($0 + 1)" }.joined(separator: ","))
        }

        @Test func uniqueValuesCanBeSwapped() throws {
            try save(insert: [seat(number: 1), seat(number: 2)])
            try save(update: [seat(1, number: 2), seat(2, number: 1)])
            #expect(try seats() == "1:2,2:1")
        }

        /// The rows are inserted by one statement for each row, for many rows, or for known keys.
        @Test(arguments: [1, 2], [false, true])
        func ignoredInsertSavesNothing(_ count: Int, hasKeys: Bool) throws {
            try save(insert: [seat(number: 1)])
            _ = try sql(
                """
                CREATE FUNCTION ignore() RETURNS trigger LANGUAGE plpgsql AS \
                'BEGIN IF NEW.number >= 10 THEN RETURN NULL; END IF; RETURN NEW; END'; \
                CREATE TRIGGER ignoring BEFORE INSERT ON "GraphSeat" FOR EACH ROW EXECUTE FUNCTION ignore()
                """)
            let rows = try (0..<count).map { try seat(hasKeys ? Int64(50 + $0) : nil, number: Int64(9 + count - $0)) }
            let error = try #require(throws: SwiftDataError.self) {
                try save(insert: rows, update: [seat(1, number: 5)])
            }
            #expect(error == .modelValidationFailure && error.entityName == "GraphSeat")
            #expect(error.detail?.contains("ignored the change") == true)
            #expect(try seats() == "1:1")
            #expect(try sql("SELECT count(*) FROM chronicle_change WHERE kind = 'i'") == "1")
        }

        @Test(arguments: [2, 300])
        func errorNamesTheModelWithTheUniqueValue(_ count: Int) throws {
            try save(insert: [seat(number: 1)])
            let rows = try (0..<count).map { try seat(number: $0 == count / 2 ? 1 : Int64(1_000 + $0)) }
            let error = try #require(throws: SwiftDataError.self) { try save(insert: rows) }
            #expect(error == .uniquenessViolation)
            #expect(error.entityName == "GraphSeat")
            #expect(error.persistentIdentifier == rows[count / 2].persistentIdentifier)
            #expect((error.underlying as? PostgresError)?.sqlState == "23505")
            #expect(try seats() == "1:1")
        }

        // MARK: References

        @Test func referenceMovesBeforeItsFormerDestinationIsDeleted() throws {
            try save(insert: [node(nil, "old"), node(nil, "new")])
            let origin = try store.layout.table(named: "GraphNode").origin
            try save(insert: [node(nil, "child", ["parent": origin.identifier(1)])])
            // Deleting the parent would delete the child.
            try save(
                update: [node(3, "child", changed: ["parent"], ["parent": origin.identifier(2)])],
                delete: [node(1, "old")])
            #expect(
                try sql("SELECT string_agg(name || coalesce(parent, 0), ',' ORDER BY _rowid_) FROM \"GraphNode\"")
                    == "new0,child2")
        }

        @Test func longCascadesAreDeleted() throws {
            let context = ModelContext(container)
            var nodes = [GraphNode("0")]
            context.insert(nodes[0])
            for number in 1..<3_000 {
                let node = GraphNode("\(number)")
                context.insert(node)
                node.parent = nodes[number - 1]
                nodes.append(node)
            }
            try context.save()
            context.delete(nodes[0])
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
        }

        // MARK: Missing rows and rejected changes

        @Test(arguments: [1, 3])
        func updateOfADeletedRowThrowsButDeleteDoesNot(_ count: Int64) throws {
            try save(insert: try (1...count).map { try seat(number: $0) })
            _ = try sql("DELETE FROM \"GraphSeat\" WHERE _rowid_ = \(count)")
            let error = try #require(throws: SwiftDataError.self) {
                try save(insert: [seat(number: 99)], update: try (1...count).map { try seat($0, number: 10 + $0) })
            }
            #expect(error == .modelNotFound)
            #expect(error.persistentIdentifier?.integerPrimaryKey == count)
            #expect(try sql("SELECT count(*) FROM \"GraphSeat\" WHERE number > 9") == "0")
            try save(delete: [seat(count, number: count)])
        }

        @Test func changesThatATriggerIgnoresThrow() throws {
            try save(insert: [seat(number: 1)])
            _ = try sql(
                "CREATE FUNCTION ignore() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
                    + "CREATE TRIGGER ignore BEFORE INSERT OR UPDATE ON \"GraphSeat\" FOR EACH ROW EXECUTE FUNCTION ignore()"
            )
            let message = "a trigger or a rule of the table ignored"
            for rows in [1, 2] {
                let error = try #require(throws: SwiftDataError.self) {
                    try save(insert: try (0..<rows).map { try seat(number: Int64(5 + $0)) })
                }
                #expect(error == .modelValidationFailure)
                #expect(error.detail?.hasPrefix(message) == true)
            }
            let error = try #require(throws: SwiftDataError.self) { try save(update: [seat(1, number: 2)]) }
            #expect(error == .modelValidationFailure)
            #expect(error.detail?.hasPrefix(message) == true)
        }

        @Test func textWithANULCharacterIsRefusedByName() throws {
            let context = ModelContext(container)
            for change: (Trip) -> Void in [{ $0.note = "a\0b" }, { $0.tags = ["a\0"] }] {
                let trip = Trip(name: "Rome", destination: "Italy")
                context.insert(trip)
                change(trip)
                let error = try #require(throws: SwiftDataError.self) { try context.save() }
                #expect(error == .valueOutOfRange)
                #expect(error.entityName == "Trip")
                #expect(["note", "tags"].contains(error.propertyName))
                context.rollback()
            }
            #expect(try sql("SELECT count(*) FROM \"Trip\"") == "0")
            // The same characters after a backslash are not an escape.
            let trip = Trip(name: "Rome", destination: "Italy")
            trip.tags = [#"[^\u0000]"#]
            context.insert(trip)
            try context.save()
            let found = try ModelContext(container).fetch(
                FetchDescriptor<Trip>(predicate: #Predicate { $0.tags.contains(#"[^\u0000]"#) }))
            #expect(found.map(\.tags) == [trip.tags])
        }

        @Test func snapshotWithOtherColumnsThrows() throws {
            let short = DefaultSnapshot(
                persistentIdentifier: GraphSeat(0).persistentModelID, values: [.integer(1)], changed: PropertySet())
            #expect(throws: SwiftDataError.modelValidationFailure) { try save(insert: [short]) }
            let wrong = try snapshot("GraphSeat", changed: [], ["number": .text("1")])
            #expect(throws: SwiftDataError.modelValidationFailure) { try save(insert: [wrong]) }
        }

        // MARK: Other sessions

        @Test func lockedRowThrowsAfterTheTimeout() throws {
            let configuration = try PostgresConfiguration.testing { $0.lockTimeout = .milliseconds(50) }
            let container = try ModelContainer(for: GraphSeat.self, configurations: configuration)
            let context = ModelContext(container)
            let seat = GraphSeat(1)
            context.insert(seat)
            try context.save()
            let other = try Connection(configuration.connectionSettings)
            try other.transaction { connection in
                try connection.run("UPDATE \(connection.table("GraphSeat")) SET number = 2")
                seat.number = 3
                #expect(throws: SwiftDataError.storeBusy) { try context.save() }
            }
            try context.save()
            #expect(try other.run("SELECT number FROM \(other.table("GraphSeat"))").int64(0, 0) == 3)
        }

        @Test func missingTokenDoesNotFailTheSave() throws {
            let configuration = try PostgresConfiguration.testing {
                $0.lockTimeout = .milliseconds(50)
                $0.returnsHistoryTokens = true
            }
            let context = ModelContext(try ModelContainer(for: GraphSeat.self, configurations: configuration))
            let other = try Connection(configuration.connectionSettings)
            try other.transaction { connection in
                // As while history is deleted.
                try connection.run("SELECT 1 FROM \(connection.schema).chronicle_history FOR UPDATE")
                context.insert(GraphSeat(1))
                try context.save()
                #expect(!context.hasChanges)
            }
            #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
            context.insert(GraphSeat(2))
            try context.save()
            #expect(try other.run("SELECT count(*) FROM \(other.table("GraphSeat"))").int64(0, 0) == 2)
        }

        @Test func savesThroughATransactionPool() throws {
            let configuration = try PostgresConfiguration.testing { $0.usesTransactionPooling = true }
            let context = ModelContext(try ModelContainer(for: GraphNode.self, configurations: configuration))
            let (parent, child) = (GraphNode("parent"), GraphNode("child"))
            context.insert(parent)
            context.insert(child)
            child.parent = parent
            try context.save()
            child.number = 7
            try context.save()
            let seven = try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.number == 7 }))
            #expect(seven.map(\.name) == ["child"])
            context.delete(parent)
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
        }
    }
#endif
