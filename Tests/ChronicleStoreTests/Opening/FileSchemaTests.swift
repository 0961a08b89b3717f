import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A file describes its models, so that programs without their classes can read it.
@Suite struct FileSchemaTests {
    private let types: [any PersistentModel.Type] = [
        Trip.self, BucketListItem.self, LivingAccommodation.self, LinkItem.self,
    ]

    @Test func theSchemaOfAFileDescribesItsModels() throws {
        let store = try TestStore(.file, types)
        let schema = try DefaultStore.schema(ofFileAt: store.url)
        #expect(try schema.entities.map { try $0.json() } == Schema(types).entities.map { try $0.json() })
        #expect(schema.entities.allSatisfy { !$0.hasModelClass })
    }

    @Test func valuesHaveTheirTypesWithoutClasses() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("test.store")
        let date = Date(timeIntervalSinceReferenceDate: 4_711)
        do {
            let container = try ModelContainer(
                for: Schema(types), configurations: [ModelConfiguration(url: url, preservesValues: true)])
            let context = ModelContext(container)
            let trip = Trip(name: "a", destination: "b", startDate: date)
            let item = BucketListItem(title: "c")
            item.trip = trip
            context.insert(item)
            try context.save()
            item.isDone = true
            item.trip = nil
            try context.save()
            context.delete(trip)
            try context.save()
        }
        let schema = try DefaultStore.schema(ofFileAt: url)
        let store = try DefaultStore(
            ModelConfiguration(schema: schema, url: url, allowsSave: false), migrationPlan: nil)
        let changes = try store.fetchHistory(Descriptor()).flatMap(\.changes)
        var values: [String] = []
        for change in changes {
            let name = change.changedPersistentIdentifier.entityName
            switch change {
            case .insert(let insert as DefaultHistoryInsert<UntypedModel>):
                if name == "Trip" { #expect(insert.value(named: "startDate") as? Date == date) }
                values.append("insert \(name)")
            case .update(let update as DefaultHistoryUpdate<UntypedModel>):
                #expect(update.previousValue(named: "isDone") as? Bool == false)
                #expect(update.value(named: "isDone") as? Bool == true)
                let trip = update.previousValue(named: "trip") as? PersistentIdentifier
                #expect(trip?.entityName == "Trip" && trip?.integerPrimaryKey == 1)
                values.append("update \(name)")
            case .delete(let delete as DefaultHistoryDelete<UntypedModel>):
                #expect(delete.tombstone["startDate"] as? Date == date)
                values.append("delete \(name)")
            default: Issue.record("unexpected change \(change)")
            }
        }
        #expect(values.sorted() == ["delete Trip", "insert BucketListItem", "insert Trip", "update BucketListItem"])
    }

    @Test func otherFilesThrow() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("test.store")
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try DefaultStore.schema(ofFileAt: url) }
        _ = try Shell.sqlite3(url, "CREATE TABLE t(a)")
        #expect(throws: SwiftDataError.notAChronicleStore) { try DefaultStore.schema(ofFileAt: url) }
    }

    @Test(arguments: ["'{'", "x'00'", "'{}'", "replace(definition, 'Trip', 'Tour')", "'null'"])
    func invalidDefinitionsThrow(_ definition: String) throws {
        let store = try TestStore(.file)
        try store.shell("UPDATE chronicle_entity SET definition = \(definition) WHERE name = 'Trip'")
        let error = try failure(of: { try DefaultStore.schema(ofFileAt: store.url) })
        #expect(
            error == .damagedFile && error?.detail?.contains("chronicle_entity") == true, "\(String(describing: error))"
        )
    }
}
