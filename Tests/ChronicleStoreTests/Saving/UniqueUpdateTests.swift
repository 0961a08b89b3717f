import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

@Model private final class Coded {
    @Attribute(.unique) var code: String
    var rank: Int

    init(code: String, rank: Int) { (self.code, self.rank) = (code, rank) }
}

/// Updates of unique and other attributes, whose statement compares the unique values that most rows already have.
@Suite struct UniqueUpdateTests {
    private static let count = 20

    private func store(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, [Coded.self])
        let context = store.context()
        for number in 1...Self.count { context.insert(Coded(code: "\(number)", rank: 0)) }
        try context.save()
        return store
    }

    /// Saves both attributes of each row.
    private func save(_ rows: [(key: Int, code: String, rank: Int64)], _ store: TestStore) throws {
        let store = try store.store
        let table = try store.layout.table(named: "Coded")
        let slots = table.columns.map(\.name)
        var changed = PropertySet()
        for slot in slots.indices { changed.insert(slot) }
        let updated = rows.map { key, code, rank in
            DefaultSnapshot(
                persistentIdentifier: table.origin.identifier(Int64(key)),
                values: slots.map { $0 == "code" ? .text(code) : .integer(rank) }, changed: changed)
        }
        _ = try store.save(
            DataStoreSaveChangesRequest(
                editingState: EditingState(id: UUID()), inserted: [], updated: updated, deleted: []))
    }

    private func rows(_ store: TestStore) throws -> [String] {
        try store.context().fetch(FetchDescriptor<Coded>(sortBy: [SortDescriptor(\.persistentModelID)]))
            .map { "\($0.code) \($0.rank)" }
    }

    @Test(arguments: StoreKind.allCases) func onlyDifferencesAreRecorded(_ kind: StoreKind) throws {
        let store = try store(kind)
        try save((1...Self.count).map { ($0, "\($0)", Int64($0 % 2)) }, store)
        #expect(try rows(store) == (1...Self.count).map { "\($0) \($0 % 2)" })
        let changes = try #require(try store.history().last).changes
        #expect(changes.count == Self.count / 2)
        for case .update(let update as DefaultHistoryUpdate<Coded>) in changes {
            #expect(update.updatedAttributes == [\.rank])
        }
    }

    /// Another writer may change unique values after they were read.
    @Test(arguments: StoreKind.allCases, [1, 10, 20]) func otherUniqueValuesAreReplaced(
        _ kind: StoreKind, _ changed: Int
    ) throws {
        let store = try store(kind)
        try store.foreign("UPDATE Coded SET code = 'other' WHERE rank = 0 AND code = '\(changed)'")
        try save((1...Self.count).map { ($0, "\($0)", 7) }, store)
        #expect(try rows(store) == (1...Self.count).map { "\($0) 7" })
    }

    @Test(arguments: StoreKind.allCases) func valuesMoveAlongRows(_ kind: StoreKind) throws {
        let store = try store(kind)
        try save((1...Self.count).map { ($0, "\($0 + 1)", Int64($0)) }, store)
        #expect(try rows(store) == (1...Self.count).map { "\($0 + 1) \($0)" })
    }

    @Test(arguments: StoreKind.allCases, [1, 10, 20]) func missingRowIsAnError(_ kind: StoreKind, _ missing: Int) throws
    {
        let store = try store(kind)
        try store.foreign("DELETE FROM Coded WHERE code = '\(missing)'")
        let error = #expect(throws: SwiftDataError.self) {
            try save((1...Self.count).map { ($0, "\($0)", 7) }, store)
        }
        #expect(error == .modelNotFound && error?.persistentIdentifier?.integerPrimaryKey == Int64(missing))
        #expect(try rows(store).allSatisfy { $0.hasSuffix(" 0") })
    }
}
