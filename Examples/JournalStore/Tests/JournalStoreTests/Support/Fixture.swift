import Chronicle
import Foundation
import JournalStore

@testable import JournalWorker

/// A separate journal for each test.
struct Fixture {
    let directory: TemporaryDirectory
    let url: URL
    let container: ModelContainer
    let store: JournalStore

    struct Missing: Error {}

    init(
        _ directory: TemporaryDirectory? = nil, _ url: URL? = nil,
        durability: JournalStoreConfiguration.Durability = .relaxed
    )
        throws
    {
        self.directory = try directory ?? TemporaryDirectory()
        self.url = url ?? self.directory.file()
        container = try Self.open(self.url, durability)
        guard let store = container.stores.first as? JournalStore else { throw Missing() }
        self.store = store
    }

    @discardableResult
    static func open(_ url: URL, _ durability: JournalStoreConfiguration.Durability = .relaxed) throws -> ModelContainer
    {
        try ModelContainer(
            for: Note.self, configurations: JournalStoreConfiguration(url: url, durability: durability))
    }

    /// Opens the same journal in another container, as another process would.
    func again() throws -> Fixture { try Fixture(directory, url) }

    /// Makes a copy of the journal with other bytes.
    func copy(_ bytes: Data) throws -> URL {
        let url = directory.file()
        try bytes.write(to: url)
        return url
    }

    func context(_ author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        return context
    }

    /// Saves each text separately.
    func write(_ texts: String...) throws {
        for text in texts {
            let context = context()
            context.insert(Note(text))
            try context.save()
        }
    }

    func texts() throws -> [String] { try context().fetch(FetchDescriptor<Note>()).map(\.text) }

    func history(
        _ descriptor: HistoryDescriptor<JournalTransaction> = HistoryDescriptor()
    ) throws -> [JournalTransaction] {
        try context().fetchHistory(descriptor)
    }

    var bytes: Data {
        get throws { try Data(contentsOf: url) }
    }
}
