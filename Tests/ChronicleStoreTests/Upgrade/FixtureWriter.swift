import Chronicle
import ChronicleTestSupport
import Foundation

/// Writes the store of a fixture, with public API and `sqlite3` only, so that it can write files of any format.
struct FixtureWriter {
    private typealias Album = FixtureModels.Album
    private typealias Badge = FixtureModels.Badge
    private typealias Note = FixtureModels.Note
    private typealias Person = FixtureModels.Person
    private typealias Photo = FixtureModels.Photo
    private typealias Specimen = FixtureModels.Specimen
    private typealias Tag = FixtureModels.Tag
    private typealias Ticket = FixtureModels.Ticket
    private typealias Track = FixtureModels.Track
    private typealias Wide = FixtureModels.Wide

    private let file: URL
    /// The tokens that a reader kept at several moments.
    private var tokens: [String: DefaultHistoryToken] = [:]

    /// Writes a new store file.
    ///
    /// - Returns: Tokens from several moments, with valid and invalid ones.
    static func write(_ file: URL) throws -> [String: DefaultHistoryToken] {
        var writer = FixtureWriter(file: file)
        try writer.writeEarlierModels()
        try writer.writeModels()
        try writer.deleteHistory()
        try writer.disableHistory()
        try writer.deleteModels()
        try writer.preserveValues()
        try writer.groupForeignChanges()
        try writer.leaveChangesUngrouped()
        return writer.tokens
    }

    private init(file: URL) { self.file = file }

    // MARK: Steps

    /// The first transactions, with models that later versions change or remove.
    private mutating func writeEarlierModels() throws {
        typealias Earlier = EarlierFixtureModels
        let context = ModelContext(try FixtureFile.open(file, Earlier.types))
        tokens["start"] = try context.currentHistoryToken()
        let notes = ["first", "second", "third", "a\0b 🧳"].map(Earlier.Note.init)
        let legacies = ["x", "y", "z"].map(Earlier.Legacy.init)
        try save(context, author: "importer") {
            for note in notes { context.insert(note) }
            for legacy in legacies { context.insert(legacy) }
            (legacies[0].note, legacies[0].amount) = (notes[0], Decimal(string: "12.50"))
        }
        tokens["before the floor"] = try context.currentHistoryToken()
        try save(context, author: "importer", name: "again") { notes[0].text = "first again" }
        tokens["floor of the first delete"] = try context.currentHistoryToken()
        try save(context, author: "app", name: "main") {
            for note in notes { (note.rank, note.size, note.colour) = (.min, -0.0, "red") }
            (notes[0].content, notes[0].isOpen, notes[0].mood) = (Data([0, 255]), true, .bad)
            (notes[0].labels, notes[0].day) = (["a", ""], Date(timeIntervalSinceReferenceDate: 700_000_000.125))
            notes[1].size = .nan
            (legacies[0].name, legacies[1].amount) = ("x2", .nan)
        }
        try save(context, author: "app", name: "main") {
            context.delete(notes[0])
            context.delete(notes[1])
            context.delete(legacies[0])
            context.delete(legacies[1])
        }
    }

    /// Models of every kind, with updates, and transactions of an author whose history is deleted later.
    private mutating func writeModels() throws {
        let context = ModelContext(try FixtureFile.open(file))
        let specimens = (0..<10).map { Self.specimen($0) }
        let tags = [Tag("red"), Tag("green", weight: .max), Tag("blue"), Tag("äöü e\u{301}", weight: -1)]
        let people = ["Ada", "Grace", "Alan", "Edsger", "Barbara"].map { Person($0, code: String($0.prefix(2))) }
        let badges = [Badge("one"), Badge("two")]
        let albums = ["Songs", "Pieces", "Dances"].map(Album.init)
        try save(context, author: "app", name: "main") {
            for specimen in specimens { context.insert(specimen) }
            for tag in tags { context.insert(tag) }
            (specimens[0].tags, specimens[5].tags) = ([tags[0], tags[1]], [tags[1], tags[2]])
        }
        try save(context, author: "app", name: "editor") {
            for album in albums {
                context.insert(album)
                album.tracks = (1...3).map { Track("\(album.title) \($0)") }
                album.photos = [Photo(Data(album.title.utf8)), Photo(Data([0, 1, 2]))]
                album.tracks.first?.tags = tags
            }
            for person in people { context.insert(person) }
            (people[0].friends, people[0].idols) = ([people[0], people[1], people[2]], [people[3], people[4]])
            (people[0].next, people[1].next, people[2].favourite) = (people[1], people[2], albums[1].tracks.first)
            for badge in badges { context.insert(badge) }
            for price in [1, 2, 3] { context.insert(Ticket(Decimal(price), badges[price % 2])) }
            context.insert(Note("new"))
        }
        try save(context, author: "sync") { tags[0].weight = 1 }
        tokens["in the hole"] = try context.currentHistoryToken()
        try save(context, author: "sync") { context.insert(Tag("of the hole")) }
        tokens["before the last deleted transaction"] = try context.currentHistoryToken()
        let wide = [Wide(1), Wide(2)]
        try save(context, author: "app", name: "main") {
            for model in wide { context.insert(model) }
        }
        try save(context, author: "sync") { tags[0].weight = 2 }
        tokens["end of the hole"] = try context.currentHistoryToken()
        try save(context, author: "app") {
            (wide[0].a000, wide[0].a061, wide[0].a062, wide[0].a123, wide[0].a124, wide[0].a129) = (7, 1, 1, 1, 1, 2)
            wide[1].a129 = 1
        }
        try save(context, author: "app") { wide[0].a063 = 1 }
        // Assigns the values that the models already have.
        try save(context, author: "app", name: "without effect") {
            (specimens[0].int, specimens[0].string, wide[1].a129) = (specimens[0].int, specimens[0].string, 1)
        }
        try save(context) {
            Self.assign(low: specimens[0])
            (specimens[1].int, specimens[1].remark, specimens[2].optionalDouble) = (1, "", nil)
        }
        tokens["before the gap"] = try context.currentHistoryToken()
    }

    /// Deletes the beginning of the history, and all transactions of an author.
    private func deleteHistory() throws {
        let context = ModelContext(try FixtureFile.open(file))
        if let token = tokens["floor of the first delete"] { try context.deleteHistory(Descriptor.before(token)) }
        try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "sync" }))
    }

    /// Saves without history, and then enables it again.
    private mutating func disableHistory() throws {
        let disabled = ModelContext(try FixtureFile.open(file, FixtureModels.types, recordsHistory: false))
        try save(disabled, author: "unrecorded") {
            disabled.insert(Person("Unrecorded", code: "un"))
            try disabled.first(Note.self, where: { $0.body == "third" }).rating = 5
        }
        let enabled = ModelContext(try FixtureFile.open(file))
        tokens["after the gap"] = try enabled.currentHistoryToken()
    }

    /// Deletes with tombstones and cascades, and changes of links.
    private mutating func deleteModels() throws {
        let context = ModelContext(try FixtureFile.open(file))
        try save(context, author: "widget", name: "today") {
            for specimen in try context.fetch(FetchDescriptor<Specimen>()) where specimen.code >= 5 {
                context.delete(specimen)
            }
            context.delete(try context.first(Note.self, where: { $0.body == "a\0b 🧳" }))
            context.delete(try context.first(Wide.self, where: { $0.a000 == 2 }))
        }
        tokens["between saves"] = try context.currentHistoryToken()
        try save(context, author: "widget") {
            context.delete(try context.first(Album.self, where: { $0.title == "Songs" }))
            context.delete(try context.first(Badge.self, where: { $0.id == "one" }))
        }
        try save(context, author: "app", name: "links") {
            let ada = try context.first(Person.self, where: { $0.name == "Ada" })
            let alan = try context.first(Person.self, where: { $0.name == "Alan" })
            ada.friends.removeAll { $0.name == "Grace" }
            alan.friends.append(try context.first(Person.self, where: { $0.name == "Edsger" }))
            ada.idols = nil
            (ada.next, alan.favourite) = (nil, nil)
            try context.first(Tag.self, where: { $0.name == "blue" }).tracks = []
            context.delete(try context.first(Tag.self, where: { $0.name == "red" }))
            try context.first(Album.self, where: { $0.title == "Dances" }).tracks.removeLast()
        }
        try save(context, author: "app", name: "batch") {
            let content = Data([0, 1, 2])
            try context.delete(model: Photo.self, where: #Predicate { $0.content == content })
        }
        try save(context, author: "app", name: "inserted, updated and deleted") {
            let person = Person("Short", code: "sh")
            context.insert(person)
            try context.save()
            person.name = "Shorter"
            try context.save()
            context.delete(person)
        }
    }

    /// Changes whose values the history preserves, with metadata.
    private mutating func preserveValues() throws {
        let container = try FixtureFile.open(file)
        guard let store = container.stores.first as? DefaultStore else { return }
        let context = ModelContext(container)
        let (specimen, later) = (Self.specimen(20), Self.specimen(21))
        let kim = Person("Kim", code: "ki")
        try store.setPreservesValues(true)
        tokens["preserved values"] = try context.currentHistoryToken()
        context.transactionMetadata = ["reason": "fixture", "née": "🧳\0"]
        try save(context, author: "app", name: "preserved") {
            for model in [specimen, later] { context.insert(model) }
            context.insert(kim)
        }
        context.transactionMetadata = ["reason": "update"]
        try save(context, author: "app", name: "preserved") {
            Self.assign(low: specimen)
            later.string = String(repeating: "x", count: 65_537)
            let ada = try context.first(Person.self, where: { $0.name == "Ada" })
            (kim.friends, kim.next, ada.friends) = ([ada], ada, [kim])
        }
        try save(context, author: "app", name: "preserved") {
            (kim.friends, kim.next, later.string) = ([], nil, "short again")
            try context.first(Wide.self, where: { $0.a000 == 7 }).a129 = 3
        }
        _ = try Shell.sqlite3(
            file,
            "UPDATE Person SET name = 'Kim ' || char(0) || '!', next = 1 WHERE code = 'ki'; DELETE FROM Tag WHERE name = 'äöü é'"
        )
        try save(context, author: "app", name: "preserved") { context.delete(specimen) }
        try store.erasePreservedValues([\Specimen.uuid], of: Specimen.self)
        try store.erasePreservedValues(of: [later.persistentModelID])
        context.transactionMetadata = [:]
        try store.setPreservesValues(false)
    }

    /// Changes by another program that the next save groups.
    private mutating func groupForeignChanges() throws {
        _ = try Shell.sqlite3(
            file,
            """
            PRAGMA foreign_keys = ON;
            INSERT INTO Person(code, name) VALUES ('fo', 'Foreign'), (NULL, 'Foreign too');
            UPDATE Person SET name = 'Foreign 🧳' WHERE code = 'fo';
            UPDATE Specimen SET int = 7, double = -0.0, optionalData = x'00ff', optionalString = NULL WHERE code = 1;
            UPDATE Specimen SET int = int WHERE code = 2;
            UPDATE Wide SET a001 = 5, a070 = 5, a128 = 5;
            UPDATE Specimen SET uuid = '00000000-0000-0000-0000-00000000000F', decimal = 5, float = 1 WHERE code IN (3, 4);
            DELETE FROM Specimen WHERE code = 4;
            DELETE FROM Track WHERE title = 'Pieces 3';
            INSERT INTO "Person.friends"(owner, destination)
                SELECT a.id, b.id FROM Person a, Person b WHERE a.code = 'fo' AND b.code = 'Ad';
            """)
        let context = ModelContext(try FixtureFile.open(file))
        try save(context, author: "app", name: "main") {
            try context.first(Person.self, where: { $0.code == "Ba" }).name = "Barbara L."
        }
        _ = try Shell.sqlite3(
            file,
            """
            PRAGMA foreign_keys = ON;
            REPLACE INTO Tag(name, weight) VALUES ('green', 3);
            REPLACE INTO Person(code, name) VALUES ('Gr', 'Grace H.');
            """)
        tokens["before the newest save"] = try context.fetchHistory(Descriptor()).last { !$0.isExternal }?.token
        try save(context, author: "widget", name: "today") {
            context.insert(Track("last"))
            try context.first(Album.self, where: { $0.title == "Pieces" }).year = 2026
            try context.first(Tag.self, where: { $0.name == "of the hole" }).name = "renamed"
            try context.first(Tag.self, where: { $0.name == "blue" }).name = "of the hole"
        }
        tokens["newest save"] = try context.currentHistoryToken()
    }

    /// Changes by another program after the last save. The texts are those in the file of format 2, which never changes.
    private mutating func leaveChangesUngrouped() throws {
        _ = try Shell.sqlite3(
            file,
            """
            INSERT INTO Tag(name) VALUES ('unsealed'), ('deleted');
            UPDATE Album SET year = 1999 WHERE title = 'Dances';
            """)
        do {
            let context = ModelContext(try FixtureFile.open(file))
            tokens["within unsealed changes"] = try context.fetchHistory(Descriptor()).last?.token
        }
        _ = try Shell.sqlite3(
            file,
            """
            DELETE FROM Tag WHERE name = 'deleted';
            UPDATE Wide SET a062 = 9, a129 = 9;
            """)
        let context = ModelContext(try FixtureFile.open(file))
        tokens["unsealed changes"] = try context.fetchHistory(Descriptor()).last?.token
        try addInvalidTokens()
    }

    /// Tokens of positions that the store does not have, or no longer has.
    private mutating func addInvalidTokens() throws {
        guard let newest = tokens["newest save"], let store = newest.tokenValue?.keys.first,
            let position = newest.position(in: store)
        else { throw Shell.Failure(description: "the newest save has no position") }
        tokens["another check value"] = DefaultHistoryToken(storeIdentifier: store, position: position, checkValue: 1)
        tokens["no check value"] = DefaultHistoryToken(storeIdentifier: store, position: position)
        tokens["a later position"] = DefaultHistoryToken(storeIdentifier: store, position: position + 1000)
        tokens["another store"] = DefaultHistoryToken(storeIdentifier: "another", position: position)
    }

    private func save(
        _ context: ModelContext, author: String? = nil, name: String? = nil, _ changes: () throws -> Void
    ) throws {
        (context.author, context.name) = (author, name)
        try changes()
        try context.save()
    }

    // MARK: Values

    /// Returns a model whose attributes have one of five sets of unusual values.
    ///
    /// - Parameter code: The code of the model. The codes from 5 on repeat the sets, for models that are deleted later.
    static func specimen(_ code: Int) -> FixtureModels.Specimen {
        let specimen = Specimen(code)
        switch code % 5 {
        case 0: break
        case 1: assign(low: specimen)
        case 2: assign(high: specimen)
        case 3: assign(special: specimen)
        default: assign(optionals: specimen)
        }
        return specimen
    }

    private static func assign(low model: Specimen) {
        (model.bool, model.int, model.int8, model.int16) = (true, .min, .min, .min)
        (model.int32, model.int64, model.int128) = (.min, .min, Int128(Int64.min))
        (model.float, model.double, model.string) = (-0.0, -0.0, "nul \0 inside\0")
        (model.date, model.data) = (Date(timeIntervalSinceReferenceDate: -0.0), Data([0, 255, 0]))
        model.decimal = Decimal(sign: .minus, exponent: -36, significand: 1)
        (model.mood, model.shade, model.flags) = (.bad, .dark, Specimen.Flags(rawValue: 5))
        (model.shape, model.url) = (.circle(radius: -0.0), URL(fileURLWithPath: "/a b/ü#?"))
        model.place = Specimen.Place(
            street: "q'\"\0", numbers: [0.1, .infinity, -0.0], since: Date(timeIntervalSince1970: 0.1))
        (model.strings, model.numbers, model.counts) = (["", "a\0b"], [.nan, -.infinity], ["": 1, "k": .min])
    }

    private static func assign(high model: Specimen) {
        (model.int, model.int8, model.int16, model.int32, model.int64) = (.max, .max, .max, .max, .max)
        (model.int128, model.uint, model.uint8) = (Int128(Int64.max), UInt(Int.max), .max)
        (model.uint16, model.uint32, model.uint64) = (.max, .max, UInt64(Int64.max))
        model.uint128 = UInt128(Int64.max)
        (model.float, model.double, model.string) = (.infinity, .infinity, "e\u{301} is not \u{e9}, 🧳 \u{10FFFF}")
        (model.date, model.uuid) = (
            .distantFuture, UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
        )
        model.decimal = Decimal(UInt64.max) * Decimal(UInt64.max)
        (model.shape, model.url) = (.box(-1, 2), URL(string: "https://example.com/?q=%20#f") ?? model.url)
        model.data = Data(repeating: 7, count: 5000)
        model.places = [Specimen.Place(street: "a", numbers: []), Specimen.Place(street: "b", numbers: [1, 2.5])]
    }

    private static func assign(special model: Specimen) {
        (model.float, model.double) = (Float(bitPattern: 0x7FC0_1234), Double(bitPattern: 0x7FF8_0000_DEAD_BEEF))
        (model.optionalFloat, model.optionalDouble) = (-.infinity, -.infinity)
        (model.date, model.optionalDate) = (Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude), .distantPast)
        (model.decimal, model.optionalString, model.optionalData) = (.nan, "", Data())
        model.url = URL(string: "d?q", relativeTo: URL(string: "https://example.com/a/b/")) ?? model.url
        (model.optionalNumbers, model.optionalCounts, model.optionalPlaces) = ([], [:], [])
    }

    private static func assign(optionals model: Specimen) {
        (model.optionalBool, model.optionalInt, model.optionalInt8, model.optionalInt16) = (false, -1, -1, -1)
        (model.optionalInt32, model.optionalInt64, model.optionalInt128) = (-1, -1, -1)
        (model.optionalUInt, model.optionalUInt8, model.optionalUInt16, model.optionalUInt32) = (1, 1, 1, 1)
        (model.optionalUInt64, model.optionalUInt128) = (1, 1)
        (model.optionalFloat, model.optionalDouble, model.optionalString) = (0.1, 0.1, "text")
        (model.optionalDate, model.optionalData) = (Date(timeIntervalSinceReferenceDate: 0.1), Data([1]))
        model.optionalUUID = UUID(uuid: (255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        (model.optionalURL, model.optionalDecimal) = (URL(string: "a:b"), Decimal(string: "0.1"))
        (model.optionalMood, model.optionalShade) = (.good, .medium)
        (model.optionalFlags, model.optionalShape) = (Specimen.Flags(rawValue: .max), .point)
        model.optionalPlace = Specimen.Place(street: "", numbers: [1])
        (model.optionalStrings, model.optionalNumbers, model.optionalCounts) = ([""], [0.5], ["one": 1])
        model.optionalPlaces = [Specimen.Place(street: "p", numbers: [.nan])]
    }
}

extension ModelContext {
    /// Returns the model that satisfies a condition.
    fileprivate func first<Model: PersistentModel>(
        _ type: Model.Type, where isWanted: (Model) -> Bool
    ) throws -> Model {
        guard let model = try fetch(FetchDescriptor<Model>()).first(where: isWanted) else {
            throw Shell.Failure(description: "no \(Model.self) satisfies the condition")
        }
        return model
    }
}
