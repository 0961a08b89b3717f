import Chronicle
import SampleTrips

/// What the index contains of a model.
public struct Document: Hashable, Sendable {
    /// The kinds of documents, with the number that is part of their row identifiers.
    public enum Kind: Int64, CaseIterable, Sendable {
        case trip = 0
        case bucketListItem = 1
        case livingAccommodation = 2

        /// The class of the models.
        var model: any SearchableModel.Type {
            switch self {
            case .trip: Trip.self
            case .bucketListItem: BucketListItem.self
            case .livingAccommodation: LivingAccommodation.self
            }
        }
    }

    /// The kind and the primary key of a model, as one number.
    ///
    /// It identifies the model's row in the index, so that an index needs no other table to find it.
    public struct ID: Hashable, Sendable {
        let rowID: Int64

        init(rowID: Int64) { self.rowID = rowID }

        /// - Throws: ``Failure`` if the key does not fit. Chronicle counts keys from 1; only another program can
        ///   choose such a key.
        init(_ kind: Kind, _ identifier: PersistentIdentifier) throws {
            guard let key = identifier.integerPrimaryKey, (key << Self.kindBits) >> Self.kindBits == key else {
                throw Failure("the primary key of \(identifier) is too large for the index; change it.")
            }
            rowID = key << Self.kindBits | kind.rawValue
        }

        private static var kindBits: Int64 { 2 }

        /// The kind, or `nil` for a row that this program did not write.
        public var kind: Kind? { Kind(rawValue: rowID & (1 << Self.kindBits - 1)) }
        public var primaryKey: Int64 { rowID >> Self.kindBits }
    }

    public let id: ID
    /// The name of the model.
    public let title: String
    /// More text, or an empty string.
    public let detail: String
}
