/// The transactions that gave the attributes of a model their present values, like `git blame` for a file.
///
/// ```swift
/// let blame = try context.blame(trip)
/// print(blame[\.name]?.author ?? "unknown", blame[\.name]?.timestamp ?? .distantPast)
/// for name in blame.attributeNames { print(name, blame[name]?.author ?? "unknown") }
/// ```
///
/// The attributes include to-one relationships, and to-many relationships that are stored as links.
public struct ModelBlame<Model: PersistentModel, Transaction: HistoryTransaction>: Sendable {
    /// The identifier of the model.
    public let model: PersistentIdentifier
    /// The names of the attributes and relationships, in the order of the schema.
    public let attributeNames: [String]
    /// The names of the attributes and relationships whose subscripts return `nil`, because the transactions that set their present
    /// values were deleted, or made while the history was disabled.
    public var attributeNamesBeforeHistory: [String] { attributeNames.filter { transactions[$0] == nil } }
    /// The paths of relationships that reach the model; empty for the model itself, unless a path returns to it. See
    /// ``ModelContext/blame(of:including:_:)``.
    public internal(set) var paths: [String] = []

    private let transactions: [String: Transaction]

    init(_ model: PersistentIdentifier, attributeNames: [String], _ transactions: [String: Transaction]) {
        self.model = model
        self.attributeNames = attributeNames
        self.transactions = transactions
    }

    /// The transaction that gave an attribute or a relationship its present value.
    ///
    /// It is `nil` if that transaction is no longer part of the history, and for a key path whose changes the history does not
    /// record for the model, such as a to-many relationship with a to-one inverse.
    ///
    /// - Parameter keyPath: The key path of the attribute or relationship.
    public subscript(keyPath: PartialKeyPath<Model>) -> Transaction? {
        Model.allProperties.name(of: keyPath).flatMap { transactions[$0] }
    }

    /// The transaction that gave an attribute or a relationship its present value; `nil` if it is no longer part of the history,
    /// and for a name that is not in ``attributeNames``.
    ///
    /// - Parameter name: The name of the attribute or relationship.
    public subscript(name: String) -> Transaction? { transactions[name] }
}
