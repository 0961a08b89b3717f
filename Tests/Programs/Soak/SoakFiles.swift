import Chronicle
import ChronicleSeals
import ChronicleTestSupport
import Foundation

/// The files of a run.
struct SoakFiles {
    let directory: URL

    var store: URL { directory.appending(path: "articles.store") }

    func copy(of consumer: String) -> URL { directory.appending(path: "\(consumer).copy") }

    /// The history is kept until every consumer has read it, and otherwise limited. One consumer exceeds the silence.
    static let retention = HistoryRetention(
        maximumChanges: 20_000, maximumSilence: .seconds(30), purgeInterval: .seconds(2))

    /// Opens the file that all processes share.
    func open(retention: HistoryRetention = retention) throws -> ModelContainer {
        try ModelContainer(
            for: Schema([Article.self, Receipt.self]),
            configurations: [
                ModelConfiguration(
                    url: store, durability: .relaxed, historyRetention: retention, busyTimeout: .seconds(60))
            ])
    }

    /// Seals what is committed, and keeps the head.
    func seal(_ container: ModelContainer) throws {
        #if Seals
            try SealHeads(besideStoreAt: store).append(container.sealHistory())
        #endif
    }

    /// Verifies each head that was kept. Returns their number.
    func verifySeals(_ container: ModelContainer) throws -> Int {
        #if Seals
            let heads = try SealHeads(besideStoreAt: store).all()
            let failures = try container.verifySeals(heads).failures
            guard failures.isEmpty else { throw SoakFailure("the seals: \(failures.prefix(5))") }
            return heads.count
        #else
            return 0
        #endif
    }

    func openCopy(of consumer: String) throws -> ModelContainer {
        try ModelContainer(
            for: Schema([Copy.self]),
            configurations: [
                ModelConfiguration(url: copy(of: consumer), durability: .relaxed, recordsHistory: false)
            ])
    }
}
