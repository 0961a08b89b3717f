import Chronicle
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// SQL over the models as of any position and over their history, compared with the rows after each transaction.
@Suite struct QueryTests {
    private struct State {
        let token: DefaultHistoryToken
        let rows: [String: [String]]
    }

    private func lines(_ store: DefaultStore, _ sql: String) throws -> [String] {
        var lines: [String] = []
        try store.query(sql) { lines.append($0.map { SQLLiteral.text($0) ?? "NULL" }.joined(separator: ", ")) }
        return lines.sorted()
    }

    private func state(_ store: DefaultStore, _ views: [String]) throws -> State {
        var rows: [String: [String]] = [:]
        for view in views { rows[view] = try lines(store, "SELECT * FROM \(quoted(view))") }
        return State(token: try #require(try store.currentHistoryToken()), rows: rows)
    }

    /// Compares the views as of each position, and the revisions that were current, with the rows.
    private func expect(_ states: [State], _ store: DefaultStore, revisions views: [String], _ comment: Comment) throws
    {
        for (index, state) in states.enumerated() where index % 4 == 0 {
            let past = try #require(try store.store(asOf: state.token) as? DefaultStore)
            for (view, rows) in state.rows {
                try #require(try lines(past, "SELECT * FROM \(quoted(view))") == rows, comment)
                #expect(try lines(past, "SELECT count(*) FROM \(quoted(view))") == ["\(rows.count)"], comment)
            }
        }
        var headers: Set<Int64> = [0]
        try store.query("SELECT id FROM main.chronicle_change WHERE kind <= 0") { row in
            if case .integer(let id) = row[0] { headers.insert(id) }
        }
        for view in views {
            let name = quoted("\(view)_revisions")
            var columns: [String] = []
            try store.query("SELECT * FROM \(name) LIMIT 0", columns: { columns = $0 }, row: { _ in })
            let values = columns.dropFirst(2).dropLast().map(quoted).joined(separator: ", ")
            #expect(try lines(store, "SELECT DISTINCT unknown FROM \(name)").allSatisfy { $0 == "NULL" }, comment)
            for state in states {
                var position = state.token.position(in: store.identifier) ?? 0
                // Changes of another program had no header yet, or belong to a transaction that continued.
                if !headers.contains(position) { position += 1 }
                guard headers.contains(position) else { continue }
                let current = "ifnull(\"from\", 0) <= \(position) AND (\"to\" IS NULL OR \"to\" > \(position))"
                try #require(
                    try lines(store, "SELECT \(values) FROM \(name) WHERE \(current)") == state.rows[view], comment)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func viewsHaveTheRowsThatWereKept(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let container = try TestStore(kind, RandomJourneys.types, preservesValues: true, recorder: recorder).container
        let store = try #require(container.stores.first as? DefaultStore)
        var writer = RandomJourneys(container, store, TestSeed.generator(recorder == .automatic ? 0 : 1))
        let models = ["Journey", "GuidedJourney", "Traveler", "Topic"]
        let links = Array(store.layout.linkTablesByName.keys)
        var states: [State] = [try state(store, models + links)]
        for _ in 0..<40 {
            try writer.step()
            states.append(try state(store, models + links))
            for table in ["Topic"] + links {
                let rows = try lines(store, "SELECT * FROM main.\(quoted(table))")
                #expect(states.last?.rows[table] == rows, "\(TestSeed.description)")
            }
        }
        try expect(states, store, revisions: models, "\(TestSeed.description)")
        try expectHistory(of: store)
    }

    /// The history has the values of the transactions.
    private func expectHistory(of store: DefaultStore) throws {
        var expected: Set<String> = []
        let transactions = try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let newest = try lines(store, "SELECT max(id) FROM main.chronicle_change").first ?? ""
        for (index, transaction) in transactions.enumerated() {
            let isOpen = index == transactions.count - 1 && transaction.token.checkValue(in: store.identifier) == nil
            let position = isOpen ? newest : "\(transaction.transactionIdentifier)"
            for change in transaction.changes where change.changedPersistentIdentifier.rootEntityName == "Journey" {
                let key = change.changedPersistentIdentifier.integerPrimaryKey ?? 0
                let kind =
                    switch change {
                    case .insert: "insert"
                    case .update: "update"
                    case .delete: "delete"
                    }
                for value in change.preservedValues where ["title", "rating"].contains(value.name) {
                    let (old, new) = (Self.text(value.previousValue), Self.text(value.value))
                    expected.insert(
                        "\(position) \(transaction.author ?? "") \(kind) \(key) \(value.name) \(old) \(new)")
                }
            }
        }
        var found: Set<String> = []
        let columns = "position, author, operation, key, attribute, previous, value"
        try store.query("SELECT \(columns) FROM Journey_history WHERE attribute IN ('title', 'rating')") { row in
            found.insert(
                row.map { value in
                    switch value {
                    case .integer(let integer): "\(integer)"
                    case .text(let text): text
                    default: ""
                    }
                }.joined(separator: " "))
        }
        #expect(expected.count > 20)
        #expect(found == expected, "\(TestSeed.description)")
        #expect(try lines(store, "SELECT count(*) FROM Journey_history WHERE unknown") == ["0"])
        #expect(
            try lines(store, "SELECT DISTINCT date IS NULL FROM Journey_history WHERE author IS NOT NULL") == ["0"])
    }

    private static func text(_ value: (any Sendable)?) -> String { value.map { "\($0)" } ?? "" }

    @Test(arguments: TestSeed.rounds(3)) func viewsOfOtherPrograms(_ number: Int) throws {
        var schema = RandomSchema(TestSeed.generator(number))
        let fixture = try TrackedFixture(schema.statements.joined(separator: "; "))
        let tables = schema.tables.map(\.name)
        let store = try fixture.store()
        var states: [State] = []
        var log = schema.statements
        for _ in 0..<20 {
            log.append(schema.change())
            // The statement may violate a constraint.
            do { try fixture.app.execute(log[log.count - 1]) } catch is SQLiteError {}
            if try fixture.app.scalarText("PRAGMA integrity_check") != "ok" { return }
            states.append(try state(store, tables))
        }
        try expect(states, store, revisions: tables, "\(log.joined(separator: ";\n")) \(TestSeed.description)")
    }

    /// Masks of several parts are texts.
    @Test func aTableWithManyColumns() throws {
        let columns = (0..<150).map { "c\($0)" }
        let fixture = try TrackedFixture("CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))")
        let store = try fixture.store()
        var states: [State] = []
        for statement in [
            "INSERT INTO t(id, c3) VALUES (1, 'x'), (2, 'y')", "UPDATE t SET c70 = 1 WHERE id = 1",
            "UPDATE t SET c3 = 2, c149 = 'z'", "DELETE FROM t WHERE id = 2", "UPDATE t SET c0 = c70",
        ] {
            try fixture.app.execute(statement)
            states.append(try state(store, ["t"]))
        }
        try expect(states, store, revisions: ["t"], "")
        #expect(
            try lines(store, "SELECT attribute, value FROM t_history WHERE operation = 'update' AND key = 2")
                == ["'c149', 'z'", "'c3', 2"])
    }

    // MARK: Unknown values

    @Test func unknownValuesAreNamed() throws {
        let test = try TestStore(.file)
        let context = test.context(author: "app")
        let trip = Trip(name: "a", destination: String(repeating: "x", count: 100_000))
        context.insert(trip)
        try context.save()
        let store = try #require(test.container.stores.first as? DefaultStore)
        let token = try #require(try store.currentHistoryToken())
        trip.destination = "Oslo"
        try context.save()
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        #expect(try lines(past, "SELECT name FROM Trip") == ["'a'"])
        let error = #expect(throws: SwiftDataError.self) { try past.query("SELECT destination FROM Trip") { _ in } }
        #expect(error == .historyValueMissing && error?.propertyName == "destination")
        var rows: [[PropertyValue]] = []
        try past.query("SELECT destination FROM Trip", replacesUnknownValues: true) { rows.append($0) }
        #expect(rows == [[.null]])
        #expect(
            try lines(store, "SELECT destination, unknown FROM Trip_revisions ORDER BY \"from\"")
                == ["'Oslo', NULL", "NULL, 'destination'"])
        #expect(
            try lines(
                store, "SELECT attribute, previous, value FROM Trip_history WHERE operation = 'update' AND unknown")
                == ["'destination', NULL, NULL"])
    }

    @Test func purgedTransactionsAreAbsent() throws {
        let test = try TestStore(.file, preservesValues: true)
        let context = test.context(author: "app")
        let trip = Trip(name: "a", destination: "b")
        context.insert(trip)
        try context.save()
        let token = try context.currentHistoryToken()
        for name in ["c", "d"] {
            trip.name = name
            try context.save()
        }
        let store = try #require(test.container.stores.first as? DefaultStore)
        try context.deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
        #expect(
            try lines(store, "SELECT \"from\" IS NULL, name FROM Trip_revisions") == ["0, 'c'", "0, 'd'", "1, 'a'"])
        #expect(try lines(store, "SELECT operation, value FROM Trip_history") == ["'update', 'c'", "'update', 'd'"])
    }

    // MARK: Limits

    /// Values that a query does not use may be unknown.
    @Test func unusedValuesMayBeUnknown() throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let store = try #require(container.stores.first as? DefaultStore)
        let context = ModelContext(container)
        let trips = ["a", "b"].map { Trip(name: $0, destination: "old") }
        for trip in trips { context.insert(trip) }
        try context.save()
        let token = try context.currentHistoryToken()
        trips[0].destination = "new"
        try context.save()
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        #expect(try lines(past, "SELECT count(*) FROM Trip") == ["2"])
        #expect(try lines(past, "SELECT name, count(*) FROM Trip GROUP BY name") == ["'a', 1", "'b', 1"])
        #expect(try lines(past, "SELECT max(name) FROM Trip") == ["'b'"])
        #expect(try lines(past, "SELECT destination FROM Trip WHERE name = 'b'") == ["'old'"])
        for sql in ["SELECT max(destination) FROM Trip", "SELECT count(*) FROM Trip WHERE destination = 'old'"] {
            let error = try #require(throws: SwiftDataError.self) { try lines(past, sql) }
            #expect(error == .historyValueMissing && error.propertyName == "destination")
        }
    }

    @Test(arguments: StoreKind.allCases) func elementsOfJSONAreRows(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "a", destination: "b")
        trip.tags = ["x", "y"]
        context.insert(trip)
        try context.save()
        let file = try #require(store.container.stores.first as? DefaultStore)
        #expect(try lines(file, "SELECT value FROM Trip, json_each(Trip.tags)") == ["'x'", "'y'"])
        #expect(try lines(file, "SELECT count(*) FROM Trip, json_tree(Trip.tags)") == ["3"])
    }

    /// One transaction has many changes, each of which needs its header.
    @Test(arguments: ["SELECT count(*) FROM Trip_history", "SELECT count(name), count(unknown) FROM Trip_revisions"])
    func queriesAreLinear(_ sql: String) throws {
        func steps(_ count: Int) throws -> Int {
            let test = try TestStore(.file)
            try test.shell(
                """
                WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
                INSERT INTO Trip(name, destination, startDate, endDate) SELECT 'a' || i, '', 0, 0 FROM n; \
                UPDATE Trip SET name = name || 'b', destination = 'c'
                """)
            // A save writes the header of the changes.
            let context = test.context()
            context.insert(Trip(name: "x", destination: "y"))
            try context.save()
            let store = try #require(test.container.stores.first as? DefaultStore)
            return try store.databaseOfPastRows().read { connection in
                try connection.deferredRead {
                    let tables = PastTables(unknowns: PastUnknowns(storeIdentifier: "", position: 0))
                    return try connection.withQueryViews(QueryViews(connection, tables, store).histories()) {
                        let statement = try connection.prepare(sql)
                        #expect(try statement.step() && statement.int64(0) >= count)
                        return statement.steps
                    }
                }
            }
        }
        let (small, large) = (try steps(1_000), try steps(4_000))
        #expect(Double(large) < Double(small) * 4.5, "\(small), \(large)")
    }

    @Test(
        arguments: [
            "DELETE FROM main.Trip", "INSERT INTO Trip(name) VALUES ('x')", "CREATE TEMP TABLE t(a)", "DROP VIEW Trip",
            "ATTACH ':memory:' AS other", "PRAGMA user_version = 3", "SELECT * FROM pragma_user_version", "BEGIN",
            "COMMIT",
            "SELECT 1; DELETE FROM main.Trip", "VACUUM", "SELECT * FROM foreignView", "SELECT load_extension('x')",
            "SELECT * FROM Tirp", "SELECT", "",
        ], [false, true])
    func queriesOnlyRead(_ sql: String, isPast: Bool) throws {
        let test = try TestStore(.file)
        let context = test.context()
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        try test.shell("CREATE VIEW foreignView AS SELECT * FROM Trip; PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try Data(contentsOf: test.url)
        let present = try #require(test.container.stores.first as? DefaultStore)
        let past = try present.store(asOf: #require(try present.currentHistoryToken())) as? DefaultStore
        let store = isPast ? try #require(past) : present
        #expect(throws: SwiftDataError.unsupportedFeature) { try store.query(sql) { _ in } }
        // The connection can be used again, and reads no view of the file.
        #expect(try lines(store, "SELECT name, destination FROM Trip") == ["'a', 'b'"])
        #expect(throws: SwiftDataError.unsupportedFeature) { try store.query("SELECT * FROM foreignView") { _ in } }
        #expect(try Data(contentsOf: test.url) == before)
    }

    @Test func anErrorOfAClosureEndsTheQuery() throws {
        struct Enough: Error {}
        let test = try TestStore(.inMemory)
        let context = test.context()
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let store = try #require(test.container.stores.first as? DefaultStore)
        #expect(throws: Enough.self) { try store.query("SELECT * FROM Trip") { _ in throw Enough() } }
        context.insert(Trip(name: "c", destination: "d"))
        try context.save()
        #expect(try lines(store, "SELECT name FROM Trip") == ["'a'", "'c'"])
    }
}
