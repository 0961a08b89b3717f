import Chronicle
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

@Suite("Predicates on the history")
struct HistoryPredicateTests {
    private let store: TestStore
    private let context: ModelContext
    private let trips: [Trip]
    private let tokens: [DefaultHistoryToken]

    /// Five transactions: without an author, by `app`, `widget`, `app`, and without an author.
    init() throws {
        let store = try TestStore(.inMemory)
        let context = ModelContext(store.container)
        let trips = ["a", "b", "c"].map { Trip(name: $0, destination: "x") }
        var tokens: [DefaultHistoryToken] = []
        func save(_ author: String?, _ context: ModelContext, _ change: () -> Void) throws {
            (context.author, context.name) = (author, author.map { "\($0)'s" })
            change()
            try context.save()
            tokens.append(try context.currentHistoryToken())
        }
        try save(nil, context) { context.insert(trips[0]) }
        try save("app", context) { trips[1...].forEach(context.insert) }
        try save("widget", context) { trips[0].livingAccommodation = LivingAccommodation(placeName: "Inn") }
        try save("app", context) { context.delete(trips[1]) }
        try save(nil, context) { trips[2].note = "new" }
        (self.store, self.context, self.trips, self.tokens) = (store, context, trips, tokens)
    }

    /// Expects the transactions that Foundation finds.
    private func agree(
        _ predicate: Predicate<DefaultHistoryTransaction>, _ location: SourceLocation = #_sourceLocation
    ) throws {
        if let recorder = SQLRecorder.current {
            let sql = try sql(predicate)
            // The values contain times and process identifiers.
            recorder.recordText(sql.condition ?? "-")
            return
        }
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let found = try context.fetchHistory(HistoryDescriptor(predicate: predicate))
        #expect(found.map(\.id) == (try all.filter(predicate.evaluate)).map(\.id), sourceLocation: location)
        #expect(all.count == 5)
    }

    private func sql(_ predicate: Predicate<DefaultHistoryTransaction>) throws -> HistorySQL {
        let columns = SQLiteHistoryColumns { name, _ in name == "Trip" ? [5] : [] }
        return try HistorySQL(
            HistoryDescriptor(predicate: predicate), HistorySource(columns, storeIdentifier: "S"))
    }

    @Test("The common form")
    func common() throws {
        let (token, author) = (tokens[1], "app")
        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { transaction in (transaction.token > token) && (transaction.author == author) })
        #expect(try context.fetchHistory(descriptor).count == 1)
        let predicate = try #require(descriptor.predicate)
        try agree(predicate)
        let sql = try sql(predicate)
        #expect(sql.condition == "s.author = \(value: .text("app"))")
        #expect(sql.lowerBounds.map(\.token) == [token])
        #expect(sql.upperBounds.isEmpty)
    }

    @Test("Authors, timestamps, and numbers")
    func attributes() throws {
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let (third, authors) = (all[2], ["widget", nil])
        let (id, timestamp, process, bundle, store) = (
            third.id, third.timestamp, third.processIdentifier, third.bundleIdentifier, third.storeIdentifier
        )
        try agree(#Predicate { $0.author != "app" })
        try agree(#Predicate { !($0.author == "app") })
        try agree(#Predicate { $0.author == nil })
        try agree(#Predicate { authors.contains($0.author) })
        try agree(#Predicate { $0.author?.starts(with: "w") ?? true })
        try agree(#Predicate { $0.contextName == "app's" })
        try agree(#Predicate { $0.author?.localizedStandardContains("ÁP") == true })
        try agree(#Predicate { !($0.contextName?.localizedStandardContains("WIDGET") ?? false) })
        try agree(
            #Predicate {
                $0.changes.contains { $0.changedPersistentIdentifier.entityName.localizedStandardContains("TRIP") }
            })
        try agree(#Predicate { $0.author?.count == 3 })
        try agree(#Predicate { $0.transactionIdentifier > id || $0.id == id })
        try agree(#Predicate { $0.timestamp <= timestamp })
        try agree(#Predicate { $0.timestamp > timestamp })
        try agree(#Predicate { $0.processIdentifier == process && $0.bundleIdentifier == bundle })
        try agree(#Predicate { $0.storeIdentifier == store && !$0.isExternal })
        try agree(#Predicate { $0.storeIdentifier != store })
    }

    @Test("Changes")
    func changes() throws {
        let (first, gone) = (trips[0].persistentModelID, trips[1].persistentModelID)
        let unsaved = Trip(name: "d", destination: "").persistentModelID
        let (both, names) = ([first, gone, unsaved], ["LivingAccommodation", "Nothing"])
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier == first } })
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier == gone } })
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier == unsaved } })
        try agree(#Predicate { $0.changes.contains { both.contains($0.changedPersistentIdentifier) } })
        try agree(#Predicate { $0.changes.allSatisfy { $0.changedPersistentIdentifier != first } })
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Trip" } })
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName != "Trip" } })
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Nothing" } })
        try agree(#Predicate { $0.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) } })
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName.contains("Acc") } })
        try agree(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier.storeIdentifier == nil } })
        try agree(#Predicate { $0.changes.count > 1 })
        try agree(#Predicate { $0.changes.isEmpty })
        let names2 = #Predicate<DefaultHistoryTransaction> {
            $0.changes.filter { $0.changedPersistentIdentifier.entityName == "Trip" }.count == 2
        }
        try agree(names2)
    }

    @Test("Tokens")
    func positions() throws {
        let (second, fourth) = (tokens[1], tokens[3])
        try agree(#Predicate { $0.token > second })
        try agree(#Predicate { second < $0.token })
        try agree(#Predicate { $0.token >= second && $0.token < fourth })
        try agree(#Predicate { $0.token <= second || $0.token > fourth })
        try agree(#Predicate { !($0.token <= second) && !($0.token == fourth) })
        try agree(#Predicate { $0.token == second })
        try agree(#Predicate { $0.token != second })
    }

    @Test("Tokens to validate")
    func bounds() throws {
        func token(_ position: Int64) -> DefaultHistoryToken {
            DefaultHistoryToken(storeIdentifier: "S", position: position, checkValue: nil)
        }
        func describe(_ bounds: [HistoryTokenBound<DefaultHistoryToken>]) -> [String] {
            bounds.map { bound in
                "\(bound.token.position(in: "S") ?? 0)\(bound.isInclusive ? "=" : "")\(bound.isRequired ? "" : "?")"
            }
        }
        let (one, two, three) = (token(1), token(2), token(3))
        var sql = try sql(#Predicate { $0.token > one && $0.token >= two && $0.author == nil && $0.token < three })
        #expect(describe(sql.lowerBounds) == ["1", "2="])
        #expect(describe(sql.upperBounds) == ["3"])
        #expect(sql.condition == "s.author IS NULL AND h.id < \(value: .integer(3))")

        sql = try self.sql(#Predicate { $0.token > one || $0.token <= two })
        #expect(describe(sql.lowerBounds) == ["1?"])
        #expect(describe(sql.upperBounds) == ["2=?"])
        #expect(sql.condition == "(h.id > \(value: .integer(1)) OR h.id <= \(value: .integer(2)))")

        sql = try self.sql(#Predicate { !($0.token <= one || $0.author == "x") && three > $0.token })
        #expect(describe(sql.lowerBounds) == ["1"])
        #expect(describe(sql.upperBounds) == ["3"])

        sql = try self.sql(
            #Predicate { transaction in
                if let author = transaction.author { author == "x" && transaction.token > one } else { false }
            })
        #expect(describe(sql.lowerBounds) == ["1?"])

        sql = try self.sql(#Predicate { $0.token == two })
        #expect(describe(sql.lowerBounds) == ["2="])
        #expect(describe(sql.upperBounds) == ["2="])
    }

    @Test("SQL of changes")
    func changesSQL() throws {
        let id = PersistentIdentifier.Origin(storeIdentifier: "S", entityName: "Trip").identifier(7)
        let sql = try sql(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier == id } })
        let change: SQLQuery = "(c1.kind >> 4 IN (\(value: .integer(5))) AND c1.primary_key IN (\(value: .integer(7))))"
        #expect(
            sql.condition == """
                EXISTS (SELECT 1 FROM chronicle_change AS c1 WHERE c1.id BETWEEN h.old_value AND h.id \
                AND (c1.kind > 0 AND c1.kind & 15 <> 0) AND \(change))
                """)
    }

    @Test("SQL of metadata")
    func metadataSQL() throws {
        let (key, id, none) = ("'); DROP TABLE chronicle_metadata;--", tokens[1], String?.none)
        func value(_ key: String) -> SQLQuery {
            "(SELECT value FROM chronicle_metadata WHERE position = h.id AND name = \(value: .text(key)))"
        }
        let (reason, text): (SQLQuery, SQLQuery) = (value("reason"), "\(value: .text("import"))")
        func expect(
            _ predicate: Predicate<DefaultHistoryTransaction>, _ condition: SQLQuery,
            _ location: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try sql(predicate).condition == condition, sourceLocation: location)
        }
        try expect(#Predicate { $0.metadata["reason"] == "import" }, "\(reason) = \(text)")
        try expect(#Predicate { !($0.metadata["reason"] == "import") }, "\(reason) IS NOT \(text)")
        try expect(#Predicate { $0.metadata["reason"] != "import" }, "\(reason) IS NOT \(text)")
        try expect(#Predicate { $0.metadata["reason"] == nil }, "\(reason) IS NULL")
        try expect(#Predicate { $0.metadata["reason"] != none }, "\(reason) IS NOT NULL")
        try expect(#Predicate { $0.metadata[key] == $0.author }, "\(value(key)) IS s.author")
        try expect(#Predicate { $0.token > id && $0.metadata["reason"] == "import" }, "\(reason) = \(text)")
    }

    /// Expects the rows of a table of metadata whose transactions Foundation finds.
    @Test("Metadata in SQL and in memory")
    func metadata() throws {
        let all: [[String: String]] = [
            [:], ["reason": "import"], ["reason": ""], ["request": "import"], ["reason": "re-import", "request": "7"],
            ["REASON": "import", "": "empty", "né\0e": "import"],
        ]
        let transactions = all.enumerated().map { index, metadata in
            DefaultHistoryTransaction(
                transactionIdentifier: Int64(index), storeIdentifier: "S",
                token: DefaultHistoryToken(storeIdentifier: "S", position: Int64(index)), timestamp: .now, author: nil,
                contextName: nil, bundleIdentifier: "", processIdentifier: "", metadata: metadata, changes: [])
        }
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        try connection.define(PredicateFunctions.all)
        try connection.execute(
            """
            CREATE TABLE h (id INTEGER PRIMARY KEY);
            CREATE TABLE chronicle_metadata (position INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, \
            PRIMARY KEY (position, name)) WITHOUT ROWID
            """)
        func run(_ query: SQLQuery) throws -> [Int64] {
            let statement = try connection.cached(query)
            var found: [Int64] = []
            while try statement.step() { found.append(statement.int64(0)) }
            return found
        }
        for (id, metadata) in all.enumerated() {
            _ = try run("INSERT INTO h VALUES (\(value: .integer(Int64(id))))")
            for (name, value) in metadata {
                let row = SQLQuery(values: [.integer(Int64(id)), .text(name), .text(value)])
                _ = try run("INSERT INTO chronicle_metadata VALUES (\(row))")
            }
        }
        func agree(
            _ predicate: Predicate<DefaultHistoryTransaction>, _ location: SourceLocation = #_sourceLocation
        ) throws {
            let condition = try #require(try sql(predicate).condition)
            let found = try run("SELECT h.id FROM h WHERE \(condition) ORDER BY h.id")
            #expect(found == (try transactions.filter(predicate.evaluate)).map(\.id), sourceLocation: location)
        }
        let (key, reasons) = ("né\0e", ["import", nil])
        try agree(#Predicate { $0.metadata["reason"] == "import" })
        try agree(#Predicate { $0.metadata["reason"] != "import" })
        try agree(#Predicate { $0.metadata["reason"] == nil })
        try agree(#Predicate { !($0.metadata["reason"] == nil) })
        try agree(#Predicate { $0.metadata[key] == "import" || $0.metadata[""] == "empty" })
        try agree(#Predicate { $0.metadata["reason"] == $0.metadata["request"] })
        try agree(#Predicate { $0.metadata["reason"]?.contains("import") == true })
        try agree(#Predicate { !($0.metadata["reason"]?.localizedStandardContains("IMPORT") ?? false) })
        try agree(#Predicate { $0.metadata["reason"]?.starts(with: "re") ?? true })
        try agree(#Predicate { $0.metadata["reason"]?.count == 6 })
        try agree(#Predicate { $0.metadata["reason", default: "import"] == "import" })
        try agree(#Predicate { ($0.metadata["request"] ?? "import") == "import" })
        try agree(#Predicate { reasons.contains($0.metadata["reason"]) })
        try agree(#Predicate { !reasons.contains($0.metadata["request"]) })
    }

    @Test("Order")
    func order() throws {
        func order(_ descriptors: SortDescriptor<DefaultHistoryTransaction>...) throws -> [String] {
            let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: descriptors)
            let columns = SQLiteHistoryColumns { _, _ in [] }
            return try HistorySQL(descriptor, HistorySource(columns, storeIdentifier: "S")).order.map(\.sql)
        }
        #expect(try order() == [])
        #expect(try order(SortDescriptor(\.token)) == [])
        #expect(try order(SortDescriptor(\.transactionIdentifier, order: .reverse)) == ["h.range DESC", "h.id DESC"])
        #expect(try order(SortDescriptor(\.author), SortDescriptor(\.id), SortDescriptor(\.timestamp)) == ["s.author"])
        #expect(try order(SortDescriptor(\.timestamp, order: .reverse)) == ["h.primary_key DESC"])
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try order(SortDescriptor(\.changes.count)) }
    }

    @Test("Unsupported predicates")
    func unsupported() throws {
        let token: DefaultHistoryToken? = tokens[0]
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try self.sql(#Predicate { $0.token.tokenValue == nil })
        }
        #expect(throws: SwiftDataError.unsupportedPredicate) { try self.sql(#Predicate { $0.token == $0.token }) }
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try self.sql(#Predicate { _ in token == nil })
        }
    }
}
