import Chronicle
import ChronicleTestSupport
import Testing

/// Rows with the last keys that a table can have, which another program has inserted.
@Suite struct LastKeyTests {
    @Model final class Item {
        var number: Int

        init(number: Int) { self.number = number }
    }

    @Test(arguments: StoreKind.allCases) func rowsAreDeleted(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Item.self])
        let context = store.context()
        context.insert(Item(number: 1))
        try context.save()
        let last: [Int64] = [.max - 2, .max - 1, .max]
        for key in last { try store.foreign("INSERT INTO Item(id, number) VALUES (\(key), 2)") }
        for item in try context.fetch(FetchDescriptor<Item>()) { context.delete(item) }
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)
        // Without a row before.
        try store.foreign("INSERT INTO Item(id, number) VALUES (\(Int64.max), 2)")
        for item in try context.fetch(FetchDescriptor<Item>()) { context.delete(item) }
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)
    }
}
