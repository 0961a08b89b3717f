import Chronicle
import ChronicleTestSupport
import Foundation
import Observation
import Testing

/// A model as SwiftData's macro declares it: the class is not final, and `init(backingData:)` assigns the variable with
/// the backing data.
private class Ported: PersistentModel {
    @Attribute var name: String
    @Attribute var count = 0
    @Relationship(inverse: \PortedPart.owner) var parts: [PortedPart]

    static let properties: PropertyMap<Ported> = ["name": \.name, "count": \.count, "parts": \.parts]
    var persistentBackingData: any BackingData<Ported> = Ported.createBackingData()
    required init(backingData: any BackingData<Ported>) { persistentBackingData = backingData }

    init(name: String) { self.name = name }
}

private final class PortedPart: PersistentModel {
    @Attribute var name: String
    @Relationship var owner: Ported?

    static let properties: PropertyMap<PortedPart> = ["name": \.name, "owner": \.owner]
    let persistentBackingData: any BackingData<PortedPart> = PortedPart.createBackingData()
    init(backingData: any BackingData<PortedPart>) { persistentBackingData.adopt(backingData) }

    init(name: String) { self.name = name }
}

/// A model whose initializer for rows sets attributes, which the documentation advises against.
private final class Derived: PersistentModel {
    @Attribute var name: String
    @Attribute var count: Int
    @Attribute var doubled = 0
    @Relationship var owner: Ported?

    static let properties: PropertyMap<Derived> = [
        "doubled": \.doubled, "name": \.name, "count": \.count, "owner": \.owner,
    ]
    let persistentBackingData: any BackingData<Derived> = Derived.createBackingData()
    init(backingData: any BackingData<Derived>) {
        (name, count) = ("before", -1)
        persistentBackingData.adopt(backingData)
        doubled = count * 2
    }

    init(name: String, count: Int) { (self.name, self.count) = (name, count) }
}

/// A getter that reads another attribute.
private class Counter: PersistentModel {
    @Attribute var title: Int
    @Attribute var count: Int

    class var properties: PropertyMap<Counter> { ["title": \.title, "count": \.count] }
    class var modelSubclass: ModelSubclass? { nil }
    let persistentBackingData: any BackingData<Counter> = Counter.createBackingData()
    required init(backingData: any BackingData<Counter>) { persistentBackingData.adopt(backingData) }

    init(_ title: Int, count: Int) { (self.title, self.count) = (title, count) }
}

private final class HiddenCounter: Counter {
    override var title: Int {
        get { count == 99 ? 0 : super.title }
        set { super.title = newValue }
    }
    override class var modelSubclass: ModelSubclass? {
        ModelSubclass(["title": \HiddenCounter.title, "count": \.count])
    }
}

/// Appends text to a property through the backing data, as code that is generic over models can.
private func append<Model: PersistentModel>(
    _ text: String, to keyPath: ReferenceWritableKeyPath<Model, String>, of model: Model
) {
    let backingData = model.persistentBackingData
    backingData.setValue(forKey: keyPath, to: backingData.getValue(forKey: keyPath) + text)
}

@Suite struct BackingDataTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Ported.self, PortedPart.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test func modelsReadAndSetValuesByKeyPath() throws {
        let model = Ported(name: "a")
        model.setValue(forKey: \.name, to: "b")
        #expect(model.getValue(forKey: \.name) == "b" && model.name == "b")
        let context = ModelContext(try container())
        context.insert(model)
        try context.save()
        model.setValue(forKey: \.parts, to: [PortedPart(name: "c")])
        #expect(model.getValue(forKey: \.parts).map(\.name) == ["c"])
        #expect(context.insertedModelsArray.count == 1)
    }

    @Test func aModelMayAssignItsBackingData() throws {
        let container = try container()
        let context = ModelContext(container)
        let model = Ported(name: "a")
        #expect(model.persistentBackingData.persistentModelID == nil)
        context.insert(model)
        model.parts = [PortedPart(name: "b")]
        try context.save()
        #expect(model.persistentBackingData.persistentModelID == model.persistentModelID)

        let other = ModelContext(container)
        let fetched = try #require(try other.fetch(FetchDescriptor<Ported>()).first)
        #expect(fetched.name == "a" && fetched.parts.map(\.name) == ["b"])
        fetched.count += 1
        #expect(fetched.hasChanges)
        try other.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Ported>()).map(\.count) == [1])
    }

    @Test func valuesAreReadAndSetByKeyPath() throws {
        let container = try container()
        let context = ModelContext(container)
        let model = Ported(name: "a")
        context.insert(model)
        append("b", to: \.name, of: model)
        #expect(model.name == "ab")
        try context.save()

        let other = ModelContext(container)
        let fetched = try #require(try other.fetch(FetchDescriptor<Ported>()).first)
        append("c", to: \.name, of: fetched)
        fetched.persistentBackingData.setValue(forKey: \.parts, to: [PortedPart(name: "d")])
        #expect(fetched.hasChanges && fetched.persistentBackingData.getValue(forKey: \.parts).count == 1)
        try other.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Ported>()).map(\.name) == ["abc"])
        #expect(try ModelContext(container).fetch(FetchDescriptor<PortedPart>()).map(\.owner?.name) == ["abc"])
    }

    @Test func theInitializerForRowsMaySetAttributes() throws {
        let container = try ModelContainer(
            for: Derived.self, Ported.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        context.insert(Derived(name: "a", count: 4))
        try context.save()
        let model = try #require(try ModelContext(container).fetch(FetchDescriptor<Derived>()).first)
        #expect(model.name == "a" && model.count == 4 && model.doubled == 8 && model.hasChanges)
        // An observed model reads its values in another way.
        withObservationTracking {
            #expect(model.name == "a" && model.count == 4 && model.doubled == 8 && model.owner == nil)
        } onChange: {
        }
        #expect(model.name == "a" && model.count == 4 && model.doubled == 8)
    }

    @Test func aGetterMayReadAnotherAttribute() throws {
        let container = try ModelContainer(
            for: Counter.self, HiddenCounter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for count in 98...99 { context.insert(HiddenCounter(5, count: count)) }
        try context.save()
        let sorted = FetchDescriptor<HiddenCounter>(sortBy: [SortDescriptor(\.count)])
        #expect(try ModelContext(container).fetch(sorted).map(\.title) == [5, 0])
    }

    @Test func aSnapshotIsMadeFromBackingData() throws {
        let context = ModelContext(try container())
        let model = Ported(name: "a")
        var related: [PersistentIdentifier: any BackingData] = [:]
        #expect(throws: SwiftDataError.missingModelContext) {
            try DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
        }
        context.insert(model)
        let part = PortedPart(name: "b")
        model.parts = [part]
        let inserted = try DefaultSnapshot(from: part.persistentBackingData, relatedBackingDatas: &related)
        #expect(inserted.values == [.text("b"), .reference(model.persistentModelID)] && inserted.changed.count == 2)
        try context.save()

        model.count = 5
        let changed = try DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
        #expect(changed.persistentIdentifier == model.persistentModelID)
        #expect(changed.values == [.text("a"), .integer(5)] && Array(changed.changed) == [1])
    }
}
