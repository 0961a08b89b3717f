/// What ``DefaultStore/convert(_:to:progress:)`` wrote to a new file.
///
/// Every table was read from the source and from the new file, and had the same number of rows and the same checksum.
public struct StoreConversion: Hashable, Sendable {
    /// The rows of an entity or of a relationship, or the history.
    public struct Table: Hashable, Sendable {
        /// The name of the entity, or that of the relationship, such as `Trip.friends`.
        public let name: String
        /// The number of models or links.
        public let count: Int
        /// A checksum of the rows as 16 hexadecimal digits. It detects differences; it is not a signature.
        public let checksum: String
    }

    /// Something in the source that the new file does not contain, or not in the same form.
    public struct Omission: Hashable, Sendable {
        /// The entity, the property or the table, such as `Trip.photo`.
        public let subject: String
        /// The number of models, links or changes, or `nil` if it is not known.
        public let count: Int?
        /// What is missing, and why.
        public let detail: String

        /// Creates an omission.
        ///
        /// - Parameters:
        ///   - subject: See `subject`.
        ///   - count: See `count`.
        ///   - detail: See `detail`.
        public init(_ subject: String, count: Int? = nil, _ detail: String) {
            (self.subject, self.count, self.detail) = (subject, count, detail)
        }
    }

    /// The entities and relationships, sorted by name, without those that have no rows.
    public internal(set) var tables: [Table] = []
    /// The number of transactions in the history.
    public internal(set) var transactionCount = 0
    /// The number of changes in the history.
    public internal(set) var changeCount = 0
    /// A checksum of the transactions and their changes, like ``Table/checksum``.
    public internal(set) var historyChecksum = ""
    /// What was not carried over.
    public var omissions: [Omission] = []
}
