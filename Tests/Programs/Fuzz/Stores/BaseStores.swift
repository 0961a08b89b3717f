import Chronicle
import ChronicleTestSupport
import Foundation

/// The valid files that are mutated. They are identical in every process with deterministic hashing and the same
/// version of SQLite.
struct BaseStores {
    let directory: URL

    /// The default page size, and the smallest one, with which b-trees have several levels and long values overflow.
    static let pageSizes = [4096, 512]

    func url(pageSize: Int) -> URL { directory.appending(path: "base-\(pageSize).store") }
    func appleURL(pageSize: Int) -> URL { directory.appending(path: "apple-\(pageSize).store") }

    func make() throws {
        let url = directory.appending(path: "made.store")
        try makeHistory(url)
        try normalize(url)
        let apple = directory.appending(path: "apple.store")
        try AppleTrips.script.write(to: apple)
        for pageSize in Self.pageSizes {
            try copy(url, to: self.url(pageSize: pageSize), pageSize)
            try copy(apple, to: appleURL(pageSize: pageSize), pageSize)
        }
    }

    private func copy(_ url: URL, to new: URL, _ pageSize: Int) throws {
        // Not in WAL mode, in which the page size cannot be changed.
        try RawDatabase(url).run(
            "PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageSize); VACUUM INTO '\(new.path)'")
    }

    /// Creates a history with saves of several authors, grouped and ungrouped external changes, a gap, a floor, and
    /// deleted ranges, a tag, and the index by model.
    private func makeHistory(_ url: URL) throws {
        try makeFormerAttributes(url)
        let container = try Models.container(url)
        let context = ModelContext(container)
        context.author = "first"
        let samples = (0..<12).map { Sample("sample \($0)", $0) }
        for sample in samples { context.insert(sample) }
        try context.save()
        try fillRelationships(context)
        context.author = "second"
        context.name = "a context"
        for (index, sample) in samples.enumerated() {
            sample.note = String(repeating: "note ", count: index * 20)
            sample.decimal += 1
            if index % 3 == 0 { sample.words = ["a", "b"] }
            try context.save()
        }
        for sample in samples.suffix(4) { context.delete(sample) }
        try context.save()
        try foreign(url, "UPDATE Sample SET note = 'foreign' WHERE _rowid_ < 3; DELETE FROM Sample WHERE _rowid_ = 3")
        context.author = nil
        context.insert(Sample("later", 100))
        try context.save()
        try deleteSome(context)
        try makeGap(url)
        let last = ModelContext(try Models.container(url))
        last.author = "third"
        last.insert(Sample("after the gap", 101))
        try last.save()
        try last.tag("tag")
        for case let store as DefaultStore in last.container.stores { try store.setHistoryIndexedByModel(true) }
        try foreign(url, "UPDATE Owner SET name = name || '!'; DELETE FROM Sample WHERE name = 'later'")
    }

    /// Registers so many former attributes that the present ones need a second mask.
    private func makeFormerAttributes(_ url: URL) throws {
        _ = try Models.container(url, Models.later)
        let database = try RawDatabase(url)
        let entity = try database.rows("SELECT id FROM chronicle_entity WHERE name = 'Sample'")[0][0]
        for number in 40..<58 {
            try database.rows(
                "INSERT INTO chronicle_attribute VALUES (?, ?, ?, NULL, NULL, 0, 0, 0, 0)",
                [entity, .integer(Int64(number)), .text("former\(number)")])
        }
        // The class has other columns, so the next opening recreates the table.
        try database.run("DROP TABLE Sample; UPDATE chronicle_attribute SET present = 0")
        try database.run("DELETE FROM chronicle_meta WHERE name LIKE 'complete:%'")
    }

    private func fillRelationships(_ context: ModelContext) throws {
        let labels = (0..<4).map { Label("label \($0)") }
        let owners = (0..<5).map { Owner("owner \($0)") }
        for label in labels { context.insert(label) }
        for (index, owner) in owners.enumerated() {
            context.insert(owner)
            owner.parts = (0..<3).map { Part("part \(index).\($0)") }
            owner.parts.first?.pieces = [Part("piece of \(index)")]
            owner.labels = Array(labels.prefix(index))
            owner.photos = [Photo("photo \(index)")]
            owner.passport = Passport(index)
            owner.favorite = labels[index % 4]
            owner.tickets = index == 0 ? [Ticket(Decimal(12))] : []
            try context.save()
        }
        for (index, owner) in owners.enumerated() { owner.friends = [owners[(index + 1) % 5]] }
        try context.save()
        owners[1].labels = [labels[3]]
        owners[1].name = "renamed"
        try context.save()
        context.delete(owners[4])
        try context.save()
    }

    /// Deletes history, which leaves a floor, deleted ranges after it, and transactions before it.
    private func deleteSome(_ context: ModelContext) throws {
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        try context.deleteHistory(.before(all[2].token))
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { $0.author == "second" && $0.contextName == "a context" })
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 3
        try context.deleteHistory(descriptor)
    }

    private func makeGap(_ url: URL) throws {
        let context = ModelContext(try Models.container(url, recordsHistory: false))
        context.insert(Sample("not recorded", 200))
        try context.save()
    }

    private func foreign(_ url: URL, _ sql: String) throws { try RawDatabase(url, runsTriggers: true).run(sql) }

    /// Replaces random values, times and process identifiers.
    private func normalize(_ url: URL) throws {
        let database = try RawDatabase(url)
        try database.run(
            """
            UPDATE chronicle_meta SET value = '\(Self.identifier)' WHERE name = 'store';
            UPDATE chronicle_meta SET value = value * 0 + 4711 WHERE name = 'floorCheck';
            UPDATE chronicle_change SET attributes = id * 1000003 WHERE kind <= 0;
            UPDATE chronicle_change SET primary_key = id * 10.5 WHERE kind < 0;
            UPDATE chronicle_change SET new_value = 4711 WHERE kind < -1;
            UPDATE chronicle_source SET program = 'program' WHERE id > 1;
            UPDATE chronicle_tag SET check_value = position * 1000003, created = 300;
            """)
    }

    static let identifier = "00000000-0000-4000-8000-000000000000"

    /// The tokens of the valid file, and some that no store created.
    static func tokens(_ url: URL) throws -> [DefaultHistoryToken] {
        let headers = try RawDatabase(url).rows(
            "SELECT id, attributes FROM chronicle_change WHERE kind <= 0 ORDER BY id")
        let given = headers.map {
            DefaultHistoryToken(storeIdentifier: identifier, position: $0[0].integer ?? 0, checkValue: $0[1].integer)
        }
        let others = [0, 1, 7, -1, .min, .max, .max - 1, 1 << 62].map {
            DefaultHistoryToken(storeIdentifier: identifier, position: $0, checkValue: nil)
        }
        return given + others
    }
}
