import Chronicle
import Synchronization

extension StoreHarness where Store: HistoryProviding {
    typealias Transaction = Store.HistoryType
    typealias Token = Store.HistoryType.TokenType
    typealias Descriptor = HistoryDescriptor<Store.HistoryType>

    func history(_ descriptor: Descriptor = Descriptor()) throws -> [Transaction] {
        try context().fetchHistory(descriptor)
    }

    /// One save for each title, with the authors in turn.
    @discardableResult
    func write(_ titles: String..., by authors: [String?] = [nil]) throws -> [Transaction] {
        for (index, title) in titles.enumerated() { try context(authors[index % authors.count]).add(title) }
        return try Array(history().suffix(titles.count))
    }

    func titles(_ transactions: [Transaction]) throws -> [String] {
        try titles(transactions.flatMap(\.changes))
    }

    func titles(_ changes: [HistoryChange]) throws -> [String] {
        let context = context()
        return try changes.map { change in
            guard case .insert = change else { throw ConformanceFailure("only inserts, found \(change.line)") }
            return try (context.existingModel(for: change.changedPersistentIdentifier) as? Book)?.title ?? "no book"
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    /// Three writers perform fifteen saves each.
    static func linesDuringWrites(
        after start: Store.HistoryType.TokenType, in container: ModelContainer,
        _ open: @escaping @Sendable (Int) throws -> ModelContainer
    ) throws -> [String] {
        let read = try transactions(after: start, in: container) {
            try Parallel.run(3) { writer in
                let context = ModelContext(try open(writer))
                for index in 0..<15 { try context.retrying { try $0.add("\(writer)-\(index)") } }
            }
        }
        return read.flatMap(\.changes).map(\.line)
    }

    /// Reads on from token to token while others write.
    static func transactions(
        after start: Store.HistoryType.TokenType, in container: ModelContainer,
        while write: @escaping @Sendable () throws -> Void
    ) throws -> [Store.HistoryType] {
        let isWritten = Atomic(false)
        let read = Mutex<[Store.HistoryType]>([])
        try Parallel.run(2) { thread in
            guard thread == 1 else {
                defer { isWritten.store(true, ordering: .releasing) }
                return try write()
            }
            let context = ModelContext(container)
            var token = start
            var isDone = false
            while !isDone {
                // Loaded before the fetch, which then includes every transaction that was committed before.
                isDone = isWritten.load(ordering: .acquiring)
                let page = try context.fetchHistory(HistoryDescriptor<Store.HistoryType>.after(token))
                token = page.last?.token ?? token
                read.withLock { $0 += page }
            }
        }
        return read.withLock(\.self)
    }
}

extension HistoryDescriptor {
    func limited(_ limit: UInt64, offset: UInt64 = 0) -> HistoryDescriptor {
        var descriptor = self
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        return descriptor
    }
}

extension HistoryChange {
    /// The kind of the change and the identifier, such as `insert Book/1`.
    var line: String {
        switch self {
        case .insert: "insert \(changedPersistentIdentifier)"
        case .update: "update \(changedPersistentIdentifier)"
        case .delete: "delete \(changedPersistentIdentifier)"
        }
    }
}
