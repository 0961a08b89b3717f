import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite("API for custom stores")
struct AuthoringTests {
    private struct Insert<Model: PersistentModel>: HistoryInsert {
        let changeIdentifier = 1
        let transactionIdentifier = 1
        let changedPersistentIdentifier: PersistentIdentifier
    }

    private struct Update<Model: PersistentModel>: HistoryUpdate {
        let changeIdentifier = 1
        let transactionIdentifier = 1
        let changedPersistentIdentifier: PersistentIdentifier
        let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
    }

    private struct Entry: HistoryTransaction {
        struct Token: HistoryToken {
            let position: Int
            var tokenValue: Int? { position }
            var id: Int { position }
            static func < (a: Token, b: Token) -> Bool { a.position < b.position }
        }

        let author: String?
        let changes: [HistoryChange] = []
        let storeIdentifier = "S"
        let timestamp = Date.now
        let token: Token
        var transactionIdentifier: Int { token.position }
    }

    private let schema: Schema
    private let hotel: Schema.Entity

    init() throws {
        schema = Schema(Hotel.self)
        hotel = try #require(schema.entitiesByName["Hotel"])
    }

    @Test func changesAreTypedByEntity() {
        func change(_ name: String) -> any HistoryInsert {
            func insert<Model: PersistentModel>(of model: Model.Type) -> any HistoryInsert {
                Insert<Model>(changedPersistentIdentifier: ScriptedStore.origin(name).identifier(1))
            }
            return insert(of: schema.modelType(named: name))
        }
        #expect(change("Hotel") is Insert<Hotel>)
        #expect(change("Motel") is Insert<UntypedModel>)
    }

    @Test func updatedAttributesOfAnyTransaction() throws {
        let identifier = ScriptedStore.origin("Hotel").identifier(1)
        let change = HistoryChange.update(
            Update<Hotel>(changedPersistentIdentifier: identifier, updatedAttributes: [\.name, \.opened]))
        guard case .update(let update as any HistoryUpdate<Hotel>) = change else {
            Issue.record("not an update of a hotel")
            return
        }
        #expect(update.containsAttribute(\.name) && update.containsAttribute(\.opened))
        #expect(!update.containsAttribute(\.stars))
    }

    @Test func tombstones() throws {
        #expect(hotel.preservedProperties.map(\.name) == ["name", "opened"])
        let kept: [(String, PropertyValue)] = [
            ("name", .text("Ritz")), ("opened", .real(0)), ("rooms", .integer(7)), ("stars", .null),
        ]
        let tombstone = HistoryTombstone<Hotel>(decoding: kept, schema)
        #expect(tombstone[\.name] == "Ritz")
        #expect(tombstone[\.opened] == Date(timeIntervalSinceReferenceDate: 0))
        #expect(tombstone["rooms"] as? Int64 == 7)
        #expect(tombstone.attributeNames == ["name", "opened", "rooms"])
        #expect(tombstone.map { "\($0)" } == tombstone.namedValues.map { "\($0.value)" })
        let undecodable = HistoryTombstone<Hotel>(decoding: [("name", .integer(1)), ("opened", .real(0))], schema)
        let value = try #require(undecodable["name"] as? UndecodableValue)
        #expect(value.error == .undecodableValue && value.error.entityName == "Hotel" && value.propertyName == "name")
        #expect(value.storedValue == .integer(1))
        #expect(undecodable[\.name] as String? == nil && undecodable[\.opened] != nil)
    }

    @Test func encoding() throws {
        let (name, opened) = (
            try #require(hotel.property(named: "name")), try #require(hotel.property(named: "opened"))
        )
        #expect(try name.encode("Ritz") == .text("Ritz"))
        #expect(try opened.encode(Date(timeIntervalSinceReferenceDate: 3)) == .real(3))
        #expect(try opened.encode(nil) == .null)
        #expect(throws: SwiftDataError.modelValidationFailure) { try name.encode(nil) }
        #expect(throws: SwiftDataError.modelValidationFailure) { try name.encode(7) }
    }

    @Test func descriptorsApplyToAnyTransactionType() throws {
        let entries = (1...5).map { Entry(author: $0.isMultiple(of: 2) ? "even" : nil, token: .init(position: $0)) }
        func positions(_ descriptor: HistoryDescriptor<Entry>) throws -> [Int] {
            try descriptor.apply(to: entries).map(\.token.position)
        }
        let two = Entry.Token(position: 2)
        #expect(try positions(.after(two)) == [3, 4, 5])
        #expect(try positions(.before(two)) == [1, 2])
        var descriptor = HistoryDescriptor<Entry>(
            predicate: #Predicate { $0.author != "even" && $0.token >= two },
            sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
        #expect(try positions(descriptor) == [5, 3])
        (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 1)
        #expect(try positions(descriptor) == [3])

        let bounds = try HistoryTokenBounds(descriptor)
        #expect(bounds.lower.map(\.token) == [two] && bounds.lower[0].isInclusive && bounds.lower[0].isRequired)
        #expect(bounds.upper.isEmpty)
        #expect(try HistoryTokenBounds(HistoryDescriptor<Entry>.after(two)).lower.map(\.isInclusive) == [false])
        #expect(try HistoryTokenBounds(HistoryDescriptor<Entry>.before(two)).upper.map(\.isInclusive) == [true])
        #expect(try HistoryTokenBounds(HistoryDescriptor<Entry>()).lower.isEmpty)
    }

    /// Code that is generic over transactions uses the key paths of the protocol.
    @Test func defaultStoreTranslatesGenericPredicates() throws {
        let container = try ModelContainer(
            for: Hotel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let store = try #require(container.stores.first as? DefaultStore)
        let context = ModelContext(container)
        for author in ["a", "b", "b"] {
            context.author = author
            context.insert(Hotel(author, stars: 1))
            try context.save()
        }
        func authors<Store: HistoryProviding>(_ store: Store) throws -> [String?] {
            let token = try #require(try store.fetchHistory(HistoryDescriptor()).first?.token)
            let author = "b"
            var found = try store.fetchHistory(.after(token)).map(\.author)
            found += try store.fetchHistory(HistoryDescriptor(predicate: #Predicate { $0.author == author })).map(
                \.author)
            found += try store.fetchHistory(
                HistoryDescriptor(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
            ).map(\.author)
            return found
        }
        #expect(try authors(store) == ["b", "b", "b", "b", "b", "b", "a"])
    }
}

@Suite("The default store uses only public API")
struct PublicInterfaceTests {
    /// Declarations that are `package`, or visible through a special import, are not available to custom stores. The
    /// contexts and the default store use only public declarations of each other.
    @Test func storeUsesOnlyPublicDeclarations() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        // The recorder, which tests choose, sealing, and what the command-line tool needs are not part of the interface of a
        // store.
        // What both SQL stores of this package share is in ChronicleSQLStore and ChronicleSQL.
        let exceptions = [
            "ChronicleStore/Store/ModelConfiguration.swift", "ChronicleStore/Store/DefaultStore+Tool.swift",
            "ChronicleStore/Fetching/SQLiteQueries.swift", "ChronicleCore/Values/JSONEscaping.swift",
            "ChronicleCore/Predicates/PredicateConditions.swift",
            "ChronicleCore/Errors/NearestName.swift",
            "ChronicleCore/TimeTravel/Replay/ModelContainer+HistoryReplay.swift", "ChronicleCore/History/Seals/",
            "ChronicleStore/History/Seals/DefaultStore+Sealing.swift",
            "ChronicleStore/History/Seals/SealedFileReader.swift", "ChronicleCore/TimeTravel/Replay/ExportFile.swift",
        ]
        var lines = 0
        for target in ["ChronicleCore", "ChronicleStore", "Chronicle"] {
            let files = try #require(
                FileManager.default.enumerator(at: sources.appending(path: target), includingPropertiesForKeys: nil))
            for case let file as URL in files
            where file.pathExtension == "swift" && !exceptions.contains(where: file.path.contains) {
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    lines += 1
                    let code = line.drop { $0 == " " }
                    let words = code.hasPrefix("//") ? [] : code.split { !$0.isLetter && $0 != "_" && $0 != "@" }
                    #expect(
                        !words.contains("package") && !words.contains("@_spi") && !words.contains("@testable"),
                        "\(file.lastPathComponent): \(line)")
                }
            }
        }
        #expect(lines > 1000)
    }

    @Test func snapshotKeysAreStrings() throws {
        let keys: [DataStoreSnapshotCodingKey] = [.persistentIdentifier, .modeledProperty("title")]
        #expect(keys.map(\.stringValue) == ["persistentIdentifier", "title"])
        #expect(keys.map { DataStoreSnapshotCodingKey(stringValue: $0.stringValue) } == keys)
        #expect(DataStoreSnapshotCodingKey(intValue: 1) == nil)
    }
}
