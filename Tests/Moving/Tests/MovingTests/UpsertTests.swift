import Foundation
import SwiftData
import Testing
import Upserts

/// An import that inserts models whose unique values exist.
@Suite struct UpsertTests {
    @Test(arguments: [true, false]) func aSecondImportUpdatesTheModels(inMemory: Bool) throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: Product.self, Maker.self, Review.self,
            configurations: inMemory
                ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: folder.file("Catalog.store"))
        )
        let importer = CatalogImporter(container: container)
        try importer.import(
            Data(
                #"""
                [{"sku": "1", "name": "Cup", "price": 4, "maker": "Rossi", "stars": [5, 4]},
                 {"sku": "2", "name": "Plate", "price": 6, "maker": "Rossi"}]
                """#.utf8))
        let context = ModelContext(container)
        let cup = try #require(try context.fetch(FetchDescriptor<Product>(sortBy: [SortDescriptor(\.sku)])).first)
        let identifier = cup.persistentModelID

        try importer.import(
            Data(
                #"""
                [{"sku": "1", "name": "Large cup", "price": 5, "maker": "Rossi", "stars": [3]},
                 {"sku": "3", "name": "Bowl", "price": 7, "maker": "Bianchi"}]
                """#.utf8))
        let products = try ModelContext(container).fetch(FetchDescriptor<Product>(sortBy: [SortDescriptor(\.sku)]))
        #expect(products.map(\.name) == ["Large cup", "Plate", "Bowl"])
        #expect(products.map { $0.maker?.name } == ["Rossi", "Rossi", "Bianchi"])
        #expect(products[0].persistentModelID == identifier)
        #expect(products[0].reviews.map(\.stars) == [3])
        #expect(try context.fetchCount(FetchDescriptor<Maker>()) == 2)

        let updates = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            .flatMap(\.changes).compactMap { change -> PersistentIdentifier? in
                guard case .update(_ as DefaultHistoryUpdate<Product>) = change else { return nil }
                return change.changedPersistentIdentifier
            }
        #expect(updates.contains(identifier))
    }
}
