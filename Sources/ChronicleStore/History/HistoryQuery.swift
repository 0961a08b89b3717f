import ChronicleCore
import ChronicleSQLite

/// A descriptor, as far as it can be understood without looking into the history.
struct HistoryQuery {
    let sql: HistorySQL
    /// `nil` for no limit.
    let limit: Int?
    let offset: Int

    /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor``.
    init(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ store: DefaultStore) throws {
        sql = try store.naming {
            try HistorySQL(descriptor, storeIdentifier: store.identifier, entityNumber: store.entityNumber)
        }
        limit = [0, .max].contains(descriptor.fetchLimit) ? nil : Int(clamping: descriptor.fetchLimit)
        offset = Int(clamping: descriptor.fetchOffset)
    }

    /// Whether it asks for all transactions after a position, in commit order.
    var isPlain: Bool {
        sql.condition == nil && sql.order.isEmpty && !sql.lowerBounds.contains { $0.isInclusive }
    }
}

extension DefaultStore {
    /// The number under which the history knows an entity; `nil` when it does not.
    fileprivate func entityNumber(_ name: String) throws -> Int64? {
        if let number = historyCatalog.number(ofEntity: name) { return number }
        // Another process may have added it.
        return try database.read { connection in
            _ = try historyCatalog.reloadEntities(connection)
            return historyCatalog.number(ofEntity: name)
        }
    }
}
