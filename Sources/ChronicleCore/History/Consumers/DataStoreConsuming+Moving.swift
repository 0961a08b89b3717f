import Foundation

// What consumers and containers do with the records of any store.
extension DataStoreConsuming {
    typealias Token = HistoryType.TokenType

    func place(_ start: HistoryStart<Token>) throws -> HistoryConsumerPlace<Token> {
        switch start {
        case .beginning: HistoryConsumerPlace(position: initialHistoryToken)
        case .now: HistoryConsumerPlace(position: try currentHistoryToken())
        case .snapshot: HistoryConsumerPlace(position: try currentHistoryToken(), rebuild: .requested(.requested))
        case .token(let token): HistoryConsumerPlace(position: token)
        }
    }

    func createConsumer(named name: String, at start: HistoryStart<Token>) throws {
        try StoredName.requireUnreservedConsumer(name)
        guard try consumerRecord(named: name) == nil else { return }
        try StoredName.consumer.validate(name)
        let place = try place(start)
        try updateConsumer(named: name, isDurable: true) { record in
            // Another process may have created it meanwhile.
            record = record ?? HistoryConsumerRecord(name: name, place: place)
        }
    }

    /// Evicts the current instance.
    func moveConsumer(named name: String, to start: HistoryStart<Token>) throws {
        try StoredName.requireUnreservedConsumer(name)
        let place = try place(start)
        try updateExistingConsumer(named: name) { $0?.moveAndEvict(to: place) }
    }

    func updateExistingConsumer(
        named name: String, _ update: (inout HistoryConsumerRecord<Token>?) throws -> Void
    ) throws {
        try updateConsumer(named: name, isDurable: true) { record in
            guard record != nil else { throw SwiftDataError.consumerNotFound(name) }
            try update(&record)
        }
    }

    func acknowledge(_ acknowledgement: HistoryAcknowledgement) throws {
        try updateConsumer(named: acknowledgement.consumerName, isDurable: true) {
            try acknowledgement.apply(to: &$0)
        }
    }
}
