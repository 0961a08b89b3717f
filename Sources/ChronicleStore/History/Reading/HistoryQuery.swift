import ChronicleCore
import ChronicleSQLite

/// A descriptor, translated to SQL without reading the history.
struct HistoryQuery {
    let sql: HistorySQL
    /// The limit, or `nil` if there is none.
    let limit: Int?
    let offset: Int

    /// Translates a descriptor.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor``.
    init(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ store: DefaultStore) throws {
        sql = try store.attributingErrors {
            try HistorySQL(descriptor, storeIdentifier: store.identifier, entityNumbers: store.entityNumbers)
        }
        limit = [0, .max].contains(descriptor.fetchLimit) ? nil : Int(clamping: descriptor.fetchLimit)
        offset = Int(clamping: descriptor.fetchOffset)
    }

    /// Whether the query selects all transactions after a position, in commit order.
    var isPlain: Bool {
        sql.condition == nil && sql.order.isEmpty && !sql.lowerBounds.contains { $0.isInclusive }
    }
}

extension DefaultStore {
    /// Returns the number of an entity in the history, or the numbers of all entities with that root.
    func entityNumbers(_ name: String, isRoot: Bool) throws -> [Int64] {
        // The names of the root and of an entity without inheritance are the same.
        let numbers = historyCatalog.numbers(ofEntity: name, isRoot: isRoot)
        if !numbers.isEmpty { return numbers }
        // Another process may have added the entity.
        return try database.read { connection in
            _ = try Format1.reading(connection) { try historyCatalog.reloadEntities(connection) }
            return historyCatalog.numbers(ofEntity: name, isRoot: isRoot)
        }
    }
}
