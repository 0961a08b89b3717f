import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A power failure while SQLite wrote the first page: the page is torn, and the rollback journal contains its previous
/// content.
@Suite struct InterruptedWriteTests {
    private let directory: TemporaryDirectory
    private var file: URL { directory.file("test.store") }
    private var journal: URL { URL(fileURLWithPath: file.path + "-journal") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(allowsSave: Bool = true) throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: file, allowsSave: allowsSave, durability: .relaxed))
    }

    /// A rollback journal with the first page before the transaction, or that of a transaction that created the file.
    /// https://www.sqlite.org/fileformat.html#the_rollback_journal
    private func write(journalOf page: Data?) throws {
        let nonce: UInt32 = 0x1234
        var bytes = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        func append(_ number: UInt32) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
        for number in [page == nil ? 0 : 1, nonce, page == nil ? 0 : 1, 512, 4096] { append(number) }
        bytes.append(Data(count: 512 - bytes.count))
        if let page {
            append(1)
            bytes.append(page)
            append(stride(from: 3896, to: 0, by: -200).reduce(nonce) { $0 &+ UInt32(page[$1]) })
        }
        try bytes.write(to: journal)
    }

    enum Page: CaseIterable {
        case zeros, ones, half
    }

    private func tear(_ page: Page) throws {
        var bytes = Data(repeating: page == .ones ? 0xFF : 0, count: 4096)
        if page == .half { bytes.replaceSubrange(0..<16, with: Data("SQLite format 3\0".utf8)) }
        try bytes.write(to: file)
    }

    private func expectWorkingStore() throws {
        let context = ModelContext(try open())
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.save()
        #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Trip>()) == 1)
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok")
    }

    @Test(arguments: Page.allCases)
    func interruptedCreation(_ page: Page) throws {
        try tear(page)
        try write(journalOf: nil)
        try expectWorkingStore()
    }

    @Test(arguments: Page.allCases)
    func interruptedChangeToWALMode(_ page: Page) throws {
        _ = try Shell.sqlite3(file, "PRAGMA application_id = 0x4368726e; PRAGMA user_version = 1")
        try write(journalOf: try Data(contentsOf: file))
        try tear(page)
        try expectWorkingStore()
    }

    /// The file is rolled back, as by every program that uses SQLite, but not opened as a store.
    @Test func interruptedWriteOfAnotherApplication() throws {
        _ = try Shell.sqlite3(file, "PRAGMA application_id = 4711")
        let before = try Data(contentsOf: file)
        try write(journalOf: before)
        try tear(.zeros)
        #expect(try failure(of: { try open() }) == .notAChronicleStore)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func readOnlyOpeningNeedsRecovery() throws {
        try tear(.zeros)
        try write(journalOf: nil)
        let (before, journalBefore) = (try Data(contentsOf: file), try Data(contentsOf: journal))
        let error = try #require(try failure(of: { try open(allowsSave: false) }))
        #expect(error == .loadIssueModelContainer, "\(error)")
        #expect(
            error.detail?.contains("allowsSave: true") == true
                && (error.underlying as? DatabaseError)?.extendedResultCode == 776, "\(error)")
        #expect(try Data(contentsOf: file) == before)
        #expect(try Data(contentsOf: journal) == journalBefore)
    }

    /// An intact page with a journal that reverts it: without the journal, no problem is visible.
    @Test func intactPageWithAHotJournalNeedsRecovery() throws {
        _ = try Shell.sqlite3(file, "PRAGMA application_id = 0x4368726e; PRAGMA user_version = 1")
        try write(journalOf: nil)
        let error = try #require(try failure(of: { try open(allowsSave: false) }))
        #expect(
            error == .loadIssueModelContainer && (error.underlying as? DatabaseError)?.extendedResultCode == 776,
            "\(error)")
        try expectWorkingStore()
    }
}
