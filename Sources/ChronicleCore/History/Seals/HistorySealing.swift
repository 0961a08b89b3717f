/// A store whose history can be sealed.
package protocol HistorySealing: DataStore {
    /// Seals what is committed, and returns the newest head after a durable commit.
    func sealHistory(_ hashing: any HistoryHashing) throws -> HistorySeal

    /// Seals what is committed and adds a last seal, after which purges keep nothing for the chain.
    func endSealing(_ hashing: any HistoryHashing) throws -> HistorySeal
}

extension HistorySeal {
    /// The name of the consumer that seals a history.
    package static let consumerName = "chronicle.seals"
}

extension HistoryConsumerRecord {
    /// A record of the consumer that seals a history.
    package static func sealer(at position: Token) -> Self {
        HistoryConsumerRecord(name: HistorySeal.consumerName, place: HistoryConsumerPlace(position: position))
    }
}
