import Chronicle
import ChronicleTestSupport
import Testing

@Suite struct StoreNamesTests {
    @Test func namesAndIdentifiersOfStoresAreConverted() throws {
        let container = try DividedContainer().container
        for store in container.stores {
            #expect(container.storeIdentifier(forConfigurationNamed: store.configuration.name) == store.identifier)
            #expect(container.configurationName(forStoreIdentifier: store.identifier) == store.configuration.name)
        }
        #expect(Set(container.stores.map(\.identifier)).count == 3)
        #expect(container.storeIdentifier(forConfigurationNamed: "hotels") == nil)
        #expect(container.configurationName(forStoreIdentifier: "trips") == nil)
    }

    @Test func aModelBelongsToTheStoreOfAConfiguration() throws {
        let divided = try DividedContainer()
        let diary = Diary("")
        divided.context.insert(diary)
        try divided.context.save()
        let identifier = try #require(diary.persistentModelID.storeIdentifier)
        #expect(divided.container.configurationName(forStoreIdentifier: identifier) == "diaries")
    }
}
