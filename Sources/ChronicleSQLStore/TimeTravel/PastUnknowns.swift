package import ChronicleCore
package import Foundation

/// The values as of a position that the history does not contain.
///
/// A fetch that needs one fails. It must not guess, and properties cannot throw an error later.
package struct PastUnknowns: Sendable {
    package let storeIdentifier: String
    package let position: Int64
    /// The properties with unknown values, each with a model, by the name of the table.
    package private(set) var values: [String: [String: Value]] = [:]
    /// The to-many relationships whose destinations are unknown, by table and primary key.
    package private(set) var lists: [String: [Int64: Value]] = [:]
    /// The link tables of these relationships.
    package private(set) var links: [String: Value] = [:]
    /// The tables of models of which a relationship changed between to-one and to-many.
    package var changedForms: Set<String> = []
    /// Why the recording of tracked tables is interrupted, by the name of the table. The rows of these tables are unknown as of
    /// every position.
    package var interruptions: [String: String] = [:]

    /// A value that the history does not contain.
    package struct Value: Sendable {
        /// The name of the table.
        package let table: String
        package let entity: String
        package let property: String
        package let key: Int64

        package init(table: String, entity: String, property: String, key: Int64) {
            (self.table, self.entity, self.property, self.key) = (table, entity, property, key)
        }
    }

    package init(storeIdentifier: String, position: Int64) {
        (self.storeIdentifier, self.position) = (storeIdentifier, position)
    }

    /// Adds the unknown value of a column in a row.
    package mutating func insert(_ value: Value) { values[value.table, default: [:]][value.property] = value }

    /// Adds the relationships whose destinations are unknown.
    package mutating func insertLists(of changes: PastChanges) {
        for (table, name, value) in changes.unknownLists {
            insert(value)
            lists[table, default: [:]][value.key] = value
            links[name] = value
        }
    }

    /// Throws an error if the recording of a table is interrupted.
    package func requireRecorded(_ table: String) throws {
        if let reason = interruptions[table] { throw SwiftDataError.interruptedRecording(of: table, reason) }
    }

    /// Throws an error if the recording of any table is interrupted.
    package func requireAllRecorded() throws {
        if let table = interruptions.keys.min() { try requireRecorded(table) }
    }

    /// Throws an error if rows of a link table are unknown.
    package func requireLinks(_ table: String) throws {
        if let unknown = links[table] { throw error(unknown) }
    }

    /// Checks that the rows that relationships of an entity's models reach are known, because properties cannot throw.
    ///
    /// - Parameters:
    ///   - entityName: The name of the root entity.
    ///   - loadsModels: Whether the request loads models whose relationships can be read, or only counts them, returns their
    ///     identifiers, or shows their values.
    ///   - layout: The tables.
    /// - Throws: `SwiftDataError.historyValueMissing`.
    package func requireKnownDestinations(of entityName: String, loadsModels: Bool, _ layout: PastLayout) throws {
        try requireRecorded(entityName)
        guard !values.isEmpty || !changedForms.isEmpty else { return }
        let reachable = layout.tablesReachable(from: entityName)
        if let name = changedForms.intersection(reachable.union([entityName])).min() {
            throw changedForm(of: name)
        }
        for name in reachable.sorted() where loadsModels {
            guard let value = values[name]?.min(by: { $0.key < $1.key })?.value else { continue }
            throw error(value)
        }
    }

    /// The error of a table with a relationship that changed between to-one and to-many.
    package func changedForm(of name: String) -> SwiftDataError {
        .historyValueMissing.with(
            detail: "a relationship changed between to-one and to-many after position \(position); use a later one",
            entityName: name)
    }

    package func error(_ value: Value) -> SwiftDataError {
        .historyValueMissing.with(
            detail:
                "the history does not contain the value as of position \(position); use a later position, or enable "
                + "preserving values for later changes",
            entityName: value.entity, propertyName: value.property,
            persistentIdentifier: PersistentIdentifier.Origin(
                storeIdentifier: storeIdentifier, entityName: value.entity, rootEntityName: value.table
            ).identifier(value.key))
    }
}

extension StringProtocol {
    /// Returns whether the text of a query contains a name as a word, ignoring case.
    ///
    /// - Parameter name: The name of a table or view.
    package func containsName(_ name: String) -> Bool {
        func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
        let (text, name) = (lowercased(), name.lowercased())
        guard name.allSatisfy(isWord) else { return text.contains(name) }
        return text.split { !isWord($0) }.contains { $0 == name }
    }
}

extension SwiftDataError {
    /// The error of a tracked table that a program has changed, if the history does not have the change yet.
    ///
    /// - Parameters:
    ///   - table: The name of the table in the history.
    ///   - reason: What is different.
    package static func interruptedRecording(of table: String, _ reason: String) -> SwiftDataError {
        .historyValueMissing.with(
            detail:
                "a program has changed the table: \(reason); use `chronicle track FILE` to record this change",
            entityName: table)
    }
}

extension HistoryPositionFacts {
    /// Returns the token of a date: of the last transaction before the first one with a later timestamp.
    ///
    /// The value describes the position of that token.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - position: The position of the token.
    ///   - hasLaterTransactions: Whether a transaction follows.
    ///   - isTracked: Whether the tables are those of another program, and may have contained rows before the history began.
    ///   - meta: The properties of the store.
    ///   - storeIdentifier: The identifier of the store.
    /// - Throws: `SwiftDataError.historyTokenExpired` if the transaction was deleted, and `SwiftDataError.historyTokenGap` if the
    ///   changes before the date were not recorded.
    package func token(
        asOf date: Date, position: Int64, hasLaterTransactions: Bool, isTracked: Bool,
        _ meta: some MetaValues, storeIdentifier: String
    ) throws -> DefaultHistoryToken {
        guard try floor < position || floor == 0 || isFloor(position, asOf: date, hasLaterTransactions, meta) else {
            throw SwiftDataError.historyTokenExpired.with(
                detail: "the transactions before \(date.formatted(.iso8601)) were deleted; use a later date",
                storeIdentifier: storeIdentifier)
        }
        if position == gap {
            // Without `recordedSince`, a date before the first transaction after the gap may be within the gap.
            let isRecorded = try meta.recordedSince(gap: gap).map { $0 <= date }
            guard isRecorded ?? (gap == 0 && !isTracked || !hasLaterTransactions) else {
                throw SwiftDataError.historyTokenGap.with(
                    detail: "the changes before \(date.formatted(.iso8601)) were not recorded; use a later date",
                    storeIdentifier: storeIdentifier)
            }
        }
        return DefaultHistoryToken(
            storeIdentifier: storeIdentifier, position: position,
            checkValue: position == floor && floor > 0 ? floorCheckValue : row.checkValue)
    }

    /// Whether the newest deleted transaction is the last one before the date.
    private func isFloor(
        _ position: Int64, asOf date: Date, _ hasLaterTransactions: Bool, _ meta: some MetaValues
    ) throws -> Bool {
        guard position == floor else { return false }
        let timestamp = try meta.lastDeletion(floor: floor)?.timestamp
        return timestamp.map { $0 <= date.timeIntervalSinceReferenceDate } ?? !hasLaterTransactions
    }
}
