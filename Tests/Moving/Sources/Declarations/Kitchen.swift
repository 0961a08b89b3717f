import Foundation
import SwiftData

// The ways in which properties of models are declared, in Swift 5 mode.

public typealias Minutes = Double

@Model public class Dish: Identifiable {
    public static let maximum = 100
    static var created = 0

    public struct Step: Codable, Hashable {
        var text: String
        var minutes: Minutes?
    }

    public enum Course: Int, Codable, CaseIterable { case starter, main, dessert }

    public enum Price: Codable, Hashable {
        case free
        case fixed(Decimal)
        case range(from: Decimal, to: Decimal)
    }

    @Attribute(.unique) var uuid: UUID = UUID()
    public var id: UUID { uuid }

    public var name: String = ""
    public var `default`: Bool = false
    public var time: Minutes
    public var servings: Range<Int> = 1..<5
    public var course: Course?
    public var price: Price = Price.free
    public var steps = [Step]()
    public var amounts: [String: Double] = [:]
    public var words: Set<String> = []
    public var link: URL?
    public var photo: Optional<Data> = nil
    public var changed = Date()
    public private(set) var revision: Int = 0
    public var indices: [Int] = []
    public var properties: [String] = []
    public var entityName: String = "none"

    public var rating: Int = 0 {
        didSet { revision += 1 }
    }

    @Attribute(.externalStorage, .allowsCloudEncryption) public var scan: Data?
    @Attribute(.ephemeral) public var isSelected: Bool = false
    @Attribute(.spotlight, originalName: "remarks") public var notes: String?
    @Attribute(hashModifier: "2") public var version: Int = 2
    @Transient public var cache: [String: Int]? = nil
    @Transient var onChange: (() -> Void)?

    public var kitchen: Optional<Kitchen>
    @Relationship(deleteRule: .nullify, minimumModelCount: 0, maximumModelCount: 3) public var sides:
        Swift.Array<Dish> = []
    @Relationship(inverse: \Dish.sides) public var mains: [Dish]? = []
    @Relationship public var cook: Cook?

    public init(_ name: String, time: Minutes = 10) {
        self.name = name
        self.time = time
        Dish.created += 1
    }

    public convenience init() { self.init("new") }

    deinit { cache = nil }

    public func addStep(_ text: String, minutes: Minutes? = nil) {
        steps.append(Step(text: text, minutes: minutes))
        onChange?()
    }

    public var total: Minutes { steps.compactMap(\.minutes).reduce(time, +) }

    public subscript(ingredient: String) -> Double {
        get { amounts[ingredient] ?? 0 }
        set { amounts[ingredient] = newValue }
    }
}

@Model public class Kitchen {
    public var name: String
    @Relationship(deleteRule: .cascade, inverse: \Dish.kitchen) public var dishes: [Dish]?
    @Relationship(deleteRule: .deny) public var chef: Cook?

    public init(name: String) {
        self.name = name
        self.dishes = []
    }

    public var menu: [Dish] { (dishes ?? []).sorted { $0.name < $1.name } }
}

@Model
public class Cook {
    public var name: String = "?"
    @Relationship(inverse: \Dish.cook) public var dishes = [Dish]()

    public init(name: String) { self.name = name }
}

/// Members that several classes of models share.
public protocol Named: AnyObject {
    var name: String { get set }
}

extension Dish: Named {}
extension Kitchen: Named {}
extension Cook: Named {}

extension Named where Self: PersistentModel {
    public static func named(_ name: String, in context: ModelContext) -> Self? {
        try? context.fetch(FetchDescriptor<Self>()).first { $0.name == name }
    }

    public func rename(to name: String) throws {
        self.name = name
        try modelContext?.save()
    }

    public var isInserted: Bool { modelContext != nil }
}
