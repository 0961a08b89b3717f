import Foundation
import SwiftData

// Attributes with types of Foundation and the standard library, and a tree.

@Model
public class Parcel {
    public var title: String
    public var weight: Measurement<UnitMass>?
    public var locale: Locale = Locale(identifier: "de_AT")
    public var zone: TimeZone = TimeZone(secondsFromGMT: 0)!
    public var due: DateComponents?
    public var window: DateInterval?
    public var rows: IndexSet = IndexSet()
    public var days: ClosedRange<Date>?
    public var grid: [[Int]] = []
    public var routes: [String: [String]] = [:]
    public var aliases: [String]?
    public var ratio: Float = 0
    public var flags: UInt8 = 0
    public var serial: Int64 = 0
    public var price: Decimal = 0
    public var kinds: Set<Kind> = []

    public var container: Parcel?
    @Relationship(deleteRule: .cascade, inverse: \Parcel.container) public var contents: [Parcel]? = []
    @Transient public var depth: Int { (container?.depth ?? -1) + 1 }
    @Transient public lazy var slug: String = title.lowercased()

    public init(title: String) { self.title = title }

    public enum Kind: String, Codable { case fragile, heavy, cold }
}

/// A value that cannot be stored, because there is no transformer.
public final class Ink {
    public var name = "black"
}

@Model
public final class Swatch {
    @Attribute(.transformable(by: "InkTransformer")) public var ink: Ink?

    public init() {}
}
