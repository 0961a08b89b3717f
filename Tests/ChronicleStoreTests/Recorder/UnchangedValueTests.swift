import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Statements that write the values that rows already have.
///
/// https://github.com/jazzband/django-simple-history/issues/1363
@Suite struct UnchangedValueTests {
    @Model final class Item {
        @Attribute(.unique) var name: String
        var rating: Int
        var real = 0.5
        var note: String?
        var place: Place? = Place(city: "Rome", zip: 1)
        init(_ name: String, _ rating: Int) { (self.name, self.rating) = (name, rating) }
    }

    struct Place: Codable, Equatable {
        var city: String
        var zip: Int
    }

    /// A write, and the changes that it records.
    struct Write: Sendable {
        let changes: [String]
        let perform: @Sendable (ModelContext, DefaultStore) throws -> Void

        init(_ changes: String..., perform: @escaping @Sendable (ModelContext, DefaultStore) throws -> Void) {
            (self.changes, self.perform) = (changes, perform)
        }

        init(sql: String, _ changes: String...) {
            self.changes = changes
            perform = { _, store in
                try store.database.write { connection in
                    try connection.setTriggersEnabled(true)
                    try connection.execute(sql)
                }
            }
        }
    }

    /// The items 1 and 3 have the rating 1, the items 2 and 4 the rating 0.
    private static let writes: [Write] = [
        Write { context, _ in
            try context.update(model: Item.self, set: \.rating, to: #Expression<Item, Int> { $0.rating })
        },
        Write { context, _ in try context.update(model: Item.self, set: \.note, to: nil) },
        Write { context, _ in try context.update(model: Item.self, set: \.place, to: Place(city: "Rome", zip: 1)) },
        Write("update Item/2 rating", "update Item/4 rating") { context, _ in
            try context.update(model: Item.self, set: \.rating, to: 1)
        },
        Write("update Item/2 rating", "update Item/4 rating") { context, _ in
            try context.update(model: Item.self, set: [.init(\.rating, to: 1), .init(\.real, to: 0.5)])
        },
        // Upserts with equal values, and with one other value.
        Write { context, _ in
            context.insert(Item("item 1", 1))
            try context.save()
        },
        Write("update Item/1 rating") { context, _ in
            context.insert(Item("item 1", 7))
            try context.save()
        },
        // Other programs.
        Write(sql: "UPDATE Item SET rating = rating, name = name"),
        Write(sql: "UPDATE Item SET rating = 1, real = 0.5", "update Item/2 rating", "update Item/4 rating"),
        Write(sql: "UPDATE Item SET rating = 1.0 WHERE id = 1"),
        Write(sql: "UPDATE Item SET rating = 5 WHERE id > 100"),
        Write(sql: "INSERT INTO Item SELECT * FROM Item WHERE true ON CONFLICT DO UPDATE SET rating = excluded.rating"),
        Write(sql: "INSERT OR IGNORE INTO Item SELECT * FROM Item"),
        // The update is that of a row that was replaced by an equal one.
        Write(sql: "INSERT OR REPLACE INTO Item SELECT * FROM Item WHERE id = 1", "delete Item/1", "insert Item/1"),
    ]

    @Test(arguments: PreservedStore.allCases, writes.indices)
    func onlyChangedAttributesAreRecorded(_ kind: PreservedStore, _ number: Int) throws {
        for preservesValues in [true, false] {
            let container = try kind.container([Item.self], TemporaryDirectory(), preservesValues: preservesValues)
            let context = ModelContext(container)
            for number in 1...4 { context.insert(Item("item \(number)", number % 2)) }
            try context.save()
            let token = try context.currentHistoryToken()
            let write = Self.writes[number]
            let store = try #require(container.stores.first as? DefaultStore)
            try write.perform(ModelContext(container), store)
            let transactions = try context.fetchHistory(.after(token))
            #expect(transactions.flatMap(\.changes).map(\.text) == write.changes)
            #expect(transactions.count == (write.changes.isEmpty ? 0 : 1))
            #expect(try context.currentHistoryToken() == token || !write.changes.isEmpty)
        }
    }
}
