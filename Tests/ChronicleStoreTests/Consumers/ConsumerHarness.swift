import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

typealias Consumer = HistoryConsumer<DefaultHistoryTransaction>
typealias Batch = HistoryBatch<DefaultHistoryTransaction>

extension TestStore {
    func consumer(
        _ name: String = "reader", filter: HistoryFilter = HistoryFilter(),
        at start: HistoryStart<DefaultHistoryToken> = .beginning
    ) throws -> Consumer {
        try container.historyConsumer(named: name, filter: filter, startingNewAt: start)
    }

    func status(_ name: String = "reader") throws -> HistoryConsumerStatus<DefaultHistoryToken> {
        try #require(try container.historyConsumers().first { $0.name == name })
    }

    func deleteHistory() throws { try context().deleteHistory(Descriptor()) }
}

extension HistoryConsumer {
    /// Acknowledges the next batch and returns its changes.
    func take(limit: Int = 1_000) throws -> [String]? {
        guard let batch = try nextBatch(limit: limit) else { return nil }
        try acknowledge(batch)
        return try batch.lines
    }
}

extension HistoryBatch {
    /// The matching changes, or what else the batch contains.
    var lines: [String] {
        get throws {
            switch content {
            case .changes: try changes.map(\.text)
            case .largeTransaction: ["large transaction"]
            case .reset(let reason): ["reset: \(reason)"]
            case .snapshot(let identifiers): identifiers.map { "model \($0)" }
            }
        }
    }
}
