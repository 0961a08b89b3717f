package import ChronicleCore
package import ChronicleSQL

/// A to-one relationship whose inverse is to-one as well, which is stored in a column of each side. The columns agree if
/// each row that a row references with one of them references that row with the other one. A context writes both, but may
/// not know what others have saved since it read the rows. A store therefore reconciles the written rows in each save; see
/// ``OneToOneReconciliation``.
package struct OneToOneRelationship: Sendable {
    package struct Side: Sendable {
        package let entityName: String
        package let name: String
        package let slot: Int
        package let isRequired: Bool
        /// Entities that inherit from each other share the table.
        package let tableName: String
        /// The quoted name in statements, with that of the schema of the database if there is one.
        package let table: SQLQuery

        fileprivate init?(
            _ property: Schema.Property, of entityName: String, in schema: Schema, _ dialect: (any SQLDialect)?
        ) {
            guard let relationship = property.relationship, !relationship.isToMany else { return nil }
            self.entityName = entityName
            (name, slot) = (property.name, property.slot)
            isRequired = !relationship.isOptional || relationship.minimumModelCount > 0
            tableName = schema.entitiesByName[entityName]?.rootName ?? entityName
            table = SQLQuery(raw: dialect?.table(tableName) ?? SQLQuery.quoted(tableName))
        }

        /// Returns the error for a row whose required destination belongs to another row after the save.
        package func requiredDestination(of identifier: PersistentIdentifier) -> SwiftDataError {
            .modelValidationFailure.with(
                detail: "the save gives the destination of this required relationship to another model, or removes it; "
                    + "fetch the model again and assign another destination, or delete it",
                entityName: identifier.entityName, propertyName: name, persistentIdentifier: identifier)
        }
    }

    package let side: Side
    /// The same side if the relationship is its own inverse.
    package let other: Side

    /// `nil` if the property is not a to-one relationship with a to-one inverse.
    package init?(_ property: Schema.Property, in schema: Schema, dialect: (any SQLDialect)? = nil) {
        guard let relationship = property.relationship, !relationship.isToMany,
            let inverse = schema.inverse(of: relationship), let declaring = inverse.relationship?.destination,
            let side = Side(property, of: declaring, in: schema, dialect),
            let other = Side(inverse, of: relationship.destination, in: schema, dialect)
        else { return nil }
        (self.side, self.other) = (side, other)
    }

    private init(side: Side, other: Side) { (self.side, self.other) = (side, other) }

    /// Includes inherited relationships. Without a dialect, the names of tables are unqualified.
    package static func all(
        of entity: Schema.Entity, in schema: Schema, dialect: (any SQLDialect)? = nil
    ) -> [OneToOneRelationship] {
        entity.storedProperties.compactMap { OneToOneRelationship($0, in: schema, dialect: dialect) }
    }

    package var inverse: OneToOneRelationship { OneToOneRelationship(side: other, other: side) }

    /// The rows whose destination exists, but does not reference them. The columns disagree if this query, or that of the
    /// ``inverse``, returns a row.
    package var unreturned: SQLQuery {
        "SELECT a.\(Self.key) FROM \(side.table) AS a WHERE \(isUnreturned) ORDER BY 1"
    }

    /// The rows that are not in a mutual pair, although a column of either side references them or their destination.
    /// `keys` is the condition of the keys, such as `= ?`.
    package func disagreements(_ keys: SQLQuery) -> SQLQuery {
        """
        SELECT a.\(Self.key) FROM \(side.table) AS a WHERE a.\(Self.key) \(keys) AND (\(isUnreturned) \
        OR EXISTS (SELECT 1 FROM \(side.table) AS c WHERE c.\(name: side.name) = a.\(name: side.name) \
        AND c.\(Self.key) <> a.\(Self.key)) \
        OR EXISTS (SELECT 1 FROM \(other.table) AS b WHERE b.\(name: other.name) = a.\(Self.key) \
        AND (a.\(name: side.name) IS NULL OR a.\(name: side.name) <> b.\(Self.key))))
        """
    }

    private var isUnreturned: SQLQuery {
        """
        EXISTS (SELECT 1 FROM \(other.table) AS b WHERE b.\(Self.key) = a.\(name: side.name) \
        AND (b.\(name: other.name) IS NULL OR b.\(name: other.name) <> a.\(Self.key)))
        """
    }

    fileprivate static var key: SQLQuery { SQLQuery(raw: ModelTables.primaryKey) }
}

/// Makes both columns of one-to-one relationships agree, in the transaction of a save that wrote one of them. The value of
/// a written column stays: if another writer gave the destination to another row since, that row loses it. A column that
/// the save did not write only matters if the store contained a disagreement before, which remains where a row would lose
/// its required destination.
package struct OneToOneReconciliation {
    /// Returns the integers of a query's only column.
    private let keys: (SQLQuery) throws -> [Int64]
    private let set: (OneToOneRelationship.Side, _ row: Int64, _ destination: Int64?) throws -> Void

    package init(
        keys: @escaping (SQLQuery) throws -> [Int64],
        set: @escaping (OneToOneRelationship.Side, _ row: Int64, _ destination: Int64?) throws -> Void
    ) {
        (self.keys, self.set) = (keys, set)
    }

    /// - Parameter isWritten: Whether the save wrote the column of the row. Otherwise, a pair whose rows reference each
    ///   other stays, a destination that still references the row is restored, and no row loses a required destination.
    package func reconcile(_ relationship: OneToOneRelationship, row: Int64, isWritten: Bool) throws {
        if !isWritten, try !complete(relationship, row) { return }
        // Each step clears the column of the rows after it, so there is an end.
        var remaining = [(relationship, row)]
        while let (relationship, row) = remaining.popLast() {
            let (side, other) = (relationship.side, relationship.other)
            guard try exists(row, side) else { continue }
            let destination = try keys(destination(of: row, side)).first
            for former in try keys(referrers(to: row, other))
            where former != destination && (isWritten || !other.isRequired) {
                try set(other, former, nil)
                remaining.append((relationship.inverse, former))
            }
            guard let destination else { continue }
            for former in try keys(referrers(to: destination, side))
            where former != row && (isWritten || !side.isRequired) {
                try set(side, former, nil)
                remaining.append((relationship, former))
            }
            if try exists(destination, other), try keys(self.destination(of: destination, other)).first != row {
                try set(other, destination, row)
            }
        }
    }

    /// Chooses the destination of a row whose column the save did not write. Returns `false` if the row does not exist, or
    /// its required destination belongs to another row.
    private func complete(_ relationship: OneToOneRelationship, _ row: Int64) throws -> Bool {
        let (side, other) = (relationship.side, relationship.other)
        guard try exists(row, side) else { return false }
        guard let destination = try keys(destination(of: row, side)).first else {
            if let former = try keys(referrers(to: row, other)).first { try set(side, row, former) }
            return true
        }
        guard let owner = try keys(self.destination(of: destination, other)).first, owner != row,
            try keys(self.destination(of: owner, side)).first == destination
        else { return true }
        if side.isRequired { return false }
        try set(side, row, nil)
        return true
    }

    private func exists(_ row: Int64, _ side: OneToOneRelationship.Side) throws -> Bool {
        let key = OneToOneRelationship.key
        return try !keys("SELECT \(key) FROM \(side.table) WHERE \(key) = \(value: .integer(row))").isEmpty
    }

    private func destination(of row: Int64, _ side: OneToOneRelationship.Side) -> SQLQuery {
        """
        SELECT \(name: side.name) FROM \(side.table) \
        WHERE \(OneToOneRelationship.key) = \(value: .integer(row)) AND \(name: side.name) IS NOT NULL
        """
    }

    private func referrers(to row: Int64, _ side: OneToOneRelationship.Side) -> SQLQuery {
        """
        SELECT \(OneToOneRelationship.key) FROM \(side.table) \
        WHERE \(name: side.name) = \(value: .integer(row)) ORDER BY 1
        """
    }
}
