import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Names that SQLite considers equal are rejected before a file is created; all others work.
@Suite struct TableNameTests {
    @Test(arguments: StoreKind.allCases)
    func anyNameCanBeUsed(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [OddName.self])
        let context = store.context()
        let odd = OddName()
        context.insert(odd)
        try context.save()
        odd.größe = 9
        odd.rowid = 77
        try context.save()
        let found = try store.context().fetch(
            FetchDescriptor<OddName>(
                predicate: #Predicate { $0.rowid == 77 && $0.oid == 2 }, sortBy: [SortDescriptor(\.order)]))
        #expect(found.map(\.größe) == [9] && found.first?.persistentModelID == odd.persistentModelID)
        context.delete(odd)
        try context.save()
        let changes = try store.history().flatMap(\.changes)
        guard case .update(let update as DefaultHistoryUpdate<OddName>) = changes[1],
            case .delete(let delete as DefaultHistoryDelete<OddName>) = changes[2]
        else {
            Issue.record("not an insert, an update, and a delete: \(changes)")
            return
        }
        #expect(update.updatedAttributeNames.sorted() == ["größe", "rowid"])
        #expect(delete.tombstone[\.order] == 5)
    }

    @Test func modelWithoutAttributes() throws {
        let store = try TestStore(.inMemory, [NoProperties.self])
        let context = store.context()
        let models = (0..<20).map { _ in NoProperties() }
        for model in models { context.insert(model) }
        try context.save()
        context.delete(models[3])
        context.insert(NoProperties())
        try context.save()
        #expect(try store.context().fetchCount(FetchDescriptor<NoProperties>()) == 20)
        #expect(try store.history().map(\.changes.count) == [20, 2])
    }

    @Test(
        arguments: [
            ([KeyName.self], "_rowid_"), ([CaseTwins.self], "URL"), ([OwnName.self], nil), ([SQLiteName.self], nil),
            ([UpperName.self, LowerName.self], nil),
        ] as [([any PersistentModel.Type], String?)])
    func namesEqualInSQLiteThrow(_ types: [any PersistentModel.Type], property: String?) throws {
        let file = try TemporaryDirectory().file("test.store")
        let error = #expect(throws: SwiftDataError.self) {
            try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: file)])
        }
        #expect(error == .invalidModel && error?.propertyName == property)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func changingDefaultsDoNotChangeTheFile() throws {
        let store = try TestStore(.file, [NewDefaults.self])
        let before = try store.shell("SELECT * FROM chronicle_meta; PRAGMA schema_version")
        _ = try store.reopened([NewDefaults.self])
        #expect(try store.shell("SELECT * FROM chronicle_meta; PRAGMA schema_version") == before)
    }
}

private final class OddName: PersistentModel {
    @Attribute var select = "s"
    @Attribute var rowid = 1
    @Attribute var oid = 2
    @Attribute var `where` = 3
    @Attribute var größe = 4
    @Attribute(.preserveValueOnDeletion) var order: Int? = 5
    static var entityName: String { "o\"dd 'Na[me]` 🐟; --" }
    static let properties: PropertyMap<OddName> = [
        "select": \.select, "rowid": \.rowid, "oid": \.oid, "where": \.where, "größe": \.größe, "order": \.order,
    ]
    let persistentBackingData: any BackingData<OddName>
    init(backingData: any BackingData<OddName>) { persistentBackingData = backingData }
    init() { persistentBackingData = OddName.createBackingData() }
}

private final class NoProperties: PersistentModel {
    static let properties: PropertyMap<NoProperties> = [:]
    let persistentBackingData: any BackingData<NoProperties>
    init(backingData: any BackingData<NoProperties>) { persistentBackingData = backingData }
    init() { persistentBackingData = NoProperties.createBackingData() }
}

private final class KeyName: PersistentModel {
    @Attribute var _rowid_ = 1
    static let properties: PropertyMap<KeyName> = ["_rowid_": \._rowid_]
    let persistentBackingData: any BackingData<KeyName>
    init(backingData: any BackingData<KeyName>) { persistentBackingData = backingData }
}

private final class CaseTwins: PersistentModel {
    @Attribute var url = 1
    @Attribute var URL = 1
    static let properties: PropertyMap<CaseTwins> = ["url": \.url, "URL": \.URL]
    let persistentBackingData: any BackingData<CaseTwins>
    init(backingData: any BackingData<CaseTwins>) { persistentBackingData = backingData }
}

private final class OwnName: PersistentModel {
    static var entityName: String { "Chronicle_change" }
    static let properties: PropertyMap<OwnName> = [:]
    let persistentBackingData: any BackingData<OwnName>
    init(backingData: any BackingData<OwnName>) { persistentBackingData = backingData }
}

private final class SQLiteName: PersistentModel {
    static var entityName: String { "sqlite_sequence" }
    static let properties: PropertyMap<SQLiteName> = [:]
    let persistentBackingData: any BackingData<SQLiteName>
    init(backingData: any BackingData<SQLiteName>) { persistentBackingData = backingData }
}

private final class UpperName: PersistentModel {
    static var entityName: String { "NAME" }
    static let properties: PropertyMap<UpperName> = [:]
    let persistentBackingData: any BackingData<UpperName>
    init(backingData: any BackingData<UpperName>) { persistentBackingData = backingData }
}

private final class LowerName: PersistentModel {
    static var entityName: String { "name" }
    static let properties: PropertyMap<LowerName> = [:]
    let persistentBackingData: any BackingData<LowerName>
    init(backingData: any BackingData<LowerName>) { persistentBackingData = backingData }
}

private final class NewDefaults: PersistentModel {
    @Attribute var token = UUID()
    @Attribute var created = Date()
    static let properties: PropertyMap<NewDefaults> = ["token": \.token, "created": \.created]
    let persistentBackingData: any BackingData<NewDefaults>
    init(backingData: any BackingData<NewDefaults>) { persistentBackingData = backingData }
}
