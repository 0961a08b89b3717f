import Chronicle

extension StoreBench where Store: HistoryProviding {
    typealias Transaction = Store.HistoryType
    typealias Token = Store.HistoryType.TokenType
    typealias Descriptor = HistoryDescriptor<Store.HistoryType>

    /// The transactions that match, as a program would ask for them.
    func history(_ descriptor: Descriptor = Descriptor()) throws -> [Transaction] {
        try context().fetchHistory(descriptor)
    }

    /// One save for each title, signed by turns, and the transactions that they made.
    @discardableResult
    func write(_ titles: String..., by authors: [String?] = [nil]) throws -> [Transaction] {
        for (index, title) in titles.enumerated() { try context(authors[index % authors.count]).add(title) }
        return try Array(history().suffix(titles.count))
    }

    /// The titles of the books that were inserted.
    func titles(_ transactions: [Transaction]) throws -> [String] {
        let context = context()
        return try transactions.flatMap(\.changes).map { change in
            guard case .insert = change else { throw BrokenRule("only inserts") }
            return try (context.model(for: change.changedPersistentIdentifier) as? Book)?.title ?? "no book"
        }
    }
}

extension HistoryDescriptor {
    /// The same with a limit and an offset.
    func limited(_ limit: UInt64, offset: UInt64 = 0) -> HistoryDescriptor {
        var descriptor = self
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        return descriptor
    }
}

extension HistoryChange {
    /// `insert Book/1`
    var line: String {
        switch self {
        case .insert: "insert \(changedPersistentIdentifier)"
        case .update: "update \(changedPersistentIdentifier)"
        case .delete: "delete \(changedPersistentIdentifier)"
        }
    }
}
