import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// A file with a random history, written by two stores and by `sqlite3`.
struct RandomHistory {
    let store: TestStore
    var random: SplitMix
    private var containers: [ModelContainer]
    /// More sources than the bits of a mask of ``SummaryTable``.
    static let authors: [String?] = [nil, ""] + (0..<70).map { "author \($0)" }
    static let contexts: [String?] = [nil, "main", "background"]

    init(_ random: SplitMix) throws {
        self.random = random
        store = try TestStore(.file, [BucketListItem.self, Trip.self])
        containers = [store.container, try store.reopened([BucketListItem.self, Trip.self])]
    }

    /// Returns a new context of one of the stores.
    private mutating func context() throws -> ModelContext {
        let context = ModelContext(random.pick(containers))
        // Few of the authors write most transactions.
        context.author = random.below(2) == 0 ? random.pick(Self.authors) : random.pick(Array(Self.authors.prefix(4)))
        context.name = random.pick(Self.contexts)
        if random.below(4) == 0 {
            context.transactionMetadata = ["reason": random.pick(["import", "edit"]), "number": "\(random.below(3))"]
        }
        return context
    }

    mutating func step() throws {
        switch random.below(20) {
        case 0..<11: for _ in 0...random.below(6) { try save() }
        case 11..<14: try writeByOthers()
        case 14: if random.below(2) == 0 { try deletePrefix() } else { try purge() }
        case 15: try deleteHoles()
        case 16: try changeClock()
        case 17: try changeProgram()
        case 18 where random.below(3) == 0: try disableHistory()
        default: try deleteModels()
        }
    }

    private mutating func save() throws {
        let context = try context()
        // Numbers near the limits of long transactions and of ranges, and usual numbers.
        let limits = random.below(4) == 0 ? [30, 31, 32, 33, 100, 500, 1_022, 1_023, 1_024, 1_025] : [1, 1, 2, 5, 10]
        let count = random.pick(limits)
        for number in 0..<count { context.insert(BucketListItem(title: "\(number)")) }
        try context.save()
    }

    private mutating func deleteModels() throws {
        let context = try context()
        var descriptor = FetchDescriptor<BucketListItem>()
        descriptor.fetchLimit = random.below(40)
        for item in try context.fetch(descriptor) { context.delete(item) }
        try context.save()
    }

    private mutating func writeByOthers() throws {
        try store.foreign(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(random.pick([1, 3, 40, 1_100])))
            INSERT INTO BucketListItem(title, isDone) SELECT 'external', 0 FROM n
            """)
    }

    private mutating func deletePrefix() throws {
        let context = try context()
        let transactions = try context.fetchHistoryWithoutChanges(Descriptor())
        // Sometimes everything, including the newest transaction.
        guard let last = random.below(15) == 0 ? transactions.last : transactions.prefix(5).last,
            last.token.checkValue(in: last.storeIdentifier) != nil
        else { return }
        try context.deleteHistory(Descriptor.before(last.token))
    }

    /// Runs some of the steps of a purge, which may end within a long transaction.
    private mutating func purge() throws {
        guard let purging = random.pick(containers).stores.first as? DefaultStore else { return }
        let retention = HistoryRetention(maximumChanges: random.pick([0, 100, 1_000]))
        let plan = try purging.planHistoryPurge(retention, at: .now)
        for _ in 0..<random.pick([1, 1, 2, 1_000]) {
            if try purging.purgeHistory(plan).isLast { break }
        }
    }

    private mutating func deleteHoles() throws {
        let context = try context()
        let author = random.pick(Array(Self.authors.prefix(6)))
        var descriptor = Descriptor(predicate: #Predicate { $0.author == author })
        descriptor.fetchLimit = UInt64(random.pick([0, 1, 3]))
        try context.deleteHistory(descriptor)
    }

    /// Sets the clock back or forward. Only the timestamps of the open range change, because complete ranges already
    /// contain the others.
    private mutating func changeClock() throws {
        try store.foreign(
            """
            UPDATE chronicle_change SET primary_key = primary_key + \(random.below(2_000) - 1_000)
            WHERE kind < 0 AND id >= (SELECT max(first) FROM chronicle_summary)
            """)
    }

    /// Changes the program of some transactions.
    private mutating func changeProgram() throws {
        try store.foreign("UPDATE chronicle_source SET program = 'other' WHERE id % 3 = 2")
        // Stores cache the sources that they have read.
        try reopen()
    }

    private mutating func disableHistory() throws {
        containers.removeAll()
        let schema = Schema([BucketListItem.self, Trip.self])
        do {
            let configuration = ModelConfiguration(url: store.url, durability: .relaxed, recordsHistory: false)
            let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
            context.insert(BucketListItem(title: "unrecorded"))
            try context.save()
        }
        try reopen()
    }

    private mutating func reopen() throws {
        containers = try (0..<2).map { _ in try store.reopened([BucketListItem.self, Trip.self]) }
    }
}
