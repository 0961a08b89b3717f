/// Counts the transactions of a container that match a filter, from positions that advance with each read.
struct HistoryFollower: Sendable {
    /// Which transactions count.
    struct Filter: Sendable {
        /// The names of the entities of which a transaction must change one, or an empty set for any.
        let entityNames: Set<String>
        /// The authors of the transactions, or an empty set for any author or none.
        let authors: Set<String>
    }

    private let filter: Filter
    private var positions: [any FollowedStore]

    /// - Parameter tokens: The position in each store, by store identifier. A store without a token is followed from its
    ///   current position.
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store has a history, or a token is not of the
    ///   type of its store; ``SwiftDataError/historyDisabled`` if no store records its history; or the error of
    ///   a store that cannot be read.
    init(_ stores: [any DataStore], from tokens: [String: any HistoryToken], _ filter: Filter) throws {
        self.filter = filter
        let providers = stores.compactMap { store in (store as? any HistoryProviding).map { (store, $0) } }
        guard !providers.isEmpty else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(detail: "no store of the container has a history")
        }
        let recording = providers.filter { $0.1.recordsHistory }
        positions = try (recording.isEmpty ? providers : recording).map { store, provider in
            do { return try Self.followed(provider, store.identifier, tokens[store.identifier]) } catch {
                throw store.attributed(error)
            }
        }
    }

    private static func followed<Provider: HistoryProviding>(
        _ provider: Provider, _ storeIdentifier: String, _ token: (any HistoryToken)?
    ) throws -> any FollowedStore {
        guard let token else { return try FollowedHistory(provider, storeIdentifier, provider.currentHistoryToken()) }
        guard let token = token as? Provider.HistoryType.TokenType else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(
                detail: "the token is of type \(type(of: token)), and the store's tokens are of type "
                    + "\(Provider.HistoryType.TokenType.self); pass a token of the store")
        }
        return FollowedHistory(provider, storeIdentifier, token)
    }

    /// The current positions, by store identifier.
    var tokens: [String: any HistoryToken] {
        positions.reduce(into: [:]) { tokens, position in tokens[position.storeIdentifier] = position.currentToken }
    }

    /// Reads what was committed since the previous read.
    ///
    /// - Parameter count: Receives the number of matching transactions, also those before an error.
    /// - Throws: The errors of ``HistoryProviding/fetchHistory(_:)``. After an error that matches
    ///   ``SwiftDataError/historyTokenExpired``, the positions are the current ones; after another error, the next read
    ///   continues where this one stopped.
    mutating func read(_ count: inout Int) throws {
        for index in positions.indices { try positions[index].read(filter, &count) }
    }
}

/// The history of one store with a position.
private protocol FollowedStore: Sendable {
    var storeIdentifier: String { get }
    var currentToken: (any HistoryToken)? { get }
    mutating func read(_ filter: HistoryFollower.Filter, _ count: inout Int) throws
}

private struct FollowedHistory<Provider: HistoryProviding>: FollowedStore {
    typealias Token = Provider.HistoryType.TokenType

    private let provider: Provider
    let storeIdentifier: String
    /// `nil` before the first transaction of a store that has no token for that position.
    private var token: Token?
    var currentToken: (any HistoryToken)? { token }

    /// The number of transactions in memory at the same time.
    private static var pageSize: UInt64 { 256 }

    init(_ provider: Provider, _ storeIdentifier: String, _ token: Token?) {
        (self.provider, self.storeIdentifier, self.token) = (provider, storeIdentifier, token)
    }

    mutating func read(_ filter: HistoryFollower.Filter, _ count: inout Int) throws {
        do { try readPages(filter, &count) } catch let error as SwiftDataError {
            if SwiftDataError.historyTokenExpired ~= error { token = try provider.currentHistoryToken() }
            throw error.with(storeIdentifier: storeIdentifier)
        }
    }

    private mutating func readPages(_ filter: HistoryFollower.Filter, _ count: inout Int) throws {
        // Most events of a container with several stores or readers bring nothing new.
        if let token, try provider.currentHistoryToken() == token { return }
        var isLast = false
        while !isLast {
            var descriptor = token.map { HistoryDescriptor<Provider.HistoryType>.after($0) } ?? HistoryDescriptor()
            descriptor.fetchLimit = Self.pageSize
            let page =
                try filter.entityNames.isEmpty
                ? provider.fetchHistoryWithoutChanges(descriptor) : provider.fetchHistory(descriptor)
            count += page.count(where: filter.matches)
            token = page.last?.token ?? token
            isLast = page.count < Self.pageSize
        }
    }
}

extension HistoryFollower.Filter {
    fileprivate func matches(_ transaction: some HistoryTransaction) -> Bool {
        guard authors.isEmpty || transaction.author.map(authors.contains) == true else { return false }
        return entityNames.isEmpty
            || transaction.changes.contains { entityNames.contains($0.changedPersistentIdentifier.entityName) }
    }
}
