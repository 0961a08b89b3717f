import Chronicle
import ChronicleAppleStore
import ChronicleTestSupport
import Foundation
import Testing

@Suite("The history of a store of SwiftData")
struct HistoryTests {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    let directory: TemporaryDirectory
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        directory = try TemporaryDirectory()
        container = try Self.container(AppleTrips.write(to: directory))
        context = ModelContext(container)
    }

    private static func container(_ url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, BusinessTrip.self, Stop.self, Person.self, configurations: AppleStoreConfiguration(url: url)
        )
    }

    private func store(_ change: (inout AppleStoreScript) -> Void) throws -> AppleStore {
        let url = try AppleTrips.write(to: TemporaryDirectory(), change)
        return try AppleStore(AppleStoreConfiguration(url: url), schema: AppleStore.schema(ofFileAt: url))
    }

    @Test func returnsTransactionsWithAuthorsAndPrograms() throws {
        let all = try context.fetchHistory(Descriptor())
        #expect(all.map(\.transactionIdentifier) == [1, 2, 3, 4, 5, 6])
        #expect(all.map(\.author) == [nil, "widget", nil, "widget", nil, "sync"])
        #expect(all.map(\.contextName) == [nil, nil, "sync", nil, nil, nil])
        #expect(Set(all.map(\.bundleIdentifier)) == ["org.example.app"])
        #expect(Set(all.map(\.processIdentifier)) == ["TripApp"])
        #expect(all.first?.timestamp == Date(timeIntervalSinceReferenceDate: 743_906_532.380816))
        #expect(all.map(\.changes.count) == [3, 1, 1, 1, 1, 2])
        #expect(all.allSatisfy { !$0.isExternal })
    }

    @Test func namesUpdatedAttributesByTheirBits() throws {
        let all = try context.fetchHistory(Descriptor())
        let first = try #require(all[1].updates(of: Trip.self).first)
        #expect(first.updatedAttributeNames == ["name", "rating"])
        #expect(first.containsAttribute(\.name) && first.containsAttribute(\.rating))
        // The bits of a subclass are those of its inherited and own properties.
        #expect(all[3].updates(of: BusinessTrip.self).map(\.updatedAttributeNames) == [["client", "perDiem"]])
        #expect(all[4].updates(of: Trip.self).map(\.updatedAttributeNames) == [["friends", "stops"]])
        #expect(all[2].inserts(of: BusinessTrip.self).count == 1)
    }

    @Test func returnsPreservedValues() throws {
        let delete = try #require(try context.fetchHistory(Descriptor()).last?.deletes(of: Person.self).first)
        #expect(delete.tombstone[\.name] == "Dora")
        #expect(delete.changedPersistentIdentifier.description == "Person/4")
    }

    @Test func filtersAndSorts() throws {
        func identifiers(_ descriptor: Descriptor) throws -> [Int64] {
            try context.fetchHistory(descriptor).map(\.transactionIdentifier)
        }
        #expect(try identifiers(Descriptor(predicate: #Predicate { $0.author == "widget" })) == [2, 4])
        #expect(try identifiers(Descriptor(predicate: #Predicate { $0.author != "widget" })) == [1, 3, 5, 6])
        let date = Date(timeIntervalSinceReferenceDate: 743_906_540)
        #expect(try identifiers(Descriptor(predicate: #Predicate { $0.timestamp > date })) == [3, 4, 5, 6])
        let names = ["Person"]
        #expect(
            try identifiers(
                Descriptor(
                    predicate: #Predicate { transaction in
                        transaction.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
                    })) == [1, 6])
        var newest = Descriptor(sortBy: [SortDescriptor(\.token, order: .reverse)])
        newest.fetchLimit = 2
        #expect(try identifiers(newest) == [6, 5])
        #expect(try context.fetchHistoryCount(Descriptor(predicate: #Predicate { $0.author == nil })) == 3)
        var limited = Descriptor()
        (limited.fetchLimit, limited.fetchOffset) = (2, 3)
        #expect(try context.fetchHistoryCount(limited) == 2)
        #expect(try context.fetchHistoryIdentifiers(limited) == [4, 5])
    }

    @Test func continuesFromTokens() throws {
        let all = try context.fetchHistory(Descriptor())
        for (index, transaction) in all.enumerated() {
            let after = try context.fetchHistory(.after(transaction.token))
            #expect(after.map(\.transactionIdentifier) == all.dropFirst(index + 1).map(\.transactionIdentifier))
            let token = try JSONDecoder().decode(
                DefaultHistoryToken.self, from: JSONEncoder().encode(transaction.token))
            #expect(try context.fetchHistoryCount(.after(token)) == 5 - index)
        }
        let current = try context.currentHistoryToken() as DefaultHistoryToken?
        #expect(current == all.last?.token)
    }

    @Test func rejectsTokensThatCannotBeContinued() throws {
        let identifier = AppleTrips.script.storeIdentifier
        func error(_ token: DefaultHistoryToken) -> SwiftDataError? {
            #expect(throws: SwiftDataError.self) { _ = try context.fetchHistory(.after(token)) }
        }
        #expect(error(DefaultHistoryToken(storeIdentifier: identifier, position: 7)) == .historyTokenAhead)
        #expect(error(DefaultHistoryToken(storeIdentifier: "other", position: 1)) == .historyTokenStoreMismatch)
        // A copy of the store continued with other transactions.
        let other = DefaultHistoryToken(storeIdentifier: identifier, position: 3, checkValue: 4)
        #expect(error(other) == .historyTokenForked)
        #expect(error(DefaultHistoryToken(storeIdentifier: identifier, position: -1)) == .historyTokenForked)
    }

    @Test func expiresTokensOfDeletedTransactions() throws {
        let store = try store {
            $0.statements.append("DELETE FROM ATRANSACTION WHERE Z_PK IN (1, 2, 4)")
        }
        func token(_ position: Int64) -> DefaultHistoryToken {
            DefaultHistoryToken(storeIdentifier: store.identifier, position: position)
        }
        #expect(try store.earliestHistoryToken() == token(2))
        #expect(try store.fetchHistory(.after(token(2))).map(\.transactionIdentifier) == [3, 5, 6])
        for position: Int64 in [0, 1, 4] {
            let error = #expect(throws: SwiftDataError.self) { _ = try store.fetchHistory(.after(token(position))) }
            #expect(error == .historyTokenExpired, "\(position)")
        }
        #expect(try store.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [3, 5, 6])
    }

    @Test func keepsThePositionOfAnEmptyHistory() throws {
        let store = try store { $0.statements += ["DELETE FROM ATRANSACTION", "DELETE FROM ACHANGE"] }
        let current = try #require(try store.currentHistoryToken())
        #expect(current.position(in: store.identifier) == 6)
        #expect(try store.earliestHistoryToken() == current)
        #expect(try store.fetchHistory(.after(current)).isEmpty)
    }

    @Test func readsChangesInPages() throws {
        let store = try store { _ in }
        let transaction = try #require(try store.fetchHistoryWithoutChanges(Descriptor()).first)
        #expect(transaction.changes.isEmpty)
        var request = HistoryChangesRequest(transaction, after: nil, limit: 2)
        let first = try store.fetchHistoryChanges(request)
        #expect(first.map(\.changedPersistentIdentifier.description) == ["Trip/1", "Person/1"])
        request.lastChange = first.last
        #expect(try store.fetchHistoryChanges(request).map(\.changedPersistentIdentifier.description) == ["Stop/1"])
        request.lastChange = try store.fetchHistory(Descriptor()).last?.changes.last
        let error = #expect(throws: SwiftDataError.self) { _ = try store.fetchHistoryChanges(request) }
        #expect(error == .invalidTransactionFetchRequest)
    }

    @Test func showsBitsWithoutNames() throws {
        // A mask that is longer than the properties belongs to another version of the model.
        let longer = try store {
            $0.statements.append("UPDATE ACHANGE SET ZCOLUMNS = x'800000000000000001' WHERE Z_PK = 4")
        }
        #expect(try updates(longer)[0] == ["property 1", "property 72"])
        let unknown = try store { $0.hasModel = false }
        #expect(!unknown.hasModelNames)
        #expect(try updates(unknown)[0] == ["property 6", "property 9"])
        #expect(unknown.schema.entitiesByName["Trip"]?.propertiesByName["perdiem"]?.attribute?.valueTypeName == "Int")
    }

    private func updates(_ store: AppleStore) throws -> [[String]] {
        try store.fetchHistory(Descriptor()).flatMap(\.changes).compactMap {
            if case .update(let update) = $0 { update.updatedAttributeNames } else { nil }
        }
    }

    /// A mask is never longer than the properties of any model.
    @Test func limitsMasks() throws {
        let store = try store {
            $0.statements.append(
                "UPDATE ACHANGE SET ZCOLUMNS = CAST(replace(hex(zeroblob(500000)), '0', 'w') AS BLOB) "
                    + "WHERE Z_PK = 4")
        }
        #expect(try updates(store)[0].count < 32_768)
    }

    /// The file preserves more attributes than the class, so that their columns have other numbers.
    @Test(arguments: [true, false]) func numbersTombstonesByTheFile(_ hasFlags: Bool) throws {
        func delete(_ properties: [AppleProperty]) throws -> [String: String] {
            var entities = AppleTrips.model.entities.filter { $0.name != "Person" }
            entities.append(
                .init(
                    "Person", [.toMany("knows", "Person"), .toMany("trips", "Trip", inverse: "friends")] + properties))
            var script = AppleStoreScript(AppleStoreModel(entities))
            script.tombstoneCount = 2
            script.statements =
                AppleTrips.rows + AppleTrips.history + [
                    "UPDATE ACHANGE SET ZTOMBSTONE0 = 'first', ZTOMBSTONE1 = 'second' WHERE Z_PK = 9"
                ]
            let url = try TemporaryDirectory().file("default.store")
            try script.write(to: url)
            let context = try ModelContext(Self.container(url))
            let delete = try #require(try context.fetchHistory(Descriptor()).last?.deletes(of: Person.self).first)
            var values: [String: String] = [:]
            for (name, value) in delete.tombstone.namedValues { values[name] = value as? String }
            return values
        }
        let name = AppleProperty.attribute("name", 700, isPreserved: hasFlags)
        let code = AppleProperty.attribute("code", 700, isPreserved: hasFlags)
        // The class has no attribute `code`.
        #expect(
            try delete([name, code])
                == (hasFlags
                    ? ["code": "first", "name": "second"] : ["tombstone 0": "first", "tombstone 1": "second"]))
        #expect(try delete([name]) == ["name": "first", "tombstone 1": "second"])
    }

    @Test func readsEarlierLayouts() throws {
        let plain = try store {
            $0.statements += [
                "UPDATE ATRANSACTION SET ZAUTHOR = 'old', ZBUNDLEID = 'b', ZPROCESSID = 'p'",
                "DROP TABLE ATRANSACTIONSTRING",
            ]
        }
        let all = try plain.fetchHistory(Descriptor())
        #expect(Set(all.map(\.author)) == ["old"])
        #expect(Set(all.map(\.processIdentifier)) == ["p"])
        let none = try store { $0.statements.append("UPDATE ATRANSACTION SET ZBUNDLEIDTS = 99, ZPROCESSIDTS = NULL") }
        #expect(try none.fetchHistory(Descriptor()).map(\.bundleIdentifier) == [String](repeating: "", count: 6))
    }

    @Test func readsNumbersOfUnknownEntities() throws {
        let store = try store { $0.statements.append("UPDATE ACHANGE SET ZENTITY = 77 WHERE Z_PK IN (1, 4)") }
        let all = try store.fetchHistory(Descriptor())
        #expect(all[0].changes.first?.changedPersistentIdentifier.entityName == "entity 77")
        #expect(try updates(store)[0] == ["property 6", "property 9"])
    }

    @Test func reportsMissingHistory() throws {
        let store = try store {
            $0.hasHistory = false
            $0.statements = AppleTrips.rows
        }
        #expect(!store.recordsHistory)
        let error = #expect(throws: SwiftDataError.self) { _ = try store.fetchHistory(Descriptor()) }
        #expect(error == .historyDisabled)
        #expect(try store.fetchCount(ofEntity: "Trip") == 3)
    }

    @Test(arguments: [
        ("DROP TABLE ACHANGE", "ACHANGE"), ("ALTER TABLE ACHANGE DROP COLUMN ZENTITYPK", "ACHANGE"),
        ("ALTER TABLE ATRANSACTION RENAME COLUMN ZTIMESTAMP TO ZTIME", "ATRANSACTION"),
        ("ALTER TABLE ATRANSACTIONSTRING DROP COLUMN ZNAME", "ATRANSACTIONSTRING"),
        ("ALTER TABLE Z_PRIMARYKEY DROP COLUMN Z_SUPER", "Z_PRIMARYKEY"),
    ])
    func namesTheTableOfAnUnknownLayout(_ statement: String, _ table: String) throws {
        let error = #expect(throws: SwiftDataError.self) {
            _ = try store { $0.statements += ["DROP INDEX Z_TRANSACTION_TransactionTimestampIndex", statement] }
        }
        #expect(error == .unsupportedFileVersion)
        #expect(error?.detail?.contains(table) == true)
    }

    @Test(arguments: [
        "UPDATE ACHANGE SET ZCHANGETYPE = 9", "UPDATE ACHANGE SET ZENTITY = NULL", "UPDATE ACHANGE SET ZENTITYPK = 'x'",
        "UPDATE ATRANSACTION SET ZTIMESTAMP = NULL", "UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999",
        "UPDATE ATRANSACTION SET ZTIMESTAMP = -1e300",
    ])
    func reportsDamagedRows(_ statement: String) throws {
        let store = try store { $0.statements.append(statement) }
        let error = #expect(throws: SwiftDataError.self) { _ = try store.fetchHistory(Descriptor()) }
        #expect(error == .damagedFile)
    }

    @Test func rejectsDeletes() throws {
        let error = #expect(throws: SwiftDataError.self) { try context.deleteHistory(Descriptor()) }
        #expect(error == .storeReadOnly)
    }
}
