public import Foundation

/// The value that remains if a device and another writer changed the same property.
///
/// A rule depends on nothing but the conflict, never on a clock. The hub applies it once, when the change of the device
/// arrives, and records the result; the devices adopt it.
public struct ConflictRule: Sendable {
    let resolve: @Sendable (Conflict) -> SyncedValue

    /// Creates a rule.
    ///
    /// - Parameter resolve: Returns the value that the property is set to on the hub.
    public init(_ resolve: @escaping @Sendable (Conflict) -> SyncedValue) { self.resolve = resolve }

    /// The change that arrives at the hub last.
    public static let lastChange = ConflictRule { $0.deviceValue }
    /// The change that arrived at the hub first.
    public static let firstChange = ConflictRule { $0.hubValue }
    /// The smaller of the two values; any value rather than `nil`.
    public static let smallest = ConflictRule { $0.hubValue.precedes($0.deviceValue) ? $0.hubValue : $0.deviceValue }
    /// The larger of the two values.
    public static let largest = ConflictRule { $0.hubValue.precedes($0.deviceValue) ? $0.deviceValue : $0.hubValue }
}

/// A property that was changed on a device and by another writer.
public struct Conflict: Hashable, Sendable {
    public let entityName: String
    public let uuid: UUID
    public let propertyName: String
    /// The value that the device changed; `nil` if it is unknown, because the device lost its history.
    public let base: SyncedValue?
    /// The value on the hub.
    public let hubValue: SyncedValue
    /// The value that the device set.
    public let deviceValue: SyncedValue
    public let device: String
}
