import Chronicle

/// The second version of the class adds an attribute, the third one renames another.
enum MemoSchema1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Memo.self] }

    final class Memo: PersistentModel {
        @Attribute var text: String

        static let properties: PropertyMap<Memo> = ["text": \.text]
        let persistentBackingData: any BackingData<Memo>
        init(backingData: any BackingData<Memo>) { persistentBackingData = backingData }

        init(_ text: String) {
            persistentBackingData = Memo.createBackingData()
            self.text = text
        }
    }
}

enum MemoSchema2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Memo.self] }

    final class Memo: PersistentModel {
        @Attribute var text: String
        @Attribute var length: Int?

        static let properties: PropertyMap<Memo> = ["text": \.text, "length": \.length]
        let persistentBackingData: any BackingData<Memo>
        init(backingData: any BackingData<Memo>) { persistentBackingData = backingData }
    }
}

enum MemoSchema3: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [Memo.self] }

    final class Memo: PersistentModel {
        @Attribute(originalName: "text") var title: String
        @Attribute var length: Int?

        static let properties: PropertyMap<Memo> = ["title": \.title, "length": \.length]
        let persistentBackingData: any BackingData<Memo>
        init(backingData: any BackingData<Memo>) { persistentBackingData = backingData }
    }
}

/// The first stage changes texts before the migration, and sets lengths afterwards.
enum MemoMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [MemoSchema1.self, MemoSchema2.self, MemoSchema3.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: MemoSchema1.self, toVersion: MemoSchema2.self,
                willMigrate: { context in
                    for memo in try context.fetch(FetchDescriptor<MemoSchema1.Memo>()) { memo.text += "." }
                },
                didMigrate: { context in
                    for memo in try context.fetch(FetchDescriptor<MemoSchema2.Memo>()) { memo.length = memo.text.count }
                }),
            .lightweight(fromVersion: MemoSchema2.self, toVersion: MemoSchema3.self),
        ]
    }
}

/// The stage fails after it has saved changes.
enum FailingMemoPlan: SchemaMigrationPlan {
    struct Failure: Error {}

    static var schemas: [any VersionedSchema.Type] { [MemoSchema1.self, MemoSchema2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: MemoSchema1.self, toVersion: MemoSchema2.self, willMigrate: nil,
                didMigrate: { context in
                    for memo in try context.fetch(FetchDescriptor<MemoSchema2.Memo>()) { memo.text = "changed" }
                    try context.save()
                    throw Failure()
                })
        ]
    }
}

/// The plan of a program that was released before the second version.
enum EarlierMemoPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [MemoSchema1.self] }
    static var stages: [MigrationStage] { [] }
}
