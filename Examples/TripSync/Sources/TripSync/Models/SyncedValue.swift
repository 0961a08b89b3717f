import Chronicle
public import Foundation

/// The value of a property, in a form that has the same meaning in every store.
public enum SyncedValue: Hashable, Codable, Sendable {
    case none
    case flag(Bool)
    case integer(Int)
    case real(Double)
    case date(Date)
    case text(String)
    /// The UUID of the model that a property references, or a UUID that is itself the value.
    case model(UUID)
}

extension SyncedValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .none: "nil"
        case .flag(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .date(let value): value.formatted(.iso8601)
        case .text(let value): "“\(value)”"
        case .model(let value): "\(value)"
        }
    }
}

extension SyncedValue {
    /// Returns whether the value is less than another one. Values of different types have a fixed order, and `none` is
    /// greater than all others.
    func precedes(_ other: SyncedValue) -> Bool {
        switch (self, other) {
        case (.flag(let a), .flag(let b)): !a && b
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.date(let a), .date(let b)): a < b
        case (.text(let a), .text(let b)): a < b
        case (.model(let a), .model(let b)): a < b
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .flag: 0
        case .integer: 1
        case .real: 2
        case .date: 3
        case .text: 4
        case .model: 5
        case .none: 6
        }
    }
}

/// A type of synchronised attributes.
public protocol SyncableValue: Sendable {
    var synced: SyncedValue { get }
    /// Returns `nil` if the value is of another type.
    init?(synced value: SyncedValue)
}

extension SyncableValue {
    static func decoded(_ value: SyncedValue, of property: String) throws -> Self {
        guard let result = Self(synced: value) else {
            throw SyncError("\(property) is of the type \(Self.self), and cannot be set to \(value)")
        }
        return result
    }
}

extension Bool: SyncableValue {
    public var synced: SyncedValue { .flag(self) }
    public init?(synced value: SyncedValue) {
        guard case .flag(let value) = value else { return nil }
        self = value
    }
}

extension Int: SyncableValue {
    public var synced: SyncedValue { .integer(self) }
    public init?(synced value: SyncedValue) {
        guard case .integer(let value) = value else { return nil }
        self = value
    }
}

extension Double: SyncableValue {
    public var synced: SyncedValue { .real(self) }
    public init?(synced value: SyncedValue) {
        guard case .real(let value) = value else { return nil }
        self = value
    }
}

extension Date: SyncableValue {
    public var synced: SyncedValue { .date(self) }
    public init?(synced value: SyncedValue) {
        guard case .date(let value) = value else { return nil }
        self = value
    }
}

extension String: SyncableValue {
    public var synced: SyncedValue { .text(self) }
    public init?(synced value: SyncedValue) {
        guard case .text(let value) = value else { return nil }
        self = value
    }
}

extension UUID: SyncableValue {
    public var synced: SyncedValue { .model(self) }
    public init?(synced value: SyncedValue) {
        guard case .model(let value) = value else { return nil }
        self = value
    }
}

extension Optional: SyncableValue where Wrapped: SyncableValue {
    public var synced: SyncedValue { self?.synced ?? .none }
    public init?(synced value: SyncedValue) {
        if value == .none {
            self = .none
        } else if let wrapped = Wrapped(synced: value) {
            self = wrapped
        } else {
            return nil
        }
    }
}
