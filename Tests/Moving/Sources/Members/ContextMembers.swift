import Foundation
import SwiftData

func modelContext(_ container: ModelContainer, trip: Trip, identifier: PersistentIdentifier) throws {
    let context: ModelContext = ModelContext(container)  //= ModelContext.init(_:)
    use(ModelContext.self)  //= ModelContext
    use(context.debugDescription)  //= ModelContext.debugDescription
    use(context.container)  //= ModelContext.container
    context.undoManager = nil  //= ModelContext.undoManager
    context.author = "app"  //= ModelContext.author
    use(context.editingState)  //= ModelContext.editingState
    context.processPendingChanges()  //= ModelContext.processPendingChanges()
    let descriptor = FetchDescriptor<Trip>()
    let trips: [Trip] = try context.fetch(descriptor)  //= ModelContext.fetch(_:)
    use(trips)
    use(try context.fetchCount(descriptor))  //= ModelContext.fetchCount(_:)
    let identifiers: [PersistentIdentifier] = try context.fetchIdentifiers(descriptor)
    use(identifiers)  //= ModelContext.fetchIdentifiers(_:)
    //= ModelContext.enumerate(_:batchSize:allowEscapingMutations:block:)
    try context.enumerate(descriptor, batchSize: 100, allowEscapingMutations: true) { use($0.name) }
    let model: any PersistentModel = context.model(for: identifier)  //= ModelContext.model(for:)
    use(model)
    let registered: Trip? = context.registeredModel(for: identifier)  //= ModelContext.registeredModel(for:)
    use(registered)
    context.insert(trip)  //= ModelContext.insert(_:)
    let inserted: [any PersistentModel] = context.insertedModelsArray  //= ModelContext.insertedModelsArray
    use(inserted)
    use(context.hasChanges)  //= ModelContext.hasChanges
    let changed: [any PersistentModel] = context.changedModelsArray  //= ModelContext.changedModelsArray
    use(changed)
    let deleted: [any PersistentModel] = context.deletedModelsArray  //= ModelContext.deletedModelsArray
    use(deleted)
    context.delete(trip)  //= ModelContext.delete(_:)
    //= ModelContext.delete(model:where:includeSubclasses:)
    try context.delete(model: Trip.self, where: #Predicate { $0.code > 1 }, includeSubclasses: true)
    try context.save()  //= ModelContext.save()
    try context.transaction { trip.name = "Rome" }  //= ModelContext.transaction(block:)
    context.rollback()  //= ModelContext.rollback()
    use(context == context)  //= ModelContext.==(_:_:)
}

func saves(of context: ModelContext) {
    context.autosaveEnabled = false  //= ModelContext.autosaveEnabled
    use(ModelContext.willSave)  //= ModelContext.willSave
    use(ModelContext.didSave)  //= ModelContext.didSave
    use(ModelContext.NotificationKey.self)  //= ModelContext.NotificationKey
    let keys: [ModelContext.NotificationKey] = [
        .insertedIdentifiers,  //= ModelContext.NotificationKey.insertedIdentifiers
        .updatedIdentifiers,  //= ModelContext.NotificationKey.updatedIdentifiers
        .deletedIdentifiers,  //= ModelContext.NotificationKey.deletedIdentifiers
        .invalidatedAllIdentifiers,  //= ModelContext.NotificationKey.invalidatedAllIdentifiers
        .queryGeneration,  //= ModelContext.NotificationKey.queryGeneration
        .historyTokens,  //= ModelContext.NotificationKey.historyTokens
    ]
    use(keys.map(\.rawValue))  //= ModelContext.NotificationKey.rawValue
    use(ModelContext.NotificationKey(rawValue: "insertedIdentifiers"))  //= ModelContext.NotificationKey.init(rawValue:)
}

func history(of context: ModelContext) throws {
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    let transactions: [DefaultHistoryTransaction] = try context.fetchHistory(descriptor)
    use(transactions)  //= ModelContext.fetchHistory(_:)
    try context.deleteHistory(descriptor)  //= ModelContext.deleteHistory(_:)
}

func fetchDescriptor() {
    //= FetchDescriptor.init(predicate:sortBy:)
    var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.code == 1 }, sortBy: [SortDescriptor(\.start)])
    use(FetchDescriptor<Trip>.self)  //= FetchDescriptor
    descriptor.predicate = nil  //= FetchDescriptor.predicate
    descriptor.sortBy = [SortDescriptor(\.name, order: .reverse)]  //= FetchDescriptor.sortBy
    descriptor.fetchLimit = 10  //= FetchDescriptor.fetchLimit
    descriptor.fetchOffset = 10  //= FetchDescriptor.fetchOffset
    descriptor.includePendingChanges = false  //= FetchDescriptor.includePendingChanges
    descriptor.propertiesToFetch = [\.name, \.start]  //= FetchDescriptor.propertiesToFetch
    //= FetchDescriptor.relationshipKeyPathsForPrefetching
    descriptor.relationshipKeyPathsForPrefetching = [\.items]
    use(descriptor == descriptor)  //= FetchDescriptor.==(_:_:)
}

func batches(of context: ModelContext) throws {
    let descriptor = FetchDescriptor<Trip>()
    //= ModelContext.fetch(_:batchSize:)
    let trips: FetchResultsCollection<Trip> = try context.fetch(descriptor, batchSize: 20)
    use(FetchResultsCollection<Trip>.self)  //= FetchResultsCollection
    let start: Int = trips.startIndex  //= FetchResultsCollection.startIndex
    use(trips[start])  //= FetchResultsCollection.subscript(_:)
    let end: Int = trips.endIndex  //= FetchResultsCollection.endIndex
    use(end)
    //= ModelContext.fetchIdentifiers(_:batchSize:)
    let identifiers: FetchResultsCollection<PersistentIdentifier> = try context.fetchIdentifiers(
        descriptor, batchSize: 20)
    use(identifiers)
}

@MainActor
func resultsObserver(_ container: ModelContainer, _ context: ModelContext, trip: Trip) throws {
    use(ResultsObserver<Trip, Never>.self)  //= ResultsObserver
    let descriptor = FetchDescriptor<Trip>()
    let predicate = #Predicate<Trip> { $0.name != "" }
    let order = [SortDescriptor(\Trip.start)]
    //= ResultsObserver.init(filterBy:sortBy:modelContainer:isolation:)
    var all = try ResultsObserver<Trip, Never>(filterBy: predicate, sortBy: order, modelContainer: container)
    //= ResultsObserver.init(filterBy:sortBy:modelContext:isolation:)
    all = try ResultsObserver<Trip, Never>(filterBy: predicate, sortBy: order, modelContext: context)
    //= ResultsObserver.init(fetchDescriptor:modelContainer:isolation:)
    all = try ResultsObserver<Trip, Never>(fetchDescriptor: descriptor, modelContainer: container)
    //= ResultsObserver.init(fetchDescriptor:modelContext:isolation:)
    all = try ResultsObserver<Trip, Never>(fetchDescriptor: descriptor, modelContext: context)
    use(all.modelContext)  //= ResultsObserver.modelContext
    all.fetchDescriptor = descriptor  //= ResultsObserver.fetchDescriptor
    all.filterBy = nil  //= ResultsObserver.filterBy
    all.sortBy = order  //= ResultsObserver.sortBy
    let results: FetchResultsCollection<Trip> = all.results  //= ResultsObserver.results
    use(results)

    //= ResultsObserver.init(filterBy:sortBy:sectionBy:modelContainer:isolation:) (String)
    var observer = try ResultsObserver<Trip, String>(sectionBy: \.name, modelContainer: container)
    //= ResultsObserver.init(filterBy:sortBy:sectionBy:modelContainer:isolation:) (optional String)
    observer = try ResultsObserver<Trip, String>(filterBy: predicate, sectionBy: \.note, modelContainer: container)
    //= ResultsObserver.init(filterBy:sortBy:sectionBy:modelContext:isolation:) (String)
    observer = try ResultsObserver<Trip, String>(sortBy: order, sectionBy: \.name, modelContext: context)
    //= ResultsObserver.init(filterBy:sortBy:sectionBy:modelContext:isolation:) (optional String)
    observer = try ResultsObserver<Trip, String>(filterBy: predicate, sectionBy: \.note, modelContext: context)
    //= ResultsObserver.init(fetchDescriptor:sectionBy:modelContainer:isolation:) (String)
    observer = try ResultsObserver<Trip, String>(
        fetchDescriptor: descriptor, sectionBy: \.name, modelContainer: container)
    //= ResultsObserver.init(fetchDescriptor:sectionBy:modelContainer:isolation:) (optional String)
    observer = try ResultsObserver<Trip, String>(
        fetchDescriptor: descriptor, sectionBy: \.note, modelContainer: container)
    //= ResultsObserver.init(fetchDescriptor:sectionBy:modelContext:isolation:) (String)
    observer = try ResultsObserver<Trip, String>(fetchDescriptor: descriptor, sectionBy: \.name, modelContext: context)
    //= ResultsObserver.init(fetchDescriptor:sectionBy:modelContext:isolation:) (optional String)
    observer = try ResultsObserver<Trip, String>(fetchDescriptor: descriptor, sectionBy: \.note, modelContext: context)
    let sectionBy: PartialKeyPath<Trip>? = observer.sectionBy  //= ResultsObserver.sectionBy
    use(sectionBy)
    let element: Trip? = observer.element(at: IndexPath(indexes: [0, 0]))  //= ResultsObserver.element(at:)
    use(element)
    let indexPath: IndexPath? = observer.indexPath(for: trip)  //= ResultsObserver.indexPath(for:)
    use(indexPath)
    guard let sections: SectionedResults<Trip, String> = observer.sections else { return }  //= ResultsObserver.sections
    use(SectionedResults<Trip, String>.self)  //= SectionedResults
    let titles: [String] = sections.sectionTitles  //= SectionedResults.sectionTitles
    use(titles)
    //= SectionedResults.subscript(sectionTitle:)
    let section: ResultsSection<Trip, String>? = sections[sectionTitle: "a"]
    use(sections.contains(sectionTitle: "a"))  //= SectionedResults.contains(sectionTitle:)
    let index: Int? = sections.index(ofSectionTitled: "a")  //= SectionedResults.index(ofSectionTitled:)
    use(index)
    use(sections == sections)  //= SectionedResults.==(_:_:)
    guard let section else { return }
    use(ResultsSection<Trip, String>.self)  //= ResultsSection
    let identifier: String = section.id  //= ResultsSection.id
    let title: String = section.title  //= ResultsSection.title
    use(identifier == title)
    use(section == section)  //= ResultsSection.==(_:_:)
}

func modelActor(_ actor: isolated Importer, identifier: PersistentIdentifier) {
    use((any ModelActor).self)  //= ModelActor
    use(actor.modelContainer)  //= ModelActor.modelContainer
    use(actor.modelContext)  //= ModelActor.modelContext
    use(actor.modelExecutor)  //= ModelActor.modelExecutor
    use(actor.unownedExecutor)  //= ModelActor.unownedExecutor
    use(actor[identifier, as: Trip.self])  //= ModelActor.subscript(_:as:)
}

func modelExecutor(_ executor: any ModelExecutor, _ serial: any SerialModelExecutor, context: ModelContext) {
    use((any ModelExecutor).self)  //= ModelExecutor
    use(executor.modelContext)  //= ModelExecutor.modelContext
    use((any SerialModelExecutor).self)  //= SerialModelExecutor
    let standard = DefaultSerialModelExecutor(modelContext: context)  //= DefaultSerialModelExecutor.init(modelContext:)
    use(DefaultSerialModelExecutor.self)  //= DefaultSerialModelExecutor
    use(standard.modelContext)  //= DefaultSerialModelExecutor.modelContext
    use(standard.asUnownedSerialExecutor())  //= DefaultSerialModelExecutor.asUnownedSerialExecutor()
    //= DefaultSerialModelExecutor.isSameExclusiveExecutionContext(other:)
    use(standard.isSameExclusiveExecutionContext(other: standard))
}

func enqueue(_ job: consuming ExecutorJob, on executor: DefaultSerialModelExecutor) {
    executor.enqueue(job)  //= DefaultSerialModelExecutor.enqueue(_:)
}
