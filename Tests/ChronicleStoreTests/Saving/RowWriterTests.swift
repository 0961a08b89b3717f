import ChronicleCore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The order in which the rows of a save are written, and the keys of new rows.
@Suite struct RowWriterTests {
    private let base: TestStore
    private let store: DefaultStore
    private static let seats = "SELECT group_concat(id || ':' || number) FROM (SELECT * FROM GraphSeat ORDER BY id)"

    init() throws {
        base = try TestStore(.inMemory, [GraphSeat.self, GraphNode.self])
        store = try base.store
    }

    // MARK: Snapshots

    /// A model with these values and empty other values. It is new if it has no key.
    private func snapshot(
        _ entity: String, _ key: Int64? = nil, changed: [String] = [], _ values: [String: PropertyValue]
    ) throws -> DefaultSnapshot {
        let table = try store.layout.table(named: entity)
        var set = PropertySet()
        for (slot, column) in table.columns.enumerated() where changed.contains(column.name) { set.insert(slot) }
        let identifier = try key.map { table.origin.identifier($0) } ?? new(entity)
        return DefaultSnapshot(
            persistentIdentifier: identifier, values: table.columns.map { values[$0.name] ?? .null }, changed: set)
    }

    /// An identifier that a context assigns to an unsaved model.
    private func new(_ entity: String) throws -> PersistentIdentifier {
        entity == "GraphSeat" ? GraphSeat(0).persistentModelID : GraphNode("").persistentModelID
    }

    private func seat(_ key: Int64? = nil, number: Int64) throws -> DefaultSnapshot {
        try snapshot("GraphSeat", key, changed: ["number"], ["number": .integer(number)])
    }

    private func node(
        _ key: Int64? = nil, _ name: String, changed: [String] = [], _ references: [String: PersistentIdentifier] = [:]
    ) throws -> DefaultSnapshot {
        let values: [String: PropertyValue] = [
            "name": .text(name), "number": .integer(0), "tags": .text("[]"),
        ]
        return try snapshot(
            "GraphNode", key, changed: changed, values.merging(references.mapValues { .reference($0) }) { $1 })
    }

    /// Writes the rows in one transaction.
    ///
    /// - Returns: The keys of the new rows.
    @discardableResult
    private func write(
        insert inserted: [DefaultSnapshot] = [], update updated: [DefaultSnapshot] = [],
        delete deleted: [DefaultSnapshot] = [], together: Bool = true
    ) throws -> [Int64] {
        let request = DataStoreSaveChangesRequest(
            editingState: EditingState(id: UUID()), inserted: inserted, updated: updated, deleted: deleted)
        return try store.database.write { connection in
            try connection.immediate {
                var writer = RowWriter(connection, store.layout, Recording(connection), predictsKeys: together)
                try writer.write(request)
                return try writer.inserted.map { try #require($0.integerPrimaryKey) }
            }
        }
    }

    private func text(_ sql: String) throws -> String {
        try store.database.read { connection in
            let statement = try connection.prepare(sql)
            return try statement.step() ? statement.text(0) : ""
        }
    }

    // MARK: Keys

    /// 7 rows are inserted individually; 8 and more are inserted in statements of 50, 8, and 1 rows.
    @Test(arguments: [1, 7, 8, 9, 50, 67, 120])
    func newRowsHaveKeysInTheOrderOfTheRequest(_ count: Int) throws {
        let rows = try (1...count).map { try seat(number: Int64(1_000 - $0)) }
        #expect(try write(insert: rows) == (1...count).map { Int64($0) })
        #expect(try text(Self.seats) == (1...count).map { "\($0):\(1_000 - $0)" }.joined(separator: ","))
    }

    @Test(arguments: [3, 20])
    func keyOfADeletedRowIsNotReused(_ count: Int) throws {
        try write(insert: try (1...4).map { try seat(number: $0) })
        try base.foreign("DELETE FROM GraphSeat WHERE id > 2")
        let keys = try write(insert: try (1...count).map { try seat(number: Int64(10 + $0)) })
        #expect(keys == (1...count).map { Int64(4 + $0) })
    }

    @Test func newRowsThatReferenceEachOtherHavePredictedKeys() throws {
        try write(insert: [node(nil, "old")])
        // A ring: each row references the next one, and the last references the first.
        let nodes = try ["a", "b", "c"].map { try node(nil, $0) }
        let ring = try zip(nodes, nodes[1...] + nodes[..<1]).map { node, next in
            DefaultSnapshot(
                persistentIdentifier: node.persistentIdentifier,
                values: try self.node(nil, text(of: node), ["favourite": next.persistentIdentifier]).values,
                changed: PropertySet())
        }
        #expect(try write(insert: ring) == [2, 3, 4])
        let links = try text(
            "SELECT group_concat(name || favourite) FROM (SELECT * FROM GraphNode WHERE id > 1 ORDER BY id)")
        #expect(links == "a3,b4,c2")
    }

    private func text(of node: DefaultSnapshot) throws -> String {
        let names = try store.layout.table(named: "GraphNode").columns.map(\.name)
        guard case .text(let name) = node.values[try #require(names.firstIndex(of: "name"))] else { return "" }
        return name
    }

    @Test func updateReferencesTheKeyOfANewRow() throws {
        try write(insert: [node(nil, "old")])
        let new = try node(nil, "new")
        try write(
            insert: [new], update: [node(1, "old", changed: ["favourite"], ["favourite": new.persistentIdentifier])])
        #expect(try text("SELECT favourite FROM GraphNode WHERE id = 1") == "2")
    }

    @Test func rowsInsertedByATriggerAreDetected() throws {
        try base.foreign(
            """
            CREATE TRIGGER more AFTER INSERT ON GraphSeat WHEN NEW.number < 1000
            BEGIN INSERT INTO GraphSeat(number) VALUES (NEW.number + 1000); END
            """)
        let rows = try (1...8).map { try seat(number: $0) }
        #expect(throws: RowWriter.UnexpectedKeys.self) { try write(insert: rows) }
        #expect(try text("SELECT count(*) FROM GraphSeat") == "0")
        let keys = try write(insert: rows, together: false)
        for (key, number) in zip(keys, 1...8) {
            #expect(try text("SELECT number FROM GraphSeat WHERE id = \(key)") == "\(number)")
        }
    }

    @Test(arguments: [1, 8])
    func storeIsFullAfterTheLastKey(_ count: Int) throws {
        try base.foreign("INSERT INTO GraphSeat(id, number) VALUES (\(Int64.max), 0)")
        #expect(throws: SwiftDataError.storeFull) {
            do {
                try write(insert: try (1...count).map { try seat(number: Int64($0)) })
            } catch let error as SQLiteError {
                throw SwiftDataError(error, storeIdentifier: nil)
            }
        }
    }

    // MARK: Order

    @Test func insertMayReuseTheUniqueValueOfADeletedRow() throws {
        try write(insert: [seat(number: 1)])
        try write(insert: [seat(number: 1)], delete: [seat(1, number: 1)])
        #expect(try text(Self.seats) == "2:1")
    }

    @Test func updateMayReuseTheUniqueValueOfADeletedRow() throws {
        try write(insert: [seat(number: 1), seat(number: 2)])
        try write(update: [seat(2, number: 1)], delete: [seat(1, number: 1)])
        #expect(try text(Self.seats) == "2:1")
    }

    @Test(arguments: [false, true])
    func shiftedUniqueValuesAreWrittenInAValidOrder(_ isReversed: Bool) throws {
        try write(insert: try (1...20).map { try seat(number: $0) })
        let moved = try (1...20).map { try seat($0, number: $0 + 1) }
        try write(update: isReversed ? moved.reversed() : moved)
        #expect(try text(Self.seats) == (1...20).map { "\($0):\($0 + 1)" }.joined(separator: ","))
    }

    @Test func uniqueValuesCanBeSwapped() throws {
        try write(insert: [seat(number: 1), seat(number: 2)])
        try write(update: [seat(1, number: 2), seat(2, number: 1)])
        #expect(try text(Self.seats) == "1:2,2:1")
    }

    /// Children are deleted with their parent, unless the same save moves them to another one.
    @Test func referenceMovesBeforeItsFormerDestinationIsDeleted() throws {
        try write(insert: [node(nil, "old"), node(nil, "new")])
        let origin = try store.layout.table(named: "GraphNode").origin
        try write(insert: [
            node(nil, "moved", ["parent": origin.identifier(1)]), node(nil, "left", ["parent": origin.identifier(1)]),
        ])
        try base.foreign("PRAGMA foreign_keys = ON")
        try write(
            update: [node(3, "moved", changed: ["parent"], ["parent": origin.identifier(2)])],
            delete: [node(4, "left"), node(1, "old")])
        #expect(try text("SELECT group_concat(name || ifnull(parent, '')) FROM GraphNode") == "new,moved2")
    }

    // MARK: Deleted and rejected rows

    @Test func updateOfADeletedRowThrowsButDeleteDoesNot() throws {
        try write(insert: [seat(number: 1)])
        let error = try failure { try write(update: [seat(1, number: 3), seat(2, number: 2)]) }
        #expect(error == .modelNotFound && error?.persistentIdentifier?.integerPrimaryKey == 2)
        #expect(try text(Self.seats) == "1:1")
        try write(delete: [seat(2, number: 2), seat(1, number: 1)])
        #expect(try text(Self.seats) == "")
    }

    @Test(arguments: [1, 8, 60])
    func errorNamesTheRejectedRow(_ count: Int) throws {
        try write(insert: [seat(number: Int64(count))])
        let rows = try (1...count).map { try seat(number: Int64($0)) }
        let error = try failure { try write(insert: rows) }
        #expect(error == .uniquenessViolation)
        #expect(error?.persistentIdentifier == rows.last?.persistentIdentifier)
    }

    @Test func rowIgnoredByATriggerThrows() throws {
        try base.foreign(
            """
            CREATE TRIGGER picky BEFORE INSERT ON GraphSeat WHEN NEW.number = 3
            BEGIN SELECT RAISE(IGNORE); END
            """)
        let rows = try (1...8).map { try seat(number: $0) }
        #expect(throws: RowWriter.UnexpectedKeys.self) { try write(insert: rows) }
        let error = try failure { try write(insert: rows, together: false) }
        #expect(error == .modelValidationFailure)
        #expect(error?.persistentIdentifier == rows[2].persistentIdentifier)
    }

    // MARK: Deletes of consecutive keys

    /// Keys in both orders, with rows that another program deleted, and in an order without ranges.
    @Test(arguments: [60, 1_200], [1, -1, 7])
    func exactlyTheGivenRowsAreDeleted(_ count: Int64, _ step: Int64) throws {
        try write(insert: try (1...count).map { try seat(number: $0) })
        try base.foreign("DELETE FROM GraphSeat WHERE id IN (7, 8, 20)")
        let kept: Set<Int64> = [1, 13, 55, count]
        // 7 has no common divisor with the count plus one, so the products are all keys.
        let keys = (1...count).map { (count + 1 + $0 * step) % (count + 1) }.filter { !kept.contains($0) }
        try write(delete: try keys.map { try seat($0, number: $0) })
        #expect(try text(Self.seats) == kept.sorted().map { "\($0):\($0)" }.joined(separator: ","))
    }

    @Test(arguments: ["RAISE(IGNORE)", "RAISE(ABORT, 'kept')"])
    func errorNamesTheRowThatATriggerKeeps(_ action: String) throws {
        try write(insert: try (1...120).map { try seat(number: $0) })
        try base.foreign(
            "CREATE TRIGGER keeping BEFORE DELETE ON GraphSeat WHEN OLD.id = 77 BEGIN SELECT \(action); END")
        let rows = try (1...120).map { try seat($0, number: $0) }
        let error = try failure { try write(delete: rows) }
        #expect(error?.persistentIdentifier == rows[76].persistentIdentifier)
        #expect(try store.database.read { try $0.scalarInt64("SELECT count(*) FROM GraphSeat") } == 120)
    }

    // MARK: Updates of one column

    @Test func updateToTheStoredValueHasNoEffect() throws {
        try write(insert: [seat(number: 1)])
        try base.foreign("UPDATE GraphSeat SET number = 2")
        try base.foreign(
            "CREATE TRIGGER failing BEFORE UPDATE ON GraphSeat BEGIN SELECT RAISE(ABORT, 'the row was written'); END")
        try write(update: [seat(1, number: 2)])
        #expect(throws: SwiftDataError.self) { try write(update: [seat(1, number: 3)]) }
    }

    @Test func updateIgnoredByATriggerThrows() throws {
        try write(insert: [seat(number: 1), seat(number: 2)])
        try base.foreign("CREATE TRIGGER ignoring BEFORE UPDATE ON GraphSeat BEGIN SELECT RAISE(IGNORE); END")
        let row = try seat(2, number: 3)
        let error = try failure { try write(update: [row]) }
        #expect(error == .modelValidationFailure && error?.persistentIdentifier == row.persistentIdentifier)
    }

    @Test func snapshotWithOtherColumnsThrows() throws {
        try write(insert: [seat(number: 1)])
        for row in [try seat(number: 2), try seat(1, number: 2)] {
            for values in [[], Array(row.values.dropLast()), row.values + [.null]] {
                let other = DefaultSnapshot(
                    persistentIdentifier: row.persistentIdentifier, values: values, changed: row.changed)
                let isNew = row.persistentIdentifier.isTemporary
                let error = try failure { try write(insert: isNew ? [other] : [], update: isNew ? [] : [other]) }
                #expect(error == .modelValidationFailure && error?.entityName == "GraphSeat")
            }
        }
        let row = try seat(1, number: 2)
        for slot in [row.values.count, 63, 64, 1_000] {
            var changed = row.changed
            changed.insert(slot)
            let other = DefaultSnapshot(
                persistentIdentifier: row.persistentIdentifier, values: row.values, changed: changed)
            #expect(try failure { try write(update: [other]) } == .modelValidationFailure)
        }
        #expect(try text(Self.seats) == "1:1")
    }

    private func failure(_ body: () throws -> Void) throws -> SwiftDataError? {
        try ChronicleTestSupport.failure(of: body)
    }
}
