import Foundation

/// Counts the transactions of a container that match a filter, from positions that advance with each read.
struct HistoryFollower: Sendable {
    struct Filter: Sendable {
        /// The names of the entities of which a transaction must change one, or an empty set for any.
        let entityNames: Set<String>
        /// The authors of the transactions, or an empty set for any author or none.
        let authors: Set<String>
    }

    private let filter: Filter
    private var positions: [any FollowedStore]
    /// An error that no read has thrown yet, because another store failed.
    private var expiration: (any Error)?

    /// A store without a token is followed from its current position. Throws ``SwiftDataError/invalidTransactionFetchRequest`` if
    /// no store has a history, or a token is not of the type of its store, and ``SwiftDataError/historyDisabled`` if no store
    /// records its history.
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

    var tokens: [String: any HistoryToken] {
        positions.reduce(into: [:]) { tokens, position in tokens[position.storeIdentifier] = position.currentToken }
    }

    /// Throws the first error after the other stores were read. A store whose error matches ``SwiftDataError/historyTokenExpired``
    /// is read from its current position on. After another error, which is thrown first, the next read continues where this one
    /// stopped.
    ///
    /// - Parameter count: Receives the number of matching transactions, also those before an error, and one for each store whose
    ///   history is not available after its position.
    mutating func read(_ count: inout Int) throws {
        var failure: (any Error)?
        for index in positions.indices {
            do { try positions[index].read(filter, &count) } catch {
                if SwiftDataError.historyTokenExpired ~= error {
                    expiration = expiration ?? error
                    count += 1
                } else {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        defer { expiration = nil }
        if let expiration { throw expiration }
    }
}

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
    /// Whether the store has accepted the token. An equal token of a history that was replaced is not rejected before.
    private var isVerified = false
    var currentToken: (any HistoryToken)? { token }

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
        // Fetched first, because transactions up to here that do not match need not be read again.
        let newest = try provider.currentHistoryToken()
        // Most events of a container with several stores or readers bring nothing new.
        if let token, newest?.exact == token.exact, isVerified { return }
        try readPages(filter, newest, &count)
        isVerified = true
    }

    private mutating func readPages(_ filter: HistoryFollower.Filter, _ newest: Token?, _ count: inout Int) throws {
        guard let token, let descriptor: HistoryDescriptor<Provider.HistoryType> = filter.descriptor(after: token)
        else {
            return try countEach(filter, &count)
        }
        do { try countAll(descriptor, filter, newest, &count) } catch SwiftDataError.unsupportedPredicate {
            try countEach(filter, &count)
        }
    }

    private mutating func countAll(
        _ descriptor: HistoryDescriptor<Provider.HistoryType>, _ filter: HistoryFollower.Filter, _ newest: Token?,
        _ count: inout Int
    ) throws {
        var descriptor: HistoryDescriptor? = descriptor
        while var next = descriptor {
            next.fetchLimit = Self.pageSize
            let page = try provider.fetchHistoryWithoutChanges(next)
            count += page.count
            token = page.last?.token ?? token
            let isLast = page.count < Self.pageSize
            descriptor = isLast ? nil : token.flatMap { filter.descriptor(after: $0) }
        }
        token.advance(to: newest)
    }

    private mutating func countEach(_ filter: HistoryFollower.Filter, _ count: inout Int) throws {
        var isLast = false
        while !isLast {
            var descriptor =
                token.map { HistoryDescriptor<Provider.HistoryType>.after($0).complete } ?? HistoryDescriptor()
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
    /// Returns `nil` if every transaction matches.
    fileprivate func descriptor<Transaction: HistoryTransaction>(
        after token: Transaction.TokenType
    ) -> HistoryDescriptor<Transaction>? {
        let (names, authors) = (entityNames, authors.map(Optional.some))
        let predicate: Predicate<Transaction>
        switch (names.isEmpty, authors.isEmpty) {
        case (true, true): return nil
        case (true, false): predicate = #Predicate { $0.token > token && authors.contains($0.author) }
        case (false, true):
            predicate = #Predicate {
                $0.token > token && $0.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
            }
        case (false, false):
            predicate = #Predicate {
                $0.token > token && authors.contains($0.author)
                    && $0.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
            }
        }
        return HistoryDescriptor(predicate: predicate).complete
    }

    fileprivate func matches(_ transaction: some HistoryTransaction) -> Bool {
        guard authors.isEmpty || transaction.author.map(isIncluded) == true else { return false }
        return entityNames.isEmpty
            || transaction.changes.contains { entityNames.contains($0.changedPersistentIdentifier.entityName) }
    }

    private func isIncluded(_ author: String) -> Bool { authors.contains { $0.hasSameBytes(as: author) } }
}
