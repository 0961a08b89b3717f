import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct UnusualModelTests {
    @Test(arguments: StoreKind.allCases) func unusualModelsCanBeSaved(_ kind: StoreKind) throws {
        for type in UnusualModels.all { try write(type, kind) }
    }

    private func write<Model: Labelled>(_ type: Model.Type, _ kind: StoreKind) throws {
        let store = try TestStore(kind, [type])
        let context = store.context()
        let model = Model(backingData: Model.createBackingData())
        context.insert(model)
        model.name = "first"
        try context.save()
        let other = store.context()
        let read = try #require(other.fetch(FetchDescriptor<Model>()).first)
        #expect(read.name == "first" && read !== model && read.persistentModelID == model.persistentModelID, "\(type)")
        read.name = "second"
        try other.save()
        #expect(try store.context().fetch(FetchDescriptor<Model>()).map(\.name) == ["second"], "\(type)")
    }

    @Test func unusualModelsKeepTheirInitializers() {
        #expect(FoundationObject().description == "object ")
        #expect(FoundationObjectWithInitializer("a").name == "a")
        #expect(WithSuperclass().isReady && WithSuperclass(backingData: WithSuperclass.createBackingData()).isReady)
        #expect(WithConditions().name == (WithConditions.flag ? "debug" : "release"))
        #expect(WithConvenience("a").name == "a")
    }

    /// The store and the context use their own members, whatever the names of a class's properties.
    @Test(arguments: StoreKind.allCases) func propertiesMayShareNamesWithMembers(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [WithNamesOfMembers.self])
        let context = store.context()
        let model = WithNamesOfMembers()
        context.insert(model)
        try context.save()
        #expect(!context.hasChanges)
        model.isDeleted = false
        model.modelContext = "d"
        #expect(context.changedModelsArray.count == 1)
        try context.save()
        let read = try #require(store.context().fetch(FetchDescriptor<WithNamesOfMembers>()).first)
        #expect(!read.isDeleted && read.hasChanges && read.modelContext == "d")
        #expect(read.schema == ["b"] && read.hash == 1 && read.properties == ["c"])
    }
}
