import Chronicle
import ChronicleTestSupport
import Foundation

/// Uses a file in every way that the public API offers: opens it, fetches, saves, deletes, and reads and deletes
/// history.
struct Exercise {
    let url: URL
    /// Tokens of the file before it was mutated, and invalid ones.
    let tokens: [DefaultHistoryToken]
    var random: SplitMix
    var outcomes = Outcomes()
    /// Whether the models that a save wrote can be fetched afterwards: the indexes match the tables, and no trigger of
    /// another program changes them.
    var findsWhatItSaved = false

    init(_ url: URL, _ tokens: [DefaultHistoryToken], _ random: SplitMix) {
        (self.url, self.tokens, self.random) = (url, tokens, random)
    }

    /// - Parameter change: Changes the file while a store has it open.
    mutating func run(changing change: ((inout SplitMix) throws -> Void)? = nil) throws {
        if random.chance(40) { readOnly() }
        if random.chance(10) { switchHistoryOff() }
        if random.chance(10) { migrate() }
        guard let container = outcomes.attempt("open", { [url] in try Models.container(url) }) else { return }
        let context = ModelContext(container)
        context.author = "exercise"
        if let change {
            readModels(context)
            try change(&random)
        }
        readModels(context)
        readHistory(context)
        save(context)
        readHistory(context)
        delete(context)
        if random.chance(30) {
            changeIndexAndTags(context)
            readHistory(context)
        }
        if random.chance(30) {
            purgeHistory(context)
            readHistory(context)
        }
        deleteHistory(context)
        readHistory(ModelContext(container))
        readModels(ModelContext(container))
        save(ModelContext(container))
    }

    private mutating func readOnly() {
        let container = outcomes.attempt("open read-only") { [url] in try Models.container(url, allowsSave: false) }
        guard let container else { return }
        let context = ModelContext(container)
        readModels(context)
        readHistory(context)
    }

    private mutating func switchHistoryOff() {
        let container = outcomes.attempt("open without history") { [url] in
            try Models.container(url, recordsHistory: false)
        }
        if let container { save(ModelContext(container)) }
    }

    /// Opens the file with a later version of the models.
    private mutating func migrate() {
        let container = outcomes.attempt("open with later models") { [url] in try Models.container(url, Models.later) }
        guard let container else { return }
        let context = ModelContext(container)
        outcomes.attempt("fetch later models") { try context.fetch(FetchDescriptor<LaterSample>()).map(\.title) }
        context.insert(LaterSample("later"))
        outcomes.attempt("save later models") { try context.save() }
        readHistory(context)
    }

    // MARK: Writing

    private mutating func save(_ context: ModelContext) {
        outcomes.attempt("change") {
            if let owner = try context.fetch(FetchDescriptor<Owner>()).first {
                owner.name += "."
                owner.parts.append(Part("new"))
                owner.labels = []
                owner.friends = [owner]
                owner.passport = Passport(1)
            }
            if let sample = try context.fetch(FetchDescriptor<Sample>()).last { sample.note = "changed" }
        }
        let name = "new \(random.next())"
        context.insert(Sample(name, random.below(1_000_000)))
        if attemptSave("save", context), findsWhatItSaved {
            let found = outcomes.attempt("count saved") {
                try context.fetchCount(FetchDescriptor<Sample>(predicate: #Predicate { $0.name == name }))
            }
            if let found, found != 1 { outcomes.fail("save", "nothing, and there are \(found) of its models") }
        }
        for number in 0..<10 { context.insert(Sample("\(name) \(number)", Int(random.below(1_000_000)))) }
        let owner = Owner(name)
        context.insert(owner)
        owner.labels = [Label(name)]
        owner.parts = [Part(name), Part(name)]
        attemptSave("save several", context)
    }

    /// - Returns: Whether the operation succeeded.
    @discardableResult
    mutating func attemptSave(_ operation: String, _ context: ModelContext) -> Bool {
        if outcomes.attempt(operation, { try context.save() }) != nil { return true }
        context.rollback()
        return false
    }

    private mutating func delete(_ context: ModelContext) {
        outcomes.attempt("delete where") {
            try context.delete(model: Sample.self, where: #Predicate { $0.number % 2 == 0 })
        }
        outcomes.attempt("delete all") { try context.delete(model: Label.self) }
        outcomes.attempt("delete one") {
            for owner in try context.fetch(FetchDescriptor<Owner>()).prefix(2) { context.delete(owner) }
            for part in try context.fetch(FetchDescriptor<Part>()).suffix(2) { context.delete(part) }
        }
        attemptSave("save deletes", context)
        outcomes.attempt("delete owners") { try context.delete(model: Owner.self) }
    }
}
