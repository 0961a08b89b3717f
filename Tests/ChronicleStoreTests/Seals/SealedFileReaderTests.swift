import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// What the reader of a sealed history returns for rows that the sealer did not write. See ``ReaderCheck`` for others.
@Suite struct SealedFileReaderTests {
    /// The seals end at 16, 32 and 40.
    private func sealedStore() throws -> TestStore {
        let store = try TestStore(.file)
        for number in 0..<20 { try store.add("\(number)") }
        _ = try store.sealChain()
        return store
    }

    /// The positions of the transactions of each seal, and the stray row before one.
    private func transactions(_ store: DefaultStore) throws -> [(position: Int64, stray: Int64?)] {
        let result = try store.readSealedHistory(includesValues: false) { reader in
            var reader = reader
            var found: [(Int64, Int64?)] = []
            while let seal = try reader.nextSeal() {
                while let transaction = try reader.nextTransaction(through: seal.last) {
                    found.append((transaction.position, transaction.strayPosition))
                }
            }
            return found
        }
        return try #require(result)
    }

    @Test(arguments: StoreKind.allCases) func aHistoryWithoutSealsHasNoReader(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        #expect(try store.store.readSealedHistory(includesValues: true) { _ in true } == nil)
        _ = try store.sealChain()
        #expect(try store.store.readSealedHistory(includesValues: true) { _ in true } == true)
    }

    @Test func aStoreThatIsOnlyReadHasAReader() throws {
        let store = try sealedStore()
        try store.add("unsealed")
        let reader = try DefaultStore(readingHistoryAt: store.url)
        #expect(try ReaderCheck.failures(reader) == [])
        #expect(try transactions(reader).map(\.position) == (1...20).map { $0 * 2 })
        let count = try reader.readSealedHistory(includesValues: false) { try $0.transactionCount(after: 40) }
        #expect(count == 1)
    }

    @Test func valuesCanBeOmitted() throws {
        let store = try TestStore(.file, preservesValues: true)
        try store.add("a")
        _ = try store.sealChain()
        for includesValues in [false, true] {
            let slots = try store.store.readSealedHistory(includesValues: includesValues) { reader in
                var (reader, change) = (reader, RecordedChange())
                let seal = try #require(try reader.nextSeal())
                _ = try #require(try reader.nextTransaction(through: seal.last))
                #expect(try reader.nextChange(into: &change))
                return change.slots
            }
            let first = try #require(slots?.first)
            #expect(first.attribute != nil && first.commitment?.key != nil && (first.value != nil) == includesValues)
        }
    }

    /// A row that the history had before a purge would hide nothing, but no seal that remains contains it.
    @Test func rowsBelowTheBoundaryAreStray() async throws {
        let store = try sealedStore()
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 4))
        #expect(try store.seals == [2, 3])
        #expect(try transactions(store.store).map(\.position) == [34, 36, 38, 40])
        #expect(try transactions(store.store).allSatisfy { $0.stray == nil })
        try store.shell("INSERT INTO chronicle_change(id, kind, primary_key) VALUES (5, 17, 1)")
        #expect(try transactions(store.store).map(\.stray) == [5, nil, nil, nil])
    }

    /// The newest row remains as a void header.
    @Test(arguments: StoreKind.allCases) func aPurgeOfEverythingLeavesNoTransaction(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        for number in 0..<20 { try store.add("\(number)") }
        _ = try store.sealChain()
        _ = try await store.container.purgeHistory(HistoryRetention(maximumAge: .zero))
        _ = try store.sealChain()
        try store.expectIntact()
        try store.add("next")
        _ = try store.sealChain()
        try store.expectIntact()
    }

    @Test func rowsOfNoTransactionAreStray() throws {
        let store = try sealedStore()
        try store.shell("DELETE FROM chronicle_change WHERE id = 16")
        let found = try transactions(store.store)
        let expected = (1...20).map { Int64($0 * 2) }.filter { $0 != 16 }
        #expect(found.map(\.position) == expected)
        #expect(found.compactMap(\.stray) == [15])
        // No transaction follows.
        try store.shell("DELETE FROM chronicle_change WHERE id = 40")
        #expect(try failure(of: { try transactions(store.store) }) == .damagedFile)
    }

    @Test(arguments: [
        "UPDATE chronicle_change SET kind = 15 WHERE id = 3", "UPDATE chronicle_change SET kind = 'x' WHERE id = 3",
        "UPDATE chronicle_change SET primary_key = 'x' WHERE id = 3",
        "UPDATE chronicle_change SET kind = 16 WHERE id = 3",
        "UPDATE chronicle_change SET old_value = 2 WHERE id = 4",
        "UPDATE chronicle_change SET attributes = NULL WHERE id = 4",
        "UPDATE chronicle_commitment SET key = x'00' WHERE position = 4", "DELETE FROM chronicle_source WHERE id > 1",
        "UPDATE chronicle_seal SET hash = x'00' WHERE number = 2", "UPDATE chronicle_seal SET transactions = x'00'",
        "DELETE FROM chronicle_seal", "INSERT INTO chronicle_change(id, kind) VALUES (-1, 17)",
    ])
    func damagedRows(_ sql: String) throws {
        let store = try sealedStore()
        try store.shell(sql)
        #expect(try failure(of: { try ReaderCheck.failures(store.store) }) == .damagedFile)
    }

    /// The next run deletes them.
    @Test func commitmentsOfAnInterruptedRunAreIgnored() throws {
        let store = try sealedStore()
        try store.add("unsealed")
        try store.shell(
            "INSERT INTO chronicle_commitment(position, key, commitment, event) VALUES (42, randomblob(32), randomblob(32), 9)"
        )
        try store.expectIntact()
        let erasures = try store.store.readSealedHistory(includesValues: true) { reader in
            var (reader, count) = (reader, 0)
            while let seal = try reader.nextSeal() {
                while try reader.nextTransaction(through: seal.last) != nil {}
                count += try reader.nextErasuresOfDeletedRows().count
            }
            return count
        }
        #expect(erasures == 0)
    }

    /// The event of the erasure has their number and their hash.
    @Test(arguments: StoreKind.allCases) func erasedValuesOfDeletedTransactions(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        for author in ["a", "b", "a", "b"] { try store.add(author, author: author) }
        _ = try store.sealChain()
        try store.store.erasePreservedValues([\Trip.name], of: Trip.self)
        _ = try store.sealChain()
        try store.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == "a" }))
        _ = try store.sealChain()
        var (rows, deleted): ([Int64], [Int64]) = ([], [])
        var contents: [[UInt8]] = []
        _ = try store.store.readSealedHistory(includesValues: true) { reader in
            var (reader, change) = (reader, RecordedChange())
            while let seal = try reader.nextSeal() {
                while try reader.nextTransaction(through: seal.last) != nil {
                    while try reader.nextChange(into: &change) {
                        for slot in change.slots where slot.commitment?.event != nil { rows += slot.row.integers }
                    }
                }
                deleted += try reader.nextErasuresOfDeletedRows().flatMap(\.row.integers)
                contents += seal.events.filter { $0.kind == Array("erasure".utf8) }.flatMap { $0.parts.map(\.content) }
            }
        }
        #expect(rows.count == 2 && deleted.count == 2)
        let all = (rows + deleted).sorted().map { [$0] }
        #expect(try contents == [SealedEvent.content(erasing: all, ReferenceHashing())])
        try store.expectIntact()
    }
}
