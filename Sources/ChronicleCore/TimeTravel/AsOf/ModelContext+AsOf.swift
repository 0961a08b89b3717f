public import Foundation

extension ModelContext {
    /// Creates a context that reads the models as they were at a position of the history.
    ///
    /// Fetches, relationships and predicates work as in other contexts, with the values that the models had after the transaction
    /// of the token, whatever others save. A model has the same ``PersistentModel/persistentModelID`` at every position, so you can
    /// compare it with the present one:
    ///
    /// ```swift
    /// let past = try ModelContext(container, asOf: token)
    /// let before = try past.existingModel(for: trip.persistentModelID) as? Trip
    /// ```
    ///
    /// ``currentHistoryToken()`` returns the position, so that changes after it are those that the context does not show. The
    /// context cannot save: ``save()`` throws ``SwiftDataError/storeReadOnly`` if there are changes. Its ``container`` contains the
    /// stores as of the position.
    ///
    /// Values come from the history, so it must preserve them; see ``ModelConfiguration/preservesValues``. A fetch throws
    /// ``SwiftDataError/historyValueMissing`` if it needs a value that the history does not contain, or if a relationship of the
    /// fetched models reaches an entity with such a value.
    ///
    /// - Parameters:
    ///   - container: The container, whose stores must have the capability ``DataStoreCapabilities/earlierPositions``.
    ///   - token: The position. It needs a position in each store; see ``DefaultHistoryToken/merging(_:)``.
    /// - Throws: An error that matches ``SwiftDataError/historyTokenExpired``: use a later token if the history was deleted or has
    ///   a gap after the position, and a token of these stores if it is ``SwiftDataError/historyTokenStoreMismatch``.
    ///   ``SwiftDataError/historyDisabled`` if a store does not record its history. ``SwiftDataError/unsupportedFeature`` if a
    ///   store does not have the capability.
    /// - Complexity: O(1). The first fetch reads the changes after the position.
    public convenience init<Token: HistoryToken>(_ container: ModelContainer, asOf token: Token) throws {
        try self.init(container) { try $0.openStore(asOf: token) }
    }

    /// Creates a context that reads the models as they were after a transaction; see ``init(_:asOf:)-(_,Token)``. The token of a
    /// transaction has a position in one store only, so the container must have a single store.
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - transaction: The transaction whose result the context reads.
    /// - Throws: The errors of ``init(_:asOf:)-(_,Token)``, such as ``SwiftDataError/historyTokenExpired``.
    public convenience init<Transaction: HistoryTransaction>(
        _ container: ModelContainer, asOf transaction: Transaction
    ) throws {
        try self.init(container, asOf: transaction.token)
    }

    /// Creates a context that reads the models as they were at a date; see ``init(_:asOf:)-(_,Token)``.
    ///
    /// The position in each store is that of the last transaction before the first one with a later timestamp. Timestamps depend on
    /// the clocks of the processes that saved; use a token for an exact position. Changes of other programs have the time at which
    /// a program with Chronicle noticed them.
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - date: The date.
    /// - Throws: The errors of ``init(_:asOf:)-(_,Token)``. ``SwiftDataError/historyTokenExpired`` also if the transactions around
    ///   the date were deleted, and ``SwiftDataError/historyTokenGap`` if the changes before the date were not recorded; use a
    ///   later date.
    /// - Complexity: Proportional to the number of transactions in each store, most of which are not visited.
    public convenience init(_ container: ModelContainer, asOf date: Date) throws {
        try self.init(container) { try $0.openStore(asOf: date) }
    }

    /// Creates a context that reads the models as they were when a tag was made.
    ///
    /// ```swift
    /// try context.tag("before-import")
    /// // …
    /// let past = try ModelContext(container, asOf: "before-import")
    /// ```
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - tag: The name of a tag; see ``tag(_:replacing:)``.
    /// - Throws: ``SwiftDataError/historyTagNotFound`` if no store has the tag; see ``tags()``. The errors of
    ///   ``init(_:asOf:)-(_,Token)``, such as ``SwiftDataError/historyTokenExpired``.
    public convenience init(_ container: ModelContainer, asOf tag: String) throws {
        try self.init(container, asOf: ModelContext(container).token(tagged: tag))
    }

    private convenience init(
        _ container: ModelContainer, _ open: (any HistoryProviding) throws -> (any DataStore, any HistoryToken)
    ) throws {
        var stores: [any DataStore] = []
        var positions: [String: any HistoryToken] = [:]
        for store in container.stores {
            guard type(of: store).capabilities.contains(.earlierPositions),
                let provider = store as? any HistoryProviding
            else {
                throw SwiftDataError.unsupportedFeature.with(
                    detail: "\(type(of: store)) cannot be read as of an earlier position; use another store",
                    storeIdentifier: store.identifier, storeName: store.configuration.name)
            }
            let opened: (store: any DataStore, token: any HistoryToken)
            do { opened = try open(provider) } catch { throw store.attributed(error) }
            guard opened.store.identifier == store.identifier else {
                throw SwiftDataError.invalidStoreResponse.with(
                    detail: "the store as of a position has another identifier", storeIdentifier: store.identifier,
                    storeName: store.configuration.name)
            }
            stores.append(opened.store)
            positions[store.identifier] = opened.token
        }
        let coordinator = StoreCoordinator(container.coordinator, stores, positions: positions)
        self.init(coordinator)
    }

    /// The position that the context reads, in the stores with tokens of this type, or `nil` if it reads the present models.
    public var asOf: DefaultHistoryToken? { coordinator.asOf }
}

extension HistoryProviding {
    fileprivate func openStore(asOf token: some HistoryToken) throws -> (any DataStore, any HistoryToken) {
        guard let token = token as? HistoryType.TokenType else {
            throw SwiftDataError.historyTokenStoreMismatch.with(
                detail: "the store has tokens of type \(HistoryType.TokenType.self); use a token of this type")
        }
        return (try store(asOf: token), token)
    }

    fileprivate func openStore(asOf date: Date) throws -> (any DataStore, any HistoryToken) {
        try openStore(asOf: historyToken(asOf: date))
    }
}
