import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Any damage to the rows of the history is an error and not a crash.
@Suite struct HistoryDamageTests {
    private func filled() throws -> TestStore {
        let store = try TestStore(.inMemory)
        let context = store.context(author: "app")
        let trips = try store.add("a", "b", in: context)
        trips[0].note = "n"
        try context.save()
        context.delete(trips[1])
        try context.save()
        #expect(try store.store.fetchHistoryCount(Descriptor()) == 4)
        return store
    }

    // Rows 1 and 3 are inserts, 5 an update, 7 to 9 a delete; 2, 4, 6 and 10 are headers.
    @Test(arguments: [
        "UPDATE chronicle_change SET kind = 16 WHERE id = 1",
        "UPDATE chronicle_change SET kind = 16001 WHERE id = 1",
        "UPDATE chronicle_change SET kind = 9223372036854775805 WHERE id = 1",
        "UPDATE chronicle_change SET kind = 1 WHERE id = 1",
        "UPDATE chronicle_change SET primary_key = 'one' WHERE id = 1",
        "UPDATE chronicle_change SET primary_key = NULL WHERE id = 1",
        "UPDATE chronicle_change SET attributes = NULL WHERE id = 5",
        "UPDATE chronicle_change SET attributes = 'mask' WHERE id = 5",
        "UPDATE chronicle_change SET attributes = 1 << 61 WHERE id = 5",
        "UPDATE chronicle_change SET attributes = 1 << 62 WHERE id = 5",
        "UPDATE chronicle_change SET attributes = -1 WHERE id = 5",
        "UPDATE chronicle_change SET attributes = '1,x' WHERE id = 5",
        "UPDATE chronicle_change SET attributes = '' WHERE id = 5",
        "UPDATE chronicle_change SET attributes = '1,,1' WHERE id = 5",
        "UPDATE chronicle_change SET attributes = '1,-1' WHERE id = 5",
        "UPDATE chronicle_change SET attributes = x'00ff' WHERE id = 5",
        "UPDATE chronicle_change SET attributes = 'name' WHERE id = 7",
        "UPDATE chronicle_change SET attributes = 77 WHERE id = 7",
        "UPDATE chronicle_change SET attributes = -1 WHERE id = 8",
        "UPDATE chronicle_change SET attributes = 9223372036854775807 WHERE id = 8",
        "UPDATE chronicle_change SET primary_key = 9 WHERE id = 8",
        "UPDATE chronicle_change SET kind = 32 WHERE id = 8",
        "UPDATE chronicle_change SET kind = 31 WHERE id = 5",
        "UPDATE chronicle_change SET kind = NULL WHERE id = 3",
        "UPDATE chronicle_change SET kind = 0 WHERE id = 4",
        "UPDATE chronicle_change SET kind = -99 WHERE id = 4",
        "UPDATE chronicle_change SET kind = -9223372036854775808 WHERE id = 4",
        "UPDATE chronicle_change SET primary_key = 'today' WHERE id = 4",
        "UPDATE chronicle_change SET primary_key = NULL WHERE id = 4",
        "UPDATE chronicle_change SET attributes = 1.5 WHERE id = 4",
        "UPDATE chronicle_change SET old_value = NULL WHERE id = 4",
        "UPDATE chronicle_change SET old_value = 1 WHERE id = 4",
        "UPDATE chronicle_change SET old_value = 0 WHERE id = 4",
        "UPDATE chronicle_change SET old_value = 5 WHERE id = 4",
        "UPDATE chronicle_change SET old_value = -9223372036854775808 WHERE id = 4",
        "UPDATE chronicle_change SET old_value = 9223372036854775807 WHERE id = 4",
        "UPDATE chronicle_change SET id = 9223372036854775807 WHERE id = 10",
        "DELETE FROM chronicle_change WHERE id = 1",
        "DELETE FROM chronicle_change WHERE id = 8",
        "DELETE FROM chronicle_change WHERE id = 2",
        "DELETE FROM chronicle_source WHERE id > 1",
    ])
    func damagedHistoryThrows(_ sql: String) throws {
        let store = try filled()
        try store.foreign(sql)
        let error = try failure(of: { try store.history() })
        #expect(error == .damagedFile, "\(String(describing: error))")
        #expect(error?.storeIdentifier == (try store.store.identifier))
        // A reader of other transactions does not read the damaged one and must not fail.
        let some = Descriptor(predicate: #Predicate { $0.author == "app" || $0.author == nil })
        let other = try failure(of: { try store.history(some) })
        #expect(other == nil || other == .damagedFile, "\(String(describing: other))")
        _ = try failure(of: { try store.store.deleteHistory(some) })
    }

    @Test func invalidPositionsThrow() throws {
        let store = try filled()
        let all = try store.history().map(\.id)
        try store.foreign(
            """
            INSERT INTO chronicle_change(id, kind, primary_key, attributes, old_value) VALUES
                (0, -1, 1.0, 1, 0), (-1, -1, 1.0, 1, -2), (-2, 13, 1, NULL, NULL)
            """)
        let beginning = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 0, checkValue: nil)
        for descriptor in [
            Descriptor(), .after(beginning), Descriptor(predicate: #Predicate { $0.token >= beginning }),
            Descriptor(sortBy: [SortDescriptor(\.timestamp)]),
        ] {
            var found: [Int64] = []
            let error = try failure(of: { found = try store.history(descriptor).map(\.id) })
            #expect(error == .damagedFile || Set(found) == Set(all) && found.count == all.count)
        }
    }

    @Test func onlyRequestedTransactionsAreRead() throws {
        let store = try filled()
        let all = try store.history()
        try store.foreign("UPDATE chronicle_change SET primary_key = 'x' WHERE id IN (1, 7)")
        #expect(try failure(of: { try store.history() }) == .damagedFile)
        let (first, last) = (all[0].token, all[2].token)
        #expect(try store.history(.after(first).limited(2)).map(\.id) == [4, 6])
        #expect(try store.history(.after(first).limited(1, offset: 1)).map(\.id) == [6])
        #expect(try failure(of: { try store.history(.after(last)) }) == .damagedFile)
        let between = Descriptor(predicate: #Predicate { $0.token > first && $0.token <= last })
        #expect(try store.history(between).map(\.id) == [4, 6])
        #expect(try store.store.fetchHistoryIdentifiers(Descriptor()) == [2, 4, 6, 10])
    }

    @Test func currentTokenOfADamagedHeaderThrows() throws {
        let store = try filled()
        try store.foreign("UPDATE chronicle_change SET attributes = 'x' WHERE id = 10")
        #expect(try failure(of: { try store.store.currentHistoryToken() }) == .damagedFile)
        let token = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 10, checkValue: 1)
        #expect(try failure(of: { try store.history(.after(token)) }) == .damagedFile)
    }
}
