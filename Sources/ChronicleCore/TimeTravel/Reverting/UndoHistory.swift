import Foundation

/// Takes back the saves of an author, one after the other, and makes them again.
///
/// ```swift
/// context.author = "editor"
/// // … save several times
/// try context.undoHistory.undo()      // Takes back the last save of "editor".
/// try context.undoHistory.redo()      // Makes it again.
/// ```
///
/// Undo takes back the newest transaction of the author that is not taken back yet, regardless of what other authors saved since,
/// and never a transaction of another author. It is based on the history, so it also works in another context, process, or launch
/// of the program. An undo or a redo is saved at once, as a transaction of the author whose ``DefaultHistoryTransaction/metadata``
/// contains ``undoKey`` or ``redoKey``. After another save, there is nothing to redo.
///
/// If something that an undo would change was changed since, the undo changes nothing and throws ``SwiftDataError/revertConflict``.
/// To resolve the conflicts, use ``undoPlan()`` and ``save(_:)``.
///
/// Use the same ``Scope`` for all undos of an author: an undo history does not take those of the other scope into account. The
/// transactions of a replica that were replayed are not taken back, because the replica would then conflict with its source; see
/// ``ModelContainer/replayHistory(from:storeName:)-(FileHandle,_)``. Undo requires a container with one store that records a
/// ``DefaultHistoryTransaction`` history.
public struct UndoHistory {
    /// The saves that an undo history consists of.
    public enum Scope: Sendable {
        /// The saves with the ``ModelContext/author`` of the context. Without an author, these are the saves of all contexts
        /// without an author, but not the changes of other programs.
        case author
        /// The saves with the ``ModelContext/author`` and the ``ModelContext/name`` of the context.
        case authorAndContextName
    }

    /// The metadata key of an undo, whose value is the ``DefaultHistoryTransaction/transactionIdentifier`` of the transaction that
    /// was taken back.
    public static let undoKey = "chronicle.undo"
    /// The metadata key of a redo, whose value is the ``DefaultHistoryTransaction/transactionIdentifier`` of the undo that was
    /// taken back.
    public static let redoKey = "chronicle.redo"

    private let context: ModelContext
    let scope: Scope

    init(_ context: ModelContext, _ scope: Scope) {
        self.context = context
        self.scope = scope
    }
}

extension ModelContext {
    /// The undo history of the context's author.
    public var undoHistory: UndoHistory { UndoHistory(self, .author) }

    /// The undo history of the context's author.
    @available(*, deprecated, renamed: "undoHistory")
    public var history: UndoHistory { undoHistory }

    /// Returns the undo history of some of the saves with the context's author.
    ///
    /// - Parameter scope: The saves.
    /// - Returns: The undo history.
    public func undoHistory(by scope: UndoHistory.Scope) -> UndoHistory { UndoHistory(self, scope) }

    /// Returns the undo history of some of the saves with the context's author.
    ///
    /// - Parameter scope: The saves.
    /// - Returns: The undo history.
    @available(*, deprecated, renamed: "undoHistory(by:)")
    public func history(by scope: UndoHistory.Scope) -> UndoHistory { undoHistory(by: scope) }
}

// Where Foundation has `UndoManager`, the property has that type.
#if !canImport(Darwin)
    extension ModelContext {
        /// The undo history to use for the context, or `nil` by default. Chronicle does not use the property. SwiftData's has the
        /// type `UndoManager`, which Foundation does not have on Linux, and whose actions are changes instead of saves.
        public var undoManager: UndoHistory? {
            get { storage.undoScope.map { UndoHistory(self, $0) } }
            set { storage.undoScope = newValue?.scope }
        }
    }
#endif

extension UndoHistory {
    /// Whether there is a transaction to take back. Unsaved changes have no effect.
    ///
    /// - Throws: ``SwiftDataError/unsupportedFeature`` if the container has several stores with a history.
    ///   ``SwiftDataError/historyDisabled`` if the store records no history. ``SwiftDataError/storeBusy`` or another error of the
    ///   store; try again.
    /// - Complexity: That of finding the newest transaction of the author, plus O(*n*) in the number of its undos and redos since
    ///   the transaction to take back.
    public var canUndo: Bool { get throws { try undoTarget(except: []) != nil } }

    /// Whether there is an undo to take back. Unsaved changes have no effect.
    ///
    /// - Throws: The errors of ``canUndo``, such as ``SwiftDataError/historyDisabled``.
    public var canRedo: Bool { get throws { try redoTarget(except: []) != nil } }

    /// Takes back the newest transaction of the author that is not taken back yet, and saves. Skips transactions whose changes have
    /// no effect anymore.
    ///
    /// - Returns: The plan that was applied, or `nil` if there is nothing to take back.
    /// - Throws: ``SwiftDataError/revertConflict`` if there are conflicts; resolve them in a plan.
    ///   ``SwiftDataError/unsavedChanges`` if the context has unsaved changes; save them or roll back. The errors of ``canUndo``,
    ///   of ``ModelContext/revertPlan(for:)`` and of ``ModelContext/save()``, such as ``SwiftDataError/storeReadOnly``. Nothing has
    ///   changed then.
    /// - Complexity: That of ``ModelContext/revert(_:)`` and of a save.
    @discardableResult
    public func undo() throws -> RevertPlan? {
        guard let plan = try undoPlan() else { return nil }
        try save(plan)
        return plan
    }

    /// Makes the changes of the newest undo again, and saves, if the author made no other save since. Skips undos whose changes
    /// have no effect anymore.
    ///
    /// - Returns: The plan that was applied, or `nil` if there is nothing to make again.
    /// - Throws: The errors of ``undo()``, such as ``SwiftDataError/revertConflict``. Nothing has changed then.
    @discardableResult
    public func redo() throws -> RevertPlan? {
        guard let plan = try redoPlan() else { return nil }
        try save(plan)
        return plan
    }

    /// Returns the plan of the next undo without changing a model.
    ///
    /// - Returns: The plan, for ``save(_:)``, or `nil` if there is nothing to take back.
    /// - Throws: The errors of ``undo()``, except for those of a save, such as ``SwiftDataError/unsavedChanges``.
    public func undoPlan() throws -> RevertPlan? {
        var skipped: Set<Int64> = []
        while let transaction = try undoTarget(except: skipped) {
            var plan = try context.revertPlan(for: transaction)
            if !plan.steps.isEmpty || !plan.conflicts.isEmpty {
                plan.mark = (Self.undoKey, "\(transaction.transactionIdentifier)")
                return plan
            }
            skipped.insert(transaction.transactionIdentifier)
        }
        return nil
    }

    /// Returns the plan of the next redo without changing a model.
    ///
    /// - Returns: The plan, for ``save(_:)``, or `nil` if there is nothing to make again.
    /// - Throws: The errors of ``undoPlan()``, such as ``SwiftDataError/unsavedChanges``.
    public func redoPlan() throws -> RevertPlan? {
        var skipped: Set<Int64> = []
        while let undo = try redoTarget(except: skipped) {
            var plan = try context.revertPlan(for: undo)
            if !plan.steps.isEmpty || !plan.conflicts.isEmpty {
                plan.mark = (Self.redoKey, "\(undo.transactionIdentifier)")
                return plan
            }
            skipped.insert(undo.transactionIdentifier)
        }
        return nil
    }

    /// Applies a plan and saves it as an undo or a redo.
    ///
    /// If the resolutions of the plan leave nothing to change, nothing is saved, and the next undo has the same plan.
    ///
    /// - Parameter plan: A plan of ``undoPlan()`` or ``redoPlan()`` whose conflicts are resolved.
    /// - Throws: The errors of ``ModelContext/apply(_:)``, such as ``SwiftDataError/revertConflict``, and of
    ///   ``ModelContext/save()``. Nothing has changed then.
    public func save(_ plan: RevertPlan) throws {
        try context.apply(plan)
        let metadata = context.transactionMetadata
        defer { context.transactionMetadata = metadata }
        if let mark = plan.mark { context.transactionMetadata[mark.key] = mark.value }
        do { try context.save() } catch {
            context.rollback()
            throw error
        }
    }

    // MARK: Transactions

    // Between a plan and its save, or a transaction and its undo, the author may have saved in another context or process.
    // Therefore, an undo says nothing about other transactions than the one that it took back.

    /// Returns the newest transaction that is not taken back, except for the given ones.
    private func undoTarget(except skipped: Set<Int64>) throws -> DefaultHistoryTransaction? {
        let store = try store()
        var (undone, redone) = (skipped, Set<Int64>())
        var transactions = Transactions()
        while let transaction = try next(&transactions, in: store) {
            if let target = transaction.reference(Self.undoKey) {
                if !redone.contains(transaction.transactionIdentifier) { undone.insert(target) }
            } else if let undo = transaction.reference(Self.redoKey) {
                redone.insert(undo)
                // The redo made a transaction again.
                guard let target = try self.transaction(undo, in: store)?.reference(Self.undoKey),
                    !undone.contains(target)
                else {
                    continue
                }
                return try self.transaction(target, in: store)
            } else if !undone.contains(transaction.transactionIdentifier) {
                return transaction
            }
        }
        return nil
    }

    /// Returns the newest undo that was not made again, except for the given ones, if no other transaction is newer.
    private func redoTarget(except skipped: Set<Int64>) throws -> DefaultHistoryTransaction? {
        let store = try store()
        var redone = skipped
        var transactions = Transactions()
        while let transaction = try next(&transactions, in: store) {
            if let undo = transaction.reference(Self.redoKey) {
                redone.insert(undo)
            } else if transaction.reference(Self.undoKey) == nil {
                return nil
            } else if !redone.contains(transaction.transactionIdentifier) {
                return transaction
            }
        }
        return nil
    }

    private typealias Store = any HistoryProviding<DefaultHistoryTransaction>

    private func store() throws -> Store {
        let stores = try context.providers(of: DefaultHistoryTransaction.self)
        guard stores.count == 1 else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "undo requires a container with one store that records a history")
        }
        return stores[0]
    }

    /// The author's transactions, newest first, which are read in pages of growing size.
    private struct Transactions {
        var page: ArraySlice<DefaultHistoryTransaction> = []
        var limit = Int64.max
        var count: UInt64 = 1
    }

    /// The marks of a replayed transaction contain identifiers of its source, so only those that were saved in this store count.
    private func next(_ transactions: inout Transactions, in store: Store) throws -> DefaultHistoryTransaction? {
        while true {
            while let transaction = transactions.page.popFirst() {
                if !transaction.isReplayed { return transaction }
            }
            transactions.page = try latestTransactions(transactions.count, before: transactions.limit, in: store)[...]
            guard let last = transactions.page.last else { return nil }
            (transactions.limit, transactions.count) = (last.transactionIdentifier, min(2 * transactions.count, 1_000))
        }
    }

    private func latestTransactions(
        _ count: UInt64, before limit: Int64, in store: Store
    ) throws -> [DefaultHistoryTransaction] {
        let (author, name) = (context.editingState.author, context.name)
        let noProcess = ""
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: scope == .author
                ? #Predicate {
                    $0.author == author && $0.transactionIdentifier < limit && $0.processIdentifier != noProcess
                }
                : #Predicate {
                    $0.author == author && $0.contextName == name && $0.transactionIdentifier < limit
                        && $0.processIdentifier != noProcess
                },
            sortBy: [SortDescriptor(\.token, order: .reverse)])
        descriptor.fetchLimit = count
        return try attributingErrors(to: store) { try store.fetchHistoryWithoutChanges(descriptor) }
    }

    private func transaction(_ identifier: Int64, in store: Store) throws -> DefaultHistoryTransaction? {
        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { $0.transactionIdentifier == identifier })
        return try attributingErrors(to: store) { try store.fetchHistoryWithoutChanges(descriptor).first }
    }
}

extension DefaultHistoryTransaction {
    /// A program can set any text, so the identifier of a later transaction is ignored.
    fileprivate func reference(_ key: String) -> Int64? {
        metadata[key].flatMap { Int64($0) }.flatMap { $0 < transactionIdentifier ? $0 : nil }
    }

    fileprivate var isReplayed: Bool { metadata[HistoryReplayStep.MetadataKey.source.rawValue] != nil }
}
