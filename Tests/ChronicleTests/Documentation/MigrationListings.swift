import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about migrations.

enum CatalogSchemaV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model
    final class Book {
        var title: String
        var pages: Int

        init(title: String, pages: Int) {
            self.title = title
            self.pages = pages
        }
    }
}

enum CatalogSchemaV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model
    final class Book {
        @Attribute(.unique) var title: String
        var pages: Int
        var isLong: Bool = false

        init(title: String, pages: Int) {
            self.title = title
            self.pages = pages
        }
    }
}

typealias Book = CatalogSchemaV2.Book

enum CatalogMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [CatalogSchemaV1.self, CatalogSchemaV2.self] }
    static var stages: [MigrationStage] { [migrateV1ToV2] }

    static let migrateV1ToV2 = MigrationStage.custom(
        fromVersion: CatalogSchemaV1.self, toVersion: CatalogSchemaV2.self,
        willMigrate: { context in
            var titles: Set<String> = []
            for book in try context.fetch(FetchDescriptor<CatalogSchemaV1.Book>()) {
                if !titles.insert(book.title).inserted { context.delete(book) }
            }
            try context.save()
        },
        didMigrate: { context in
            for book in try context.fetch(FetchDescriptor<CatalogSchemaV2.Book>()) {
                book.isLong = book.pages > 500
            }
            try context.save()
        })
}

func openCatalog(at url: URL) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: url)
    configuration.migrationProgress = { progress in
        print("stage \(progress.stage) of \(progress.stageCount): \(progress.phase)")
    }
    return try ModelContainer(
        for: Book.self, migrationPlan: CatalogMigrationPlan.self, configurations: configuration)
}

func reviewCatalog(at url: URL) throws -> [String] {
    let steps = try ModelContainer.migrationSteps(
        for: Schema([Book.self]), configurations: [ModelConfiguration(url: url)],
        migrationPlan: CatalogMigrationPlan.self)
    return steps.map(\.description)
}

@Suite struct MigrationListingTests {
    @Test func catalogIsMigrated() throws {
        let url = try TemporaryDirectory().file("catalog.store")
        let old = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: CatalogSchemaV1.self), configurations: ModelConfiguration(url: url)))
        for (title, pages) in [("Dune", 600), ("Dune", 600), ("Ubik", 200)] {
            old.insert(CatalogSchemaV1.Book(title: title, pages: pages))
        }
        try old.save()
        #expect(
            try reviewCatalog(at: url) == [
                "catalog: runs the stage from version 1.0.0 to 2.0.0",
                "catalog: Book: adds the attribute isLong: Bool",
                "catalog: Book: creates the index chronicle_unique_Book_title",
                "catalog: Book: replaces the triggers that record changes",
            ])
        let books = try ModelContext(openCatalog(at: url)).fetch(
            FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        #expect(books.map(\.title) == ["Dune", "Ubik"] && books.map(\.isLong) == [true, false])
    }
}
