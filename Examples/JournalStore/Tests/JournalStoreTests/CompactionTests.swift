import Chronicle
import Foundation
import JournalStore
import Testing

@testable import JournalWorker

@Suite struct CompactionTests {
    private typealias Descriptor = HistoryDescriptor<JournalTransaction>

    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
        try fixture.write("one", "two", "three", "four")
    }

    /// Tokens before the floor expire; the one at it and those after it stay valid, whether the space was reclaimed or
    /// not.
    @Test func tokensRemainValidAfterCompaction() throws {
        let tokens = try fixture.history().map(\.token)
        let whole = try fixture.history(.after(tokens[1])).map { "\($0)" }
        try fixture.context().deleteHistory(Descriptor.before(tokens[1]))
        for isCompacted in [false, true] {
            let size = try fixture.bytes.count
            if isCompacted { try fixture.store.compact() }
            #expect(try !isCompacted || fixture.bytes.count < size)
            for store in [fixture, try fixture.again()] {
                #expect(throws: SwiftDataError.historyTokenExpired) { try store.history(.after(tokens[0])) }
                #expect(throws: SwiftDataError.historyTokenExpired) {
                    try store.history(.after(.start(of: store.store.identifier)))
                }
                #expect(try store.history(.after(tokens[1])).map { "\($0)" } == whole)
                #expect(try store.history(.after(tokens[2])).map(\.token) == [tokens[3]])
                #expect(try store.history().map { "\($0)" } == whole)
                #expect(try store.texts() == ["one", "two", "three", "four"])
                #expect(try store.store.currentHistoryToken() == tokens[3])
            }
        }
        try fixture.write("five")
        #expect(try fixture.history().map(\.transactionIdentifier) == [3, 4, 5])
    }

    @Test func compactionKeepsTheLastKeysAndPositions() throws {
        let context = fixture.context()
        let notes = try context.fetch(FetchDescriptor<Note>())
        let identifiers = notes.map(\.persistentModelID)
        for note in notes { context.delete(note) }
        try context.save()
        let last = try #require(try fixture.store.currentHistoryToken())
        try fixture.context().deleteHistory(Descriptor())
        try fixture.store.compact()
        let again = try fixture.again()
        #expect(try again.history().isEmpty && again.texts().isEmpty)
        #expect(try again.store.currentHistoryToken() == last)
        try again.write("new")
        let transaction = try #require(try again.history(.after(last)).first)
        #expect(transaction.transactionIdentifier == last.position + 1)
        #expect(!identifiers.contains(try #require(transaction.changes.first).changedPersistentIdentifier))
        #expect(try fixture.texts() == ["new"])
    }

    /// A file that begins after the second transaction records that the history began after the first one.
    @Test func oneCompactionCoversSeveralDeletions() throws {
        let tokens = try fixture.history().map(\.token)
        // Large enough that neither deletion starts a compaction.
        try fixture.write(String(repeating: "long", count: 1_000))
        let size = try fixture.bytes.count
        for token in tokens[0...1] { try fixture.context().deleteHistory(Descriptor.before(token)) }
        #expect(try fixture.bytes.count > size)
        try fixture.store.compact()
        for store in [fixture, try fixture.again()] {
            #expect(try store.history().map(\.transactionIdentifier) == [3, 4, 5])
            #expect(throws: SwiftDataError.historyTokenExpired) { try store.history(.after(tokens[0])) }
            #expect(try store.texts().count == 5)
        }
    }

    /// Deleting most of the history reclaims its space at once.
    @Test func deletingMostOfTheHistoryStartsACompaction() throws {
        for number in 0..<50 {
            let context = fixture.context()
            let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
            note.text = String(repeating: "\(number % 10)", count: 1_000)
            try context.save()
        }
        let size = try fixture.bytes.count
        try fixture.context().deleteHistory(Descriptor())
        #expect(try fixture.bytes.count < size / 10)
        #expect(try fixture.again().texts()[0].count == 1_000)
    }

    @Test func deletingOtherThanTheOldestHistoryThrows() throws {
        let token = try fixture.history()[1].token
        let context = fixture.context()
        #expect(throws: SwiftDataError.unsupportedFeature) { try context.deleteHistory(Descriptor.after(token)) }
        #expect(try fixture.history().count == 4)
        try context.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier < 3 }))
        #expect(try fixture.history().map(\.transactionIdentifier) == [3, 4])
        // The deleted content is no longer in the file.
        try context.deleteHistory(Descriptor.before(token))
        #expect(try fixture.history().count == 2)
    }

    /// A token is rejected if its transaction was lost because of a restored backup or a power failure.
    @Test func tokensOfLostTransactionsThrow() throws {
        let early = try Fixture(fixture.directory, fixture.copy(fixture.bytes))
        try fixture.write("five", "six")
        let tokens = try fixture.history().suffix(2).map(\.token)
        #expect(throws: SwiftDataError.historyTokenAhead) { try early.history(.after(tokens[0])) }
        try early.write("another five")
        #expect(throws: SwiftDataError.historyTokenForked) { try early.history(.after(tokens[0])) }
        #expect(throws: SwiftDataError.historyTokenForked) {
            try early.context().deleteHistory(Descriptor.before(tokens[0]))
        }
        #expect(throws: SwiftDataError.historyTokenAhead) { try early.history(.after(tokens[1])) }
        let foreign = try Fixture().store.identifier
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) {
            try fixture.history(.after(.start(of: foreign)))
        }
        let json = #"{"storeIdentifier": "\#(fixture.store.identifier)", "position": \#(Int.min), "checksum": 0}"#
        let nonsense = try JSONDecoder().decode(JournalToken.self, from: Data(json.utf8))
        #expect(throws: SwiftDataError.historyTokenExpired) { try fixture.history(.after(nonsense)) }
    }

    /// The file that remains when a process is killed during a compaction.
    @Test func incompleteCompactionIsDiscarded() throws {
        let unfinished = URL(fileURLWithPath: fixture.url.path + ".new")
        try fixture.bytes.prefix(100).write(to: unfinished)
        #expect(try fixture.again().texts().count == 4)
        #expect(!FileManager.default.fileExists(atPath: unfinished.path))
    }
}
