/// The net changes of a range of the history: one change for each model that differs between two positions; see
/// ``ModelContext/changes(between:and:of:)``.
///
/// Changes that cancel each other out are not included: a model that was inserted and deleted in the range, and an attribute that
/// has its first value again. The changes are in the order in which the history first mentions their models, store by store.
public struct NetChanges: Sendable {
    private let changes: [NetChange]
    private let schema: Schema
    private let positions: [PersistentIdentifier: Int]

    init(_ changes: [NetChange], _ schema: Schema) {
        self.changes = changes
        self.schema = schema
        positions = Dictionary(
            changes.enumerated().map { ($1.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the change of a model.
    ///
    /// - Parameter identifier: The identifier of the model.
    /// - Returns: The change, or `nil` if the model is the same at both positions.
    public func change(of identifier: PersistentIdentifier) -> NetChange? { positions[identifier].map { changes[$0] } }

    /// Returns the changes of the models of a class and of its subclasses.
    ///
    /// - Parameter type: The class.
    /// - Returns: The changes, in the order of all changes.
    /// - Complexity: O(*n*), where *n* is the number of changes.
    public func changes<Model: PersistentModel>(of type: Model.Type) -> [NetChange] {
        changes(ofEntity: Model.entityName)
    }

    /// Returns the changes of the models of an entity, which the schema may no longer contain, and of its subentities.
    ///
    /// - Parameter entityName: The name of the entity.
    /// - Returns: The changes, in the order of all changes.
    /// - Complexity: O(*n*), where *n* is the number of changes.
    public func changes(ofEntity entityName: String) -> [NetChange] {
        changes.filter { change in
            let name = change.persistentIdentifier.entityName
            return name == entityName || schema.entitiesByName[name]?.isKind(of: entityName) == true
        }
    }

    /// The changes in the opposite direction: inserts become deletes, and the values before and after are exchanged.
    ///
    /// - Complexity: O(*n*), where *n* is the number of changes.
    public var inverse: NetChanges { NetChanges(changes.map(\.inverse), schema) }
}

extension NetChanges: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { changes.count }
    public subscript(position: Int) -> NetChange { changes[position] }
}
