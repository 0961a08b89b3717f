import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A store that saves one row after another reserves primary keys.
@Suite struct KeyReservationsTests {
    private let store: TestStore
    private static let sequence = "SELECT seq FROM sqlite_sequence WHERE name = 'GraphSeat'"

    init() throws { store = try TestStore(.file, [GraphSeat.self, GraphNode.self]) }

    /// Saves one row.
    ///
    /// - Returns: Its key.
    private func add(_ number: Int, in context: ModelContext) throws -> Int64 {
        let seat = GraphSeat(number)
        context.insert(seat)
        try context.save()
        return try #require(seat.persistentModelID.integerPrimaryKey)
    }

    private func add(_ numbers: Range<Int>, in context: ModelContext) throws -> [Int64] {
        try numbers.map { try add($0, in: context) }
    }

    @Test func keysAreConsecutiveAndTheSequenceIsAheadOfThem() throws {
        #expect(try add(0..<1_200, in: store.context()) == Array(1...1_200))
        let sequence = try #require(try store.number(Self.sequence))
        #expect(sequence > 1_200 && sequence <= 2_200)
    }

    /// Without a save of many rows in succession, the sequence is the highest key.
    @Test func aFewSavesReserveNothing() throws {
        #expect(try add(0..<10, in: store.context()) == Array(1...10))
        #expect(try store.number(Self.sequence) == 10)
    }

    @Test func keysAscendInTheOrderOfTheCommits() throws {
        let contexts = try [store.context(), ModelContext(store.reopened([GraphSeat.self, GraphNode.self]))]
        var random = TestSeed.generator(0)
        var keys: [Int64] = []
        var number = 0
        for _ in 0..<60 {
            let context = random.pick(contexts)
            for _ in 0..<random.below(30) {
                number += 1
                keys.append(try add(number, in: context))
            }
            switch random.below(4) {
            case 0:
                number += 1
                try store.shell("INSERT INTO GraphSeat(number) VALUES (\(number))")
                keys.append(try #require(try store.number("SELECT max(id) FROM GraphSeat")))
            case 1:
                // The newest row: its key must not be used again.
                try store.shell("DELETE FROM GraphSeat WHERE id = (SELECT max(id) FROM GraphSeat)")
            case 2:
                let seats = (0..<10).map { GraphSeat(number + 1 + $0) }
                number += 10
                for seat in seats { context.insert(seat) }
                try context.save()
                keys += seats.compactMap(\.persistentModelID.integerPrimaryKey)
            default: break
            }
        }
        #expect(keys == Array(Set(keys)).sorted(), "\(TestSeed.description)")
    }

    @Test func aFailedSaveUsesNoKeys() throws {
        let context = store.context()
        context.mergePolicy = .error
        #expect(try add(0..<30, in: context) == Array(1...30))
        context.insert(GraphSeat(29))
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        context.rollback()
        #expect(try add(30..<32, in: context) == [31, 32])
        // The save that reserves keys fails.
        let other = try ModelContext(store.reopened([GraphSeat.self, GraphNode.self]))
        other.mergePolicy = .error
        let first = try add(100..<116, in: other)
        other.insert(GraphSeat(29))
        #expect(throws: SwiftDataError.uniquenessViolation) { try other.save() }
        other.rollback()
        let later = try add(200..<210, in: other)
        #expect(later == (1...10).map { first[15] + Int64($0) })
    }

    @Test func aRowThatWasMovedToAReservedKeyIsKept() throws {
        let context = store.context()
        #expect(try add(0..<30, in: context) == Array(1...30))
        // Otherwise, the history would show the change.
        let triggers = try store.shell(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'GraphSeat'")
        for trigger in triggers.split(separator: "\n") { try store.shell("DROP TRIGGER \"\(trigger)\"") }
        try store.shell("UPDATE GraphSeat SET id = 35 WHERE id = 1")
        let keys = try add(30..<50, in: context)
        #expect(Set(keys).count == 20 && keys == keys.sorted() && !keys.contains(35))
        #expect(try store.number("SELECT count(*) FROM GraphSeat") == 50)
    }

    @Test(arguments: [
        "DELETE FROM sqlite_sequence", "UPDATE sqlite_sequence SET seq = 'x'", "UPDATE sqlite_sequence SET seq = 5",
    ])
    func aChangedSequenceEndsTheReservation(_ change: String) throws {
        let context = store.context()
        #expect(try add(0..<30, in: context) == Array(1...30))
        try store.shell(change)
        #expect(try add(30..<60, in: context) == Array(31...60))
    }

    /// The key of a row that another program has inserted and deleted is not used again.
    @Test func reservedKeysOfAnotherProgramAreNotUsed() throws {
        let context = store.context()
        #expect(try add(0..<30, in: context) == Array(1...30))
        try store.shell("INSERT INTO GraphSeat(id, number) VALUES (35, 1000); DELETE FROM GraphSeat WHERE id = 35")
        let keys = try add(30..<60, in: context)
        #expect(keys == keys.sorted() && keys.allSatisfy { $0 > 35 })
    }

    @Test func noKeysAreLeft() throws {
        let context = store.context()
        _ = try add(0..<30, in: context)
        try store.shell("INSERT INTO GraphSeat(id, number) VALUES (\(Int64.max - 20), 1000)")
        #expect(try add(30..<50, in: context).last == .max)
        #expect(throws: SwiftDataError.storeFull) { try add(50, in: context) }
    }
}
