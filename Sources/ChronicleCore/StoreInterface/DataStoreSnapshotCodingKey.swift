/// A key for the encoding and decoding of a snapshot type of your own: its identifier, or one of its properties by name.
///
/// ```swift
/// var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
/// try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
/// try container.encode(title, forKey: .modeledProperty("title"))
/// ```
///
/// A property of the name `persistentIdentifier` cannot be told from the identifier.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
    /// The identifier of the model.
    case persistentIdentifier
    /// A property of the model, by its name.
    case modeledProperty(String)

    public var stringValue: String {
        switch self {
        case .persistentIdentifier: "persistentIdentifier"
        case .modeledProperty(let name): name
        }
    }

    public var intValue: Int? { nil }

    public init(stringValue: String) {
        self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
    }

    public init?(intValue: Int) { nil }
}

/// A value of a snapshot type of your own.
public typealias DataStoreSnapshotValue = Codable & Sendable
