package import Chronicle

/// A history of the transactions in the script, which cannot be deleted.
extension ScriptedStore: HistoryProviding {
    package typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    package func fetchHistory(_ descriptor: Descriptor) throws -> [DefaultHistoryTransaction] {
        try descriptor.apply(to: configuration.script.now.transactions)
    }

    package func deleteHistory(_ descriptor: Descriptor) throws {
        throw DataStoreError.unsupportedFeature.with(detail: "deleting history")
    }

    package func currentHistoryToken() throws -> DefaultHistoryToken? {
        if let failure = configuration.script.now.failure { throw failure }
        return configuration.script.now.transactions.last?.token
    }
}

/// A token that belongs to no store.
package struct StrayToken: HistoryToken {
    package let tokenValue: Int?
    package init(tokenValue: Int?) { self.tokenValue = tokenValue }
    package var id: Int? { tokenValue }

    package static func < (a: StrayToken, b: StrayToken) -> Bool { (a.tokenValue ?? 0) < (b.tokenValue ?? 0) }
}
