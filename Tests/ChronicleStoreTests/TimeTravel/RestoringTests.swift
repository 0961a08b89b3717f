import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Saves that insert rows with permanent identifiers.
@Suite struct RestoringTests {
    private static let models: [any PersistentModel.Type] = [GraphSeat.self, GraphNode.self]
    private static let keys = "SELECT group_concat(id) FROM (SELECT id FROM GraphSeat ORDER BY id)"

    private func seat(_ store: DefaultStore, _ number: Int64, key: Int64? = nil) throws -> DefaultSnapshot {
        let table = try store.layout.table(named: "GraphSeat")
        return DefaultSnapshot(
            persistentIdentifier: key.map { table.origin.identifier($0) } ?? GraphSeat(0).persistentModelID,
            values: table.columns.map { $0.name == "number" ? .integer(number) : .null },
            changed: PropertySet())
    }

    private func node(
        _ store: DefaultStore, _ name: String, key: Int64? = nil, parent: PersistentIdentifier? = nil
    ) throws -> DefaultSnapshot {
        let table = try store.layout.table(named: "GraphNode")
        let values: [String: PropertyValue] = [
            "name": .text(name), "number": .integer(0), "tags": .text("[]"),
            "parent": parent.map { .reference($0) } ?? .null,
        ]
        return DefaultSnapshot(
            persistentIdentifier: key.map { table.origin.identifier($0) } ?? GraphNode("").persistentModelID,
            values: table.columns.map { values[$0.name] ?? .null }, changed: PropertySet())
    }

    @discardableResult
    private func save(
        _ store: DefaultStore, insert inserted: [DefaultSnapshot], update updated: [DefaultSnapshot] = [],
        delete deleted: [DefaultSnapshot] = [], link linked: [DataStoreLink] = []
    ) throws -> [Int64] {
        let request = DataStoreSaveChangesRequest(
            editingState: EditingState(id: UUID()), inserted: inserted, updated: updated, deleted: deleted,
            linked: linked)
        let identifiers = try store.save(request).remappedIdentifiers
        return try inserted.map { try #require(identifiers[$0.persistentIdentifier]?.integerPrimaryKey) }
    }

    private func text(_ store: DefaultStore, _ sql: String) throws -> String {
        try store.database.read { try $0.scalarText(sql) ?? "" }
    }

    @Test(arguments: StoreKind.allCases, [1, 7, 60])
    func deletedRowsReturnWithTheirKeys(_ kind: StoreKind, _ count: Int) throws {
        let base = try TestStore(kind, Self.models)
        let store = try base.store
        let numbers = (1...Int64(count)).map { $0 }
        try save(store, insert: try numbers.map { try seat(store, $0) })
        try save(store, insert: [], delete: try numbers.map { try seat(store, $0, key: $0) })
        let context = base.context()
        let token = try context.currentHistoryToken()
        #expect(
            try save(store, insert: try numbers.reversed().map { try seat(store, $0, key: $0) }) == numbers.reversed())
        // Recorded like any other insert.
        let transactions = try context.fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
        let inserted = transactions.flatMap(\.changes).compactMap { change in
            if case .insert(let insert) = change { insert.changedPersistentIdentifier.integerPrimaryKey } else { nil }
        }
        #expect(inserted == numbers.reversed())
        // New rows have new keys.
        #expect(try save(store, insert: [seat(store, -1)]) == [Int64(count) + 1])
    }

    @Test(arguments: StoreKind.allCases, [1, 20])
    func aHigherKeyRaisesTheFollowingKeys(_ kind: StoreKind, _ count: Int) throws {
        let store = try TestStore(kind, Self.models).store
        try save(store, insert: [seat(store, 0)])
        // Temporary and permanent identifiers in one request, in several runs.
        let mixed =
            [try seat(store, 1), try seat(store, 2, key: 1_000)]
            + (try (1...count).map { try seat(store, 10 + Int64($0)) }) + [try seat(store, 3, key: 500)]
        #expect(
            try save(store, insert: mixed) == [1_001, 1_000] + (1...count).map { 1_001 + Int64($0) } + [500])
        try save(store, insert: [], delete: [seat(store, 0, key: 1_001 + Int64(count))])
        #expect(try save(store, insert: [seat(store, 4)]) == [1_002 + Int64(count)])
    }

    @Test(arguments: StoreKind.allCases, [1, 8, 60])
    func aKeyThatExistsThrows(_ kind: StoreKind, _ count: Int64) throws {
        let base = try TestStore(kind, Self.models)
        let store = try base.store
        let origin = try store.layout.table(named: "GraphSeat").origin
        try save(store, insert: [seat(store, 0)])
        let before = try base.context().currentHistoryToken()
        // The existing key is in the middle of a statement.
        let keys = (1...count).map { ($0 + count / 2) % count + 1 }
        let rows = try keys.map { try seat(store, $0, key: $0) }
        let error = try failure { try save(store, insert: rows) }
        #expect(error == .uniquenessViolation && error?.persistentIdentifier == origin.identifier(1))
        let twice = try failure {
            try save(store, insert: [seat(store, 1), seat(store, 2, key: 7), seat(store, 3, key: 7)])
        }
        #expect(twice == .uniquenessViolation && twice?.persistentIdentifier == origin.identifier(7))
        #expect(try text(store, Self.keys) == "1")
        #expect(try base.context().currentHistoryToken() == before)
        // Unless the same request deletes the row.
        try save(store, insert: rows, delete: [seat(store, 0, key: 1)])
        #expect(try text(store, Self.keys) == (1...count).map(String.init).joined(separator: ","))
    }

    @Test(arguments: StoreKind.allCases)
    func anIdentifierOfAnotherStoreThrows(_ kind: StoreKind) throws {
        let (store, other) = try (TestStore(kind, Self.models).store, TestStore(.inMemory, Self.models).store)
        let rows = [try seat(store, 1), try seat(other, 2, key: 5)]
        let error = try failure { try save(store, insert: rows) }
        #expect(error == .modelNotFound && error?.persistentIdentifier == rows[1].persistentIdentifier)
        #expect(try text(store, Self.keys) == "")
    }

    @Test(arguments: StoreKind.allCases)
    func restoredAndNewRowsReferenceEachOther(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.models).store
        let child = try node(store, "child", parent: store.layout.table(named: "GraphNode").origin.identifier(9))
        let restored = try node(store, "restored", key: 9)
        let grandchild = try node(store, "grandchild", key: 4, parent: child.persistentIdentifier)
        #expect(try save(store, insert: [child, grandchild, restored]) == [10, 4, 9])
        let rows = "SELECT group_concat(id || name || ifnull(parent, '')) FROM (SELECT * FROM GraphNode ORDER BY id)"
        #expect(try text(store, rows) == "4grandchild10,9restored,10child9")
        // A row without its destination is not saved.
        let error = try failure {
            try save(
                store,
                insert: [
                    node(store, "lost", key: 20, parent: store.layout.table(named: "GraphNode").origin.identifier(30))
                ])
        }
        #expect(error == .modelValidationFailure)
    }

    @Test(arguments: StoreKind.allCases)
    func restoredRowsAreLinked(_ kind: StoreKind) throws {
        let base = try TestStore(kind, [LinkItem.self, LinkTag.self, LinkPhoto.self])
        let store = try base.store
        func row(_ entity: String, _ name: String, key: Int64) throws -> DefaultSnapshot {
            let table = try store.layout.table(named: entity)
            return DefaultSnapshot(
                persistentIdentifier: table.origin.identifier(key),
                values: table.columns.map { $0.name == "name" ? .text(name) : .integer(0) },
                changed: PropertySet())
        }
        let (item, tag) = (try row("LinkItem", "item", key: 3), try row("LinkTag", "tag", key: 8))
        let links = try #require(store.schema.links.first { $0.property.name == "tags" || $0.inverse?.name == "tags" })
        let link = DataStoreLink(links, owner: item.persistentIdentifier, destination: tag.persistentIdentifier)
        try save(store, insert: [item, tag], link: [link])
        try base.reading { context in
            let item = try #require(try context.items().first)
            #expect(item.persistentModelID.integerPrimaryKey == 3 && item.tags.names == ["tag"])
        }
    }

    /// A store that saves one row after another has reserved keys, which a restored row may have.
    @Test func reservedKeysAreNotUsedTwice() throws {
        let base = try TestStore(.file, Self.models)
        let store = try base.store
        for number in Int64(0)..<30 { try save(store, insert: [seat(store, number)]) }
        #expect(try save(store, insert: [seat(store, 100, key: 33)]) == [33])
        let keys = try (Int64(200)..<240).map { try save(store, insert: [seat(store, $0)])[0] }
        #expect(keys == keys.sorted() && keys.allSatisfy { $0 > 33 })
        #expect(try text(store, "SELECT count(*) FROM GraphSeat") == "71")
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func anyIntegerIsAKey(_ key: Int64) throws {
        let store = try TestStore(.inMemory, Self.models).store
        #expect(try save(store, insert: [seat(store, 1, key: key)]) == [key])
        if key == .max {
            #expect(throws: SwiftDataError.storeFull) { try save(store, insert: [seat(store, 2)]) }
            #expect(throws: SwiftDataError.storeFull) {
                try save(store, insert: [seat(store, 2), seat(store, 3, key: 5)])
            }
        } else {
            #expect(try save(store, insert: [seat(store, 2)]) == [1])
        }
    }

    private func failure(_ body: () throws -> Void) throws -> SwiftDataError? {
        try ChronicleTestSupport.failure(of: body)
    }
}
