import Foundation
import SwiftData

func historyProviding<Store: HistoryProviding>(
    _ store: Store, _ descriptor: HistoryDescriptor<Store.HistoryType>  //= HistoryProviding.HistoryType
) throws {
    use((any HistoryProviding).self)  //= HistoryProviding
    use(Store.historyType)  //= HistoryProviding.historyType
    let history: [Store.HistoryType] = try store.fetchHistory(descriptor)  //= HistoryProviding.fetchHistory(_:)
    use(history)
    try store.deleteHistory(descriptor)  //= HistoryProviding.deleteHistory(_:)
}

func historyDescriptor(token: DefaultHistoryToken) {
    //= HistoryDescriptor.init(predicate:)
    use(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    //= HistoryDescriptor.init(predicate:sortBy:)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: nil, sortBy: [SortDescriptor(\.transactionIdentifier)])
    use(HistoryDescriptor<DefaultHistoryTransaction>.self)  //= HistoryDescriptor
    descriptor.predicate = #Predicate { $0.author == "app" }  //= HistoryDescriptor.predicate
    descriptor.sortBy = []  //= HistoryDescriptor.sortBy
    let limit: UInt64 = 10
    descriptor.fetchLimit = limit  //= HistoryDescriptor.fetchLimit
}

func historyTransaction<Transaction: HistoryTransaction>(_ transaction: Transaction) {
    use((any HistoryTransaction).self)  //= HistoryTransaction
    use(Transaction.TokenType.self)  //= HistoryTransaction.TokenType
    use(Transaction.TransactionIdentifier.self)  //= HistoryTransaction.TransactionIdentifier
    let author: String? = transaction.author  //= HistoryTransaction.author
    use(author)
    let changes: [HistoryChange] = transaction.changes  //= HistoryTransaction.changes
    use(changes)
    let store: String = transaction.storeIdentifier  //= HistoryTransaction.storeIdentifier
    use(store)
    let date: Date = transaction.timestamp  //= HistoryTransaction.timestamp
    use(date)
    use(transaction.token)  //= HistoryTransaction.token
    use(transaction.transactionIdentifier)  //= HistoryTransaction.transactionIdentifier
}

func historyToken<Token: HistoryToken>(_ token: Token) {
    use((any HistoryToken).self)  //= HistoryToken
    let value: Token.TokenType? = token.tokenValue  //= HistoryToken.TokenType
    use(value)
    use(token.tokenValue)  //= HistoryToken.tokenValue
}

func historyChange(_ change: HistoryChange) {
    use(HistoryChange.self)  //= HistoryChange
    let identifier: PersistentIdentifier = change.changedPersistentIdentifier
    use(identifier)  //= HistoryChange.changedPersistentIdentifier
    switch change {
    case .insert(let insert): historyInsert(insert)  //= HistoryChange.insert(_:)
    case .update(let update): historyUpdate(update)  //= HistoryChange.update(_:)
    case .delete(let delete): historyDelete(delete)  //= HistoryChange.delete(_:)
    }
}

func historyInsert<Insert: HistoryInsert>(_ insert: Insert) {
    use((any HistoryInsert<Trip>).self)  //= HistoryInsert
    use(Insert.ChangeIdentifier.self)  //= HistoryInsert.ChangeIdentifier
    use(Insert.Model.self)  //= HistoryInsert.Model
    use(Insert.TransactionIdentifier.self)  //= HistoryInsert.TransactionIdentifier
    use(insert.changeIdentifier)  //= HistoryInsert.changeIdentifier
    use(insert.changedPersistentIdentifier)  //= HistoryInsert.changedPersistentIdentifier
    use(insert.transactionIdentifier)  //= HistoryInsert.transactionIdentifier
}

func historyUpdate<Update: HistoryUpdate>(_ update: Update) {
    use((any HistoryUpdate<Trip>).self)  //= HistoryUpdate
    use(Update.ChangeIdentifier.self)  //= HistoryUpdate.ChangeIdentifier
    use(Update.Model.self)  //= HistoryUpdate.Model
    use(Update.TransactionIdentifier.self)  //= HistoryUpdate.TransactionIdentifier
    let attributes: [Update.PropertyUpdate] = update.updatedAttributes  //= HistoryUpdate.PropertyUpdate
    use(attributes)
    use(update.changeIdentifier)  //= HistoryUpdate.changeIdentifier
    use(update.changedPersistentIdentifier)  //= HistoryUpdate.changedPersistentIdentifier
    use(update.transactionIdentifier)  //= HistoryUpdate.transactionIdentifier
    //= HistoryUpdate.updatedAttributes
    let keyPaths: [any PartialKeyPath<Update.Model> & Sendable] = update.updatedAttributes
    use(keyPaths)
}

func historyDelete<Delete: HistoryDelete>(_ delete: Delete) {
    use((any HistoryDelete<Trip>).self)  //= HistoryDelete
    use(Delete.ChangeIdentifier.self)  //= HistoryDelete.ChangeIdentifier
    use(Delete.Model.self)  //= HistoryDelete.Model
    use(Delete.TransactionIdentifier.self)  //= HistoryDelete.TransactionIdentifier
    use(delete.changeIdentifier)  //= HistoryDelete.changeIdentifier
    use(delete.changedPersistentIdentifier)  //= HistoryDelete.changedPersistentIdentifier
    use(delete.transactionIdentifier)  //= HistoryDelete.transactionIdentifier
    let tombstone: HistoryTombstone<Delete.Model> = delete.tombstone  //= HistoryDelete.tombstone
    use(tombstone)
}

func historyTombstone(_ tombstone: HistoryTombstone<Trip>) {
    use(HistoryTombstone<Trip>.self)  //= HistoryTombstone
    let value: (any Sendable)? = tombstone[\.name]  //= HistoryTombstone.subscript(_:)
    use(value)
    let values: [any Sendable] = tombstone.map { $0 }  //= HistoryTombstone.Element
    use(values)
    use(HistoryTombstone<Trip>.Iterator.self)  //= HistoryTombstone.Iterator
    use(tombstone.makeIterator())  //= HistoryTombstone.makeIterator()
}

func defaultTransaction(_ transaction: DefaultHistoryTransaction) {
    use(DefaultHistoryTransaction.self)  //= DefaultHistoryTransaction
    use(transaction.id)  //= DefaultHistoryTransaction.id
    use(DefaultHistoryTransaction.ID.self)  //= DefaultHistoryTransaction.ID
    use(transaction.author)  //= DefaultHistoryTransaction.author
    let bundle: String = transaction.bundleIdentifier  //= DefaultHistoryTransaction.bundleIdentifier
    use(bundle)
    use(transaction.changes)  //= DefaultHistoryTransaction.changes
    let process: String = transaction.processIdentifier  //= DefaultHistoryTransaction.processIdentifier
    use(process)
    use(transaction.storeIdentifier)  //= DefaultHistoryTransaction.storeIdentifier
    use(transaction.timestamp)  //= DefaultHistoryTransaction.timestamp
    let token: DefaultHistoryToken = transaction.token  //= DefaultHistoryTransaction.token
    use(token)
    use(DefaultHistoryTransaction.TokenType.self)  //= DefaultHistoryTransaction.TokenType
    let identifier: Int64 = transaction.transactionIdentifier  //= DefaultHistoryTransaction.transactionIdentifier
    use(identifier)
    use(DefaultHistoryTransaction.TransactionIdentifier.self)  //= DefaultHistoryTransaction.TransactionIdentifier
    use(transaction == transaction)  //= DefaultHistoryTransaction.==(_:_:)
    var hasher = Hasher()
    transaction.hash(into: &hasher)  //= DefaultHistoryTransaction.hash(into:)
}

func defaultToken(_ token: DefaultHistoryToken, _ encoder: any Encoder, _ decoder: any Decoder) throws {
    use(DefaultHistoryToken.self)  //= DefaultHistoryToken
    use(token.id)  //= DefaultHistoryToken.id
    use(DefaultHistoryToken.ID.self)  //= DefaultHistoryToken.ID
    use(DefaultHistoryToken.TokenType.self)  //= DefaultHistoryToken.TokenType
    let value: [String: Int64]? = token.tokenValue  //= DefaultHistoryToken.tokenValue
    use(value)
    let storeIdentifier: String = token.storeIdentifier  //= DefaultHistoryToken.storeIdentifier
    use(storeIdentifier)
    use(token < token)  //= DefaultHistoryToken.<(_:_:)
    use(token == token)  //= DefaultHistoryToken.==(_:_:)
    var hasher = Hasher()
    token.hash(into: &hasher)  //= DefaultHistoryToken.hash(into:)
    try token.encode(to: encoder)  //= DefaultHistoryToken.encode(to:)
    use(try DefaultHistoryToken(from: decoder))  //= DefaultHistoryToken.init(from:)
}

func defaultInsert(_ insert: DefaultHistoryInsert<Trip>) {
    use(DefaultHistoryInsert<Trip>.self)  //= DefaultHistoryInsert
    use(DefaultHistoryInsert<Trip>.ChangeIdentifier.self)  //= DefaultHistoryInsert.ChangeIdentifier
    use(DefaultHistoryInsert<Trip>.TransactionIdentifier.self)  //= DefaultHistoryInsert.TransactionIdentifier
    use(insert.changeIdentifier)  //= DefaultHistoryInsert.changeIdentifier
    use(insert.changedPersistentIdentifier)  //= DefaultHistoryInsert.changedPersistentIdentifier
    use(insert.transactionIdentifier)  //= DefaultHistoryInsert.transactionIdentifier
    use(insert == insert)  //= DefaultHistoryInsert.==(_:_:)
    var hasher = Hasher()
    insert.hash(into: &hasher)  //= DefaultHistoryInsert.hash(into:)
}

func defaultUpdate(_ update: DefaultHistoryUpdate<Trip>) {
    use(DefaultHistoryUpdate<Trip>.self)  //= DefaultHistoryUpdate
    use(DefaultHistoryUpdate<Trip>.ChangeIdentifier.self)  //= DefaultHistoryUpdate.ChangeIdentifier
    use(DefaultHistoryUpdate<Trip>.TransactionIdentifier.self)  //= DefaultHistoryUpdate.TransactionIdentifier
    use(DefaultHistoryUpdate<Trip>.PropertyUpdate.self)  //= DefaultHistoryUpdate.PropertyUpdate
    use(update.changeIdentifier)  //= DefaultHistoryUpdate.changeIdentifier
    use(update.changedPersistentIdentifier)  //= DefaultHistoryUpdate.changedPersistentIdentifier
    use(update.transactionIdentifier)  //= DefaultHistoryUpdate.transactionIdentifier
    use(update.updatedAttributes.contains(\.name))  //= DefaultHistoryUpdate.updatedAttributes
    use(update.containsAttribute(\.name))  //= DefaultHistoryUpdate.containsAttribute(_:)
    use(update == update)  //= DefaultHistoryUpdate.==(_:_:)
    var hasher = Hasher()
    update.hash(into: &hasher)  //= DefaultHistoryUpdate.hash(into:)
}

func defaultDelete(_ delete: DefaultHistoryDelete<Trip>) {
    use(DefaultHistoryDelete<Trip>.self)  //= DefaultHistoryDelete
    use(DefaultHistoryDelete<Trip>.ChangeIdentifier.self)  //= DefaultHistoryDelete.ChangeIdentifier
    use(DefaultHistoryDelete<Trip>.TransactionIdentifier.self)  //= DefaultHistoryDelete.TransactionIdentifier
    use(delete.changeIdentifier)  //= DefaultHistoryDelete.changeIdentifier
    use(delete.changedPersistentIdentifier)  //= DefaultHistoryDelete.changedPersistentIdentifier
    use(delete.transactionIdentifier)  //= DefaultHistoryDelete.transactionIdentifier
    use(delete.tombstone)  //= DefaultHistoryDelete.tombstone
    use(delete == delete)  //= DefaultHistoryDelete.==(_:_:)
    var hasher = Hasher()
    delete.hash(into: &hasher)  //= DefaultHistoryDelete.hash(into:)
}

@MainActor
func historyObserver(_ container: ModelContainer) throws {
    //= HistoryObserver.init(historyTokens:observedModels:authors:modelContainer:isolation:)
    let observer = try HistoryObserver(
        historyTokens: [:], observedModels: [Trip.self], authors: ["app"], modelContainer: container)
    use(HistoryObserver.self)  //= HistoryObserver
    use(observer.eventCounter)  //= HistoryObserver.eventCounter
    use(observer.modelContainer)  //= HistoryObserver.modelContainer
    use(observer.observedModels)  //= HistoryObserver.observedModels
    use(observer.authors)  //= HistoryObserver.authors
}
