import Chronicle

/// A history of the transactions in the script, which cannot be deleted.
extension ScriptedStore: HistoryProviding {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    func fetchHistory(_ descriptor: Descriptor) throws -> [DefaultHistoryTransaction] {
        try descriptor.apply(to: configuration.script.now.transactions)
    }

    func deleteHistory(_ descriptor: Descriptor) throws {
        throw DataStoreError.unsupportedFeature.with(detail: "deleting history")
    }

    func currentHistoryToken() throws -> DefaultHistoryToken? {
        if let failure = configuration.script.now.failure { throw failure }
        return configuration.script.now.transactions.last?.token
    }
}

/// A token of no store.
struct StrayToken: HistoryToken {
    let tokenValue: Int?
    var id: Int? { tokenValue }

    static func < (a: StrayToken, b: StrayToken) -> Bool { (a.tokenValue ?? 0) < (b.tokenValue ?? 0) }
}
