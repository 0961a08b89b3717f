import Foundation
import SwiftData

@MainActor
func modelContainer(_ other: any DataStoreConfiguration, schema: Schema) throws {
    //= ModelContainer.init(for:configurations:) (types, any store)
    let container: ModelContainer = try ModelContainer(for: Trip.self, Item.self, configurations: other)
    use(ModelContainer.self)  //= ModelContainer
    //= ModelContainer.init(for:configurations:) (schema, array of any stores)
    use(try ModelContainer(for: schema, configurations: [other]))
    let plan: (any SchemaMigrationPlan.Type)? = container.migrationPlan  //= ModelContainer.migrationPlan
    //= ModelContainer.init(for:migrationPlan:configurations:) (types)
    use(try ModelContainer(for: Trip.self, Item.self, migrationPlan: plan, configurations: ModelConfiguration()))
    //= ModelContainer.init(for:migrationPlan:configurations:) (schema)
    use(try ModelContainer(for: schema, migrationPlan: plan, configurations: ModelConfiguration()))
    let modelConfigurations: [ModelConfiguration] = []
    //= ModelContainer.init(for:migrationPlan:configurations:) (schema, array)
    use(try ModelContainer(for: schema, migrationPlan: plan, configurations: modelConfigurations))
    use(container.schema)  //= ModelContainer.schema
    let configurations: Set<ModelConfiguration> = container.configurations  //= ModelContainer.configurations
    use(configurations)
    use(container.mainContext)  //= ModelContainer.mainContext
    //= ModelContainer.storeIdentifier(forConfigurationNamed:)
    let identifier: String? = container.storeIdentifier(forConfigurationNamed: "default")
    use(identifier)
    //= ModelContainer.configurationName(forStoreIdentifier:)
    let name: String? = container.configurationName(forStoreIdentifier: "store")
    use(name)
    container.deleteAllData()  //= ModelContainer.deleteAllData()
    try container.erase()  //= ModelContainer.erase()
    use(container == container)  //= ModelContainer.==(_:_:)
}

func modelConfiguration(schema: Schema, url: URL) throws {
    //= ModelConfiguration.init(isStoredInMemoryOnly:)
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    //= ModelConfiguration.init(for:isStoredInMemoryOnly:)
    use(ModelConfiguration(for: Trip.self, Item.self, isStoredInMemoryOnly: true))
    //= ModelConfiguration.init(_:schema:isStoredInMemoryOnly:allowsSave:groupContainer:cloudKitDatabase:)
    let named = ModelConfiguration(
        "trips", schema: schema, isStoredInMemoryOnly: false, allowsSave: true, groupContainer: .automatic,
        cloudKitDatabase: .automatic)
    use(named)
    //= ModelConfiguration.init(_:schema:url:allowsSave:cloudKitDatabase:)
    use(ModelConfiguration("trips", schema: schema, url: url, allowsSave: false, cloudKitDatabase: .none))
    use(ModelConfiguration.self)  //= ModelConfiguration
    use(configuration.id)  //= ModelConfiguration.id
    let id: ModelConfiguration.ID = configuration.id  //= ModelConfiguration.ID
    use(id)
    let name: String = configuration.name  //= ModelConfiguration.name
    use(name)
    let optional: Schema? = configuration.schema  //= ModelConfiguration.schema
    use(optional)
    use(configuration.url.path)  //= ModelConfiguration.url
    use(configuration.allowsSave)  //= ModelConfiguration.allowsSave
    use(configuration.isStoredInMemoryOnly)  //= ModelConfiguration.isStoredInMemoryOnly
    use(ModelConfiguration.Store.self)  //= ModelConfiguration.Store
    use(ModelConfiguration.CloudKitDatabase.self)  //= ModelConfiguration.CloudKitDatabase
    use(ModelConfiguration.CloudKitDatabase.automatic)  //= ModelConfiguration.CloudKitDatabase.automatic
    use(ModelConfiguration.CloudKitDatabase.none)  //= ModelConfiguration.CloudKitDatabase.none
    //= ModelConfiguration.CloudKitDatabase.private(_:)
    use(ModelConfiguration.CloudKitDatabase.private("iCloud.trips"))
    use(ModelConfiguration.GroupContainer.self)  //= ModelConfiguration.GroupContainer
    //= ModelConfiguration.GroupContainer.identifier(_:)
    use(ModelConfiguration.GroupContainer.identifier("group.example"))
    use(ModelConfiguration.GroupContainer.automatic)  //= ModelConfiguration.GroupContainer.automatic
    use(ModelConfiguration.GroupContainer.none)  //= ModelConfiguration.GroupContainer.none
    let cloud: String? = configuration.cloudKitContainerIdentifier  //= ModelConfiguration.cloudKitContainerIdentifier
    use(cloud)
    use(configuration.cloudKitDatabase)  //= ModelConfiguration.cloudKitDatabase
    let group: String? = configuration.groupAppContainerIdentifier  //= ModelConfiguration.groupAppContainerIdentifier
    use(group)
    use(configuration.groupContainer)  //= ModelConfiguration.groupContainer
    use(configuration.debugDescription)  //= ModelConfiguration.debugDescription
    try configuration.validate()  //= ModelConfiguration.validate()
    use(configuration == named)  //= ModelConfiguration.==(_:_:)
    var hasher = Hasher()
    configuration.hash(into: &hasher)  //= ModelConfiguration.hash(into:)
}
