/// The values of a model between two of its changes.
///
/// Each transaction that inserts or updates a model begins a revision. It ends with the next transaction that changes or deletes
/// the model. See ``ModelContext/fetchRevisions(_:)``.
///
/// ```swift
/// for revision in try context.fetchRevisions(RevisionDescriptor<Trip>(of: [trip.persistentModelID])) {
///     print(try revision[\.price], revision.transaction?.author ?? "unknown")
/// }
/// ```
public struct Revision<Model: PersistentModel>: Sendable, Identifiable {
    /// The identifier of a revision.
    public struct ID: Hashable, Sendable {
        /// The identifier of the model.
        public let persistentModelID: PersistentIdentifier
        /// The position with which the revision began.
        public let begin: DefaultHistoryToken
    }

    /// The position of the transaction that began the revision, or the beginning of the history if the model has not changed since.
    public let begin: DefaultHistoryToken
    /// The position of the transaction that ended the revision, or `nil` if it is current.
    public let end: DefaultHistoryToken?
    /// The transaction that began the revision, without its changes. It is `nil` if the history does not contain it, because the
    /// model existed when the history began.
    public let transaction: DefaultHistoryTransaction?
    /// Whether the transaction inserted or updated the model; `nil` if ``transaction`` is.
    public let changeKind: HistoryFilter.ChangeKind?
    /// The names of the attributes and to-one relationships whose values the history does not contain, because it did not preserve
    /// them, or because they were erased.
    public let missingPropertyNames: Set<String>

    private let snapshot: DefaultSnapshot
    private let entity: Schema.Entity
    private var container: ModelContainer?

    /// Creates a revision, for a custom store.
    ///
    /// - Parameters:
    ///   - snapshot: The values, with the identifier of the model.
    ///   - entity: The entity of the model.
    ///   - missingPropertyNames: The names of the properties whose values are not known; those of the snapshot are ignored.
    ///   - begin: The position of the transaction that began the revision.
    ///   - end: The position of the transaction that ended it, or `nil`.
    ///   - transaction: The transaction that began the revision, or `nil`.
    ///   - changeKind: Whether the transaction inserted or updated the model, or `nil`.
    public init(
        _ snapshot: DefaultSnapshot, of entity: Schema.Entity, missingPropertyNames: Set<String> = [],
        begin: DefaultHistoryToken, end: DefaultHistoryToken?, transaction: DefaultHistoryTransaction?,
        changeKind: HistoryFilter.ChangeKind?
    ) {
        self.snapshot = snapshot
        self.entity = entity
        self.missingPropertyNames = missingPropertyNames
        (self.begin, self.end) = (begin, end)
        (self.transaction, self.changeKind) = (transaction, changeKind)
    }

    func attached(to container: ModelContainer) -> Revision {
        var revision = self
        revision.container = container
        return revision
    }

    /// The identifier of the model, which may have been deleted since.
    public var persistentModelID: PersistentIdentifier { snapshot.persistentIdentifier }

    public var id: ID { ID(persistentModelID: persistentModelID, begin: begin) }

    /// Whether the revision has the present values of the model.
    public var isCurrent: Bool { end == nil }

    // MARK: Values

    /// The value of an attribute.
    ///
    /// Getting the value throws ``SwiftDataError/historyValueMissing`` if it is one of the ``missingPropertyNames``,
    /// ``SwiftDataError/unsupportedKeyPath`` if the key path is not a stored attribute, and ``SwiftDataError/undecodableValue`` if
    /// the type of the attribute changed and cannot contain the value.
    ///
    /// - Parameter keyPath: The key path of an attribute.
    public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value {
        get throws {
            let (property, stored) = try storedValue(Model.allProperties.name(of: keyPath))
            guard property.isAttribute else {
                throw unsupported(property.name, "is a relationship; use `destination(of:)`, or read it from `model()`")
            }
            guard let decoded = try decode(stored, property) else {
                // Not a cast of the optional: nil can be cast to optional types.
                if let none = Any?.none as? Value { return none }
                throw attributed(
                    .undecodableValue.with(detail: "the revision has no value, and the attribute is not optional"),
                    property.name)
            }
            guard let result = decoded as? Value else {
                throw attributed(
                    .undecodableValue.with(detail: "the value is a \(type(of: decoded)) and not a \(Value.self)"),
                    property.name)
            }
            return result
        }
    }

    /// Returns the value of a property, for programs without model classes.
    ///
    /// - Parameter name: The name of an attribute or a to-one relationship.
    /// - Returns: The value, or the identifier of the destination; `nil` if the property was `nil`.
    /// - Throws: ``SwiftDataError/historyValueMissing`` if it is one of the ``missingPropertyNames``.
    ///   ``SwiftDataError/unsupportedKeyPath`` if there is no such property. ``SwiftDataError/undecodableValue`` if the type of the
    ///   attribute changed and cannot contain the value.
    public func value(named name: String) throws -> (any Sendable)? {
        let (property, value) = try storedValue(name)
        if case .reference(let identifier) = value { return identifier }
        return property.isAttribute ? try decode(value, property) : nil
    }

    private func decode(_ stored: PropertyValue, _ property: Schema.Property) throws -> (any Sendable)? {
        // As in a present row, a column that was added later is NULL in a row of a subclass.
        let isLater = stored.isNull && !property.isOptional && entity.superentity != nil
        let value = isLater ? property.defaultValue ?? .null : stored
        do { return try property.decode(value) } catch let error as SwiftDataError {
            throw attributed(error, property.name)
        }
    }

    /// Returns the identifier of the model that a to-one relationship referenced, which may have been deleted since.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` if the relationship was `nil`.
    /// - Throws: ``SwiftDataError/historyValueMissing`` if the relationship is one of the ``missingPropertyNames``.
    ///   ``SwiftDataError/unsupportedKeyPath`` if the key path is not a to-one relationship.
    public func destination<Destination: PersistentModel>(
        of keyPath: KeyPath<Model, Destination?>
    ) throws -> PersistentIdentifier? {
        try reference(keyPath)
    }

    /// Returns the identifier of the model that a required to-one relationship referenced; see the method for optional relationships.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` if another program removed the reference.
    /// - Throws: ``SwiftDataError/historyValueMissing`` or ``SwiftDataError/unsupportedKeyPath``.
    public func destination<Destination: PersistentModel>(
        of keyPath: KeyPath<Model, Destination>
    ) throws -> PersistentIdentifier? {
        try reference(keyPath)
    }

    /// Returns the model as it was at ``begin``, from a new context as of that position, whose relationships contain the models as
    /// they were.
    ///
    /// - Returns: A model that cannot be saved.
    /// - Throws: The errors of ``ModelContext/init(_:asOf:)-(_,Token)`` and of its fetches: ``SwiftDataError/historyValueMissing``
    ///   if a value of the model, or one that its relationships reach, is missing; ``SwiftDataError/historyTokenExpired`` if the
    ///   history was deleted since, or if the container has several stores. ``SwiftDataError/missingModelContext`` if the revision
    ///   does not come from a context.
    /// - Complexity: Proportional to the number of changes after ``begin``. Read attributes with the subscript instead, which does
    ///   not read the history.
    public func model() throws -> Model {
        guard let container else {
            throw SwiftDataError.missingModelContext.with(
                detail: "the revision does not come from a context; use `fetchRevisions(_:)` of a context",
                persistentIdentifier: persistentModelID)
        }
        return try ModelContext(container, asOf: begin).existingModel(for: persistentModelID, as: Model.self)
    }

    private func reference(_ keyPath: PartialKeyPath<Model>) throws -> PersistentIdentifier? {
        let (property, value) = try storedValue(Model.allProperties.name(of: keyPath))
        switch value {
        case .reference(let identifier): return identifier
        case .null: return nil
        default: throw unsupported(property.name, "is not a to-one relationship")
        }
    }

    private func storedValue(_ name: String?) throws -> (Schema.Property, PropertyValue) {
        let property = name.flatMap { entity.propertiesByName[$0] }
        guard let property, property.slot >= 0, property.slot < snapshot.values.count else {
            throw unsupported(name, "is not an attribute or a to-one relationship of the model")
        }
        guard !missingPropertyNames.contains(property.name) else {
            throw attributed(
                .historyValueMissing.with(
                    detail: "the history does not contain the value of the revision; enable preserving values for "
                        + "later changes"),
                property.name)
        }
        return (property, snapshot.values[property.slot])
    }

    private func unsupported(_ name: String?, _ detail: String) -> SwiftDataError {
        attributed(.unsupportedKeyPath.with(detail: "\(name ?? "the key path") \(detail)"), name)
    }

    private func attributed(_ error: SwiftDataError, _ name: String?) -> SwiftDataError {
        error.with(
            entityName: persistentModelID.entityName, propertyName: name, persistentIdentifier: persistentModelID)
    }
}
