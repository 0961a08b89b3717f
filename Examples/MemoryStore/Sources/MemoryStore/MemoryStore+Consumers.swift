import Chronicle

// Keeps the positions of consumers beside the models, so that a save can move one of them.
extension MemoryStore: DataStoreConsuming {
    public var initialHistoryToken: DefaultHistoryToken? {
        DefaultHistoryToken(storeIdentifier: identifier, position: 0)
    }

    public func consumerRecords() throws -> [HistoryConsumerRecord<DefaultHistoryToken>] {
        configuration.memory.contents.consumers.values.sorted { $0.name < $1.name }
    }

    public func updateConsumer<Result: Sendable>(
        named name: String, isDurable: Bool,
        _ update: (inout HistoryConsumerRecord<DefaultHistoryToken>?) throws -> Result
    ) throws -> Result {
        try configuration.memory.change { contents in
            var record = contents.consumers.removeValue(forKey: name)
            let result = try update(&record)
            if let record {
                guard contents.consumers[record.name] == nil else {
                    throw SwiftDataError.duplicateHistoryConsumer.with(
                        detail: "there is another consumer \"\(record.name)\"; choose another name")
                }
                contents.consumers[record.name] = record
            }
            return result
        }
    }
}
