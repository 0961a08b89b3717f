import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A model with attributes of many types.
@Model
final class EqualValues {
    var name = "name"
    var real = Double.nan
    var small: Float? = .nan
    var zero = -0.0
    var date = Date(timeIntervalSinceReferenceDate: 0.1)
    var data = Data(repeating: 7, count: 1_000)
    var place: Place? = Place(city: "Rome", zip: nil)
    var tags: [String] = ["a", "b"]
    var places: [Place] = [Place(city: "Rome", zip: 1)]
    var kind = Kind.round(2)
    var color: Color? = .red
    var price = Decimal(string: "12.34")!
    var url = URL(string: "https://example.org")!
    var key: UUID? = UUID()
    var number = UInt64(Int64.max)
    var partner: EqualValues?
    @Relationship(inverse: \EqualValues.owner) var parts: [EqualValues] = []
    var owner: EqualValues?
    @Relationship var links: Set<EqualLink> = []
    var orderedLinks: [EqualLink] = []
    var order = Order(elements: ["a", "b"])

    struct Place: Codable, Equatable { var city: String, zip: Int? }
    enum Kind: Codable { case flat, round(Int) }
    enum Color: String, Codable { case red, green }

    /// An ordered set, which has a mirror with the display style of a set.
    struct Order: Codable, CustomReflectable {
        var elements: [String]
        var customMirror: Mirror { Mirror(self, unlabeledChildren: elements, displayStyle: .set) }
    }

    init() {}
}

@Model
final class EqualLink {
    var name: String

    init(_ name: String) { self.name = name }
}

/// Assigning the values that a model already has is no change.
///
/// https://github.com/feedback-assistant/reports/issues/836
@Suite struct EqualValueTests {
    private func store(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, [EqualValues.self], preservesValues: true)
        let context = store.context()
        let model = EqualValues()
        model.partner = EqualValues()
        model.parts = [EqualValues(), EqualValues()]
        let links = ["a", "b", "c"].map { EqualLink($0) }
        model.links = Set(links)
        model.orderedLinks = links
        model.name = "main"
        context.insert(model)
        try context.save()
        return store
    }

    private func main(_ context: ModelContext) throws -> EqualValues {
        try #require(try context.fetch(FetchDescriptor<EqualValues>(predicate: #Predicate { $0.name == "main" })).first)
    }

    private static let assignments: [@Sendable (EqualValues) -> Void] = [
        { $0.name = $0.name }, { $0.real = $0.real }, { $0.real = .nan }, { $0.small = $0.small },
        { $0.zero = $0.zero }, { $0.date = $0.date }, { $0.data = $0.data }, { $0.place = $0.place },
        { $0.tags = $0.tags }, { $0.places = $0.places }, { $0.kind = $0.kind }, { $0.color = $0.color },
        { $0.price = $0.price }, { $0.url = $0.url }, { $0.key = $0.key }, { $0.number = $0.number },
        { $0.partner = $0.partner }, { $0.owner = $0.owner }, { $0.parts = $0.parts },
        { $0.parts = $0.parts.reversed() }, { $0.links = $0.links }, { $0.links = Set($0.links.map { $0 }) },
        { $0.orderedLinks = $0.orderedLinks }, { $0.orderedLinks = $0.orderedLinks.reversed() },
        { $0.place?.city = "Rome" }, { $0.tags += [] },
    ]

    @Test(arguments: StoreKind.allCases, assignments.indices)
    func anEqualValueRecordsNothing(_ kind: StoreKind, _ number: Int) throws {
        let store = try store(kind)
        let context = store.context()
        let model = try main(context)
        let token = try context.currentHistoryToken()
        nonisolated(unsafe) var saves = 0
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { _ in saves += 1 }
        defer { NotificationCenter.default.removeObserver(observer) }
        Self.assignments[number](model)
        try context.save()
        #expect(try context.currentHistoryToken() == token && saves == 0)
        #expect(!context.hasChanges && context.changedModelsArray.isEmpty)
        // A save with another change lists only that one.
        Self.assignments[number](model)
        model.name = "changed"
        try context.save()
        #expect(try store.lines().last == "update \(model.persistentModelID) name")
    }

    @Test(arguments: StoreKind.allCases) func aValueThatIsSetBackRecordsNothing(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let model = try main(context)
        let token = try context.currentHistoryToken()
        let (data, partner, parts, links) = (model.data, model.partner, model.parts, model.links)
        (model.data, model.partner, model.parts, model.links) = (Data(), nil, [], [])
        (model.real, model.tags, model.kind, model.color) = (1, [], .flat, nil)
        #expect(context.hasChanges)
        (model.data, model.partner, model.parts, model.links) = (data, partner, parts, links)
        (model.real, model.tags, model.kind, model.color) = (.nan, ["a", "b"], .round(2), .red)
        try context.save()
        #expect(try context.currentHistoryToken() == token)
    }

    @Test(arguments: StoreKind.allCases) func anotherOrderIsAChange(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let model = try main(context)
        model.order.elements.reverse()
        #expect(context.hasChanges)
        try context.save()
        #expect(try store.lines().last == "update \(model.persistentModelID) order")
        #expect(try main(store.context()).order.elements == ["b", "a"])
    }
}
