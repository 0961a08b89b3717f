import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The guarantees of a batch delete, performed by the store or by the context.
@Suite("Batch deletes") struct BatchDeleteTests {
    /// Three saved trips with two items each; Rome also has an accommodation.
    private func trips(_ kind: BatchKind) throws -> (BatchStore, ModelContext) {
        let store = try BatchStore(kind, Trip.self)
        let context = store.context(author: "app")
        for name in ["Rome", "Oslo", "Kyoto"] {
            let trip = Trip(name: name, destination: "to \(name)")
            trip.bucketList = ["a", "b"].map { BucketListItem(title: "\(name) \($0)") }
            if name == "Rome" { trip.livingAccommodation = LivingAccommodation(placeName: "Inn") }
            context.insert(trip)
        }
        try context.save()
        return (store, context)
    }

    private func trip(_ name: String, _ context: ModelContext) throws -> Trip {
        try #require(try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first)
    }

    // MARK: Rows and history

    @Test(arguments: BatchKind.allCases) func deletesMatchingRowsAndCascades(_ kind: BatchKind) throws {
        let (store, _) = try trips(kind)
        let context = store.context(author: "cleaner")
        try context.delete(model: Trip.self, where: #Predicate { $0.name != "Oslo" })
        #expect(!context.hasChanges)
        #expect(try store.context().fetch(FetchDescriptor<Trip>()).map(\.name) == ["Oslo"])
        #expect(
            try store.context().fetch(FetchDescriptor<BucketListItem>()).map(\.title).sorted() == ["Oslo a", "Oslo b"])
        #expect(try store.count(LivingAccommodation.self) == 0)

        let newest = try #require(try store.newest())
        #expect(newest.author == "cleaner" && newest.inserted.isEmpty && newest.updated.isEmpty)
        #expect(newest.deleted.count == 7)
        #expect(newest.deleted.values.compactMap { $0["name"] }.sorted() == ["Kyoto", "Rome"])
        #expect(try store.history().count == 2)
    }

    @Test(arguments: BatchKind.allCases) func deletesAllRowsWithoutAPredicate(_ kind: BatchKind) throws {
        let (store, context) = try trips(kind)
        try context.delete(model: Trip.self)
        #expect(try store.count(Trip.self) == 0 && store.count(BucketListItem.self) == 0)
        #expect(try store.newest()?.deleted.count == 10)
    }

    @Test(arguments: BatchKind.allCases) func emptyDeleteRecordsNothing(_ kind: BatchKind) throws {
        let (store, context) = try trips(kind)
        try context.delete(model: Trip.self, where: #Predicate { $0.name == "Paris" })
        #expect(try store.count(Trip.self) == 3 && store.history().count == 1)
    }

    @Test(arguments: BatchKind.allCases) func predicateMayUseRelationships(_ kind: BatchKind) throws {
        let (store, context) = try trips(kind)
        try context.delete(
            model: BucketListItem.self, where: #Predicate { $0.trip?.name == "Rome" && $0.title != "Rome a" })
        #expect(try store.count(BucketListItem.self) == 5)
        try context.delete(model: Trip.self, where: #Predicate { $0.bucketList.contains { $0.title == "Rome a" } })
        #expect(try store.context().fetch(FetchDescriptor<Trip>()).map(\.name) == ["Oslo", "Kyoto"])
        #expect(try store.count(BucketListItem.self) == 4)
    }

    @Test(arguments: BatchKind.allCases) func predicateIsEvaluatedBeforeTheFirstDelete(_ kind: BatchKind) throws {
        let store = try BatchStore(kind, GraphNode.self)
        let context = store.context()
        let nodes = (0..<6).map { GraphNode("\($0)") }
        for node in nodes { context.insert(node) }
        for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
        try context.save()
        // Each of them has a previous one until that is deleted.
        try store.context().delete(model: GraphNode.self, where: #Predicate { $0.previous != nil })
        try store.read { reader in
            let left = try reader.fetch(FetchDescriptor<GraphNode>())
            #expect(left.map(\.name) == ["0"] && left[0].next == nil)
        }
        #expect(try store.newest()?.updated == ["\(nodes[0].persistentModelID)": ["next"]])
    }

    @Test(arguments: BatchKind.allCases) func nullifiesReferencesToDeletedRows(_ kind: BatchKind) throws {
        let store = try BatchStore(kind, GraphNode.self)
        let context = store.context()
        let group = GraphGroup("g")
        let (a, b) = (GraphNode("a"), GraphNode("b"))
        (a.group, b.favourite) = (group, a)
        for node in [a, b] { context.insert(node) }
        try context.save()
        try store.context().delete(model: GraphGroup.self)
        #expect(try store.newest()?.updated == ["\(a.persistentModelID)": ["group"]])
        let name = "a"
        try store.context().delete(model: GraphNode.self, where: #Predicate { $0.name == name })
        try store.read { reader in
            let left = try reader.fetch(FetchDescriptor<GraphNode>())
            #expect(left.map(\.name) == ["b"] && left[0].favourite == nil)
        }
        if kind.hasForeignKeys {
            #expect(try store.newest()?.updated == ["\(b.persistentModelID)": ["favourite"]])
        }
    }

    @Test(arguments: BatchKind.allCases) func transactionHasTheCurrentAuthorOfTheContext(_ kind: BatchKind) throws {
        let (store, context) = try trips(kind)
        context.author = nil
        context.name = "night shift"
        try context.delete(model: LivingAccommodation.self)
        let newest = try #require(try store.newest())
        #expect(newest.author == nil && newest.deleted.count == 1)
        if kind != .memoryStore {
            let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            #expect(transactions.map(\.contextName) == [nil, "night shift"])
        }
    }

    // MARK: Cascades without foreign key actions

    @Test(arguments: [BatchKind.inMemory, .unbatched]) func cascadesMayExceedTheDepthLimitOfSQLite(_ kind: BatchKind)
        throws
    {
        let store = try BatchStore(kind, GraphNode.self)
        let context = store.context()
        let nodes = (0..<1_100).map { GraphNode("\($0)") }
        for (parent, child) in zip(nodes, nodes.dropFirst()) { child.parent = parent }
        context.insert(nodes[1_099])
        try context.save()
        try store.context().delete(model: GraphNode.self, where: #Predicate { $0.parent == nil })
        #expect(try store.count(GraphNode.self) == 0)
        #expect(try store.newest()?.deleted.count == 1_100)
    }

    @Test(arguments: BatchKind.allCases) func cascadesWithoutForeignKeys(_ kind: BatchKind) throws {
        let store = try BatchStore(kind, BatchOrder.self)
        let context = store.context()
        for number in 1...3 {
            let order = BatchOrder(number)
            order.receipt = BatchReceipt("receipt \(number)")
            order.customer = BatchCustomer("customer \(number)")
            context.insert(order)
        }
        try context.save()
        try store.context().delete(model: BatchOrder.self, where: #Predicate { $0.number > 1 })
        #expect(try store.context().fetch(FetchDescriptor<BatchReceipt>()).map(\.text) == ["receipt 1"])
        #expect(try store.context().fetch(FetchDescriptor<BatchCustomer>()).map(\.name) == ["customer 1"])
        #expect(try store.newest()?.deleted.count == 6)
        // From the other side: the customer's orders, and their receipts.
        try store.context().delete(model: BatchCustomer.self)
        #expect(try store.count(BatchOrder.self) == 0 && store.count(BatchReceipt.self) == 0)
    }

    // MARK: Without history

    @Test func worksWithoutHistory() throws {
        let container = try ModelContainer(
            for: GraphNode.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, recordsHistory: false))
        let context = ModelContext(container)
        let nodes = (0..<6).map { GraphNode("\($0)") }
        for node in nodes { context.insert(node) }
        for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
        try context.save()
        try context.delete(model: GraphNode.self, where: #Predicate { $0.previous != nil })
        #expect(nodes.map(\.isDeleted) == [false, true, true, true, true, true])
        #expect(try context.fetch(FetchDescriptor<GraphNode>()) == [nodes[0]])
    }
}

/// An order with cascades to models without a reference back.
final class BatchOrder: PersistentModel {
    @Attribute var number: Int
    @Relationship(deleteRule: .cascade) var receipt: BatchReceipt?
    @Relationship(deleteRule: .cascade) var customer: BatchCustomer?

    static let properties: PropertyMap<BatchOrder> = [
        "number": \.number, "receipt": \.receipt, "customer": \.customer,
    ]
    let persistentBackingData: any BackingData<BatchOrder>
    init(backingData: any BackingData<BatchOrder>) { persistentBackingData = backingData }
    init(_ number: Int) {
        persistentBackingData = BatchOrder.createBackingData()
        self.number = number
    }
}

final class BatchReceipt: PersistentModel {
    @Attribute var text: String

    static let properties: PropertyMap<BatchReceipt> = ["text": \.text]
    let persistentBackingData: any BackingData<BatchReceipt>
    init(backingData: any BackingData<BatchReceipt>) { persistentBackingData = backingData }
    init(_ text: String) {
        persistentBackingData = BatchReceipt.createBackingData()
        self.text = text
    }
}

final class BatchCustomer: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Relationship(deleteRule: .cascade, inverse: \BatchOrder.customer) var orders: [BatchOrder]

    static let properties: PropertyMap<BatchCustomer> = ["name": \.name, "orders": \.orders]
    let persistentBackingData: any BackingData<BatchCustomer>
    init(backingData: any BackingData<BatchCustomer>) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = BatchCustomer.createBackingData()
        self.name = name
    }
}
