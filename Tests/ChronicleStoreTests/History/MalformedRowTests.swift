import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Rows that Chronicle never writes, in its internal tables: an error names the table and the row, and nothing is lost.
@Suite struct MalformedRowTests {
    /// The statement that writes the malformed row.
    enum Operation: CaseIterable, Sendable {
        case read, readAfterToken, readHeaders, currentToken, save, deleteHistory, deleteBeforeToken

        func run(_ store: TestStore, _ token: DefaultHistoryToken) throws {
            switch self {
            case .read: _ = try store.history()
            case .readAfterToken: _ = try store.history(.after(token))
            case .readHeaders: _ = try store.store.fetchHistoryWithoutChanges(Descriptor())
            case .currentToken: _ = try store.store.currentHistoryToken()
            case .save: try store.add("another")
            case .deleteHistory: try store.store.deleteHistory(Descriptor())
            case .deleteBeforeToken: try store.store.deleteHistory(.before(token))
            }
        }
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let sql: String
        /// The table and row that the error must name.
        let row: String
        let operations: [Operation]

        init(_ sql: String, _ row: String, _ operations: [Operation] = Operation.allCases) {
            (self.sql, self.row, self.operations) = (sql, row, operations)
        }

        var testDescription: String { sql }
    }

    private func filled(_ kind: StoreKind) throws -> (TestStore, DefaultHistoryToken) {
        let store = try TestStore(kind)
        let context = store.context(author: "app")
        let trips = try store.add("a", "b", in: context)
        trips[0].note = "n"
        try context.save()
        let token = try #require(try store.store.currentHistoryToken())
        context.delete(trips[1])
        try context.save()
        return (store, token)
    }

    // Rows 1 and 3 are inserts, 5 an update, 7 to 9 a delete; 2, 4, 6 and 10 are headers.
    static let damages: [Damage] = [
        Damage("UPDATE chronicle_change SET id = 9223372036854775807 WHERE id = 10", "row 9223372036854775807 of"),
        Damage("UPDATE chronicle_change SET id = 9223372036854775806 WHERE id = 10", "row 9223372036854775806 of"),
        Damage("UPDATE chronicle_change SET id = 4611686018427387905 WHERE id = 10", "row 4611686018427387905 of"),
        Damage("UPDATE chronicle_change SET id = id - 100", "row -90 of chronicle_change"),
        Damage("UPDATE chronicle_change SET id = -9223372036854775798 - id", "row -9223372036854775799 of"),
        Damage("UPDATE chronicle_change SET kind = NULL WHERE id = 10", "row 10 of", [.read, .currentToken, .save]),
        Damage("UPDATE chronicle_change SET kind = 'x' WHERE id = 10", "row 10 of", [.read, .currentToken, .save]),
        Damage("UPDATE chronicle_change SET kind = x'00' WHERE id = 6", "row 6 of", [.readAfterToken]),
        Damage(
            "UPDATE chronicle_change SET primary_key = 9e999 WHERE id = 10", "row 10 of",
            [.readAfterToken, .readHeaders]),
        Damage("UPDATE chronicle_change SET old_value = -1 WHERE id = 10", "row 10 of", [.read, .readAfterToken]),
        Damage("UPDATE chronicle_change SET id = 12 WHERE id = 8", "row 9 of", [.readAfterToken]),
        Damage(
            "UPDATE chronicle_change SET attributes = 'x' WHERE id = 10", "row 10 of", [.deleteHistory, .readHeaders]),
        meta("'floor', -9223372036854775808"), meta("'floor', 9223372036854775807"), meta("'floor', 'text'"),
        meta("'floor', 11"), meta("'gap', -1"), meta("'gap', 1.5"), meta("'gap', 11"), meta("'floorCheck', x'00'"),
    ]

    /// A value that is not a position of this history.
    private static func meta(_ row: String) -> Damage {
        let name = row.prefix { $0 != "," }
        return Damage(
            "INSERT INTO chronicle_meta(name, value) VALUES (\(row))", "row \(name) of chronicle_meta",
            [.read, .readAfterToken, .readHeaders, .deleteHistory, .deleteBeforeToken])
    }

    @Test(arguments: StoreKind.allCases, damages)
    func errorsContainTableAndRow(_ kind: StoreKind, _ damage: Damage) throws {
        for operation in damage.operations {
            let (store, token) = try filled(kind)
            try store.foreign(damage.sql)
            let error = try failure(of: { try operation.run(store, token) })
            #expect(error == .damagedFile, "\(operation): \(String(describing: error))")
            #expect(error?.detail?.contains(damage.row) == true, "\(operation): \(String(describing: error))")
            #expect(try ModelContext(store.container).fetchCount(FetchDescriptor<Trip>()) == 1)
        }
    }

    @Test func rowsOutOfOrderThrow() throws {
        let (store, token) = try filled(.file)
        // The rows are in descending order of id, although the table's definition implies ascending order.
        try store.shell(
            """
            PRAGMA legacy_alter_table = ON;
            CREATE TABLE reversed(id INTEGER, kind INTEGER, primary_key, attributes, old_value, new_value,
                PRIMARY KEY (id DESC)) WITHOUT ROWID;
            INSERT INTO reversed SELECT * FROM chronicle_change;
            DROP TABLE chronicle_change;
            ALTER TABLE reversed RENAME TO chronicle_change;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'id DESC', 'id') WHERE name = 'chronicle_change';
            PRAGMA writable_schema = RESET;
            """)
        // Opening detects that the table differs. A store that is already open reads its rows.
        #expect(throws: SwiftDataError.damagedFile) { try store.reopened() }
        let context = store.context()
        #expect(throws: SwiftDataError.damagedFile) { try context.fetchHistory(Descriptor()) }
        #expect(throws: SwiftDataError.damagedFile) { try context.fetchHistoryCount(Descriptor()) }
        #expect(throws: SwiftDataError.self) { try context.fetchHistory(.after(token)) }
        #expect(throws: SwiftDataError.self) { try context.deleteHistory(Descriptor()) }
    }

    @Test(arguments: [
        ("UPDATE chronicle_attribute SET number = -1 WHERE number = 1", "row (1, -1) of chronicle_attribute"),
        ("UPDATE chronicle_attribute SET number = 1 << 62 WHERE number = 1", "row (1, 4611686018427387904) of"),
        ("UPDATE chronicle_attribute SET number = 1.5 WHERE number = 1", "row (1, 1) of chronicle_attribute"),
        ("UPDATE chronicle_attribute SET name = x'00' WHERE number = 1", "row (1, 1) of chronicle_attribute"),
        ("UPDATE chronicle_attribute SET name = 'a' || char(0) WHERE number = 1", "row (1, 1) of chronicle_attribute"),
        ("UPDATE chronicle_entity SET id = 0 WHERE id = 1", "row 0 of chronicle_entity"),
        ("UPDATE chronicle_entity SET id = 1 << 61 WHERE id = 1", "row 2305843009213693952 of chronicle_entity"),
        ("UPDATE chronicle_entity SET id = ~(1 << 63) WHERE id = 1", "row 9223372036854775807 of chronicle_entity"),
        ("UPDATE chronicle_entity SET name = x'00' WHERE id = 1", "row 1 of chronicle_entity"),
        // Without constraints, the table could contain duplicate rows.
        (unconstrainedEntities + "UPDATE chronicle_entity SET id = 2 WHERE id = 1", "the table \"chronicle_entity\""),
        ("UPDATE chronicle_meta SET value = x'00' WHERE name = 'store'", "row 'store' of chronicle_meta"),
        ("UPDATE chronicle_meta SET value = NULL WHERE name = 'store'", "row 'store' of chronicle_meta"),
    ])
    func malformedEntitiesAndAttributesThrow(_ sql: String, _ row: String) throws {
        let (store, _) = try filled(.file)
        for sql in [sql, "DELETE FROM chronicle_meta WHERE name LIKE 'complete:%'"] {
            try store.shell(sql)
            let error = try failure(of: { try store.reopened() })
            #expect(error == .damagedFile && error?.detail?.contains(row) == true, "\(String(describing: error))")
        }
        #expect(try store.shell("SELECT count(*) FROM Trip") == "1")
    }

    private static let unconstrainedEntities = """
        ALTER TABLE chronicle_entity RENAME TO entities; CREATE TABLE chronicle_entity(id, name, a, b, c, d);
        INSERT INTO chronicle_entity SELECT * FROM entities;
        """

    /// A new attribute would have a number that cannot be recorded.
    @Test func exhaustedNumbersThrow() throws {
        let last = AttributeMasks.attributeNumbers.upperBound
        for sql in [
            "UPDATE chronicle_attribute SET number = \(last), name = 'former', present = 0 WHERE name = 'note'",
            "DELETE FROM chronicle_entity WHERE name = 'Trip'; INSERT INTO chronicle_entity(id, name) VALUES (1000000, 'Former')",
        ] {
            let (store, _) = try filled(.file)
            try store.shell(sql + "; DELETE FROM chronicle_meta WHERE name LIKE 'complete:%' OR name LIKE 'known:%'")
            let error = try failure(of: { try store.reopened() })
            #expect(error == .storeFull && error?.entityName == "Trip", "\(String(describing: error))")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func malformedMasksOfMergedUpdatesThrow(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let item = LinkItem("a", tags: [LinkTag("x")])
        context.insert(item)
        try context.save()
        try store.foreign(
            """
            CREATE TRIGGER another AFTER INSERT ON chronicle_change WHEN NEW.kind & 15 = 2
            BEGIN UPDATE chronicle_change SET attributes = 'x' WHERE id = NEW.id; END
            """)
        item.name = "b"
        item.tags = []
        #expect(throws: SwiftDataError.damagedFile) { try context.save() }
        #expect(context.hasChanges)
        #expect(try store.reading { try $0.items().first?.tags.names } == ["x"])
        try store.foreign("DROP TRIGGER another")
        try context.save()
        #expect(try store.reading { try $0.items().first?.tags.isEmpty } == true)
    }

    /// SQLite then continues after the highest row, as do the keys that a save assigns to referenced rows.
    @Test(arguments: StoreKind.allCases, ["DELETE FROM sqlite_sequence", "UPDATE sqlite_sequence SET seq = 'x'"])
    func missingSequenceRowsAreRepaired(_ kind: StoreKind, _ sql: String) throws {
        let (store, _) = try filled(kind)
        let context = store.context()
        let known = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        try store.foreign(sql)
        let trip = Trip(name: "c", destination: "somewhere")
        context.insert(trip)
        trip.bucketList = [BucketListItem(title: "first"), BucketListItem(title: "second")]
        try context.save()
        #expect(known.persistentModelID.integerPrimaryKey == 1 && trip.persistentModelID.integerPrimaryKey == 2)
        #expect(try ModelContext(store.container).fetch(FetchDescriptor<Trip>()).map(\.name) == ["a", "c"])
        #expect(try ModelContext(store.container).fetchCount(FetchDescriptor<BucketListItem>()) == 2)
    }

    /// One row, several rows, several referenced rows, and a delete.
    @Test(arguments: StoreKind.allCases)
    func ignoredChangesThrow(_ kind: StoreKind) throws {
        let (store, _) = try filled(kind)
        try store.foreign(
            """
            CREATE TRIGGER ignoring BEFORE INSERT ON Trip WHEN NEW.name = 'x' BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER keeping BEFORE DELETE ON Trip BEGIN SELECT RAISE(IGNORE); END;
            """)
        for (count, items) in [(1, 0), (10, 0), (10, 1)] {
            let context = store.context()
            for number in 0..<count {
                let trip = Trip(name: number == count / 2 ? "x" : "y", destination: "somewhere")
                context.insert(trip)
                trip.bucketList = (0..<items).map { BucketListItem(title: "\($0)") }
            }
            let error = try failure(of: { try context.save() })
            #expect(error == .modelValidationFailure && error?.entityName == "Trip", "\(String(describing: error))")
            #expect(context.insertedModelsArray.count == count * (1 + items))
        }
        let context = store.context()
        context.delete(try #require(try context.fetch(FetchDescriptor<Trip>()).first))
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try ModelContext(store.container).fetch(FetchDescriptor<Trip>()).map(\.name) == ["a"])
    }

    @Test func numberedListAllowsSparseNumbers() {
        let list = NumberedList(
            [(1, "a"), (2, "b"), (4_611_686_018_427_387_904, "c"), (-5, "d")].map { (Int64($0), $1) })
        for (number, element) in [(-5, "d"), (1, "a"), (2, "b"), (4_611_686_018_427_387_904, "c")] as [(Int64, String)]
        {
            #expect(list[number] == element)
        }
        for number in [Int64.min, -6, -4, 0, 3, .max] { #expect(list[number] == nil) }
        #expect(NumberedList<Int>([])[0] == nil)
    }
}
