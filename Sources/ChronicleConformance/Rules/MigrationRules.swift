import Chronicle

extension StoreRule {
    /// Rules about migration plans, whose stages run from the version of the store's data to that of its schema.
    public static var migrations: [StoreRule] { [migratedModels, failedMigrations, laterVersions] }

    static var migratedModels: StoreRule {
        StoreRule("a migration plan runs each stage once", needs: [.reopening, .migrations]) { harness in
            let configuration = try harness.newConfiguration()
            let identifier = try addMemo("ab", to: configuration)
            // The second time, there is no stage left.
            for opening in ["the first", "the second"] {
                try migrated(configuration) { context in
                    let memos = try context.fetch(FetchDescriptor<MemoSchema3.Memo>())
                    try expect(memos.map(\.title), is: ["ab."], "the titles after \(opening) opening")
                    try expect(memos.map(\.length), is: [3], "the lengths after \(opening) opening")
                    try expect(
                        memos.first?.persistentModelID, is: identifier, "the identifier after \(opening) opening")
                }
            }
        }
    }

    static var failedMigrations: StoreRule {
        StoreRule("a stage that fails leaves the data unchanged", needs: [.reopening, .migrations]) { harness in
            let configuration = try harness.newConfiguration()
            _ = try addMemo("ab", to: configuration)
            do {
                try using(configuration, MemoSchema2.self, FailingMemoPlan.self) { _ in }
                throw ConformanceFailure("opening to throw the error of the stage, found no error")
            } catch is FailingMemoPlan.Failure {}
            do {
                try using(configuration, MemoSchema1.self, EarlierMemoPlan.self) { context in
                    let texts = try context.fetch(FetchDescriptor<MemoSchema1.Memo>()).map(\.text)
                    try expect(texts, is: ["ab"], "the texts after a stage that failed")
                }
            } catch let error as SwiftDataError {
                throw ConformanceFailure("the earlier version of the data after a stage that failed, found \(error)")
            }
            try migrated(configuration) { context in
                let titles = try context.fetch(FetchDescriptor<MemoSchema3.Memo>()).map(\.title)
                try expect(titles, is: ["ab."], "the titles after another attempt")
            }
        }
    }

    static var laterVersions: StoreRule {
        StoreRule("data of a later version is rejected and unchanged", needs: [.reopening, .migrations]) { harness in
            let configuration = try harness.newConfiguration()
            _ = try addMemo("ab", to: configuration)
            try migrated(configuration) { _ in }
            try expect(.newerSchemaVersion, of: "opening data of a later version") {
                try using(configuration, MemoSchema1.self, EarlierMemoPlan.self) { _ in }
            }
            try migrated(configuration) { context in
                let titles = try context.fetch(FetchDescriptor<MemoSchema3.Memo>()).map(\.title)
                try expect(titles, is: ["ab."], "the titles after the data was rejected")
            }
        }
    }

    /// Saves a memo with the first version of the schema.
    private static func addMemo(_ text: String, to configuration: Store.Configuration) throws -> PersistentIdentifier {
        try using(configuration, MemoSchema1.self, nil) { context in
            let memo = MemoSchema1.Memo(text)
            context.insert(memo)
            try context.save()
            return memo.persistentModelID
        }
    }

    private static func migrated(_ configuration: Store.Configuration, _ body: (ModelContext) throws -> Void) throws {
        try using(configuration, MemoSchema3.self, MemoMigrationPlan.self, body)
    }

    /// Releases the store.
    private static func using<Result>(
        _ configuration: Store.Configuration, _ version: any VersionedSchema.Type,
        _ plan: (any SchemaMigrationPlan.Type)?, _ body: (ModelContext) throws -> Result
    ) throws -> Result {
        let container = try ModelContainer(
            for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration])
        let context = ModelContext(container)
        return try withExtendedLifetime(context) { try body(context) }
    }
}
