package import Chronicle
package import ChronicleSQLite

package typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
package typealias Transaction = DefaultHistoryTransaction

extension TestStore {
    /// The store itself, behind its container.
    package var store: DefaultStore {
        get throws { try found(container.stores.first as? DefaultStore) }
    }

    /// The connections of the store, which are not visible to other modules. With `@testable`, this module, which
    /// programs also use, could not be built for release.
    package var database: Database {
        get throws { try found(Mirror(reflecting: store).descendant("database") as? Database) }
    }

    private func found<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Shell.Failure(description: "there is no \(Value.self)") }
        return value
    }

    /// Writes like a program without Chronicle: without a header. In memory, there are no other programs.
    package func foreign(_ sql: String) throws {
        switch kind {
        case .file: try shell(sql)
        case .inMemory:
            try database.write { connection in
                try connection.setTriggersEnabled(true)
                try connection.execute(sql)
            }
        }
    }

    /// Runs `body` while a write transaction of the store is open.
    package func duringWrite<Result>(_ sql: String, _ body: () throws -> Result) throws -> Result {
        try database.write { connection in
            try connection.setTriggersEnabled(true)
            return try connection.immediate {
                try connection.execute(sql)
                return try body()
            }
        }
    }

    /// The result of a statement on the file.
    package func number(_ sql: String) throws -> Int64? {
        try database.write { try $0.scalarInt64(sql) }
    }

    package func history(_ descriptor: Descriptor = Descriptor()) throws -> [Transaction] {
        try store.fetchHistory(descriptor)
    }

    /// The changes, one line for each transaction.
    package func lines(_ descriptor: Descriptor = Descriptor()) throws -> [String] {
        try history(descriptor).map(\.line)
    }

    /// Saves one new trip for each name, each in a separate transaction.
    @discardableResult
    package func add(_ names: String..., author: String? = nil, in other: ModelContext? = nil) throws -> [Trip] {
        let context = other ?? context(author: author)
        return try names.map { name in
            let trip = Trip(name: name, destination: "somewhere")
            context.insert(trip)
            try context.save()
            return trip
        }
    }
}

extension Descriptor {
    /// The same with a limit and an offset.
    package func limited(_ limit: UInt64, offset: UInt64 = 0) -> Descriptor {
        var descriptor = self
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        return descriptor
    }
}

extension DefaultHistoryTransaction {
    /// The author and the changes, such as `widget: insert Trip/1, update Trip/1 name`.
    package var line: String {
        ([author.map { "\($0): " } ?? ""] + [changes.map(\.text).joined(separator: ", ")]).joined()
    }
}

extension HistoryChange {
    package var text: String {
        switch self {
        case .insert: "insert \(changedPersistentIdentifier)"
        case .update(let update): "update \(changedPersistentIdentifier) \(names(update).joined(separator: "+"))"
        case .delete: "delete \(changedPersistentIdentifier)"
        }
    }

    private func names(_ update: any HistoryUpdate) -> [String] {
        Mirror(reflecting: update).descendant("updatedAttributeNames") as? [String] ?? ["?"]
    }

    package var changeIdentifier: Int64? {
        switch self {
        case .insert(let change): change.changeIdentifier as? Int64
        case .update(let change): change.changeIdentifier as? Int64
        case .delete(let change): change.changeIdentifier as? Int64
        }
    }
}

/// Returns the error that some code throws, or `nil` if it throws none.
package func failure<Result>(of body: () throws -> Result) throws -> SwiftDataError? {
    do {
        _ = try body()
        return nil
    } catch let error as SwiftDataError {
        return error
    }
}
